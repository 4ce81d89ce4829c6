"""Private choice of features, without a model of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from reticent import _arrays, _frames, _parameters
from reticent._classes import classes_of, labelled
from reticent._engine import Certificate, Request, Schema, default_nonzero
from reticent._spend import Spending, declared

if TYPE_CHECKING:
    from typing_extensions import Self


class SparseSelector(SelectorMixin, BaseEstimator):
    """Choose the features that tell most of a target, under differential privacy.

    The whole budget goes into the choice; no model is fitted. A private estimator that is fitted
    on the chosen features afterwards spends a budget of its own, on the same people: with ``rho``
    the two simply add up. ``PrivateLogisticRegression(nonzero=s)`` divides one budget between
    choice and fit by itself, and better.

    Parameters
    ----------
    task : {"classes", "number"}, default="classes"
        What the target is. A number needs a ``target_range``.
    epsilon : float
        The budget: one record changes the odds of any outcome by a factor of at most e^ε.
    delta : float
        The probability that the promise may fail by; far below 1/n for n records.
    rho : float
        The budget in zero-concentrated privacy, in place of ``epsilon``; several add up.
    row_bound : tuple of (str, float)
        The bound of a row, enforced for the choice: ``("l2", B)`` or ``("linf", B)``. What
        ``transform`` gives is not clipped.
    target_range : tuple of (float, float), default=None
        Between which numbers the target lies; what is beyond is clipped.
    method : str, default="auto"
        ``"select"`` chooses by the size of the gradient, in one look. Any other method of the
        estimators fits a private model, and the features with weights are chosen: ``"ight"`` where
        rows are bounded in ℓ₂ or features are correlated, ``"frank-wolfe"`` for very few records.
        ``"auto"`` takes ``"ight"`` for classes and rows bounded in ℓ₂, as text is, and else
        ``"select"``.
    nonzero : int, default=None
        How many features are chosen; 1.5·√n_features if None.
    l1 : float, default=None
        The radius of the ℓ₁ ball, for the methods that have one.
    classes : array-like, default=None
        The classes, declared; a label that is a number is found however it is written (1, 1.0,
        "1"). If None they are those of ``y``, and the certificate lists that as assumed to be
        public.
    schema : Schema or path, default=None
        What the named columns of a data frame mean; the choice is among the features that it makes
        of them.
    adjacency : {"replace-one", "add-remove"}, default="replace-one"
        Which tables count as neighbours.
    public_n : int, default=None
        What takes the place of the number of records, which is private under add-remove.
    random_state : int, RandomState instance or None, default=None
        Repeatable noise, for tests and comparisons: the choice is then NOT PRIVATE, and its
        certificate says so. None draws from the operating system.
    verbose : bool, default=False
        Whether a progress bar is shown when it takes a while.

    Attributes
    ----------
    certificate_ : reticent.privacy.Certificate
        What was spent, and everything that it rests on.
    n_features_in_ : int
        How many features ``fit`` saw.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have any.

    See Also
    --------
    PrivateLogisticRegression : Choice and fit in one.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent import SparseSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([0.0, 1.0], size=(4000, 300))
    >>> y = (X[:, 10] + X[:, 20] + rng.normal(size=4000) > 1).astype(int)
    >>> selector = SparseSelector(epsilon=1.0, delta=1e-8, row_bound=("linf", 1.0), nonzero=2)
    >>> selector.fit(X, y).get_support(indices=True)
    array([10, 20])
    >>> selector.transform(X).shape
    (4000, 2)
    """

    def __init__(
        self,
        *,
        task: str = "classes",
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        row_bound: tuple[str, float] | None = None,
        target_range: tuple[float, float] | None = None,
        method: str = "auto",
        nonzero: int | None = None,
        l1: float | None = None,
        classes: Any = None,
        schema: Schema | str | os.PathLike[str] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.task = task
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.row_bound = row_bound
        self.target_range = target_range
        self.method = method
        self.nonzero = nonzero
        self.l1 = l1
        self.classes = classes
        self.schema = schema
        self.adjacency = adjacency
        self.public_n = public_n
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Say what scikit-learn may expect."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the features, and spend the budget.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame of pandas or Polars or a table of Arrow.
        y : array-like of shape (n_samples,)
            Their classes or numbers; with a schema it may be a column of X.

        Returns
        -------
        self
            The fitted selector.

        Raises
        ------
        FitInterrupted
            If it is stopped by Ctrl-C: it tells what to count it as.
        """
        if self.task not in ("classes", "number"):
            msg = f"task is '{self.task}'; it must be 'classes' or 'number'"
            raise ValueError(msg)
        if self.epsilon == float("inf"):
            msg = "a choice of features is private by design; give it a budget, such as epsilon=1"
            raise ValueError(msg)
        if self.schema is not None:
            return self._fit_by_schema(X, y)
        # What was declared is refused before the data are looked at.
        self._request(2, 2)
        numeric = self.task == "number"
        y = _arrays.numeric_target(y) if numeric else labelled(y, self.classes)
        X, y = _arrays.features(self, X, y, reset=True)
        width = X.shape[1]
        _enough(width)
        if not numeric:
            classes, places, assumed = classes_of(y, self.classes)
            names = [_arrays.text(label) for label in classes]
            request = self._request(width, len(classes), classes=names)
            target: Any = (places, names)
        else:
            request, target, assumed = self._request(width, 0), _arrays.numbers_of(y), []
        self._names: np.ndarray | None = None
        fit = request.choose if self._alone() else request.train
        self._spend(lambda how: fit(X, target, how, assumed=assumed), X.shape)
        return self

    def _fit_by_schema(self, X: Any, y: Any) -> Self:
        schema = _frames.opened(self.schema)
        if (schema.classes is None) != (self.task == "number"):
            msg = f"task is '{self.task}', and the target of the schema is something else"
            raise ValueError(msg)
        width = len(schema.features)
        _enough(width)
        request = self._request(width, len(schema.classes or ()))
        columns = _frames.with_target(X, _frames.target(X, y, schema), schema)
        self._names = np.array(schema.features, dtype=object)
        self._schema = schema
        self.feature_names_in_ = np.array(schema.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        fit = request.choose_frame if self._alone() else request.train_frame
        self._spend(lambda how: fit(schema, columns, how), (len(columns[-1][1]), width))
        return self

    def _spend(self, fit: Callable[..., Any], shape: tuple[int, int]) -> None:
        # A choice that is stopped leaves none behind, of an earlier fit neither.
        self.__dict__.pop("_support", None)
        with Spending(self, shape[0]) as spending:
            found, *rest = fit(spending.how)
            if self._alone():
                columns, certificate = found, rest[0]
            else:
                # The columns that have weights in a private model.
                columns, certificate = found.weights()[1], found.certificate
            self.certificate_: Certificate = certificate
            self._support = np.isin(np.arange(shape[1]), columns)

    def _alone(self) -> bool:
        """Tell whether the choice is made without a model."""
        return self._chosen_method() == "select"

    def _chosen_method(self) -> str:
        if self.method != "auto":
            return self.method
        short = self.row_bound is not None and self.row_bound[0] == "l2"
        return "ight" if short and self.task == "classes" else "select"

    def _request(self, width: int, count: int, **more: Any) -> Request:
        task = "logistic" if count == 2 else "multinomial"
        if self.task == "number":
            task = "linear"
        told = declared(self)
        told["method"] = method = self._chosen_method()
        if method == "ight" and self.nonzero is None:
            told["nonzero"] = min(default_nonzero(width), width - 1)
        # A feature has a weight for each of several classes.
        if method != "select" and count > 2 and isinstance(told["nonzero"], int):
            told["nonzero"] *= count
        return _parameters.request(task, target_range=self.target_range, **told, **more)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a choice: a fit that is stopped leaves the shape of X alone."""
        return hasattr(self, "_support")

    def transform(self, X: Any) -> Any:
        """Give the chosen features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_chosen)
            Their chosen features; with a schema, those that it makes of the columns, in [−1, 1].
        """
        check_is_fitted(self)
        if self._names is None:
            return super().transform(X)
        columns = _frames.columns(X, self._schema)
        arrays = self._schema.encode(columns)
        shape = (len(arrays[2]) - 1, len(self._names))
        return sp.csr_matrix(arrays, shape=shape)[:, self._support].toarray()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Give the names of the chosen features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            The names of the features, if they have none; not with a schema.

        Returns
        -------
        ndarray of str objects
            The names.
        """
        check_is_fitted(self)
        if self._names is None:
            return super().get_feature_names_out(input_features)
        return self._names[self._support]

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self._support


def _enough(features: int) -> None:
    if features < 2:
        msg = f"there is nothing to choose among n_features={features}; two or more are needed"
        raise ValueError(msg)
