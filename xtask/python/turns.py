"""Methods that take turns: ours, asked of another Python, and those beside it."""

import json
import statistics
import subprocess
import sys
import time

# What all names of our columns begin with.
OURS = "reticent"
# Threads of a linear algebra library spin for a while after their work, on the cores of whoever is
# next: seconds until they sleep.
PAUSE = 0.15


class Column:
    """Our column: another Python, which has the package, answers line by line."""

    def __init__(self, folder, python, script):
        self.worker = subprocess.Popen(
            [python, script, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def fit(self, table, epsilon, kind="CSR"):
        """A fit and its figures, as a function of the seed."""

        def answer(seed):
            question = {"table": table, "epsilon": epsilon, "kind": kind, "seed": seed}
            print(json.dumps(question), file=self.worker.stdin, flush=True)
            line = self.worker.stdout.readline()
            if not line:
                sys.exit("our column gave no answer")
            return json.loads(line)

        return answer

    def close(self):
        self.worker.stdin.close()


def turns(methods, label, seeds):
    """All methods in turn, seed by seed: for each a list per figure, and its seconds. The first turn
    warms up and does not count."""
    found = {name: [] for name in methods}
    for seed in range(-1, seeds):
        print(f"{label}, seed {seed}", file=sys.stderr)
        for name, method in methods.items():
            time.sleep(PAUSE)
            answer = method(max(seed, 0))
            if seed >= 0:
                found[name].append(answer)
    return {name: listed(answers) for name, answers in found.items()}


def listed(answers):
    return {figure: [answer[figure] for answer in answers] for figure in answers[0]}


def clearly_above(first, second):
    """Whether the first list is above the other by two standard errors of their differences: a seed
    draws the same table for both."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    error = statistics.stdev(differences) / len(differences) ** 0.5
    return statistics.fmean(differences) > 2 * error


def spread(figures):
    return f"{statistics.fmean(figures):.4f} ± {statistics.stdev(figures):.4f}"


def milliseconds(seconds):
    return f"{1e3 * statistics.median(seconds):.0f} ms"


def bold(text, is_best):
    return f"**{text}**" if is_best else text
