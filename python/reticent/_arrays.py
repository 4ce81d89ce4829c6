"""Arrays and labels, as the engine takes them."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from reticent import _features, _values
from reticent._parameters import whole

# What features may be; anything else that is a number becomes float64.
DTYPES = (np.float64, np.float32)

# No target is expected; None is a target that was forgotten.
ABSENT = object()

# What scikit-learn quotes of an array of the wrong shape or type, and what replaces it.
QUOTING = (
    (re.compile(r":\narray=.*\nReshape", re.DOTALL), ".\nReshape"),
    (re.compile(r"(Complex data not supported).*", re.DOTALL), r"\1"),
)

# What reveals the number of records, which is private under add-remove.
COUNTING = (
    (re.compile(r"(inconsistent numbers of samples):.*", re.DOTALL), r"\1"),
    (re.compile(r",? (got an array of |\(|The detected )shape.*", re.DOTALL), ""),
)

TRUTHS = {"false": False, "true": True}

# As Python writes a whole number: 007 is a text.
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def features(estimator: Any, X: Any, y: Any = ABSENT, *, reset: bool, counted: bool = True) -> Any:
    """Validate features, and a target if there is one, as scikit-learn does.

    Nothing is copied that need not be: float32 and float64 stay as they are, C and Fortran order as
    well, and so do CSR and CSC with sorted columns. Other arrays are copied once. How many rows
    there are is not said unless they may be `counted`.
    """
    how = {"accept_sparse": ("csr", "csc"), "dtype": list(DTYPES), "reset": reset}
    given = () if y is ABSENT else (y,)
    try:
        found = validate_data(estimator, _values.numeric(X), *given, **how)
    except (TypeError, ValueError) as error:
        refused = _unquoted(error, "X", counted=counted and estimator.adjacency != "add-remove")
        if "Found array with dim" in str(refused):
            hint = _features.shape_hint(getattr(estimator, "features", None), np.shape(X))
            refused = type(refused)(f"{refused}{hint}")
    else:
        return _plain(found) if y is ABSENT else (_plain(found[0]), found[1])
    # Raised here, where the error that may quote a value is no longer being handled: an exception
    # keeps the one during whose handling it is raised.
    raise refused


def numeric_target(y: Any) -> Any:
    """Return a target whose entries are numbers as doubles, each by itself; others as they are."""
    return y if y is None else _values.numeric(_values.array(y))


def numbers_of(y: Any) -> np.ndarray:
    """Return a numeric target as doubles."""
    try:
        return np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        refused = _unquoted(error, "y", counted=True)
    raise refused


# scikit-learn's own advice, to impute or to drop, would look at the private records.
NAN = (
    " Every record counts: put a public number in the place of what is missing, or declare a "
    "schema, which says what stands for it."
)


def _unquoted(error: Exception, name: str, *, counted: bool) -> Exception:
    """Return a new error without what it quotes and without its causes.

    Messages are releases, and so is the number of records unless it may be counted.
    """
    said = str(error)
    if "could not convert string to float" in said or isinstance(error, UnicodeError):
        said = (
            f"{name} holds a string that is not a number; with a schema, strings may be categories"
        )
    if "contains NaN" in said:
        said = said.split("\n")[0] + NAN
    for pattern, instead in QUOTING if counted else QUOTING + COUNTING:
        said = pattern.sub(instead, said)
    return TypeError(said) if isinstance(error, TypeError) else ValueError(said)


def _plain(X: Any) -> Any:
    """Return features in one of the layouts that the engine reads in place."""
    if sp.issparse(X):
        arrays = (X.data, X.indices, X.indptr)
        if not X.has_canonical_format or not all(part.flags.c_contiguous for part in arrays):
            X = X.copy()
            X.sum_duplicates()
        return X
    if X.flags.aligned and (X.flags.c_contiguous or X.flags.f_contiguous):
        return X
    return np.array(X, order="C")


def seed(random_state: Any) -> int | None:
    """Return the engine's seed; None draws from the operating system, which alone is private."""
    if random_state is None:
        return None
    if isinstance(random_state, numbers.Integral):
        return whole("random_state", random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def text(label: Any) -> str:
    """Return a label as a file would have it: whole numbers without a point."""
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label)).lower()
    if isinstance(label, numbers.Integral):
        return str(int(label))
    if isinstance(label, numbers.Real) and float(label).is_integer():
        return str(int(float(label)))
    return str(label)


def only_texts(names: list[str]) -> bool:
    """Return whether labels can only be texts."""
    return not (set(names) <= TRUTHS.keys() or all(WHOLE.fullmatch(name) for name in names))


def labels(names: list[str], like: np.ndarray | None = None) -> np.ndarray:
    """Return the labels of a file: in the type of the target if given, else numbers if all are.

    Truth values only come back where the target holds them.
    """
    if like is not None and _holds_texts(like):
        return np.array(names)
    if like is not None and _holds_truths(like) and set(names) <= TRUTHS.keys():
        return np.array([TRUTHS[name] for name in names])
    if all(WHOLE.fullmatch(name) for name in names):
        return np.array([int(name) for name in names])
    return np.array(names)


def label_type(classes: np.ndarray) -> str | None:
    """Return what a model file calls the type of labels; None for one that it has no name for."""
    kind = classes.dtype.kind
    if kind in "UT":
        return "str"
    if kind == "O":
        return "object" if all(isinstance(label, str) for label in classes) else None
    known = kind in "biu" or classes.dtype in (np.float16, np.float32, np.float64)
    return classes.dtype.name if known else None


def labels_of_type(names: list[str], of_type: str | None) -> np.ndarray:
    """Return the labels of a file in the type that it states."""
    if of_type is None:
        return labels(names)
    try:
        match np.dtype(of_type).kind:
            case "U" | "O" as kind:
                return np.array(names, dtype=object if kind == "O" else None)
            case "b":
                return np.array([TRUTHS[name] for name in names])
            case "f":
                return np.array([float(name) for name in names], dtype=of_type)
            case _:
                return np.array([int(name) for name in names], dtype=of_type)
    except (KeyError, ValueError, OverflowError):
        msg = f"the classes of the model are not of the type that its file states, {of_type}"
    raise ValueError(msg)


def _holds_texts(values: np.ndarray) -> bool:
    if values.dtype.kind == "O":
        return any(isinstance(value, str) for value in values)
    return values.dtype.kind in "UT"


def _holds_truths(values: np.ndarray) -> bool:
    if values.dtype.kind == "O":
        return all(isinstance(value, (bool, np.bool_)) for value in values)
    return values.dtype.kind == "b"
