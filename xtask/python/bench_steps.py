"""`cargo xtask bench steps`: a noisy gradient step beside NumPy's and SciPy's.

Both sides take turns, as many steps as a fit has each, in one run: ours is a default fit (`ight`, all
columns, unit rows) on all cores, theirs is what a person would write, on one core, as SciPy comes:
margins X @ w, slopes, X.T @ r, Gaussian noise, and the step. Exit code 1 if a goal is missed.

The last two columns are processor time per step (Linux), ours and theirs: on a busy machine, where
the time that passes says little, they can still be compared (with RAYON_NUM_THREADS=1, as threads
that wait for each other take time too).

Usage: bench_steps.py STEPS DATA FOLDER [TABLE...]
"""

import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
from scipy import sparse

# How many times as fast a step should be; no goal for classes.
GOALS = {"a9a": 4, "news20": 3, "kddcup99": 3, "made-up": 2, "news20-classes": None}
# How many bunches of steps. Each is as long as a fit: threads that have to be woken, and caches that
# the other side has filled, are met once per fit, not once per step.
BUNCHES = 9


class Ours:
    """The program that fits, and how long its bunches of steps took."""

    def __init__(self, program, table, data, folder):
        self.process = subprocess.Popen(
            [program, table, data, folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.setups = []
        self.shape = tuple(map(int, self.process.stdout.readline().split()))
        _, seconds, self.steps = self.process.stdout.readline().split()
        self.setups.append(float(seconds))

    def seconds(self, steps):
        print(steps, file=self.process.stdin, flush=True)
        while True:
            kind, seconds, *_ = self.process.stdout.readline().split()
            if kind == "steps":
                return float(seconds)
            self.setups.append(float(seconds))

    def processor_seconds(self):
        """What all its threads have taken so far: nanoseconds come first in `schedstat`."""
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    """The same steps in NumPy and SciPy."""

    def __init__(self, folder, shape):
        count, width, entries = shape
        load = lambda name, kind: np.fromfile(folder / name, kind)
        starts, columns = load("starts", np.int64), load("columns", np.int32)
        values = load("values", np.float32).astype(float)
        # As SciPy comes: indices of 32 bits where they suffice.
        rows = sparse.csr_matrix((values, columns, starts.astype(np.int32)), (count, width))
        norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel() + 1)
        self.rows = sparse.csr_matrix(sparse.diags(1 / norms) @ rows)
        self.classes = load("classes", np.uint32).astype(int)
        self.functions = int(self.classes.max()) + 1
        self.targets = (
            self.classes.astype(float)
            if self.functions == 2
            else np.eye(self.functions)[self.classes]
        )
        self.weights = np.zeros(self.rows.shape[1:] + self.targets.shape[1:])
        self.generator = np.random.default_rng(0)

    def slopes(self, margins):
        if self.functions == 2:
            return 1 / (1 + np.exp(-margins)) - self.targets
        powers = np.exp(margins - margins.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True) - self.targets

    def step(self):
        gradient = self.rows.T @ self.slopes(self.rows @ self.weights)
        gradient += self.generator.normal(scale=10.0, size=gradient.shape)
        self.weights -= gradient / len(self.targets)

    def processor_seconds(self):
        return time.process_time()

    def seconds(self, steps):
        start = time.perf_counter()
        for _ in range(steps):
            self.step()
        return time.perf_counter() - start


def taken(side, steps):
    """How long a bunch of steps took: time that passed, and processor time."""
    start = side.processor_seconds()
    seconds = side.seconds(steps)
    return seconds / steps, (side.processor_seconds() - start) / steps


def measured(program, table, data, folder):
    """The shape, and the medians of our step, of theirs, of the ratio, of the set-up, and of the
    processor time of both steps."""
    ours = Ours(program, table, data, folder)
    theirs = Theirs(folder, ours.shape)
    theirs.step()
    # The first step is apart, and the fit ends after its last.
    count = int(ours.steps) - 2
    pairs, processor = [], []
    for _ in range(BUNCHES):
        begun = len(ours.setups)
        pairs.append((taken(ours, count), taken(theirs, count)))
        # Copies of the table that another fit made meanwhile are no part of its steps.
        if len(ours.setups) == begun:
            processor.append(pairs[-1])
    ours.close()
    middle = statistics.median
    return (
        ours.shape,
        middle(a for (a, _), _ in pairs),
        middle(b for _, (b, _) in pairs),
        middle(b / a for (a, _), (b, _) in pairs),
        middle(ours.setups),
        middle(a for (_, a), _ in processor),
        middle(b for _, (_, b) in processor),
    )


def main():
    program, data, folder, *tables = sys.argv[1:]
    missed = False
    heads = ("rows", "columns", "non-zeros", "reticent", "SciPy", "ratio", "goal", "first step")
    heads += ("CPU", "SciPy's CPU")
    print(f"{'':15}" + "".join(f"{head:>12}" for head in heads))
    for table in tables or GOALS:
        shape, ours, theirs, ratio, setup, *processor = measured(
            program, table, data, pathlib.Path(folder, table)
        )
        goal = GOALS[table]
        met = goal is None or ratio >= goal
        missed |= not met
        cells = [*map(str, shape), f"{ours * 1e3:.3f} ms", f"{theirs * 1e3:.2f} ms"]
        cells += [f"{ratio:.1f}", str(goal or "-"), f"{setup * 1e3:.0f} ms"]
        cells += [f"{seconds * 1e3:.3f} ms" for seconds in processor]
        print(
            f"{table:15}" + "".join(f"{cell:>12}" for cell in cells) + ("" if met else "  MISSED"),
            flush=True,
        )
    sys.exit(missed)


main()
