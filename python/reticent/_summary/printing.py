"""How summaries are shown: the figures of a column by name, as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping

import numpy as np

from reticent._summary.figures import CategoricalSummary, Figure, NumericSummary

# What is shown of a column.
Column = NumericSummary | CategoricalSummary
# Steps are worth a remark if they are this part of what values were clipped to.
COARSE = 0.01


def text(headline: str, columns: Mapping[str, Column]) -> str:
    """Return a headline, and below it each column with its figures."""
    lines = [headline]
    for name, column in columns.items():
        lines.append(f"{name}{_said(column)}")
        for what, figure, note in figures(column):
            lines.append(f"  {what:<24} {shown(figure)}{note and '  ' + note}")
    return "\n".join(lines)


def table(headline: str, columns: Mapping[str, Column]) -> str:
    """Return the same as a table in HTML."""
    rows = []
    for name, column in columns.items():
        title = html.escape(f"{name}{_said(column)}")
        rows.append(f"<tr><th colspan='3' style='text-align: left'>{title}</th></tr>")
        rows += [
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
            for cells in ((what, shown(figure), note) for what, figure, note in figures(column))
        ]
    return f"<table><caption>{html.escape(headline)}</caption>{''.join(rows)}</table>"


def _said(column: Column) -> str:
    """Return what was declared about a column, after its name."""
    if isinstance(column, CategoricalSummary):
        return ""
    low, high = column.range
    missing = "" if column.missing is None else f"; missing values count as {column.missing:g}"
    start, end = column.clipped_to
    coarse = column.step > COARSE * (end - start)
    steps = f"; read in steps of {column.step:.3g}, as the range is wide" if coarse else ""
    return f"  declared {low:g} to {high:g}{missing}{steps}"


def figures(column: Column) -> list[tuple[str, Figure, str]]:
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


def shown(figure: Figure) -> str:
    """Return a figure with its interval, in as many digits as that leaves meaningful."""
    value, low, high = figure
    if low == value == high:
        return f"{value:.10g}"
    digits = max(0, 1 - int(np.floor(np.log10(high - low)))) if high > low else 6
    return f"{value:.{digits}f}  ({low:.{digits}f} to {high:.{digits}f})"
