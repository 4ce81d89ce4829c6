"""Sparse linear models under differential privacy: few weights, and a certificate.

A private fit is given a budget (ε, δ), clips every row to bounds that are declared beforehand, and
returns a model with exact zeros and a certificate of what was spent.

Examples
--------
>>> import reticent
>>> reticent.privacy.Budget(epsilon=1, delta=1e-6)
Budget(epsilon=1.0, delta=1e-6)
"""

from reticent import privacy
from reticent._columns import Categorical, Date, Ignored, Numeric, Target
from reticent._engine import FitFailed, FitInterrupted, Plan, Schema, __version__
from reticent._files import load
from reticent._linear import PrivateLasso, PrivateLinearRegression
from reticent._logistic import PrivateLogisticRegression
from reticent._plan import plan
from reticent._search import PrivacyWarning
from reticent._selector import SparseSelector

__all__ = [
    "Categorical",
    "Date",
    "FitFailed",
    "FitInterrupted",
    "Ignored",
    "Numeric",
    "Plan",
    "PrivacyWarning",
    "PrivateLasso",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "Schema",
    "SparseSelector",
    "Target",
    "__version__",
    "load",
    "plan",
    "privacy",
]
