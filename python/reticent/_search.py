"""Cross-validation and the like fit the same records repeatedly, and every fit spends."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

# Parts of scikit-learn that fit one estimator several times.
_REPEATING = (
    "sklearn.model_selection.",
    "sklearn.calibration",
    "sklearn.ensemble._bagging",
    "sklearn.ensemble._weight_boosting",
    "sklearn.feature_selection._rfe",
    "sklearn.multiclass",
    "sklearn.multioutput",
)
# Modules between the caller's own code and a fit.
_BETWEEN = ("reticent.", "sklearn.", "joblib.")
_warned = False


class PrivacyWarning(UserWarning):
    """Something costs more privacy than it seems to.

    Examples
    --------
    >>> import warnings
    >>> from reticent import PrivacyWarning
    >>> warnings.simplefilter("error", PrivacyWarning)
    >>> warnings.simplefilter("default", PrivacyWarning)
    """


def warn_if_searching() -> None:
    """Warn once if ``fit`` is called by a part of scikit-learn that fits repeatedly."""
    global _warned
    if _warned:
        return
    callers = _modules(sys._getframe())
    if not any(name.startswith(_REPEATING) for name in callers):
        return
    _warned = True
    warnings.warn(
        "a private estimator is being fitted several times, by cross-validation or the like: every "
        "fold and every candidate spends epsilon again on the same people, the certificate of the "
        "final model covers its own fit alone, and the scores on held-out records are not private "
        "at all. To do it privately: leave the parameters at their defaults, which follow from "
        "public facts; or choose them on public data; or give each of the m fits rho=R/m, so that "
        "they cost R together (reticent.privacy.compose adds certificates up), and measure on "
        "records that need no protection. Fits on folds add up under replace-one adjacency alone, "
        "and only if folds are made by row number (KFold, fixed indices): stratified folds, the "
        "default for classes, look at y, so that one label moves other records, and no sum of "
        "certificates holds",
        PrivacyWarning,
        stacklevel=callers_own_level(),
    )


def callers_own_level() -> int:
    """Return the ``stacklevel``, for whoever calls this, of the first line of the user's own code.

    A worker process has none.
    """
    callers = _modules(sys._getframe(1))
    own = (level for level, name in enumerate(callers, 1) if not name.startswith(_BETWEEN))
    return next(own, 1)


def _modules(frame: FrameType | None) -> list[str]:
    """Return the modules of a frame and of its callers."""
    names = []
    while frame is not None:
        names.append(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
    return names
