"""What a call from Python costs, on news20: prints the second part of docs/results/python.md.

Usage: overhead.py TABLES RETICENT FOLDER
       overhead.py LAYOUT FILE        (in a process of its own: the memory of one fit, Linux only)
"""

import gc
import json
import lzma
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import reticent
import tables
from scipy import sparse

PAIRS = 12
EPSILON = 1.0
GOAL = 1.05
CLASSES = "rest=*,first=" + "|".join(map(str, range(1, 11)))
# How the matrix is handed over, and how many of the records: all of them would not fit dense.
LAYOUTS = {
    "CSR, float64": (sparse.csr_matrix, np.float64, None),
    "CSR, float32": (sparse.csr_matrix, np.float32, None),
    "CSC, float64": (sparse.csc_matrix, np.float64, None),
    "dense, float64": (sparse.csr_matrix.toarray, np.float64, 1000),
    "dense, float32": (sparse.csr_matrix.toarray, np.float32, 1000),
}


def estimator(count, seed):
    return reticent.PrivateLogisticRegression(
        epsilon=EPSILON, delta=1 / count**2, row_bound=("l2", 1.0), random_state=seed
    )


def from_python(part, seed):
    """Seconds of a fit, as a user would measure them."""
    model = estimator(len(part.classes), seed)
    start = time.perf_counter()
    model.fit(part.features, part.classes)
    return time.perf_counter() - start


def from_the_engine(command, text, folder, count, seed):
    """The same by the command, on its own clock: from the table in memory to the model."""
    words = [command, "fit", text, "--task", "logistic", "--rows", "l2=1", "--json"]
    words += ["--epsilon", str(EPSILON), "--delta", repr(1 / count**2), "--seed", str(seed)]
    words += ["--classes", CLASSES, "--columns", str(tables.COLUMNS["news20"])]
    words += ["--out", folder / "news20-model.json"]
    answer = subprocess.run(words, check=True, capture_output=True)
    return json.loads(answer.stdout)["seconds"]["fit"]


def timed(part, command, text, folder):
    """For each seed the engine's seconds, and those from Python with either type, in turns."""
    count = len(part.classes)
    single = tables.Part(part.features.astype(np.float32), part.classes)
    turn = {
        "engine": lambda seed: from_the_engine(command, text, folder, count, seed),
        "CSR, float64": lambda seed: from_python(part, seed),
        "CSR, float32": lambda seed: from_python(single, seed),
    }
    found = {name: [] for name in turn}
    for seed in range(-1, PAIRS):
        print(f"news20, seed {seed}", file=sys.stderr)
        # Nobody is always first; the first round warms up and does not count.
        for name in sorted(turn, reverse=seed % 2 == 1):
            seconds = turn[name](max(seed, 0))
            if seed >= 0:
                found[name].append(seconds)
    return found


def kept(matrix):
    """The arrays of a matrix."""
    if sparse.issparse(matrix):
        return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    return {"data": matrix}


def memory(part, folder):
    """Per layout: bytes of the matrix, and by how much the fit raised the memory in use."""
    for name, (layout, kind, count) in LAYOUTS.items():
        print(f"news20, memory, {name}", file=sys.stderr)
        matrix = layout(part.features[:count].astype(kind))
        file = folder / "news20-arrays.npz"
        np.savez(file, shape=matrix.shape, classes=part.classes[:count], **kept(matrix))
        words = [sys.executable, __file__, name, file]
        answer = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
        file.unlink()
        yield (
            name,
            matrix.shape[0],
            sum(array.nbytes for array in kept(matrix).values()),
            int(answer),
        )


def rise(name, file):
    """The highest resident memory during a fit, above what it was before."""
    with np.load(file) as arrays:
        shape, classes = tuple(arrays["shape"]), arrays["classes"]
        matrix = arrays["data"]
        if "indices" in arrays:
            triple = (matrix, arrays["indices"], arrays["indptr"])
            matrix = LAYOUTS[name][0](triple, shape=shape)
    # Whatever is loaded or started on the first call is no part of the matrix.
    few = np.random.default_rng(0).random((50, 3))
    estimator(50, 0).fit(few, np.arange(50) % 2)
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    estimator(len(classes), 0).fit(matrix, classes)
    return resident("VmHWM") - before


def resident(field):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    sys.exit(f"this system does not tell {field}")


def time_lines(found):
    engine = found.pop("engine")
    median = statistics.median(engine)
    for name, seconds in found.items():
        ours = statistics.median(seconds)
        low, _, high = statistics.quantiles([a / b for a, b in zip(seconds, engine, strict=True)])
        yield (
            f"| {name} | {1e3 * ours:.0f} ms | {1e3 * median:.0f} ms | {ours / median:.3f} "
            f"| {low:.3f} to {high:.3f} | {reached(ours <= GOAL * median)} |"
        )


def memory_lines(measured):
    for name, count, size, risen in measured:
        yield (
            f"| {name} | {count} | {size / 1e6:.1f} MB | {risen / 1e6:.1f} MB "
            f"| {risen / size:.2f} | {reached(risen < size)} |"
        )


def reached(goal):
    return "met" if goal else "**missed**"


def main():
    folder, command, scratch = map(pathlib.Path, sys.argv[1:])
    scratch.mkdir(parents=True, exist_ok=True)
    text = scratch / "news20.txt"
    with lzma.open(folder / "news20.xz") as source, text.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    part = tables.news20(folder)
    found = timed(part, command, text, scratch)
    measured = list(memory(part, scratch))
    text.unlink()
    print(TIME.format(pairs=PAIRS, goal=GOAL))
    print(*time_lines(found), sep="\n")
    print(MEMORY)
    print(*memory_lines(measured), sep="\n")


TIME = """\
## The cost of a call

`news20`, class 10 or less against the rest, all 15 935 records, `row_bound=("l2", 1.0)`, ε = 1,
δ = 1/n². *Python* is `fit` as a user would time it; *engine* is the same fit by the
`reticent` command on its own clock, from the table in memory to the model (in a new process each
time, which Python's is not). {pairs} seeds, the same for all, in turns; medians, and the quartiles
of the ratio of a seed. The goal is a ratio of at most {goal}.

| handed over as | Python | engine | ratio | quartiles | goal |
|---|---|---|---|---|---|\
"""

MEMORY = """
How far resident memory rises above what it was before `fit`, at its highest, in a process of its
own that has fitted a small table before. The goal is less than the matrix itself: no second copy.

| handed over as | records | matrix | rise | rise / matrix | goal |
|---|---|---|---|---|---|\
"""

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) == 3:
        print(rise(*sys.argv[1:]))
    else:
        main()
