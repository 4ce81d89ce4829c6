"""Options of methods as parameters of estimators, from the engine's declarations.

A method and its options are declared once, in the engine. Here they become keyword parameters of
the estimators, entries of their docstrings, and what is passed back to the engine, which checks it.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_array

from reticent import _arrays, _frames
from reticent._engine import Schema, methods

METHODS = [method for method in methods() if method["fits_a_model"]]
PUBLIC = "public"

Estimator = TypeVar("Estimator", bound=type)


def for_tasks(tasks: Sequence[str]) -> list[dict[str, Any]]:
    """Return the methods that do one of these tasks."""
    return [method for method in METHODS if set(tasks) & set(method["tasks"])]


def names_of(tasks: Sequence[str]) -> list[str]:
    """Return the names of the options that apply to one of these tasks."""
    return list(_options(for_tasks(tasks), tasks))


def _options(
    methods: Sequence[dict[str, Any]], tasks: Sequence[str]
) -> dict[str, tuple[dict[str, Any], list[str]]]:
    """Return each option once, with the methods that take it."""
    found: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for method in methods:
        for option in method["options"]:
            if set(tasks) & set(option["tasks"]):
                found.setdefault(option["name"], (option, []))[1].append(method["name"])
    return found


def declared(
    *tasks: str, taking: str | None = None, without: Sequence[str] = ()
) -> Callable[[Estimator], Estimator]:
    """Add the options of the methods for its tasks to an estimator, as parameters.

    The parameters that it writes out itself come first. ``taking`` leaves only methods that have
    that option. In the docstring ``{methods}`` and ``{options}`` are filled in.
    """
    suited = [
        method
        for method in for_tasks(tasks)
        if taking is None or any(option["name"] == taking for option in method["options"])
    ]
    options = _options(suited, tasks)
    for name in without:
        options.pop(name, None)

    def decorate(estimator: Estimator) -> Estimator:
        written = inspect.signature(estimator.__init__)
        own = [p for p in written.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if option["kind"] == "flag" else None,
                annotation=Any,
            )
            for name, (option, _) in options.items()
            if name not in written.parameters
        ]
        signature = written.replace(parameters=own + more)

        def store(self: Any, **parameters: Any) -> None:
            bound = signature.bind(self, **parameters)
            bound.apply_defaults()
            for name, value in list(bound.arguments.items())[1:]:
                setattr(self, name, value)

        store.__signature__ = signature  # type: ignore[attr-defined]
        store.__doc__, store.__name__ = estimator.__init__.__doc__, "__init__"
        estimator.__init__ = store
        estimator._options = tuple(options)
        estimator._methods = tuple(method["name"] for method in suited)
        if estimator.__doc__ is not None:
            estimator.__doc__ = _filled(estimator.__doc__, suited, options)
        return estimator

    return decorate


def _filled(doc: str, suited: Sequence[dict[str, Any]], options: dict[str, Any]) -> str:
    names = ", ".join(f'``"{method["name"]}"``' for method in suited)
    entries = "\n".join(_entry(*option) for option in options.values())
    listed = _indented(names)
    return doc.replace("        {methods}", listed).replace("    {options}", entries)


def _entry(option: dict[str, Any], methods: Sequence[str]) -> str:
    names = ", ".join(f'"{name}"' for name, _ in option["names"])
    kind = {
        "positive": "float, default=None",
        "count": "int, default=None",
        "flag": "bool, default=False",
        "name": f"{{{names}}}, default=None",
        "name or vertices": f"{{{names}}} or array of shape (n_vertices, n_features), default=None",
        "public rows": "array-like, sparse matrix or, with a schema, data frame, default=None",
    }[option["kind"]]
    text = f"{option['meaning']} ({', '.join(methods)})."
    if option["default"]:
        text += f" If None: {option['default']}."
    text += "".join(f' ``"{name}"``: {meaning}.' for name, meaning in option["names"])
    return f"    {option['name']} : {kind}\n{_indented(text)}"


def _indented(text: str) -> str:
    indent = " " * 8
    return textwrap.fill(
        text, 95, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def given(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return options as the engine takes them: vertices as an array; public rows go beside them."""
    options = {name: value for name, value in parameters.items() if name != PUBLIC}
    region = options.get("region")
    if region is not None and not isinstance(region, str):
        options["region"] = np.ascontiguousarray(np.atleast_2d(region), dtype=np.float64)
    return options


def public_rows(estimator: Any, schema: Schema | None = None) -> Any:
    """Return the public rows of an estimator as a matrix, if it has any."""
    rows = getattr(estimator, PUBLIC, None)
    if rows is None:
        return None
    if schema is not None:
        return _frames.matrix(rows, schema)
    return check_array(
        rows, accept_sparse=("csr", "csc"), dtype=list(_arrays.DTYPES), input_name=PUBLIC
    )
