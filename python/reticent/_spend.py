"""A fit that spends: its randomness, its progress, and its cost if it is interrupted."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any

from reticent import _arrays
from reticent._engine import Certificate, FitInterrupted
from reticent._options import given
from reticent._progress import bar
from reticent._search import PrivacyWarning, warn_if_searching


def declared_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that all estimators declare, as the engine takes them."""
    return {
        "method": estimator.method,
        "epsilon": estimator.epsilon,
        "delta": estimator.delta,
        "rho": estimator.rho,
        "row_bound": estimator.row_bound,
        "schema": estimator.schema is not None,
        "adjacency": estimator.adjacency,
        "public_n": estimator.public_n,
        "nonzero": estimator.nonzero,
        "intercept": getattr(estimator, "fit_intercept", True),
        "public": getattr(estimator, "public", None) is not None,
        "options": given({name: getattr(estimator, name) for name in estimator._options}),
    }


def warn_of_delta(delta: float | None, records: int) -> None:
    """Warn of a δ at which a whole record may be published."""
    if delta is not None and delta * records >= 1:
        warnings.warn(
            f"delta = {delta} is 1/n or more for n = {records}: it allows publishing a whole "
            f"record; choose 1/n² = {records**-2:.0e} or less",
            PrivacyWarning,
            stacklevel=4,
        )


def warn_if_nothing_is_proved(certificate: Certificate) -> None:
    """Warn of noise of which nothing is proved, although a budget was given."""
    if certificate.basis == "no-guarantee":
        reasons = "; ".join(certificate.reasons_not_private)
        warnings.warn(f"the result is NOT PRIVATE: {reasons}", PrivacyWarning, stacklevel=4)


class Spending:
    """The time from the first release to the last attribute that is set."""

    def __init__(self, estimator: Any, records: int, groups: Any = None) -> None:
        warn_if_searching()
        if estimator.epsilon != float("inf"):
            public = estimator.adjacency == "replace-one"
            warn_of_delta(estimator.delta, records if public else estimator.public_n)
        progress, self._done = bar(estimator.verbose)
        # The engine stores its certificate here before anything else can interrupt it.
        self._spent: list[Certificate] = []
        self.how = {
            "seed": _arrays.seed(estimator.random_state),
            "progress": progress,
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
