"""What a person declares, checked by type; the engine checks the values."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from reticent import _features
from reticent._engine import FitRequest

# The largest count of the engine.
LARGEST = np.iinfo(np.uint64).max


def request(task: str, **parameters: Any) -> FitRequest:
    """Return everything that was declared, checked; the rest has the engine's defaults."""
    task = _name("task", task)
    checks = {
        "epsilon": number,
        "delta": number,
        "rho": number,
        "nonzero": _nonzero,
        "public_n": whole,
        "row_bound": _row_bound,
        "target_range": _target_range,
        "method": _name,
        "adjacency": _name,
        "intercept": lambda name, value: truth(f"fit_{name}", value),
        "class_weight": _class_weight,
        "features": _features.declared,
    }
    for name, check in checks.items():
        if parameters.get(name) is not None:
            parameters[name] = check(name, parameters[name])
    for name in ("method", "adjacency"):
        if name in parameters and parameters[name] is None:
            raise _wrong(name, "a name", None)
    return FitRequest(task=task, **parameters)


def number(name: str, value: Any) -> float:
    """Return a number; truth values are refused."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    raise _wrong(name, "a number", value)


def whole(name: str, value: Any) -> int:
    """Return a whole number in the range of the engine."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise _wrong(name, "a whole number", value)
    if not 0 <= int(value) <= LARGEST:
        msg = f"{name} is {value}; it must be a whole number from 0 to {LARGEST}"
        raise ValueError(msg)
    return int(value)


def _nonzero(name: str, value: Any) -> int | str:
    """Return a number of weights, or that it is to be found."""
    if not isinstance(value, str):
        return whole(name, value)
    if value == "auto":
        return value
    msg = f"{name} is {value!r}; it must be a whole number or 'auto'"
    raise ValueError(msg)


def _class_weight(name: str, value: Any) -> str | list[float]:
    """Return weights in the order of the classes, or that they are balanced."""
    if isinstance(value, list):
        return [number(f"an entry of {name}", weight) for weight in value]
    if value == "balanced":
        return value
    msg = f"{name} must be 'balanced' or a dictionary with a number for each class"
    raise ValueError(msg)


def _row_bound(name: str, value: Any) -> tuple[str, float]:
    norm, bound = _pair(name, value, "('l2', 1.0) or ('linf', 1.0)")
    return _name(f"the norm of {name}", norm), number(f"the bound of {name}", bound)


def _target_range(name: str, value: Any) -> tuple[float, float]:
    low, high = _pair(name, value, "(0, 120)")
    return number(f"the lower end of {name}", low), number(f"the upper end of {name}", high)


def _pair(name: str, value: Any, example: str) -> tuple[Any, Any]:
    if not isinstance(value, (tuple, list)):
        raise _wrong(name, f"a pair like {example}", value)
    if len(value) != 2:
        msg = f"{name} has {len(value)} entries; it must be a pair like {example}"
        raise ValueError(msg)
    return tuple(value)


def _name(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise _wrong(name, "a name", value)


def truth(name: str, value: Any) -> bool:
    """Return a truth value."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise _wrong(name, "True or False", value)


def _wrong(name: str, what: str, value: Any) -> TypeError:
    return TypeError(f"{name} must be {what}; got {type(value).__name__}")
