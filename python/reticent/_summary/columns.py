"""The columns that a summary is asked of: from a frame or an array, with their declarations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from reticent import _frames, _parameters, _values
from reticent._engine import Schema

# As names of columns, and as what they are asked by.
Name = str | int
# How many columns a message lists.
LISTED = 12


def listed(name: str, values: Any, example: str) -> Any:
    """Return a parameter that is a sequence; a text is one of letters, which nobody means."""
    if isinstance(values, str) or not (values is None or hasattr(values, "__iter__")):
        msg = f"{name} is {values!r}; it must be a list, like {example}"
        raise TypeError(msg)
    return None if values is None else list(values)


def called(name: Name) -> str:
    """Return the name of a column; those of arrays are called x0, x1, …."""
    return name if isinstance(name, str) else f"x{_parameters.whole('columns', name)}"


def of_schema(table: Any, schema: Schema, columns: Sequence[Name] | None) -> list[tuple[str, Any]]:
    """Return the columns of a frame that the schema describes, the target among them if asked."""
    named = [*_frames.columns(table, schema), *_frames.unit(table, schema)]
    target = schema.target
    if target is not None and (columns is None or target in columns):
        named.append((target, _frames.values(_frames.target(table, None, schema), target)))
    return named


def of_bounds(
    table: Any, bounds: Any, columns: Sequence[Name] | None
) -> tuple[list[tuple[str, Any]], Schema]:
    """Return the bounded columns of a frame or an array, and the schema that says so."""
    named = _columns_of(table)
    if not isinstance(bounds, Mapping):
        asked = list(named) if columns is None else [called(name) for name in columns]
        for name in asked:
            if name not in named:
                there = ", ".join(list(named)[:LISTED]) + (" …" if len(named) > LISTED else "")
                msg = f"columns has '{name}', which the table does not have; there are {there}"
                raise ValueError(msg)
        bounds = dict.fromkeys(asked, bounds)
    bounds = {called(name): pair for name, pair in bounds.items()}
    for name in bounds:
        if name not in named:
            msg = f"bounds has a column '{name}', and the table has none"
            raise ValueError(msg)
    schema = Schema.from_toml(
        "version = 1\n" + "".join(_declared(name, pair) for name, pair in bounds.items())
    )
    found = [(name, _frames.values(named[name](), name)) for name in bounds]
    for name, values in found:
        _refuse_missing(name, values)
    return found, schema


def _refuse_missing(name: str, values: Any) -> None:
    """Refuse a column in which a number is missing: bounds do not say what it counts as."""
    if isinstance(values, np.ndarray):
        missing = np.flatnonzero(np.isnan(values)) if values.dtype.kind == "f" else ()
    else:
        missing = [at for at, value in enumerate(values) if value is None or value != value]
    if len(missing):
        msg = (
            f"row {missing[0] + 1}: the value of column '{name}' is missing; leave such records "
            "out, or give a schema in place of bounds: it says what a missing value counts as"
        )
        raise ValueError(msg)


def _declared(name: str, pair: Any) -> str:
    """Return a numeric column of a schema, in TOML."""
    example = "a pair of numbers, the lower one first, like (0, 120)"
    if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
        msg = f"the bounds of '{name}' must be {example}"
        raise ValueError(msg)
    low, high = (_parameters.number(f"the bounds of '{name}'", value) for value in pair)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        msg = f"the bounds of '{name}' are ({low:g}, {high:g}); they must be {example}"
        raise ValueError(msg)
    # A text in JSON is one in TOML.
    return (
        f"[[column]]\nname = {json.dumps(name, ensure_ascii=False)}\nkind = 'numeric'\n"
        f"bounds = [{low!r}, {high!r}]\nmissing = 'refuse'\n"
    )


def _columns_of(table: Any) -> dict[str, Any]:
    """Return a function for each column of a frame or an array, by its name, that gives its values.

    Each value is then encoded by itself.
    """
    if hasattr(table, "column_names") or hasattr(table, "columns"):
        return {name: lambda name=name: table[name] for name in _frames.names(table)}
    if sp.issparse(table):
        by_column = table.tocsc()
        width = by_column.shape[1]
        return {f"x{j}": lambda j=j: by_column[:, [j]].toarray().ravel() for j in range(width)}
    # Objects and texts become numbers column by column: what is in one that nobody asked for does
    # not matter.
    mixed = not hasattr(table, "dtype") or np.dtype(table.dtype).kind in "OUT"
    found = _values.table(table) if mixed else _values.array(_values.numeric(table))
    if found.ndim != 2:
        msg = (
            "an array must have two dimensions, a row per record; reshape(-1, 1) makes one column "
            "of a list of numbers"
        )
        raise ValueError(msg)
    return {f"x{j}": lambda j=j: _values.numeric(found[:, j]) for j in range(found.shape[1])}
