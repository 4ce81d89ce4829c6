"""The release of a summary, for a budget."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from reticent import _arrays, _frames, _parameters
from reticent._engine import Budget, Certificate, Schema, summarise
from reticent._spend import after_look, late, warn_of
from reticent._summary.columns import Name, called, listed, of_bounds, of_schema
from reticent._summary.result import Summary


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
    declared_after_look: bool = False,
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
    declared_after_look : bool, default=False
        Whether bounds or levels were changed after a look at the data; the certificate then lists
        that among what is assumed public.
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
    columns = listed("columns", columns, "['age', 'cost']")
    quantiles = listed("quantiles", quantiles, "[0.25, 0.5, 0.75]")
    if schema is not None:
        schema = _frames.opened(schema)
        named = of_schema(table, schema, columns)
    else:
        named, schema = of_bounds(table, bounds, columns)
    private = adjacency == "add-remove"
    stated = {"epsilon": epsilon, "delta": delta, "rho": rho}
    numbers = {
        name: None if value is None else _parameters.number(name, value)
        for name, value in stated.items()
    }
    public_n = None if public_n is None else _parameters.whole("public_n", public_n)
    records = public_n if private else len(named[0][1]) if named else 0
    # What is no budget, the engine refuses below, in the words of this function.
    with contextlib.suppress(TypeError, ValueError):
        cautions = Budget(**numbers)._cautions(records or 0)
        warn_of(cautions)
    spent: list[Certificate] = []
    try:
        text, certificate = summarise(
            schema,
            named,
            spent,
            names=None if columns is None else [called(name) for name in columns],
            quantiles=[_parameters.number("quantiles", share) for share in quantiles],
            bins=_parameters.whole("bins", bins),
            adjacency=adjacency,
            public_n=public_n,
            seed=_arrays.seed(random_state),
            assumed=after_look(declared_after_look),
            **numbers,
        )
    except KeyboardInterrupt as error:
        # What was charged is not lost silently.
        if spent:
            raise late(spent[0]) from error
        raise
    return Summary(text, certificate)
