"""Events, accountants, calibration, budgets and certificates: what a release costs.

An `Event` says what is released, `account` what a list of events costs, `calibrate` how much
noise a budget takes. A fitted model has a `Certificate`, which anyone can `verify`; `compose` says
what several of them cost together. `summary` releases private figures of columns.

Examples
--------
>>> from reticent.privacy import Event, account
>>> total = account(Event.gaussian(noise=20) * 30, delta=1e-6)
>>> f"{total.epsilon:.3f} by {total.accountant}"
'1.170 by gaussian'
"""

from reticent._engine import (
    Account,
    Budget,
    Calibrated,
    Certificate,
    Charge,
    Check,
    Event,
    Verification,
    account,
    calibrate,
    compose,
    total_rho,
)
from reticent._summary import CategoricalSummary, Figure, NumericSummary, Summary, summary

__all__ = [
    "Account",
    "Budget",
    "Calibrated",
    "CategoricalSummary",
    "Certificate",
    "Charge",
    "Check",
    "Event",
    "Figure",
    "NumericSummary",
    "Summary",
    "Verification",
    "account",
    "calibrate",
    "compose",
    "summary",
    "total_rho",
]
