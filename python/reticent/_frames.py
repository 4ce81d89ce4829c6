"""Data frames of pandas, Polars and Arrow, column by column."""

from __future__ import annotations

import contextlib
import datetime
import numbers
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from reticent import _values
from reticent._engine import Schema

# The days that texts can write.
FIRST_DAY = np.datetime64("0001-01-01", "D")
LAST_DAY = np.datetime64("9999-12-31", "D")


def opened(schema: object) -> Schema:
    """Return the schema itself, or that of a file."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, (str, os.PathLike)):
        return Schema.open(schema)
    msg = f"schema must be a reticent.Schema or the path of a schema file; got {type(schema)}"
    raise TypeError(msg)


def columns(frame: Any, schema: Schema) -> list[tuple[str, Any]]:
    """Return the columns of a frame that features are made of, as the engine takes them.

    Others are left alone: a frame often holds more than one model needs.
    """
    there = names(frame)
    for name in schema.columns:
        if name not in there:
            msg = f"there is no column '{name}', which the schema describes; X must have it"
            raise ValueError(msg)
    dates = set(schema.dates)
    read = {True: days, False: values}
    return [(name, read[name in dates](frame[name], name)) for name in schema.columns]


def with_target(frame: Any, y: Any, schema: Schema) -> list[tuple[str, Any]]:
    """Return the columns that features are made of, whose rows are, and y as the target."""
    return [
        *columns(frame, schema),
        *unit(frame, schema),
        (target_of(schema), values(y, "y")),
    ]


def unit(frame: Any, schema: Schema) -> list[tuple[str, Any]]:
    """Return the column that says whose a row is, if the schema has one."""
    name = schema.unit
    if name is None:
        return []
    if name not in names(frame):
        msg = f"there is no column '{name}', which says whose a row is; X must have it in fit"
        raise ValueError(msg)
    return [(name, values(frame[name], name))]


def target(frame: Any, y: Any, schema: Schema) -> Any:
    """Return the target: y itself, or a column of the frame."""
    if y is not None:
        return y
    name = target_of(schema)
    if name not in names(frame):
        msg = (
            "requires y to be passed, but the target y is None, and X does not have the target "
            f"'{name}' of the schema"
        )
        raise ValueError(msg)
    return frame[name]


def target_of(schema: Schema) -> str:
    """Return the name of the target's column."""
    if schema.target is None:
        msg = "the schema has no target"
        raise ValueError(msg)
    return schema.target


def matrix(frame: Any, schema: Schema) -> sp.csr_matrix:
    """Return the features that a schema makes of a data frame."""
    arrays = schema._encode(columns(frame, schema))
    return sp.csr_matrix(arrays, shape=(len(arrays[2]) - 1, len(schema.features)))


def names(frame: Any) -> Sequence[str]:
    """Return the names of the columns of a frame."""
    # pyarrow keeps the names separate from the columns; pandas and Polars call them columns.
    names = getattr(frame, "column_names", None)
    if names is None:
        names = getattr(frame, "columns", None)
    if names is None:
        msg = (
            "with a schema, X must be a table with named columns: a data frame of pandas or "
            f"Polars, or a table of Arrow; got {type(frame)}"
        )
        raise TypeError(msg)
    return list(names)


def values(column: Any, name: str) -> Any:
    """Return the values of a column: an array of numbers or of truth values, or a list of any.

    The type of a column depends on all of its records. So each value is encoded by
    itself: whole numbers are floats everywhere.
    """
    found = _values.array(column)
    if found.ndim != 1:
        msg = f"the column '{name}' must be one-dimensional; it has {found.ndim} dimensions"
        raise ValueError(msg)
    match found.dtype.kind:
        case "f" | "i" | "u":
            return _values.doubles(found)
        case "b":
            return np.ascontiguousarray(found)
        case "O" | "U" | "T":
            return [_value(value, name) for value in found.tolist()]
        case kind:
            msg = (
                f"the column '{name}' holds values of kind '{kind}'; it must hold numbers, strings "
                "or Booleans"
            )
            raise TypeError(msg)


def days(column: Any, name: str) -> Any:
    """Return the values of a column of dates: days since 1970-01-01, or a list of any.

    Times of day are cut off, in UTC where they know of zones.
    """
    found = _values.array(column)
    if found.ndim == 1 and found.dtype.kind == "M":
        # What is missing is the least number there.
        return np.ascontiguousarray(found.astype("datetime64[D]").astype(np.int64))
    if found.ndim == 1 and found.dtype.kind == "O":
        found = [_day(value) for value in found.tolist()]
        return [_value(value, name) for value in found]
    return values(column, name)


def _day(value: Any) -> Any:
    """Return a date as its text; others are returned unchanged."""
    if _values.missing(value):
        return None
    if isinstance(value, np.datetime64):
        # None if it is missing; any bound clips what texts cannot write.
        value = np.clip(value.astype("datetime64[D]"), FIRST_DAY, LAST_DAY).item()
    if isinstance(value, datetime.datetime):
        with contextlib.suppress(OverflowError):  # within a day of the first or the last year
            value = value.astimezone(datetime.timezone.utc) if value.tzinfo is not None else value
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, datetime.date) else value


def _value(value: Any, name: str) -> str | bool | float | None:
    """Return one value as the engine takes it; None is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if _values.missing(value):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        # A lone surrogate has no UTF-8: the engine would refuse it, and quote the text.
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, numbers.Real):
        return _values.number(value)
    msg = f"the column '{name}' holds a value that is not a number, text or truth value"
    raise TypeError(msg)
