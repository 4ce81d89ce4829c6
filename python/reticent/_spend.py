"""A fit that spends: its randomness, its progress, and its cost if it is interrupted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from reticent import _arrays
from reticent._engine import AFTER_LOOK, Certificate, FitInterrupted
from reticent._options import given
from reticent._parameters import truth
from reticent._pipeline import learned_before
from reticent._progress import bar
from reticent._search import NoiseWarning, PrivacyWarning, own_level, warn_if_searching


def declared_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that all estimators declare, as the engine takes them."""
    return {
        "method": estimator.method,
        "epsilon": estimator.epsilon,
        "delta": estimator.delta,
        "rho": estimator.rho,
        "row_bound": estimator.row_bound,
        "features": getattr(estimator, "features", None),
        "schema": estimator.schema is not None,
        "adjacency": estimator.adjacency,
        "public_n": estimator.public_n,
        "nonzero": estimator.nonzero,
        "intercept": getattr(estimator, "fit_intercept", True),
        "public": getattr(estimator, "public", None) is not None,
        "options": given({name: getattr(estimator, name) for name in estimator._options}),
    }


# What the engine calls the reason of a warning.
KINDS = {"privacy": PrivacyWarning, "noise": NoiseWarning, "features": UserWarning}


def warn_of(cautions: Sequence[tuple[str, str]]) -> None:
    """Warn of what the engine finds worth it, each once, at the line of the caller's own code."""
    for kind, text in cautions:
        warnings.warn(text, KINDS[kind], stacklevel=own_level())


def after_look(declared: bool) -> list[str]:
    """Return what a certificate lists if declarations were changed after a look at the data."""
    return [AFTER_LOOK] if truth("declared_after_look", declared) else []


def assumed(estimator: Any) -> list[str]:
    """Return what is assumed to be public besides what the data show."""
    found = after_look(estimator.declared_after_look)
    # Without privacy there is nothing that a step could break.
    return found if estimator.epsilon == float("inf") else found + learned_before()


def warn_if_nothing_is_proved(certificate: Certificate) -> None:
    """Warn of noise of which nothing is proved, although a budget was given."""
    if certificate.basis == "no-guarantee":
        reasons = "; ".join(certificate.reasons_not_private)
        warnings.warn(
            f"the result is NOT PRIVATE: {reasons}", PrivacyWarning, stacklevel=own_level()
        )


class Spending:
    """The time from the first release to the last attribute that is set."""

    def __init__(
        self, estimator: Any, cautions: Sequence[tuple[str, str]], groups: Any = None
    ) -> None:
        public = assumed(estimator)
        warn_if_searching()
        warn_of(cautions)
        progress, self._done = bar(estimator.verbose)
        # The engine stores its certificate here before anything else can interrupt it.
        self._spent: list[Certificate] = []
        self.how = {
            "seed": _arrays.seed(estimator.random_state),
            "progress": progress,
            "assumed": public,
            "spent": self._spent,
            "groups": groups,
        }

    def __enter__(self) -> Spending:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar; a Ctrl-C that came after the fit was done raises its cost."""
        self._done()
        stopped = isinstance(error, KeyboardInterrupt) and not isinstance(error, FitInterrupted)
        if stopped and self._spent:
            raise late(self._spent[0]) from error


def late(spent: Certificate) -> FitInterrupted:
    """Return the exception of a Ctrl-C that came when all was charged: what it cost."""
    private = "" if spent.secure else "NOT PRIVATE, as its noise can be repeated, or else as "
    exception = FitInterrupted(
        "interrupted when the fit was done; what was charged stays spent: count this run as "
        f"{private}epsilon = {spent.epsilon} at delta = {spent.delta}"
    )
    exception.epsilon, exception.delta, exception.rho = spent.epsilon, spent.delta, spent.rho
    exception.charges = spent.charges
    exception.done = exception.total = int(spent.parameters.get("iterations", 1))
    return exception
