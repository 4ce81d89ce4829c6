"""Sparse linear models under differential privacy: few weights, and a certificate.

A private fit is given a budget (ε, δ), clips every row to bounds that are declared beforehand, and
returns a model with exact zeros and a certificate of what was spent.

Examples
--------
>>> import reticent
>>> reticent.privacy.Budget(epsilon=1, delta=1e-6)
Budget(epsilon=1.0, delta=1e-6)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reticent._columns import Categorical, Date, Ignored, Numeric, Target, Unit
from reticent._engine import FitFailed, FitInterrupted, Plan, Schema, __version__

if TYPE_CHECKING:
    from reticent import privacy
    from reticent._features import RandomConvolutions, RandomFourier, Scattering
    from reticent._files import load
    from reticent._linear import PrivateLasso, PrivateLinearRegression
    from reticent._logistic import PrivateLogisticRegression
    from reticent._pipeline import check_pipeline
    from reticent._plan import plan
    from reticent._search import NoiseWarning, PrivacyWarning
    from reticent._selector import SparseSelector

__all__ = [
    "Categorical",
    "Date",
    "FitFailed",
    "FitInterrupted",
    "Ignored",
    "NoiseWarning",
    "Numeric",
    "Plan",
    "PrivacyWarning",
    "PrivateLasso",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "RandomConvolutions",
    "RandomFourier",
    "Scattering",
    "Schema",
    "SparseSelector",
    "Target",
    "Unit",
    "__version__",
    "check_pipeline",
    "load",
    "plan",
    "privacy",
]

# Where the names that are imported above for type checkers alone are found when they are first
# used: NumPy and scikit-learn take a second to import, and the command needs neither.
_PLACES = {
    "NoiseWarning": "_search",
    "PrivacyWarning": "_search",
    "PrivateLasso": "_linear",
    "PrivateLinearRegression": "_linear",
    "PrivateLogisticRegression": "_logistic",
    "RandomConvolutions": "_features",
    "RandomFourier": "_features",
    "Scattering": "_features",
    "SparseSelector": "_selector",
    "check_pipeline": "_pipeline",
    "load": "_files",
    "plan": "_plan",
}


def __getattr__(name: str) -> Any:
    if name == "privacy":
        return import_module("reticent.privacy")
    if name not in _PLACES:
        raise AttributeError(f"module 'reticent' has no attribute {name!r}")
    found = getattr(import_module(f"reticent.{_PLACES[name]}"), name)
    # Found once, it is an attribute like any other.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
