"""What all private linear models share: the interface to the engine."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from reticent import _arrays, _features, _frames, _parameters, _units
from reticent._card import CardMixin
from reticent._engine import AFTER_LOOK, FitRequest, Model, Schema
from reticent._options import public_rows
from reticent._search import own_level
from reticent._spend import Spending, declared_parameters, warn_if_nothing_is_proved

if TYPE_CHECKING:
    from typing_extensions import Self


# What a certificate says of the names of columns.
NAMES = "the names of the columns were taken from X"


class PrivateLinearModel(CardMixin, BaseEstimator):
    """The common part of private linear models; not to be used by itself."""

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _request(self, task: str, **more: Any) -> FitRequest:
        """Everything that was declared, checked by the engine."""
        return _parameters.request(task, **declared_parameters(self), **more)

    def _spend(
        self,
        fit: Callable[..., tuple[Model, str | None, int]],
        cautions: Sequence[tuple[str, str]],
        groups: tuple[Any, int] | None = None,
    ) -> None:
        """Warn, fit with progress and store the result; what was charged is never lost silently."""
        # A fit that is stopped leaves no model, not even that of an earlier fit.
        self.__dict__.pop("_model", None)
        with Spending(self, cautions, groups) as spending:
            model, self.why_, steps = fit(spending.how)
            # Without privacy most models are solved to convergence, and steps are not counted.
            self.n_iter_ = max(steps, 1)
            self._learn(model)
        if self.epsilon != float("inf"):
            warn_if_nothing_is_proved(self.certificate_)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a model: a fit that is stopped leaves the shape of X alone."""
        return hasattr(self, "_model")

    def _fit_arrays(
        self,
        X: Any,
        target: Any,
        request: FitRequest,
        classes: int,
        groups: tuple[Any, int] | None,
        **more: Any,
    ) -> None:
        """Fit validated arrays; the model keeps the names of their columns, if they have any."""
        public = public_rows(self)
        assumed = list(more.pop("assumed", ()))
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            more["names"] = names.tolist()
            assumed.append(NAMES)
        more |= {"public": public, "assumed": assumed}
        records = _units.protected(groups, X.shape[0])
        cautions = request.cautions(records, X.shape[1], classes, _rows_of(public))
        self._spend(lambda how: request.train(X, target, how, **more), cautions, groups)

    def _fit_frame(
        self,
        X: Any,
        y: Any,
        request: FitRequest,
        schema: Schema,
        assumed: Sequence[str] = (),
        **more: Any,
    ) -> None:
        """Fit a data frame by a schema; y is the target."""
        request = request.with_schema(schema)
        columns = _frames.with_target(X, y, schema)
        self.feature_names_in_ = np.array(schema.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        people = dict(columns).get(schema.unit)
        records = len(columns[-1][1]) if people is None else _units.count(people)
        public = public_rows(self, schema)
        more |= {"public": public, "assumed": assumed}
        classes = len(schema.classes or ())
        cautions = request.cautions(records, len(schema.features), classes, _rows_of(public))
        self._spend(lambda how: request.train_frame(schema, columns, how, **more), cautions)

    def _learn(self, model: Model) -> None:
        """Store what the engine found."""
        values, columns, starts = model.weights()
        shape = (len(starts) - 1, model.width)
        self._weights = sp.csr_matrix((values, columns, starts), shape=shape)
        self.certificate_ = model.certificate
        self.method_ = self.certificate_.method
        self.densify()
        self.intercept_ = self._intercepts(model.intercepts())
        # Last, as this makes it fitted.
        self._model = model

    def _cards(self) -> tuple[str, str]:
        return self._model.cards()

    def _intercepts(self, intercepts: np.ndarray) -> Any:
        return intercepts

    def _scores(self, X: Any) -> np.ndarray:
        """Return each linear function for each row, clipped to the bound of training."""
        check_is_fitted(self)
        schema = self._model.schema
        if schema is not None:
            return self._model.scores_frame(_frames.columns(X, schema))
        return self._model.scores(_arrays.features(self, X, reset=False))

    @property
    def weight_names_(self) -> np.ndarray:
        """The name of each weight of ``coef_``: of the features of a map, of the schema or of X."""
        check_is_fitted(self)
        mapped = self._model.mapped_names()
        if mapped is not None:
            return np.array(mapped, dtype=object)
        if self._model.schema is not None:
            return np.array(self._model.schema.features, dtype=object)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = np.array([f"x{j}" for j in range(self._model.width)], dtype=object)
        return names

    def densify(self) -> Self:
        """Make ``coef_`` a NumPy array, as it is after ``fit``.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_is_fitted(self, "_weights")
        self.coef_ = self._weights.toarray()
        return self

    def sparsify(self) -> Self:
        """Make ``coef_`` a sparse matrix of SciPy (CSR).

        A model of millions of columns has few weights; the array has them all.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_is_fitted(self, "_weights")
        self.coef_ = self._weights.copy()
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that the command ``reticent`` writes, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            Where it goes. ``reticent.load`` and the command read it.
        """
        check_is_fitted(self)
        self._model.write(path)

    def to_onnx(self) -> bytes:
        """Return the model as an ONNX graph, which predicts as ``predict`` does.

        Rows are clipped to the bound of training inside the graph. With a schema its inputs are
        the raw columns, each of shape (n, 1): doubles for numbers (days since 1970-01-01 for dates,
        NaN where one is missing), strings for categories.

        Returns
        -------
        bytes
            The content of an ``.onnx`` file.
        """
        check_is_fitted(self)
        return self._model.to_onnx()

    def _adopt(self, model: Model) -> Self:
        """Become the estimator of a model that was read from a file."""
        certificate = model.certificate
        known: dict[str, Any] = {
            "epsilon": None if certificate.rho is not None else certificate.epsilon,
            "delta": certificate.delta,
            "rho": certificate.rho,
            "row_bound": certificate.rows,
            "adjacency": certificate.adjacency,
            "method": certificate.method,
            "features": _features.read(model.features),
            "schema": model.schema,
            "declared_after_look": AFTER_LOOK in certificate.assumed_public,
        }
        if certificate.adjacency == "add-remove":
            known["public_n"] = certificate.records
        if certificate.unit is not None and model.schema is None:
            known["unit_rows"] = certificate.unit[1]
        known |= _asked(certificate.request)
        # A schema declares bound and range itself.
        if model.schema is not None and certificate.rows == ("linf", 1.0):
            known["row_bound"] = None
        # So does a map, whose bound is that of its features.
        if known["features"] is not None and certificate.rows == ("l2", 1.0):
            known["row_bound"] = None
        if model.schema is not None and model.schema._has_map:
            known["features"] = None
        if certificate.target is not None and model.schema is None:
            known["target_range"] = certificate.target
        if (certificate.request or {}).get("public_rows"):
            warnings.warn(
                "the public rows that a teacher answered on are not in a model file; set public= "
                "before this estimator is fitted again",
                UserWarning,
                stacklevel=own_level(),
            )
        self.set_params(**known)
        self._learn(model)
        if model.schema is not None:
            self.feature_names_in_ = np.array(model.schema.columns, dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)
        else:
            self.n_features_in_ = model.columns
            if model.column_names is not None:
                self.feature_names_in_ = np.array(model.column_names, dtype=object)
        return self


def _rows_of(public: Any) -> int | None:
    """Return how many public rows there are."""
    return None if public is None else public.shape[0]


def _asked(request: dict[str, Any] | None) -> dict[str, Any]:
    """Give the parameters that a certificate says were asked for, options of methods among them."""
    if request is None:
        return {}
    options = {name.replace("-", "_"): value for name, value in request.get("options", {}).items()}
    budget = request["budget"] or {"epsilon": float("inf"), "delta": None}
    in_rho = budget.get("rho") is not None
    return {
        "method": request["method"],
        "epsilon": None if in_rho else budget["epsilon"],
        "rho": budget.get("rho"),
        "delta": budget["delta"],
        "nonzero": request.get("nonzero"),
        "fit_intercept": request["intercept"],
        **options,
    }
