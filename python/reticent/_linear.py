"""Private linear regression, and the private LASSO."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin

from reticent import _arrays, _frames
from reticent._base import PrivateLinearModel
from reticent._engine import Schema

if TYPE_CHECKING:
    from typing_extensions import Self


class _PrivateRegressor(RegressorMixin, PrivateLinearModel):
    """The common part of the regressors; not to be used by itself."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model, and spend the budget.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame of pandas or Polars or a table of Arrow.
        y : array-like of shape (n_samples,)
            Their targets, clipped to ``target_range``; with a schema it may be a column of X.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        FitInterrupted
            If the fit is stopped by Ctrl-C: it tells what to count it as.
        """
        if self.schema is not None:
            return self._fit_by_schema(X, y)
        request = self._request("linear", target_range=self.target_range, **self._more())
        X, y = _arrays.features(self, X, _arrays.numeric_target(y), reset=True)
        values = _arrays.numbers_of(y)
        self._spend(lambda how: request.train(X, values, how), X.shape[0])
        return self

    def _more(self) -> dict[str, Any]:
        """What only this regressor declares, or refuses."""
        raise NotImplementedError

    def _fit_by_schema(self, X: Any, y: Any) -> Self:
        schema = _frames.opened(self.schema)
        if schema.target_range is None:
            msg = f"the schema has no target with a range; {type(self).__name__} needs one"
            raise ValueError(msg)
        request = self._request("linear", target_range=self.target_range, **self._more())
        self._fit_frame(X, _frames.target(X, y, schema), request, schema)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, in the units of the target. They are not held to ``target_range``.
        """
        return self._scores(X).ravel()

    def densify(self) -> Self:
        """Make ``coef_`` a NumPy array, as it is after ``fit``.

        Returns
        -------
        self
            The fitted estimator.
        """
        super().densify()
        self.coef_ = self.coef_.ravel()
        return self

    def _intercepts(self, intercepts: np.ndarray) -> float:
        return float(intercepts[0])


class PrivateLinearRegression(_PrivateRegressor):
    """Sparse linear regression under differential privacy.

    By default features are selected privately, and fitted by gradients that are clipped at the
    scale of the residuals. Parameters that are left at their defaults follow from public facts:
    there is nothing to tune.

    Parameters
    ----------
    epsilon : float
        The budget: one record changes the odds of any outcome by a factor of at most e^ε. Around 1
        is strong, beyond 10 weak. ``float("inf")`` fits without privacy, for public data.
    delta : float
        The probability that the promise may fail by; far below 1/n for n records.
    rho : float
        The budget in zero-concentrated privacy, in place of ``epsilon``; several add up.
    row_bound : tuple of (str, float)
        The bound of a row, enforced: ``("l2", B)`` scales longer rows down, ``("linf", B)`` clips
        larger values. Not needed with a ``schema``, which maps features to [−1, 1].
    target_range : tuple of (float, float)
        Between which numbers the target lies; what is beyond is clipped. Take what any such table
        could hold (an age: ``(0, 120)``), not the least and the largest of this one. Not needed
        with a ``schema``.
    method : str, default="auto"
        ``"auto"``, ``"select"``, ``"ight"``, ``"frank-wolfe"``, ``"sparsifier"``,
        ``"two-stage"`` or ``"transfer"``; ``"lasso"`` for ``epsilon=float("inf")``.
    nonzero : int, default=None
        How many weights there may be: a public number.
    l1 : float, default=None
        The radius of the ℓ₁ ball that holds the weights, for a target in [−1, 1] (frank-wolfe,
        sparsifier, lasso).
    fitting : {"gradients", "statistics"}, default=None
        How ``method="select"`` fits: by clipped gradients (None), which predict the middle and so
        skewed targets low, or by sufficient statistics (AdaSSP), which predict means and need a
        larger budget.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    schema : Schema or path, default=None
        What the named columns of a data frame mean.
    adjacency : {"replace-one", "add-remove"}, default="replace-one"
        Which tables count as neighbours.
    public_n : int, default=None
        What takes the place of the number of records, which is private under add-remove.
    random_state : int, RandomState instance or None, default=None
        Repeatable noise, for tests and comparisons: the model is then NOT PRIVATE, and its
        certificate says so. None draws from the operating system.
    verbose : bool, default=False
        Whether a progress bar is shown when a fit takes a while.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights; a CSR matrix of one row after ``sparsify()``.
    intercept_ : float
        The intercept.
    certificate_ : reticent.privacy.Certificate
        What was spent, and everything that it rests on.
    n_iter_ : int
        How many steps the fit took.
    method_ : str
        The method that was used.
    why_ : str or None
        Why it was, if it was chosen.
    weight_names_ : ndarray of shape (n_features,)
        The names of the weights.
    n_features_in_ : int
        How many features, or with a schema columns, ``fit`` saw.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have any.

    See Also
    --------
    PrivateLasso : The same with weights in an ℓ₁ ball.
    PrivateLogisticRegression : The same for classes; its notes on copies hold here as well.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent import PrivateLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(20_000, 50))
    >>> y = 10 + 5 * X[:, 3] - 2 * X[:, 7] + rng.normal(size=20_000)
    >>> model = PrivateLinearRegression(epsilon=1.0, delta=1e-9, row_bound=("linf", 1.0),
    ...                                 target_range=(0, 20), nonzero=2)
    >>> model.fit(X, y).coef_.nonzero()[0]
    array([3, 7])
    >>> bool(abs(model.coef_[3] - 5) < 0.5)
    True
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        row_bound: tuple[str, float] | None = None,
        target_range: tuple[float, float] | None = None,
        method: str = "auto",
        nonzero: int | None = None,
        l1: float | None = None,
        fitting: str | None = None,
        fit_intercept: bool = True,
        schema: Schema | str | os.PathLike[str] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.row_bound = row_bound
        self.target_range = target_range
        self.method = method
        self.nonzero = nonzero
        self.l1 = l1
        self.fitting = fitting
        self.fit_intercept = fit_intercept
        self.schema = schema
        self.adjacency = adjacency
        self.public_n = public_n
        self.random_state = random_state
        self.verbose = verbose

    def _more(self) -> dict[str, Any]:
        return {"fitting": self.fitting}


class PrivateLasso(_PrivateRegressor):
    """The LASSO under differential privacy: linear regression with weights in an ℓ₁ ball.

    Private Frank–Wolfe takes a step towards one corner of the ball at a time, which the exponential
    mechanism chooses: its noise grows with the logarithm of the number of columns.

    Parameters
    ----------
    epsilon : float
        The budget: one record changes the odds of any outcome by a factor of at most e^ε. Around 1
        is strong, beyond 10 weak. ``float("inf")`` fits without privacy, for public data.
    delta : float
        The probability that the promise may fail by; far below 1/n for n records.
    rho : float
        The budget in zero-concentrated privacy, in place of ``epsilon``; several add up.
    row_bound : tuple of (str, float)
        The bound of a row, enforced: ``("l2", B)`` scales longer rows down, ``("linf", B)`` clips
        larger values. Not needed with a ``schema``, which maps features to [−1, 1].
    target_range : tuple of (float, float)
        Between which numbers the target lies; what is beyond is clipped. Not needed with a
        ``schema``.
    method : {"frank-wolfe", "sparsifier"}, default="frank-wolfe"
        ``"sparsifier"`` keeps as many weights as a LASSO without privacy would, counted privately,
        or ``nonzero`` of them. ``"lasso"`` for ``epsilon=float("inf")``.
    l1 : float, default=None
        The radius of the ball, for a target in [−1, 1]; from public facts if None.
    nonzero : int, default=None
        How many weights the sparsifier keeps: a public number.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    schema : Schema or path, default=None
        What the named columns of a data frame mean.
    adjacency : {"replace-one", "add-remove"}, default="replace-one"
        Which tables count as neighbours.
    public_n : int, default=None
        What takes the place of the number of records, which is private under add-remove.
    random_state : int, RandomState instance or None, default=None
        Repeatable noise, for tests and comparisons: the model is then NOT PRIVATE, and its
        certificate says so. None draws from the operating system.
    verbose : bool, default=False
        Whether a progress bar is shown when a fit takes a while.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights; a CSR matrix of one row after ``sparsify()``.
    intercept_ : float
        The intercept.
    certificate_ : reticent.privacy.Certificate
        What was spent, and everything that it rests on.
    n_iter_ : int
        How many steps the fit took.
    method_ : str
        The method that was used.
    why_ : str or None
        Why it was, if it was chosen.
    weight_names_ : ndarray of shape (n_features,)
        The names of the weights.
    n_features_in_ : int
        How many features, or with a schema columns, ``fit`` saw.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have any.

    See Also
    --------
    PrivateLinearRegression : Usually the better fit for the same budget.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent import PrivateLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1.0, 1.0], size=(20_000, 200))
    >>> y = 3 * X[:, 5] + rng.normal(size=20_000)
    >>> model = PrivateLasso(epsilon=1.0, delta=1e-9, row_bound=("linf", 1.0),
    ...                      target_range=(-10, 10))
    >>> int(abs(model.fit(X, y).coef_).argmax())
    5
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        row_bound: tuple[str, float] | None = None,
        target_range: tuple[float, float] | None = None,
        method: str = "frank-wolfe",
        l1: float | None = None,
        nonzero: int | None = None,
        fit_intercept: bool = True,
        schema: Schema | str | os.PathLike[str] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.row_bound = row_bound
        self.target_range = target_range
        self.method = method
        self.l1 = l1
        self.nonzero = nonzero
        self.fit_intercept = fit_intercept
        self.schema = schema
        self.adjacency = adjacency
        self.public_n = public_n
        self.random_state = random_state
        self.verbose = verbose

    def _more(self) -> dict[str, Any]:
        if self.method == "frank-wolfe" and self.nonzero is not None:
            msg = (
                "nonzero was given, but method='frank-wolfe' has no use for it; leave it out, or "
                "use method='sparsifier'"
            )
            raise ValueError(msg)
        if self.method not in ("frank-wolfe", "sparsifier", "lasso"):
            msg = (
                f"method is '{self.method}'; PrivateLasso has 'frank-wolfe' and 'sparsifier', and "
                "'lasso' for epsilon=float('inf'); PrivateLinearRegression has the others"
            )
            raise ValueError(msg)
        return {}
