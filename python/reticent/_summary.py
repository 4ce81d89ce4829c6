"""Private summaries of columns: count, mean, quantiles and histogram, for a budget."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from reticent import _arrays, _frames, _parameters, _values
from reticent._engine import Certificate, Schema, summarise
from reticent._spend import late, warn_of_delta

# As names of columns, and as what they are asked by.
Name = str | int
# Steps are worth a remark if they are this part of what values were clipped to.
COARSE = 0.01
# How many columns a message lists.
LISTED = 12


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


class Summary:
    """Released figures of columns, and what was spent on them.

    Attributes
    ----------
    records : Figure
        The number of records: exact under replace-one, released under add-remove.
    columns : dict of str to NumericSummary or CategoricalSummary
        One summary per column.
    certificate_ : Certificate
        What was spent.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent.privacy import summary
    >>> table = np.arange(20_000).reshape(-1, 1) % 80
    >>> found = summary(table, epsilon=1, delta=1e-9, bounds=(0, 100))
    >>> found.records.value, list(found.columns)
    (20000.0, ['x0'])
    >>> found.certificate_.private
    True
    """

    def __init__(self, text: str, certificate: Certificate) -> None:
        self._text = text
        found = json.loads(text)["summary"]
        self.records = _figure(found["records"])
        self.columns = {column["name"]: _column(column) for column in found["columns"]}
        self.certificate_ = certificate

    def __getitem__(self, name: str) -> NumericSummary | CategoricalSummary:
        """Return the summary of a column."""
        return self.columns[name]

    def to_frame(self) -> Any:
        """Return one row per figure, as a data frame of pandas.

        Returns
        -------
        pandas.DataFrame
            The columns ``column``, ``figure``, ``value``, ``low``, ``high`` and ``note``, which
            says what the values of a mean were clipped to.
        """
        import pandas as pd

        rows = [(None, "records", *self.records, "")]
        for name, column in self.columns.items():
            rows += [(name, what, *figure, note) for what, figure, note in _figures(column)]
        return pd.DataFrame(rows, columns=["column", "figure", "value", "low", "high", "note"])

    def to_json(self) -> str:
        """Return the figures and the certificate as JSON, numbers exact to the last bit.

        Returns
        -------
        str
        """
        return self._text

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the file that ``reticent summary --out`` writes, which ``reticent verify`` checks.

        Parameters
        ----------
        path : str or path-like
            Where it goes.
        overwrite : bool, default=False
            Whether a file that exists is replaced. The figures of one that is lost cannot be
            released again for free.
        """
        place = Path(path)
        # Whole or not at all: written beside its place first.
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".reticent-") as folder:
            whole = Path(folder) / "summary.json"
            whole.write_text(self._text, encoding="utf-8")
            try:
                if overwrite:
                    whole.replace(place)
                else:
                    place.hardlink_to(whole)
            except FileExistsError as error:
                msg = f"{place} exists; save(path, overwrite=True) replaces it"
                raise FileExistsError(msg) from error

    def _headline(self) -> str:
        """Return the number of records, and what was spent."""
        spent = repr(self.certificate_).removeprefix("<Certificate, ").removesuffix(">")
        return f"{_shown(self.records)} records, {spent}"

    def __repr__(self) -> str:
        """Return each figure with what the privacy noise leaves open."""
        lines = [f"Summary of {self._headline()}"]
        for name, column in self.columns.items():
            lines.append(f"{name}{_said(column)}")
            for what, figure, note in _figures(column):
                lines.append(f"  {what:<24} {_shown(figure)}{note and '  ' + note}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same as a table, for notebooks."""
        rows = []
        for name, column in self.columns.items():
            title = html.escape(f"{name}{_said(column)}")
            rows.append(f"<tr><th colspan='3' style='text-align: left'>{title}</th></tr>")
            rows += [
                "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
                for cells in (
                    (what, _shown(figure), note) for what, figure, note in _figures(column)
                )
            ]
        headline = html.escape(f"Summary of {self._headline()}")
        return f"<table><caption>{headline}</caption>{''.join(rows)}</table>"


def summary(
    table: Any,
    columns: Sequence[Name] | None = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    schema: Schema | str | os.PathLike[str] | None = None,
    bounds: Mapping[Name, tuple[float, float]] | tuple[float, float] | None = None,
    quantiles: Sequence[float] = (0.25, 0.5, 0.75),
    bins: int = 10,
    adjacency: str = "replace-one",
    public_n: int | None = None,
    random_state: Any = None,
) -> Summary:
    """Release private figures of columns: count, mean, quantiles, histogram.

    The budget is spent once, for all columns together: the noise of each grows with the root of
    their number. A range that is a thousand times too wide costs little, because the values are
    found first, by histograms whose bins get narrower where the records are. Values are read in
    steps of a millionth of half the range, which intervals account for.

    Parameters
    ----------
    table : data frame or array of shape (n, d)
        The records: a frame of pandas or Polars, a table of Arrow, an array or a sparse matrix.
    columns : sequence of str or int, default=None
        The columns to summarise: names, or numbers from 0 for arrays; all that are declared if
        None.
    epsilon : float
        The budget: around 1 is strong, beyond 10 weak.
    delta : float
        The probability with which the promise may fail: far below 1/n.
    rho : float, default=None
        The budget in zero-concentrated privacy, in place of ``epsilon``.
    schema : Schema or path
        What the named columns of a frame mean: ranges of numbers, levels of categories.
    bounds : dict of column to (low, high), or one pair for all columns
        In place of a schema: what numbers any such table could hold. A missing value refuses the
        table.
    quantiles : sequence of float, default=(0.25, 0.5, 0.75)
        The shares below quantiles.
    bins : int, default=10
        About how many bins a histogram has.
    adjacency : {"replace-one", "add-remove"}, default="replace-one"
        Which tables count as neighbours; under add-remove the number of records is private, and
        is released.
    public_n : int, default=None
        What stands for the number of records in the plan, under add-remove.
    random_state : int, default=None
        Repeatable noise, for tests: the result is then **not private**.

    Returns
    -------
    Summary
        The figures, each with the interval that the privacy noise leaves, and a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent.privacy import summary
    >>> ages = np.arange(20_000).reshape(-1, 1) % 80
    >>> found = summary(ages, epsilon=1, delta=1e-9, bounds=(0, 100_000))
    >>> bool(abs(found["x0"].quantiles[0.5].value - 40) < 3)
    True
    >>> bool(found.certificate_.verify()), found.certificate_.epsilon <= 1
    (True, True)
    """
    if schema is None and bounds is None:
        msg = (
            "either schema or bounds must be given: what numbers and levels any such table could "
            "hold, as in bounds={'age': (0, 120)}"
        )
        raise ValueError(msg)
    if schema is not None and bounds is not None:
        msg = "schema and bounds were both given; a schema has the bounds of its columns: give one"
        raise ValueError(msg)
    columns = _listed("columns", columns, "['age', 'cost']")
    quantiles = _listed("quantiles", quantiles, "[0.25, 0.5, 0.75]")
    if schema is not None:
        schema = _frames.opened(schema)
        named = _of_schema(table, schema, columns)
    else:
        named, schema = _of_bounds(table, bounds, columns)
    private = adjacency == "add-remove"
    stated = {"epsilon": epsilon, "delta": delta, "rho": rho}
    numbers = {
        name: None if value is None else _parameters.number(name, value)
        for name, value in stated.items()
    }
    public_n = None if public_n is None else _parameters.whole("public_n", public_n)
    records = public_n if private else len(named[0][1]) if named else 0
    warn_of_delta(numbers["delta"], records or 0)
    spent: list[Certificate] = []
    try:
        text, certificate = summarise(
            schema,
            named,
            spent,
            names=None if columns is None else [_called(name) for name in columns],
            quantiles=[_parameters.number("quantiles", share) for share in quantiles],
            bins=_parameters.whole("bins", bins),
            adjacency=adjacency,
            public_n=public_n,
            seed=_arrays.seed(random_state),
            **numbers,
        )
    except KeyboardInterrupt as error:
        # What was charged is not lost silently.
        if spent:
            raise late(spent[0]) from error
        raise
    return Summary(text, certificate)


def _listed(name: str, values: Any, example: str) -> Any:
    """Return a parameter that is a sequence; a text is one of letters, which nobody means."""
    if isinstance(values, str) or not (values is None or hasattr(values, "__iter__")):
        msg = f"{name} is {values!r}; it must be a list, like {example}"
        raise TypeError(msg)
    return None if values is None else list(values)


def _called(name: Name) -> str:
    """Return the name of a column; those of arrays are called x0, x1, …."""
    return name if isinstance(name, str) else f"x{_parameters.whole('columns', name)}"


def _of_schema(table: Any, schema: Schema, columns: Sequence[Name] | None) -> list[tuple[str, Any]]:
    """Return the columns of a frame that the schema describes, the target among them if asked."""
    named = _frames.columns(table, schema)
    target = schema.target
    if target is not None and (columns is None or target in columns):
        named.append((target, _frames.values(_frames.target(table, None, schema), target)))
    return named


def _of_bounds(
    table: Any, bounds: Any, columns: Sequence[Name] | None
) -> tuple[list[tuple[str, Any]], Schema]:
    """Return the bounded columns of a frame or an array, and the schema that says so."""
    named = _columns_of(table)
    if not isinstance(bounds, Mapping):
        asked = list(named) if columns is None else [_called(name) for name in columns]
        for name in asked:
            if name not in named:
                there = ", ".join(list(named)[:LISTED]) + (" …" if len(named) > LISTED else "")
                msg = f"columns has '{name}', which the table does not have; there are {there}"
                raise ValueError(msg)
        bounds = dict.fromkeys(asked, bounds)
    bounds = {_called(name): pair for name, pair in bounds.items()}
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


def _figure(found: dict[str, float]) -> Figure:
    return Figure(found["value"], found["low"], found["high"])


def _column(found: dict[str, Any]) -> NumericSummary | CategoricalSummary:
    if found["kind"] == "categorical":
        levels = {level["name"]: _figure(level["count"]) for level in found["levels"]}
        return CategoricalSummary(levels)
    bins = (Bin(one["from"], one["to"], _figure(one["count"])) for one in found["histogram"])
    return NumericSummary(
        range=tuple(found["range"]),
        mean=_figure(found["mean"]["estimate"]),
        clipped_to=tuple(found["mean"]["clipped_to"]),
        quantiles={one["share"]: _figure(one["estimate"]) for one in found["quantiles"]},
        histogram=tuple(bins),
        step=found["step"],
        missing=found["missing"],
    )


def _said(column: NumericSummary | CategoricalSummary) -> str:
    """Return what was declared about a column, after its name."""
    if isinstance(column, CategoricalSummary):
        return ""
    low, high = column.range
    missing = "" if column.missing is None else f"; missing values count as {column.missing:g}"
    start, end = column.clipped_to
    coarse = column.step > COARSE * (end - start)
    steps = f"; read in steps of {column.step:.3g}, as the range is wide" if coarse else ""
    return f"  declared {low:g} to {high:g}{missing}{steps}"


def _figures(column: NumericSummary | CategoricalSummary) -> list[tuple[str, Figure, str]]:
    """Return all figures of a column, with what they are and a note."""
    if isinstance(column, CategoricalSummary):
        return [(f"count of {level}", count, "") for level, count in column.levels.items()]
    low, high = column.clipped_to
    unknown = (column.mean.low, column.mean.high) == column.range
    note = (
        "nothing can be said: the noise exceeds the range"
        if unknown
        else f"of values clipped to {low:g} to {high:g}"
    )
    named = [("mean", column.mean, note)]
    named += [(f"quantile {share:g}", value, "") for share, value in column.quantiles.items()]
    named += [(f"count {b.start:g} to {b.end:g}", b.count, "") for b in column.histogram]
    return named


def _shown(figure: Figure) -> str:
    """Return a figure with its interval, in as many digits as that leaves meaningful."""
    value, low, high = figure
    if low == value == high:
        return f"{value:.10g}"
    digits = max(0, 1 - int(np.floor(np.log10(high - low)))) if high > low else 6
    return f"{value:.{digits}f}  ({low:.{digits}f} to {high:.{digits}f})"
