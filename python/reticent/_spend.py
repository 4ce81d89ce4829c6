"""A fit that spends: its randomness, its progress, and what a Ctrl-C must not lose."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any

from reticent import _arrays
from reticent._engine import Certificate, FitInterrupted
from reticent._progress import bar
from reticent._search import PrivacyWarning, warn_if_searching


def declared(estimator: Any) -> dict[str, Any]:
    """Give what all estimators declare, as the engine takes it."""
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
        "l1": estimator.l1,
        "intercept": getattr(estimator, "fit_intercept", True),
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


class Spending:
    """The time from the first release to the last attribute that is learned of it."""

    def __init__(self, estimator: Any, records: int) -> None:
        warn_if_searching()
        if estimator.epsilon != float("inf"):
            public = estimator.adjacency == "replace-one"
            warn_of_delta(estimator.delta, records if public else estimator.public_n)
        progress, self._done = bar(estimator.verbose)
        # The engine leaves its certificate here before anything else can interrupt it.
        self._spent: list[Certificate] = []
        self.how = {
            "seed": _arrays.seed(estimator.random_state),
            "progress": progress,
            "spent": self._spent,
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
        """Take the bar away; a Ctrl-C that came when the fit was done tells what it cost."""
        self._done()
        late = isinstance(error, KeyboardInterrupt) and not isinstance(error, FitInterrupted)
        if late and self._spent:
            raise _late(self._spent[0]) from error


def _late(spent: Certificate) -> FitInterrupted:
    private = "" if spent.secure else "NOT PRIVATE, as its noise can be repeated, or else as "
    exception = FitInterrupted(
        "interrupted when the fit was done; what was charged stays spent: count this run as "
        f"{private}epsilon = {spent.epsilon} at delta = {spent.delta}"
    )
    exception.epsilon, exception.delta, exception.rho = spent.epsilon, spent.delta, spent.rho
    exception.charges = spent.charges
    exception.done = exception.total = int(spent.parameters.get("iterations", 1))
    return exception
