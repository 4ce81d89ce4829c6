"""The tables of the study, the same in every environment."""

import io
import lzma
import pathlib
import typing

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

COLUMNS = {"a9a": 123, "mushrooms": 112, "news20": 62061}
# Every row of a9a has at most 14 ones, every row of mushrooms 21: one for each question asked.
LONGEST = {"a9a": 14**0.5, "mushrooms": 21**0.5}


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
    return Part(part.features[most], part.classes[most]), Part(
        part.features[rest], part.classes[rest]
    )


def table(folder: str | pathlib.Path, name: str) -> typing.Callable[[int], tuple[Part, Part]]:
    """To learn from, and to measure on, by seed: as the table comes, or another split for each."""
    known = binary(read(folder, name, COLUMNS[name]))
    if name == "a9a":
        both = known, binary(read(folder, "a9a.t", COLUMNS[name]))
        return lambda seed: both
    # Apart from the seeds of noise.
    return lambda seed: split(known, 100 + seed)


def binary(part: Part) -> Part:
    return Part(part.features, (part.classes == part.classes.max()).astype(int))


def news20(folder: str | pathlib.Path) -> Part:
    """Class 10 or less against the rest."""
    features, labels = read(folder, "news20", COLUMNS["news20"])
    return Part(features, (labels <= 10).astype(int))
