"""Released figures of a column, and how they are read from the engine's JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """A released figure, and the interval that holds what it stands for in 95 of 100 runs.

    Attributes
    ----------
    value : float
        The figure.
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> from reticent.privacy import Figure
    >>> Figure(value=40.5, low=40.1, high=40.9)
    Figure(value=40.5, low=40.1, high=40.9)
    """

    value: float
    low: float
    high: float


class Bin(NamedTuple):
    """How many records have a value from ``start`` to just below ``end``."""

    start: float
    end: float
    count: Figure


@dataclass(frozen=True)
class NumericSummary:
    """A summary of a column of numbers.

    Attributes
    ----------
    range : tuple of (float, float)
        The declared range.
    mean : Figure
        The mean of the values, clipped to ``clipped_to``.
    clipped_to : tuple of (float, float)
        The part of the range that values were clipped to, found from released counts.
    quantiles : dict of float to Figure
        The value below which each share of the records lies.
    histogram : tuple of Bin
        Bins next to each other, over the whole range.
    step : float
        The steps that values are read in, which the range decides; intervals account for them.
    missing : float or None
        What a missing value counts as, by the schema; None if it refuses the table.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent.privacy import summary
    >>> table = np.arange(20_000).reshape(-1, 1) % 80
    >>> found = summary(table, epsilon=1, delta=1e-9, bounds=(0, 100))
    >>> age = found["x0"]
    >>> age.range, bool(age.mean.low < age.mean.value < age.mean.high)
    ((0.0, 100.0), True)
    """

    range: tuple[float, float]
    mean: Figure
    clipped_to: tuple[float, float]
    quantiles: dict[float, Figure]
    histogram: tuple[Bin, ...]
    step: float
    missing: float | None


@dataclass(frozen=True)
class CategoricalSummary:
    """A summary of a column of levels.

    Attributes
    ----------
    levels : dict of str to Figure
        How many records have each level; ``other`` stands for all that are not declared.

    Examples
    --------
    >>> import pandas as pd
    >>> from reticent import Schema
    >>> from reticent.privacy import summary
    >>> schema = Schema.from_toml('''
    ... version = 1
    ... [[column]]
    ... name = "ward"
    ... kind = "categorical"
    ... levels = ["north", "south"]
    ... ''')
    >>> table = pd.DataFrame({"ward": ["north", "south", "north", "west"] * 1000})
    >>> found = summary(table, epsilon=1, delta=1e-9, schema=schema)
    >>> list(found["ward"].levels)
    ['north', 'south', 'other']
    """

    levels: dict[str, Figure]


def figure(found: dict[str, float]) -> Figure:
    """Return a figure."""
    return Figure(found["value"], found["low"], found["high"])


def column(found: dict[str, Any]) -> NumericSummary | CategoricalSummary:
    """Return the summary of a column."""
    if found["kind"] == "categorical":
        levels = {level["name"]: figure(level["count"]) for level in found["levels"]}
        return CategoricalSummary(levels)
    bins = (Bin(one["from"], one["to"], figure(one["count"])) for one in found["histogram"])
    return NumericSummary(
        range=tuple(found["range"]),
        mean=figure(found["mean"]["estimate"]),
        clipped_to=tuple(found["mean"]["clipped_to"]),
        quantiles={one["share"]: figure(one["estimate"]) for one in found["quantiles"]},
        histogram=tuple(bins),
        step=found["step"],
        missing=found["missing"],
    )
