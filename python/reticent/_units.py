"""Units: whose a row is, where a person is protected who may have several rows."""

from __future__ import annotations

from typing import Any

from reticent import _frames, _parameters
from reticent._engine import Schema, people

# How many rows of one person count where nothing else is declared.
ROWS = 100


def of_rows(groups: Any, unit_rows: Any) -> tuple[Any, int] | None:
    """Return whose each row is, as the engine takes it, and how many rows of one person count."""
    rows = ROWS if unit_rows is None else _parameters.whole("unit_rows", unit_rows)
    if groups is None:
        if unit_rows is not None:
            msg = "unit_rows was given without groups, which say whose each row is"
            raise ValueError(msg)
        return None
    return _frames.values(groups, "groups"), rows


def protected(groups: tuple[Any, int] | None, rows: int) -> int:
    """Return how many people there are, or rows; refuse groups that are not one per row.

    How many rows there are is private where people are protected.
    """
    if groups is None:
        return rows
    if len(groups[0]) != rows:
        msg = "groups must have one entry for each row of X: whose it is"
        raise ValueError(msg)
    return count(groups[0])


def refuse_beside(schema: Schema, groups: Any, unit_rows: Any) -> None:
    """Refuse groups beside a schema: a column of it says whose a row is."""
    if groups is None and unit_rows is None:
        return
    msg = (
        "groups and unit_rows are for arrays; with a schema, the column that says whose a row is "
        "has kind = 'unit' there, and rows = 100 is how many rows of one person count"
    )
    raise ValueError(msg)


def count(values: Any) -> int:
    """Return how many people there are; values that tell nobody are refused when they are used."""
    try:
        return people(values)
    except ValueError:
        return len(values)
