"""`cargo xtask bench news20`: the command beside what a person would run in Python.

Reads news20 with scikit-learn and runs private Frank-Wolfe as the appendix of "Sparse Private
LASSO Logistic Regression" advises, vectorised over sparse matrices. (Its noise is the printed
Laplace noise: as many draws a step as a valid one needs.) Then `reticent fit` on the same file
with the same steps, by its own clock. Exit code 1 if a goal is missed.

Usage: bench_news20.py COMPRESSED RETICENT FOLDER
"""

import json
import lzma
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

STEPS = 1000
RADIUS = 30.0
EPSILON, DELTA = 1.0, 1e-6
REPETITIONS = 5


def seconds(work, repetitions=1):
    """The median time of some calls."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def unit_rows(matrix):
    """Rows longer than 1 shortened to 1, as `--rows l2=1` does."""
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.maximum(norms, 1)) @ matrix)


def private_lasso(features, labels):
    """The appendix's loop, with argmin where it prints argmax."""
    count, width = features.shape
    identity = sparse.identity(width, format="csr")
    vertices = RADIUS * sparse.vstack((identity, -identity), format="csr")
    scale = RADIUS * np.sqrt(8 * STEPS * np.log(1 / DELTA)) / (count * EPSILON)
    generator = np.random.default_rng(0)
    weights = np.zeros((width, 1))
    for step in range(1, STEPS + 1):
        probabilities = 1 / (1 + np.exp(-(features @ weights)))
        gradient = (probabilities - labels).T @ features / count
        scores = vertices @ gradient.T
        scores += generator.laplace(scale=scale, size=(2 * width, 1))
        vertex = vertices[np.argmin(scores), :].T
        weights = weights + (2 / (step + 2)) * (vertex - weights)
    return weights


def fitted(reticent, text, folder):
    """What `reticent fit` says of itself."""
    command = [reticent, "fit", text, "--task", "logistic", "--method", "frank-wolfe"]
    command += ["--epsilon", str(EPSILON), "--delta", str(DELTA), "--rows", "l2=1"]
    command += ["--classes", "rest=*,first=1|2|3|4|5|6|7|8|9|10", "--columns", "62061"]
    command += ["--radius", str(RADIUS), "--iterations", str(STEPS), "--step-rule", "standard"]
    command += ["--no-intercept", "--json", "--out", folder / "model.json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    compressed, reticent, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "news20.txt"
    with lzma.open(compressed) as source, text.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    their_read = seconds(lambda: load_svmlight_file(str(text)), REPETITIONS)
    raw, labels = load_svmlight_file(str(text))
    features, labels = unit_rows(raw), (labels <= 10).astype(float)[:, None]
    values = features.data.astype(np.float32)
    one_pass = seconds(lambda: [values.sum() for _ in range(100)], REPETITIONS) / 100
    runs = [fitted(reticent, text, folder) for _ in range(REPETITIONS)]
    their_step = seconds(lambda: private_lasso(features, labels)) / STEPS
    read = statistics.median(run["seconds"]["read"] for run in runs)
    step = statistics.median(run["seconds"]["fit"] for run in runs) / STEPS
    peak = max(run["peak_memory_bytes"] for run in runs)
    # Ours: a u32 column and an f32 value an entry, and where each row starts.
    arrays = 8 * raw.nnz + 8 * (raw.shape[0] + 1)
    goals = [
        ("reading, against scikit-learn", f"{read * 1e3:.0f} ms", f"{their_read * 1e3:.0f} ms",
         their_read / read, 5, their_read / read >= 5),
        ("a step, against SciPy", f"{step * 1e3:.3f} ms", f"{their_step * 1e3:.2f} ms",
         their_step / step, 20, their_step / step >= 20),
        ("peak memory, in CSR arrays", f"{peak / 1e6:.1f} MB", f"{arrays / 1e6:.1f} MB",
         peak / arrays, 3, peak / arrays <= 3),
    ]
    print(f"news20: {raw.shape[0]} rows, {raw.shape[1]} columns, {raw.nnz} non-zeros")
    print(f"{'':32}{'reticent':>10}{'beside':>10}{'ratio':>8}{'goal':>6}")
    for name, ours, beside, ratio, goal, met in goals:
        print(f"{name:32}{ours:>10}{beside:>10}{ratio:8.1f}{goal:6}  {'met' if met else 'MISSED'}")
    print(f"one pass over the values at memory speed: {one_pass * 1e6:.0f} µs")
    sys.exit(not all(goal[-1] for goal in goals))


main()
