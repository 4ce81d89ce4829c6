"""Columns of a schema as Python objects: the keys of the TOML file, as arguments."""

from __future__ import annotations

import datetime
import json
import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from reticent import _features

# Dates as people have them.
Day = str | datetime.date


@dataclass(frozen=True)
class Numeric:
    """A column of numbers, mapped to [−1, 1] by its declared bounds.

    Parameters
    ----------
    name : str
        Its name in the table.
    low, high : float
        What any such table can hold, never the minimum and maximum of this one; values beyond are
        clipped.
    scale : {"linear", "log"}, default="linear"
        ``"log"`` maps by ratios: for sizes over several powers of ten. ``low`` is then above 0, and
        what is below it, zero included, is clipped to it.
    missing : {"middle", "low", "high", "refuse"} or float, default="middle"
        What stands for a missing number; ``"refuse"`` refuses the table.
    missing_indicator : bool, default=False
        Whether a further feature is 1 where the number is missing.
    source : "data", optional
        That the bounds were taken from the data: no model is private then, and it says so.

    Examples
    --------
    >>> import reticent
    >>> schema = reticent.Schema([reticent.Numeric("age", low=0, high=120, missing_indicator=True)])
    >>> schema.features
    ['age', 'age is missing']
    """

    name: str
    low: float
    high: float
    scale: Literal["linear", "log"] = "linear"
    missing: str | float = "middle"
    missing_indicator: bool = False
    source: str | None = None


@dataclass(frozen=True)
class Date:
    """A column of dates, mapped to [−1, 1] by its declared bounds.

    Parameters
    ----------
    name : str
        Its name in the table.
    low, high : str or datetime.date
        The first and the last day that any such table can hold, such as ``"1990-01-01"``.
    missing : {"middle", "low", "high", "refuse"}, str or datetime.date, default="middle"
        What stands for a missing date: also a date.
    missing_indicator : bool, default=False
        Whether a further feature is 1 where the date is missing.
    source : "data", optional
        That the bounds were taken from the data.

    Examples
    --------
    >>> import datetime, reticent
    >>> reticent.Schema([reticent.Date("since", low="1990-01-01", high=datetime.date(2030, 1, 1))])
    <Schema: 1 columns, 1 features, target none>
    """

    name: str
    low: Day
    high: Day
    missing: Day = "middle"
    missing_indicator: bool = False
    source: str | None = None


@dataclass(frozen=True)
class Categorical:
    """A column of categories: one feature per level, and one for everything else.

    Parameters
    ----------
    name : str
        Its name in the table.
    levels : sequence of str, int or bool
        The levels. Numbers are found however they are written.
    source : "data", optional
        That the levels were taken from the data.

    Examples
    --------
    >>> import reticent
    >>> reticent.Schema([reticent.Categorical("sex", levels=["F", "M"])]).features
    ['sex=F', 'sex=M', 'sex=other']
    """

    name: str
    levels: Sequence[str | int | bool]
    source: str | None = None


@dataclass(frozen=True)
class Ignored:
    """A column that is not read.

    Parameters
    ----------
    name : str
        Its name in the table.

    Examples
    --------
    >>> import reticent
    >>> schema = reticent.Schema([reticent.Ignored("name"), reticent.Numeric("age", 0, 120)])
    >>> schema.columns
    ['age']
    """

    name: str


@dataclass(frozen=True)
class Unit:
    """A column that says whose a row is: people are protected, each with all rows.

    Parameters
    ----------
    name : str
        Its name in the table. It is not needed to predict.
    rows : int, default=100
        How many rows of one person count, the first ones of the table.

    Examples
    --------
    >>> import reticent
    >>> schema = reticent.Schema([reticent.Unit("patient"), reticent.Numeric("age", 0, 120)])
    >>> schema.unit
    'patient'
    """

    name: str
    rows: int = 100


@dataclass(frozen=True)
class Target:
    """What is to be predicted.

    Parameters
    ----------
    name : str
        Its name in the table.
    classes : sequence of str, int or bool, optional
        Two classes, the positive one second, or several. Strings may be patterns, such as
        ``"no|never"`` or ``"other=*"``. ``classes_`` of a model has their type.
    range : tuple of (float, float), optional
        The range of a number, instead of classes.
    missing : str, int, bool or float, default="refuse"
        The class, or the number, that stands for a missing target.
    source : "data", optional
        That the classes or the range were taken from the data.

    Examples
    --------
    >>> import reticent
    >>> schema = reticent.Schema([reticent.Numeric("age", low=0, high=120)],
    ...                          target=reticent.Target("ill", classes=[0, 1]))
    >>> schema.classes
    [0, 1]
    """

    name: str
    classes: Sequence[str | int | bool] | None = None
    range: tuple[float, float] | None = None
    missing: str | float = "refuse"
    source: str | None = None


KINDS = {
    Numeric: "numeric",
    Date: "date",
    Categorical: "categorical",
    Ignored: "ignored",
    Unit: "unit",
    Target: "target",
}


def plain(
    columns: Iterable[Any],
    target: Target | None,
    header: bool,
    delimiter: str,
    comment: str | None,
    missing: Iterable[str],
    features: Any,
) -> str:
    """Return a schema in JSON, with the keys of TOML; the engine checks it."""
    if target is not None and not isinstance(target, Target):
        msg = f"target must be a reticent.Target; got {type(target)}"
        raise TypeError(msg)
    every = [*columns, target] if target is not None else list(columns)
    if features is not None:
        features = json.loads(_features.declared("features", features))
    top = {
        "version": 1,
        "header": bool(header),
        "delimiter": delimiter,
        "comment": comment,
        "missing": [missing] if isinstance(missing, str) else [str(text) for text in missing],
        "features": features,
        "column": [_column(column) for column in every],
    }
    return json.dumps({key: value for key, value in top.items() if value is not None})


def _column(column: Any) -> dict[str, Any]:
    kind = KINDS.get(type(column))
    if kind is None:
        names = ", ".join(f"reticent.{known.__name__}" for known in KINDS)
        msg = f"a column of a schema is one of {names}; got {type(column)}"
        raise TypeError(msg)
    given = {field.name: getattr(column, field.name) for field in fields(column)}
    # What is not given is left out, as in TOML: its defaults are these.
    given = {key: value for key, value in given.items() if value is not None}
    if "low" in given or "high" in given:
        given["bounds"] = [given.pop("low", None), given.pop("high", None)]
    if "levels" in given:
        # Levels are texts, and compared as what they mean.
        given["levels"] = [_level(level) for level in given["levels"]]
    return {"kind": kind} | {key: _value(value) for key, value in given.items()}


def _level(level: Any) -> str:
    return str(level).lower() if _is_truth(level) else str(level)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def _value(value: Any) -> Any:
    """Return a declared value as JSON has it; the engine says what is wrong with others."""
    if isinstance(value, str) or value is None:
        return value
    if _is_truth(value):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, datetime.date):
        return value.isoformat()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Iterable):
        return [_value(entry) for entry in value]
    return repr(value)
