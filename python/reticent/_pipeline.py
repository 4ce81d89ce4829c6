"""Steps of a pipeline that learn from the records before a private estimator sees them.

A scaler's mean or an encoder's categories are functions of all records, published with the
pipeline and covered by no certificate. So a step that learns is listed in the certificate among
what is assumed to be public, and warned of.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.pipeline import FeatureUnion, Pipeline

from reticent._search import PrivacyWarning, own_level

# Transformers of scikit-learn that learn nothing from values: random numbers and the number of
# columns at most. Those of which scikit-learn itself says that they need no fit are not listed.
_STATELESS = {
    "GaussianRandomProjection": {"n_components": "auto"},
    "PolynomialCountSketch": {},
    "PolynomialFeatures": {},
    "SkewedChi2Sampler": {},
    "SparseRandomProjection": {"n_components": "auto"},
}


def check_pipeline(pipeline: Any) -> list[str]:
    """Find the steps of a pipeline that learn from the records before a private estimator.

    ``fit`` of the private estimators warns of them by itself and lists them in the certificate,
    where it is called by the pipeline in the same process. This looks at the pipeline alone, so
    that it also works before a fit, and where fits run in worker processes.

    Parameters
    ----------
    pipeline : estimator
        A ``Pipeline``, or anything around or in one: ``GridSearchCV``, ``FeatureUnion``,
        ``ColumnTransformer``, ``TransformedTargetRegressor``.

    Returns
    -------
    list of str
        One sentence for each step that learns, as a certificate would list it; empty if there is
        none.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Normalizer, StandardScaler
    >>> from reticent import PrivateLogisticRegression, check_pipeline
    >>> check_pipeline(make_pipeline(StandardScaler(), PrivateLogisticRegression()))
    ["what the step 'standardscaler' (StandardScaler) of a pipeline learned from the records"]
    >>> check_pipeline(make_pipeline(Normalizer(), PrivateLogisticRegression()))
    []
    """
    return list(dict.fromkeys(_before(pipeline, "")))


def learned_before() -> list[str]:
    """Return what pipelines among the callers learned from the records, and warn of it."""
    found: list[str] = []
    seen: set[int] = set()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        owner = frame.f_locals.get("self")
        if id(owner) not in seen:
            if isinstance(owner, Pipeline):
                found += _earlier_steps(owner, frame)
                seen.add(id(owner))
            elif isinstance(owner, TransformedTargetRegressor):
                found += _of_target(owner)
                seen.add(id(owner))
        frame = frame.f_back
    found = list(dict.fromkeys(found))
    if any(fact.startswith(_LEARNED) for fact in found):
        learned = "; ".join(fact for fact in found if fact.startswith(_LEARNED))
        warnings.warn(
            f"the certificate does not cover {learned}: one record changes the features of all "
            "others, so the promise holds only if that is public, and the certificate lists it as "
            "assumed. Use transformations of one row at a time with public constants "
            "(FunctionTransformer, Normalizer, OneHotEncoder with categories), a schema, or steps "
            "that were fitted on public records (FrozenEstimator)",
            PrivacyWarning,
            stacklevel=own_level(),
        )
    return found


_LEARNED = "what the "


def _earlier_steps(pipeline: Pipeline, frame: FrameType) -> list[str]:
    """Return what the steps before the one that is being fitted learned."""
    place = frame.f_locals.get("step_idx") if frame.f_code.co_name == "_fit" else None
    last = len(pipeline.steps) - 1 if place is None else place
    return [fact for name, step in pipeline.steps[:last] for fact in _learning(step, name)]


def _of_target(regressor: TransformedTargetRegressor) -> Iterator[str]:
    """Yield what a transformation of the target learned."""
    if regressor.transformer is not None:
        yield from _learning(regressor.transformer, "transformer")


def _before(estimator: Any, path: str) -> Iterator[str]:
    """Yield what is learned before, or around, the private estimators inside an estimator."""
    if isinstance(estimator, Pipeline):
        for place, (name, step) in enumerate(estimator.steps):
            own = f"{path}{name}"
            if _holds_private(step):
                for earlier, other in estimator.steps[:place]:
                    yield from _learning(other, f"{path}{earlier}")
                yield from _before(step, f"{own}.")
    elif isinstance(estimator, TransformedTargetRegressor):
        if _holds_private(estimator.regressor):
            yield from _of_target(estimator)
            yield from _before(estimator.regressor, path)
    else:
        for name, part in _parts(estimator):
            yield from _before(part, f"{path}{name}.")


def _holds_private(estimator: Any) -> bool:
    return _is_private(estimator) or any(_holds_private(part) for _, part in _parts(estimator))


def _is_private(estimator: Any) -> bool:
    return type(estimator).__module__.split(".")[0] == "reticent"


def _parts(estimator: Any) -> list[tuple[str, Any]]:
    """Return the estimators inside an estimator, with their names."""
    if isinstance(estimator, Pipeline):
        return list(estimator.steps)
    if isinstance(estimator, FeatureUnion):
        return list(estimator.transformer_list)
    if isinstance(estimator, ColumnTransformer):
        parts = [(name, part) for name, part, _ in estimator.transformers]
        return [*parts, ("remainder", estimator.remainder)]
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return []
    found = []
    for name, value in estimator.get_params(deep=False).items():
        if hasattr(value, "fit") and not isinstance(value, type):
            found.append((name, value))
        elif name in ("estimators", "transformers") and isinstance(value, list):
            found += [(entry[0], entry[1]) for entry in value if isinstance(entry, tuple)]
    return found


def _learning(step: Any, path: str) -> Iterator[str]:
    """Yield a sentence for each part of a transformer that learns from the records."""
    if step is None or isinstance(step, str) or _is_private(step):
        return
    if isinstance(step, (Pipeline, FeatureUnion, ColumnTransformer)):
        for name, part in _parts(step):
            yield from _learning(part, f"{path}.{name}")
        return
    kind = type(step).__name__
    if kind == "FrozenEstimator":
        inner = type(getattr(step, "estimator", None)).__name__
        yield f"that the step '{path}' ({inner}), which is frozen, was fitted on public records"
    elif not _is_stateless(step):
        yield f"{_LEARNED}step '{path}' ({kind}) of a pipeline learned from the records"


def _is_stateless(step: Any) -> bool:
    """Return whether a transformer changes one row at a time by what was declared."""
    given = step.get_params(deep=False) if hasattr(step, "get_params") else {}
    kind = type(step).__name__
    own = type(step).__module__.startswith("sklearn.")
    if own and kind == "FunctionTransformer":
        return not any(map(_is_bound, (given.get("func"), given.get("inverse_func"))))
    if own and kind in _STATELESS:
        return all(given.get(name) != value for name, value in _STATELESS[kind].items())
    if own and kind in ("OneHotEncoder", "OrdinalEncoder"):
        chosen = given.get("min_frequency") is None and given.get("max_categories") is None
        # Which level is dropped follows from the categories, unless it is looked for.
        return not isinstance(given.get("categories"), str) and chosen
    if own and kind == "SimpleImputer":
        kept = given.get("keep_empty_features") and not given.get("add_indicator")
        return given.get("strategy") == "constant" and bool(kept)
    if own and kind == "MissingIndicator":
        return given.get("features") == "all"
    if own and kind == "CountVectorizer":
        return given.get("vocabulary") is not None
    if own and kind == "TfidfTransformer":
        return not given.get("use_idf")
    if own and kind == "TfidfVectorizer":
        return given.get("vocabulary") is not None and not given.get("use_idf")
    if own and kind == "SplineTransformer":
        return not isinstance(given.get("knots"), str)
    return not _requires_fit(step)


def _requires_fit(step: Any) -> bool:
    """Return what a transformer says of itself; one that says nothing is taken to learn."""
    try:
        return step.__sklearn_tags__().requires_fit
    except AttributeError:
        return True


def _is_bound(function: Any) -> bool:
    """Return whether a function is a method of something that is fitted."""
    owner = getattr(function, "__self__", None)
    return hasattr(owner, "fit")
