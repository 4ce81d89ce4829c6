"""What a fit would do and spend, before there are any data."""

from __future__ import annotations

import os
from typing import Any

from reticent import _features, _frames, _parameters
from reticent._engine import Plan, Schema
from reticent._options import PUBLIC, given, names_of
from reticent._spend import warn_of

# Of the estimators.
PARAMETERS = (
    "epsilon",
    "delta",
    "rho",
    "method",
    "nonzero",
    "fit_intercept",
    "adjacency",
    "target_range",
    "public_n",
    "features",
)


# Of methods; a plan reads no rows, not even public ones.
OPTIONS = [name for name in names_of(["logistic", "multinomial", "linear"]) if name != PUBLIC]


def plan(
    task: str,
    *,
    n: int,
    d: int | None = None,
    k: int | None = None,
    schema: Schema | str | os.PathLike[str] | None = None,
    row_bound: tuple[str, float] | None = None,
    **parameters: Any,
) -> Plan:
    """Say what a fit would do and spend, from public facts alone. Reads no data.

    Parameters
    ----------
    task : {"logistic", "multinomial", "linear"}
        What kind of model.
    n : int
        How many records there will be; under add-remove the public number in its place.
    d : int
        How many columns; not needed with a ``schema``, or with ``features`` of images.
    k : int, default=None
        How many classes, if multinomial; not needed with a ``schema``.
    schema : Schema or path, default=None
        What the named columns of a table mean.
    row_bound : tuple of (str, float)
        The bound of a row, ``("l2", B)`` or ``("linf", B)``; not needed with a ``schema``.
    **parameters
        Those of the estimators: epsilon, delta, rho, method, nonzero, fit_intercept, adjacency,
        public_n, target_range, features, and the options of methods.

    Returns
    -------
    Plan
        Method, parameters, releases and cost.

    Examples
    --------
    >>> import reticent
    >>> plan = reticent.plan("linear", n=10_000, d=500, epsilon=1, delta=1e-8,
    ...                      row_bound=("linf", 1), target_range=(0, 120), nonzero=10)
    >>> plan.method, plan.epsilon <= 1
    ('select', True)
    """
    if schema is not None:
        schema = _frames.opened(schema)
        d = len(schema.features) if d is None else d
        k = len(schema.classes) if k is None and schema.classes is not None else k
    if d is None:
        d = _features.pixels(parameters.get("features"))
    if d is None:
        msg = "d was not given, and it has no default: how many features there will be"
        raise ValueError(msg)
    if task == "multinomial" and k is None:
        msg = "k was not given, and it has no default: how many classes there will be"
        raise ValueError(msg)
    sizes = [_parameters.whole(name, size) for name, size in [("n", n), ("d", d), ("k", k or 2)]]
    options = {name: parameters.pop(name) for name in OPTIONS if name in parameters}
    for name in parameters:
        if name not in PARAMETERS:
            msg = f"plan has no parameter '{name}'; it has {', '.join([*PARAMETERS, *OPTIONS])}"
            raise TypeError(msg)
    intercept = parameters.pop("fit_intercept", True)
    if parameters.get("adjacency") == "add-remove":
        parameters.setdefault("public_n", n)
    request = _parameters.request(
        task,
        row_bound=row_bound,
        intercept=intercept,
        schema=schema is not None,
        options=given(options),
        **parameters,
    )
    if schema is not None:
        request = request.with_schema(schema)
    target = parameters.get("target_range") or (schema.target_range if schema else None)
    width = target[1] - target[0] if task == "linear" and target else None
    planned = request.plan(*sizes, width=width)
    warn_of(request.cautions(*sizes))
    return planned
