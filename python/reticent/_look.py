"""The owner's own look at a data frame, before anything is spent."""

from __future__ import annotations

import json
from typing import Any

from reticent import _frames
from reticent._engine import Schema


class Look:
    """What an owner sees of a table: for the owner's eyes only, and not private.

    Attributes
    ----------
    findings : list of dict
        What is wrong or remarkable, what a fit would refuse first: ``severity`` ("refused",
        "warning" or "note"), ``kind``, ``column``, ``count``, the ``first`` row, what was
        ``found`` and the ``remedy``.
    columns : list of dict
        Each column in figures.
    records : int
        How many records there are.
    """

    def __init__(self, text: str, figures: dict[str, Any]) -> None:
        self._text = text
        self._figures = figures

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong or remarkable."""
        return self._figures["findings"]

    @property
    def columns(self) -> list[dict[str, Any]]:
        """Each column in figures."""
        return self._figures["columns"]

    @property
    def records(self) -> int:
        """How many records there are."""
        return self._figures["records"]

    @property
    def wants_mending(self) -> bool:
        """Whether a finding is more than a note."""
        return any(finding["severity"] != "note" for finding in self.findings)

    def __repr__(self) -> str:
        """Return the look as a text, the warning first."""
        return self._text

    def __reduce__(self) -> Any:
        """Refuse to be stored: it would go where its owner does not look."""
        msg = "a look at private records is not to be stored or sent; look again where they are"
        raise TypeError(msg)


def look(schema: Schema, frame: Any) -> Look:
    """Return the owner's look at a frame."""
    names = _frames.names(frame)
    columns = _frames.columns(frame, schema)
    others = [name for name in schema._others if name in names]
    for name in others:
        try:
            columns.append((name, _frames.values(frame[name], name)))
        except TypeError:
            # A column that is ignored may be of any type.
            if name == schema.target:
                raise
    text, figures = schema._look(columns)
    return Look(text, json.loads(figures))
