"""The outside check of exported models: onnxruntime against `reticent predict`.

usage: check_onnx.py PATH-TO-RETICENT

Fits small models of every task under both bounds, of raw columns through a schema, and of every map of
features, exports each, and has both predict the same rows, among them rows of zeros, far beyond the bound and on it, and
values that are missing or undeclared. Fails where a label differs or a
number is further off than 1e-6, or with a map, whose features are floats, than 5e-5 of the range of what
is predicted.
"""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

COLUMNS = 40
TOLERANCE = 1e-6
# Both sum angles of up to about 2⁴ in floats of 24 bits, each in its own order: off by about 2⁻²⁰. A model is
# up to some tens of times as steep as one feature. 1e-5 does not hold: fits draw fresh noise, and 1.5e-5 was
# seen with random Fourier features. Angles summed in doubles on both sides would mend that.
TOLERANCE_OF_MAPS = 5e-5
SEED = 20260101
# Much of it: a model without weights would compare nothing.
BUDGET = ("--epsilon", "10", "--delta", "1e-6")
TASKS = {
    "logistic": (),
    "multinomial": ("--classes", "0,1,2"),
    "linear": ("--target-range=-300,700",),
}
# How far apart the declared ends of what is predicted are: of arrays, and of columns.
RANGES = {"logistic": (1, 1), "multinomial": (1, 1), "linear": (1000, 20)}
BOUNDS = ("linf=1", "l2=1")
MAPS = {
    "scattering": ("--image", "5x8"),
    "random-convolutions": ("--image", "5x8", "--feature-count", "200"),
    "fourier": ("--feature-count", "100"),
}


def rows(rng: np.random.Generator, count: int) -> np.ndarray:
    """A third of the entries are zero; every eighth row is far beyond either bound, and every
    eighth within both."""
    values = rng.uniform(-1.5, 1.5, (count, COLUMNS)) * (rng.random((count, COLUMNS)) > 1 / 3)
    values[::8] *= 1e4
    values[1::8] *= 0.02
    return values.astype(np.float32)


def counts(rng: np.random.Generator, square: int) -> np.ndarray:
    """A row of whole numbers with this square norm, which random ones have at last."""
    while True:
        row = rng.integers(0, 6, COLUMNS)
        if row @ row == square:
            return row


def targets(task: str, features: np.ndarray) -> np.ndarray:
    if task == "linear":
        return 200 + 300 * np.clip(features[:, 3], -1, 1)
    if task == "multinomial":
        return features[:, :3].argmax(axis=1)
    return (features[:, 3] > 0).astype(int)


def libsvm(path: Path, features: np.ndarray, labels: np.ndarray) -> None:
    with path.open("w") as file:
        for row, label in zip(features, labels):
            entries = (f"{j + 1}:{row[j]!s}" for j in np.flatnonzero(row))
            print(label, *entries, file=file)


def asked(binary: str, *arguments: str | Path) -> str:
    command = [binary, *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{answer.stderr}")
    return answer.stdout


def compared(binary: str, folder: Path, task: str, bound: str, columns: tuple) -> tuple[float, str]:
    """The largest difference, and what else is wrong."""
    rng = np.random.default_rng(SEED)
    train, test = rows(rng, 2000), rows(rng, 400)
    if "fourier" in columns:
        # Of angles far beyond a turn, floats keep too little.
        train, test = np.clip(train, -3, 3), np.clip(test, -3, 3)
    # Zeros, the bounds themselves, and what is no longer a float of full precision.
    test[2], test[3], test[4] = 0, 0, 1e-40
    test[3, 3] = 1
    # Counts of norm 16: shortened, they are whole steps but for the last bit of the norm.
    for row in range(5, 400, 8):
        test[row] = counts(rng, 256)
    libsvm(folder / "train.svm", train, targets(task, train))
    libsvm(folder / "test.svm", test, targets(task, test))
    model, onnx = folder / "model.json", folder / "model.onnx"
    fit = ("fit", folder / "train.svm", "--task", task, "--rows", bound, "--out", model)
    asked(binary, *fit, *BUDGET, "--columns", str(COLUMNS), *columns)
    asked(binary, "export", model, "--onnx", onnx)
    every = () if task == "linear" else ("--probabilities",)
    lines = asked(binary, "predict", folder / "test.svm", "--model", model, *every)
    head, *lines = csv.reader(lines.splitlines())
    session = onnxruntime.InferenceSession(onnx)
    answers = session.run(None, {"features": test})
    if task == "linear":
        ours, theirs = np.array(lines, dtype=float)[:, 0], answers[0]
    else:
        ours, theirs = np.array([line[2:] for line in lines], dtype=float), answers[1]
        if [line[0] for line in lines] != list(answers[0]):
            return np.inf, "labels differ"
    if ours.shape != theirs.shape or np.ptp(ours) == 0:
        return np.inf, f"shapes {ours.shape} and {theirs.shape}, or all the same"
    # A row that is not finite is zero; LIBSVM text cannot say it.
    odd = np.zeros((3, COLUMNS), dtype=np.float32)
    odd[0, 5], odd[1, 7], odd[1, 8] = np.nan, np.inf, -np.inf
    held = session.run(None, {"features": odd})[-1]
    if "fourier" in columns:
        # Its features of a row of zeros are not zeros.
        held = held[:2]
    if not np.allclose(held, held[-1], rtol=0, atol=1e-12):
        return np.inf, "rows that are not finite are not zero"
    if session.get_modelmeta().custom_metadata_map["private"] != "true":
        return np.inf, "the metadata do not say that it is private"
    return float(np.abs(ours - theirs).max()), ""


# Every kind of column.
SCHEMA = """
version = 1
missing = ["", "-999"]
column = [
  {name = "size", kind = "numeric", bounds = [-1, 4], missing = 2.5, missing_indicator = true},
  {name = "cost", kind = "numeric", bounds = [1, 1000], scale = "log", missing = "low"},
  {name = "since", kind = "date", bounds = ["1990-01-01", "2019-12-31"], missing = 2000-02-29},
  {name = "ward", kind = "categorical", levels = ["north", "7", "true"]},
  {name = "code", kind = "categorical", levels = ["1", "2"]},
  {name = "y", kind = "target", TARGET},
]
"""
TARGETS = {
    "logistic": 'classes = ["0", "1"]',
    "multinomial": 'classes = ["0", "1", "2"]',
    "linear": "range = [-10, 10]",
}


# After the columns of a schema: a map of the features that are made of them.
MAPPED = """
[features]
kind = "fourier"
outputs = 80
"""


def from_columns(binary: str, folder: Path, task: str, features: str) -> tuple[float, str]:
    """The same for a schema: raw columns, beyond their bounds, missing and undeclared."""
    rng = np.random.default_rng(SEED)
    count = 3000
    size = np.where(rng.random(count) < 0.1, -999.0, rng.normal(1.5, 3, count))
    cost = np.where(rng.random(count) < 0.1, 0.0, 10 ** rng.uniform(-2, 5, count))
    since = np.where(rng.random(count) < 0.1, np.nan, rng.integers(5000, 20000, count) + 0.75)
    ward = rng.choice(["north", "7", "True", "north ", "nörth", ""], count)
    code = rng.choice([1.0, 2.0, 3.0, np.nan], count)
    score = np.clip(size, -1, 4) + (ward == "7") * 3 - np.log10(np.maximum(cost, 1))
    y = {"logistic": score > 1, "multinomial": np.digitize(score, [0, 2]), "linear": score}[task]
    with (folder / "table.csv").open("w", encoding="utf-8") as file:
        print("size,cost,since,ward,code,y", file=file)
        for i in range(count):
            day = np.datetime64(0, "D") + np.int64(np.nan_to_num(since[i]))
            date = "" if np.isnan(since[i]) else f"{day} 18:00:00"
            number = "" if np.isnan(code[i]) else code[i]
            label = y[i] if task == "linear" else int(y[i])
            print(size[i], cost[i], date, ward[i], number, label, sep=",", file=file)
    table, model, onnx = folder / "table.csv", folder / "model.json", folder / "model.onnx"
    schema = folder / "schema.toml"
    text = SCHEMA.replace("TARGET", TARGETS[task]) + features
    schema.write_text(text, encoding="utf-8")
    fit = ("fit", table, "--task", task, "--schema", schema, "--out", model)
    asked(binary, *fit, *BUDGET)
    asked(binary, "export", model, "--onnx", onnx)
    every = () if task == "linear" else ("--probabilities",)
    _, *lines = csv.reader(asked(binary, "predict", table, "--model", model, *every).splitlines())
    columns = {"size": size, "cost": cost, "since": since, "code": code}
    columns["ward"] = np.array([text.strip() for text in ward], dtype=object)
    columns = {name: column.reshape(-1, 1) for name, column in columns.items()}
    answers = onnxruntime.InferenceSession(onnx).run(None, columns)
    if task == "linear":
        ours, theirs = np.array(lines, dtype=float)[:, 0], answers[0]
    else:
        ours, theirs = np.array([line[2:] for line in lines], dtype=float), answers[1]
        if [line[0] for line in lines] != list(answers[0]):
            return np.inf, "labels differ"
    if ours.shape != theirs.shape or np.ptp(ours) == 0:
        return np.inf, f"shapes {ours.shape} and {theirs.shape}, or all the same"
    return float(np.abs(ours - theirs).max()), ""


def main() -> int:
    binary = sys.argv[1]
    started = time.monotonic()
    wrong = 0
    print("  onnxruntime against reticent   rows                  largest difference")
    for task, columns in TASKS.items():
        for bound in BOUNDS:
            with tempfile.TemporaryDirectory() as folder:
                off, why = compared(binary, Path(folder), task, bound, columns)
            wrong += not off <= TOLERANCE
            print(f"  {task:<28}   {bound:<19}   {off:.1e} {why}")
        for name, features in {"columns": "", "mapped": MAPPED}.items():
            with tempfile.TemporaryDirectory() as folder:
                off, why = from_columns(binary, Path(folder), task, features)
            of_map = TOLERANCE_OF_MAPS * RANGES[task][1]
            wrong += not off <= (of_map if features else TOLERANCE)
            print(f"  {task:<28}   {name:<19}   {off:.1e} {why}")
        for name, flags in MAPS.items():
            mapped = (*columns, "--features", name, *flags)
            with tempfile.TemporaryDirectory() as folder:
                off, why = compared(binary, Path(folder), task, "l2=1", mapped)
            wrong += not off <= TOLERANCE_OF_MAPS * RANGES[task][0]
            print(f"  {task:<28}   {name:<19}   {off:.1e} {why}")
    if wrong:
        print(f"\n{wrong} models predict otherwise in onnxruntime")
        return 1
    print(f"  all within {TOLERANCE:.0e}, with a map {TOLERANCE_OF_MAPS:.0e}, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
