"""A released summary: its figures, its file and its certificate."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from reticent._engine import Certificate
from reticent._summary import printing
from reticent._summary.figures import CategoricalSummary, NumericSummary, column, figure


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
        self.records = figure(found["records"])
        self.columns = {one["name"]: column(one) for one in found["columns"]}
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
        for name, one in self.columns.items():
            named = printing.figures(one)
            rows += [(name, what, *value, note) for what, value, note in named]
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
        return f"Summary of {printing.shown(self.records)} records, {spent}"

    def __repr__(self) -> str:
        """Return each figure with what the privacy noise leaves open."""
        return printing.text(self._headline(), self.columns)

    def _repr_html_(self) -> str:
        """Return the same as a table, for notebooks."""
        return printing.table(self._headline(), self.columns)
