"""The package beside diffprivlib and DP-SGD: prints the first part of docs/results/python.md.

Runs where diffprivlib is installed, and asks our column of another Python, line by line, so that
all methods take turns.

Usage: comparison.py TABLES PYTHON OURS
"""

import functools
import statistics
import sys
import time
import warnings

import dp_sgd
import numpy as np
import rivals
import tables
from sklearn.linear_model import LogisticRegression as WithoutPrivacy
from sklearn.metrics import roc_auc_score
from turns import OURS, Column, bold, clearly_above, milliseconds, spread, turns

SEEDS = 20
BUDGETS = (0.1, 1.0)
# What the others may choose from, by the mean AUC of some seeds on a fifth of the training records.
# (For DP-SGD larger batches and a clip between were tried, and no better.)
STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
PLANS = ((0.01, 500), (0.02, 100), (0.05, 50), (0.05, 200))
CLIPS = (0.5, 2.0)
PACES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
TRIALS = 4
# The columns, and of each adjacency ours and the best of DP-SGD.
KINDS = ("CSR", "dense", "all weights", "add-remove")
PROMISES = {
    f"{OURS}, CSR": "DP-SGD, best",
    f"{OURS}, add-remove": "DP-SGD, best, add-remove",
}
# Our whole fit takes at most this part of the time of DP-SGD's steps.
GOAL = 0.5


def best(method, part, settings):
    """The settings of the best mean AUC on a fifth of the training records."""
    most, rest = tables.split(part, seed=1)

    def mean(chosen):
        trials = (method(most, rest, seed=seed, **chosen) for seed in range(TRIALS))
        return statistics.fmean(trial["auc"] for trial in trials)

    return max(settings, key=mean)


def others(name, table, epsilon):
    """Each rival as a function of the seed, and what was chosen for it, on the table of seed 0."""
    part, _ = table(0)
    public = {"epsilon": epsilon, "norm": tables.LONGEST[name]}
    chosen = best(rivals.diffprivlib, part, [{**public, "strength": c} for c in STRENGTHS])
    notes = [f"C = {chosen['strength']:g}"]
    found = {
        "diffprivlib, C = 1": (rivals.diffprivlib, {**public, "strength": 1.0}),
        "diffprivlib, best C": (rivals.diffprivlib, chosen),
    }
    delta = 1 / len(part.classes) ** 2
    written = rivals.WRITTEN
    start = time.perf_counter()
    noise = dp_sgd.noise(epsilon, delta, rivals.REPLACE, written["rate"], written["steps"])
    seconds = time.perf_counter() - start
    found["DP-SGD, as written"] = (rivals.descent, {**written, "noise": noise})
    notes.append(f"DP-SGD as written: noise {noise:.2f}, found in {seconds:.1f} s")
    adjacencies = {"best": rivals.REPLACE, "best, add-remove": rivals.ADD_REMOVE}
    for words, adjacency in adjacencies.items():
        grid = rivals.grid(epsilon, delta, adjacency, (PLANS, CLIPS, PACES))
        plan = best(rivals.descent, part, list(grid))
        found[f"DP-SGD, {words}"] = (rivals.descent, plan)
        notes.append(f"{words}: {rivals.described(plan)}")
    methods = {
        words: lambda seed, method=method, settings=settings: method(
            *table(seed), seed=seed, **settings
        )
        for words, (method, settings) in found.items()
    }
    return methods, f"- {name}, ε = {epsilon:g}: {'; '.join(notes)}"


def rows(name, epsilon, found):
    best = max(statistics.fmean(one["auc"]) for one in found.values())
    least = min(statistics.median(one["seconds"]) for one in found.values())
    for method, one in found.items():
        auc = bold(spread(one["auc"]), statistics.fmean(one["auc"]) == best)
        duration = milliseconds(one["seconds"])
        duration = bold(duration, statistics.median(one["seconds"]) == least)
        yield f"| {name} | {epsilon:g} | {method} | {auc} | {duration} |"


def behind(cell, found):
    """Where a rival that promises as much, or more, is ahead in AUC by more than two standard
    errors."""
    for own, rival in PROMISES.items():
        for name, one in found.items():
            compared = name == rival or (own.endswith("CSR") and "add-remove" not in name)
            if name.startswith(OURS) or not compared:
                continue
            if clearly_above(one["auc"], found[own]["auc"]):
                means = [statistics.fmean(each["auc"]) for each in (one, found[own])]
                yield f"- {cell}: {name} {means[0]:.4f}, {own} {means[1]:.4f}"


def times(cell, found):
    """Our time as a part of DP-SGD's, and whether that is the goal."""
    pair = f"{OURS}, CSR", "DP-SGD, best"
    ours, theirs = (statistics.median(found[name]["seconds"]) for name in pair)
    verdict = "met" if ours <= GOAL * theirs else "**missed**"
    return f"- {cell}: {1e3 * ours:.1f} of {1e3 * theirs:.1f} ms, {ours / theirs:.2f}: {verdict}"


def main():
    folder, python, script = sys.argv[1:]
    column = Column(folder, python, script)
    # What does not work shows before the long part.
    column.fit("mushrooms", 1.0)(0)
    lines, notes, lost, durations, plain = [], [], [], [], []
    for name in tables.LONGEST:
        table = dense(tables.table(folder, name))
        plain.append(f"{name} {without_privacy(*table(0)):.4f}")
        for epsilon in BUDGETS:
            cell = f"{name}, ε = {epsilon:g}"
            print(f"{cell}: settings for the others", file=sys.stderr)
            methods, note = others(name, table, epsilon)
            ours = {f"{OURS}, {kind}": column.fit(name, epsilon, kind) for kind in KINDS}
            found = turns(ours | methods, cell, SEEDS)
            lines.extend(rows(name, epsilon, found))
            lost.extend(behind(cell, found))
            durations.append(times(cell, found))
            notes.append(note)
    column.close()
    print(PAGE.format(seeds=SEEDS, plain=", ".join(plain)))
    print(*lines, sep="\n")
    print("\nWhat was chosen for the others:\n", *notes, sep="\n")
    print(f"\nOur whole fit (CSR) is to take at most {GOAL:g} of the time of DP-SGD's steps (best,")
    print("replace-one). Medians:\n", *durations, sep="\n")
    clearly = "in AUC by more than two standard errors of the difference, under the same adjacency"
    if lost:
        print(f"\n**Ahead of ours** {clearly}:\n", *lost, sep="\n")
    else:
        print(f"\nNone is ahead of ours {clearly}.")


def without_privacy(part, test):
    model = WithoutPrivacy(max_iter=1000).fit(part.features, part.classes)
    return roc_auc_score(test.classes, model.decision_function(test.features))


def dense(table):
    """The same in dense arrays, of which the last two are kept."""

    def of(part):
        return tables.Part(np.ascontiguousarray(part.features.toarray()), part.classes)

    return functools.lru_cache(2)(lambda seed: tuple(of(part) for part in table(seed)))


PAGE = """\
## Beside diffprivlib and DP-SGD

Logistic regression on `a9a` (measured on its test set) and `mushrooms` (a random four fifths to
learn from, the rest to measure on, another split for each seed). A figure is the mean ± standard
deviation of the AUC over {seeds} seeds, the same for all methods, and the median time of the fit
alone, with the arrays in memory. The best of a cell is bold. Without privacy (scikit-learn, the
first seed): {plain}.

They do not promise the same:

- **reticent**: `PrivateLogisticRegression(epsilon=ε, delta=1/n², row_bound=("linf", 1.0))`, nothing
  else set. (ε, δ) with δ = 1/n², replace-one, noise by exact samplers; probabilities are calibrated
  within the same budget. From a SciPy CSR matrix and from a dense array. *All weights* has none
  that is zero, as the models of the others: `nonzero` is the number of columns. *Add-remove* is the
  CSR column with `adjacency="add-remove"` and `public_n=n`: a weaker promise, to be read beside that
  of DP-SGD alone.
- **diffprivlib** 0.6.6 on scikit-learn 1.7.2: objective perturbation, from a dense array (it takes
  no sparse one). It promises more than we do: pure ε, with δ = 0, replace-one. It is told the
  longest row that there can be, √14 and √21. *Best C* is the best of a grid of regularisations,
  chosen on the training records (of the first seed) without paying for the choice: more than a
  user may do. It is taken at its word: its code weighs the curvature of a record by the length of
  its row where the theorem takes the square, does not penalise the intercept, which the theorem
  does, and stops its solver at a tolerance that the theorem does not know.
- **DP-SGD**: twenty lines of NumPy on a dense array (`xtask/python/dp_sgd.py`): Poisson sampling,
  each record's gradient clipped, noise of a plain floating-point generator; (ε, 1/n²) by the PLD
  accountant of dp-accounting. *As written*: 500 steps on one record in a hundred, clip 1, pace 1.
  *Best*: steps, rate, clip and pace are the best of a grid of 48, chosen on the training records,
  again without paying. Both are replace-one, as ours. *Add-remove* is the same under the adjacency
  that it is mostly run with, which asks for about half the noise and promises less: two records
  that are exchanged are told apart by up to 2ε. Its time is that of the steps alone; the search
  for the noise comes on top, and is part of ours.

| table | ε | method | AUC | fit |
|---|---|---|---|---|\
"""

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
