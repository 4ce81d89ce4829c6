"""One value at a time: how a value is encoded does not depend on any other record.

NumPy stores a list in one type, which depends on all of its entries: one text among numbers turns
all of them into texts, and truth values next to a number become numbers. So lists are taken entry
by entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

# What a finite number beyond the range of doubles becomes; every bound clips it.
MOST = float(np.finfo(np.float64).max)

# Types of Arrow without a NumPy type: a missing category would become another one.
BY_ENTRY = ("dictionary", "dense_union", "sparse_union")


def array(values: Any) -> np.ndarray:
    """Return values as a NumPy array; of objects, where NumPy would change some for others."""
    if hasattr(values, "to_pylist") and hasattr(values, "type"):
        if str(values.type).startswith(BY_ENTRY):
            return _objects(values.to_pylist())
        # Missing values and truth values cannot be read in place.
        return values.to_numpy(zero_copy_only=False)
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    if hasattr(values, "__array__") or not _is_sequence(values):
        return np.asarray(values)
    return _objects(values)


def _is_sequence(values: Any) -> bool:
    """Return whether NumPy would treat an object as a list, as it does if it has entries."""
    entries = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    return entries and not isinstance(values, (Mapping, str, bytes))


def _objects(values: Iterable[Any]) -> np.ndarray:
    entries = list(values)
    found = np.empty(len(entries), dtype=object)
    for place, value in enumerate(entries):
        found[place] = value
    return found


def numeric(values: Any) -> Any:
    """Return values as doubles, each by itself, if they are objects or texts that all mean numbers.

    Others are returned unchanged: arrays of numbers, and what is to be refused.
    """
    if hasattr(values, "isetitem"):
        return _numeric_columns(values)
    if isinstance(values, (list, tuple)):
        found = _by_entry(values)
    elif isinstance(values, np.ndarray):
        found = values
    else:
        return values
    if found is None:
        return values
    if found.dtype.kind == "f":
        return doubles(found) if found.dtype.itemsize > 8 else values
    if found.dtype.kind not in "OUT":
        return values
    each = [number(value) for value in found.ravel().tolist()]
    if any(value is None for value in each):
        return values
    return np.array(each, dtype=np.float64).reshape(found.shape)


def _numeric_columns(frame: Any) -> Any:
    """Return a data frame of pandas whose columns of objects are doubles, if they can be."""
    held = frame
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place].to_numpy()
        doubled = numeric(column)
        if doubled is not column:
            # The columns of a shallow copy are replaced, not written to.
            held = frame.copy(deep=False) if held is frame else held
            held.isetitem(place, doubled)
    return held


def table(values: Any) -> np.ndarray:
    """Return rows as an array of objects, each as it is; of no dimensions if they are ragged."""
    found = _by_entry(values)
    return np.empty((), dtype=object) if found is None else found


def _by_entry(values: Any) -> np.ndarray | None:
    try:
        return np.asarray(values, dtype=object)
    except ValueError:
        return None


def number(value: Any) -> float | None:
    """Return a number as a double, NaN for a missing one, and None for what is not a number.

    A finite number stays finite: one beyond the range of doubles becomes its end.
    """
    if missing(value):
        return math.nan
    try:
        found = float(value)
    except OverflowError:
        return MOST if value > 0 else -MOST
    except (TypeError, ValueError):
        return None
    # Infinity itself is written without digits.
    if math.isinf(found) and any(map(str.isdigit, str(value))):
        return math.copysign(MOST, found)
    return found


def missing(value: Any) -> bool:
    """Return whether a value is missing, also as in pandas."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def doubles(values: np.ndarray) -> np.ndarray:
    """Return an array of numbers as doubles; finite numbers stay finite."""
    if values.dtype.itemsize > 8:
        values = np.where(np.isfinite(values), np.clip(values, -MOST, MOST), values)
    return np.ascontiguousarray(values, dtype=np.float64)
