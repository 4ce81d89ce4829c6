"""The yardstick of `cargo xtask bench news20`: what a person would run in Python.

Reads news20 with scikit-learn and runs private Frank-Wolfe as the appendix of "Sparse Private
LASSO Logistic Regression" advises, vectorised over sparse matrices. (The noise is the printed
Laplace noise: as many draws a step as a valid one.) Writes its figures as `name value` lines.

Usage: bench_news20.py COMPRESSED TEXT FIGURES
"""

import lzma
import pathlib
import shutil
import sys
import time

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

STEPS = 1000
RADIUS = 30.0
EPSILON, DELTA = 1.0, 1e-6


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


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


def main():
    compressed, text, figures = map(pathlib.Path, sys.argv[1:])
    with lzma.open(compressed) as source, text.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    read = min(timed(lambda: load_svmlight_file(str(text)))[0] for _ in range(3))
    raw, labels = load_svmlight_file(str(text))
    features, labels = unit_rows(raw), (labels <= 10).astype(float)[:, None]
    print(f"   scikit-learn reads it in {read:.3f} s; {STEPS} steps with SciPy ...", flush=True)
    total, _ = timed(lambda: private_lasso(features, labels))
    figures.write_text(f"read {read}\nstep {total / STEPS}\n")


main()
