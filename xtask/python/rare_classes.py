"""Rare classes beside DP-SGD tuned in hindsight: prints the second part of docs/results/python.md.

Runs where dp-accounting is installed, and asks our column of another Python.

Usage: rare_classes.py TABLES PYTHON OURS
"""

import functools
import statistics
import sys
import warnings

import numpy as np
import rivals
import tables
from turns import OURS, Column, bold, clearly_above, listed, milliseconds, spread, turns

SEEDS = 10
BUDGETS = (1.0, 5.0)
# What DP-SGD may choose from: among it all records in every step, and longer steps, which a rare class
# asks for.
PLANS = ((0.01, 500), (0.05, 50), (0.05, 200), (1.0, 32))
CLIPS = (0.5, 2.0)
PACES = (0.25, 1.0, 4.0, 16.0, 64.0)
# The settings that are tried on more seeds than one, and on how many.
FINALISTS = 10
TRIALS = 4
# What a setting is best at, and whether more is better.
FIGURES = {"auc": True, "log-loss": False}
OWN = f"{OURS}, CSR"


class Rival:
    """DP-SGD on one table, in dense arrays; numbers of kddcup99 in either scale."""

    def __init__(self, folder, name):
        scales = (-1, 0) if name.startswith("kddcup99") else (-1,)
        self.drawn = {low: dense(tables.rare(folder, name, low)) for low in scales}

    def settings(self, epsilon):
        """All settings, each with the scale of numbers: the intercept starts at 0 or at the log-odds
        of the training records."""
        for low, drawn in self.drawn.items():
            part, _ = drawn(0)
            count = len(part.classes)
            starts = (0.0, rivals.log_odds(part.classes))
            choices = PLANS, CLIPS, PACES
            for plan in rivals.grid(epsilon, 1 / count**2, rivals.REPLACE, choices, starts):
                yield {**plan, "low": low}

    def fit(self, seed, low, **plan):
        return rivals.descent(*self.drawn[low](seed), seed=seed, **plan)

    def tuned(self, epsilon):
        """For each figure the best setting by the very figures that are reported, of the first seeds:
        all on one, the best of those on more."""
        settings = list(self.settings(epsilon))
        trials = [[self.fit(0, **setting)] for setting in settings]

        def mean(figure, place):
            sign = 1 if FIGURES[figure] else -1
            return sign * statistics.fmean(listed(trials[place])[figure])

        for figure in FIGURES:
            ranked = functools.partial(mean, figure)
            finalists = sorted(range(len(settings)), key=ranked, reverse=True)[:FINALISTS]
            for place in finalists:
                for seed in range(len(trials[place]), TRIALS):
                    trials[place].append(self.fit(seed, **settings[place]))
            yield figure, settings[max(finalists, key=ranked)]


def dense(table):
    """The same with dense records to learn from; the draws of the seeds for tuning are kept."""

    def drawn(seed):
        part, test = table(seed)
        return tables.Part(np.ascontiguousarray(part.features.toarray()), part.classes), test

    return functools.lru_cache(TRIALS)(drawn)


def rows(name, epsilon, found):
    means = {
        figure: {method: statistics.fmean(one[figure]) for method, one in found.items()}
        for figure in FIGURES
    }
    for method, one in found.items():
        cells = []
        for figure, more in FIGURES.items():
            best = (max if more else min)(means[figure].values())
            cells.append(bold(spread(one[figure]), means[figure][method] == best))
        cells.append(milliseconds(one["seconds"]))
        yield f"| {name} | {epsilon:g} | {method} | {' | '.join(cells)} |"


def behind(cell, found):
    """Where DP-SGD is ahead by more than two standard errors."""
    for figure, more in FIGURES.items():
        for method, one in found.items():
            pair = (one, found[OWN]) if more else (found[OWN], one)
            if method != OWN and clearly_above(*(each[figure] for each in pair)):
                figures = [spread(each[figure]) for each in (one, found[OWN])]
                yield f"- {cell}, {figure}: {method} {figures[0]}, {OWN} {figures[1]}"


def main():
    folder, python, script = sys.argv[1:]
    column = Column(folder, python, script)
    lines, notes, lost, rates = [], [], [], []
    for name in tables.RARE:
        rival = Rival(folder, name)
        part, _ = next(iter(rival.drawn.values()))(0)
        rates.append(f"{name}: {int(part.classes.sum())} of {len(part.classes)}")
        for epsilon in BUDGETS:
            cell = f"{name}, ε = {epsilon:g}"
            print(f"{cell}: settings for DP-SGD", file=sys.stderr)
            chosen = dict(rival.tuned(epsilon))
            methods = {OWN: column.fit(name, epsilon)}
            for figure, plan in chosen.items():
                scale = "" if len(rival.drawn) == 1 else f", numbers from {plan['low']} to 1"
                notes.append(f"- {cell}, {figure}: {rivals.described(plan)}{scale}")
                methods[f"DP-SGD, best {figure}"] = functools.partial(rival.fit, **plan)
            found = turns(methods, cell, SEEDS)
            lines.extend(rows(name, epsilon, found))
            lost.extend(behind(cell, found))
    column.close()
    print(PAGE.format(seeds=SEEDS, trials=TRIALS, rates="; ".join(rates)))
    print(*lines, sep="\n")
    print("\nWhat was chosen for DP-SGD:\n", *notes, sep="\n")
    if lost:
        print(
            "\n**DP-SGD is ahead**, by more than two standard errors of the difference:\n",
            *lost,
            sep="\n",
        )
    else:
        print("\nDP-SGD is nowhere ahead by more than two standard errors of the difference.")


PAGE = """\
## Rare classes

The same beside DP-SGD where one class is rare: `a9a` with so many records of its second class kept
that they are 2 % (of the training and of the test set), and two attacks of `kddcup99` against all other
records, encoded by docs/schemas/kddcup99.toml, 60 000 random records to learn from and the rest to
measure on. Another draw for each seed. Records of the rare class to learn from (first seed): {rates}.
Means ± standard deviations over {seeds} seeds; δ = 1/n², replace-one for both. Ours has nothing set, as
above, and its probabilities are calibrated within the budget.

DP-SGD is **tuned in hindsight**, for each figure by itself: rate and steps, clip, pace, where the
intercept starts (at 0, or at the true log-odds of the training records) and the scale of numbers (from
−1 or from 0 to 1) are the best of the figures below over the first {trials} seeds, on the very records
that are measured on. None of that is paid for, and nobody could do it.

| table | ε | method | AUC | log-loss | fit |
|---|---|---|---|---|---|\
"""

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
