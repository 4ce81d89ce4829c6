"""The tables of the study, the same in every environment."""

import csv
import functools
import io
import lzma
import pathlib
import tomllib
import typing

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

COLUMNS = {"a9a": 123, "mushrooms": 112, "news20": 62061}
# Every row of a9a has at most 14 ones, every row of mushrooms 21: one for each question asked.
LONGEST = {"a9a": 14**0.5, "mushrooms": 21**0.5}
# Tables with a rare class: the share that a9a is thinned to, or the label in kddcup99 against all
# others.
RARE = {
    "a9a, 2 %": 0.02,
    "kddcup99, teardrop": "teardrop.",
    "kddcup99, warezclient": "warezclient.",
}
# Records of kddcup99 to learn from, as in `reproduce trust`.
KDDCUP99 = 60_000
SCHEMA = pathlib.Path(__file__).parents[2] / "docs/schemas/kddcup99.toml"
# Seeds of splits are apart from the seeds of noise.
APART = 100


class Part(typing.NamedTuple):
    features: sparse.csr_matrix
    classes: np.ndarray


def read(folder: str | pathlib.Path, name: str, columns: int) -> Part:
    """A LIBSVM table; the second class is the one with the larger label."""
    content = lzma.open(pathlib.Path(folder, f"{name}.xz")).read()
    features, labels = load_svmlight_file(io.BytesIO(content), n_features=columns)
    return Part(features, labels)


def split(part: Part, seed: int) -> tuple[Part, Part]:
    """A random four fifths, and the rest."""
    order = np.random.default_rng(seed).permutation(len(part.classes))
    rest, most = np.split(order, [len(order) // 5])
    return records(part, most), records(part, rest)


def records(part: Part, chosen: np.ndarray) -> Part:
    return Part(part.features[chosen], part.classes[chosen])


def table(folder: str | pathlib.Path, name: str) -> typing.Callable[[int], tuple[Part, Part]]:
    """To learn from, and to measure on, by seed: as the table comes, or another split for each."""
    if name in RARE:
        return rare(folder, name)
    known = binary(read(folder, name, COLUMNS[name]))
    if name == "a9a":
        both = known, binary(read(folder, "a9a.t", COLUMNS[name]))
        return lambda seed: both
    return lambda seed: split(known, seed + APART)


def rare(
    folder: str | pathlib.Path, name: str, low: int = -1
) -> typing.Callable[[int], tuple[Part, Part]]:
    """The same with a rare class: another draw for each seed. Numbers of kddcup99 are between `low`
    and 1."""
    if name.startswith("a9a"):
        both = table(folder, "a9a")(0)
        return lambda seed: tuple(thinned(part, RARE[name], seed + APART) for part in both)
    features, labels = kddcup99(folder, low)
    whole = Part(features, (labels == RARE[name]).astype(int))

    def drawn(seed):
        order = np.random.default_rng(seed + APART).permutation(len(labels))
        return tuple(records(whole, np.sort(some)) for some in np.split(order, [KDDCUP99]))

    return drawn


def thinned(part: Part, share: float, seed: int) -> Part:
    """All records of the first class, and so many of the second that they are this share."""
    first, second = (np.flatnonzero(part.classes == label) for label in (0, 1))
    count = round(share / (1 - share) * len(first))
    kept = np.random.default_rng(seed).choice(second, count, replace=False)
    return records(part, np.sort(np.concatenate([first, kept])))


@functools.cache
def kddcup99(folder: str | pathlib.Path, low: int) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Features as its schema says, which maps the bounds of numbers to −1 and 1, or to another `low`
    end and 1; and labels."""
    with lzma.open(pathlib.Path(folder, "kddcup99-10pct.csv.xz"), "rt") as file:
        columns = zip(*csv.reader(file), strict=True)
    declared = tomllib.loads(SCHEMA.read_text(encoding="utf-8"))["column"]
    blocks, labels = [], None
    for column, values in zip(declared, columns, strict=True):
        if column["kind"] == "target":
            labels = np.array(values)
        elif column["kind"] == "numeric":
            # Few texts are different.
            number = {text: float(text) for text in set(values)}
            scaled = np.interp([number[text] for text in values], column["bounds"], [low, 1])
            blocks.append(sparse.csc_matrix(scaled[:, np.newaxis]))
        else:
            places = {level: place for place, level in enumerate(column["levels"])}
            chosen = [places.get(value, len(places)) for value in values]
            ones = np.ones(len(chosen)), (np.arange(len(chosen)), chosen)
            blocks.append(sparse.csc_matrix(ones, shape=(len(chosen), len(places) + 1)))
    return sparse.hstack(blocks, format="csr"), labels


def binary(part: Part) -> Part:
    return Part(part.features, (part.classes == part.classes.max()).astype(int))


def news20(folder: str | pathlib.Path) -> Part:
    """Class 10 or less against the rest."""
    features, labels = read(folder, "news20", COLUMNS["news20"])
    return Part(features, (labels <= 10).astype(int))
