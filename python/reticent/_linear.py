"""Private linear regression, and the private LASSO."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import RegressorMixin

from reticent import _arrays, _frames, _units
from reticent._base import PrivateLinearModel
from reticent._engine import FitRequest, Schema
from reticent._features import RandomConvolutions, RandomFourier, Scattering
from reticent._options import declared

if TYPE_CHECKING:
    from typing_extensions import Self


class _PrivateRegressor(RegressorMixin, PrivateLinearModel):
    """The common part of the regressors; not to be used by itself."""

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:
        """Fit the model, and spend the budget.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame of pandas or Polars or a table of Arrow.
        y : array-like of shape (n_samples,)
            Their targets, clipped to ``target_range``; with a schema it may be a column of X.

        groups : array-like of shape (n_samples,), default=None
            Whose each row is. Then people are protected, each with all rows, and not rows: at most
            ``unit_rows`` rows of a person count, and share the weight of one. How many rows there
            are is private; how many people there are is public under replace-one. With a schema, a
            column of kind "unit" says it.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        FitInterrupted
            If the fit is stopped by Ctrl-C; it states what to count.
        """
        if self.schema is not None:
            _units.refuse_beside(self.schema, groups, self.unit_rows)
            return self._fit_by_schema(X, y)
        request = self._request("linear", target_range=self.target_range)
        groups = _units.of_rows(groups, self.unit_rows)
        y = _arrays.numeric_target(y)
        X, y = _arrays.features(self, X, y, reset=True, counted=groups is None)
        values = _arrays.numbers_of(y)
        self._fit_arrays(X, values, request, 0, groups)
        return self

    def _fit_by_schema(self, X: Any, y: Any) -> Self:
        schema = _frames.opened(self.schema)
        if schema.target_range is None:
            msg = f"the schema has no target with a range; {type(self).__name__} needs one"
            raise ValueError(msg)
        request = self._request("linear", target_range=self.target_range)
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
            The predictions, in the units of the target. They are not clipped to ``target_range``.
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


@declared("linear")
class PrivateLinearRegression(_PrivateRegressor):
    """Sparse linear regression under differential privacy.

    By default features are selected privately, and fitted by gradients that are clipped at the
    scale of the residuals. Parameters that are left at their defaults follow from public facts:
    there is nothing to tune.

    Parameters
    ----------
    epsilon : float
        The budget: one record changes the probability of any outcome by a factor of at most e^ε,
        and by delta. Around 1 is strong, beyond 10 weak. ``float("inf")`` fits without privacy,
        for public data.
    delta : float
        The probability with which the promise may fail; far below 1/n for n records.
    rho : float
        The budget in zero-concentrated differential privacy, instead of ``epsilon``; the ρ of
        several fits add up.
    row_bound : tuple of (str, float)
        The bound of a row, enforced: ``("l2", B)`` scales longer rows down, ``("linf", B)`` clips
        larger values. Not needed with a ``schema``, which maps features to [−1, 1].
    target_range : tuple of (float, float)
        The numbers between which the target lies; values beyond are clipped. Take what any such
        table could hold (an age: ``(0, 120)``), not the smallest and the largest of this one. Not
        needed with a ``schema``.
    method : str, default="auto"
        {methods};
        ``"lasso"`` is for ``epsilon=float("inf")``.
    nonzero : int or "auto", default=None
        How many weights there may be: a public number. ``"auto"`` keeps those that exceed their
        noise, on average at most one in ten of them by chance; so does None
        with ``method="auto"``, up to 200 features and where noise is small.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    features : Scattering, RandomConvolutions or RandomFourier, default=None
        A fixed, public map of each row before the model: it learns nothing from the data, and costs
        no privacy. ``row_bound`` is then that of a row of features, ``("l2", 1.0)`` if None. A
        schema may declare its own.
    schema : Schema or path, default=None
        What the named columns of a data frame mean.
    adjacency : {"replace-one", "add-remove"}, default="replace-one"
        Which tables count as neighbours.
    public_n : int, default=None
        A public number in place of the number of records, which is private under add-remove.
    declared_after_look : bool, default=False
        Whether bounds, levels or classes were changed after a look at the data; the certificate
        then lists that among what is assumed public.
    unit_rows : int, default=None
        How many rows of one person count where ``fit`` is given ``groups``: the first ones, 100 if
        None.
    random_state : int, RandomState instance or None, default=None
        Repeatable noise, for tests and comparisons: the model is then NOT PRIVATE, and its
        certificate says so. None draws from the operating system.
    verbose : bool, default=False
        Whether a progress bar is shown when a fit takes a while.
    {options}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights; a CSR matrix of one row after ``sparsify()``.
    intercept_ : float
        The intercept.
    certificate_ : reticent.privacy.Certificate
        What was spent, and everything that the guarantee depends on.
    n_iter_ : int
        How many steps the fit took.
    method_ : str
        The method that was used.
    why_ : str or None
        Why, if it was chosen automatically.
    weight_names_ : ndarray of shape (n_features,)
        The names of the weights.
    n_features_in_ : int
        How many features, or with a schema columns, ``fit`` saw.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have any.

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
        nonzero: int | Literal["auto"] | None = None,
        fit_intercept: bool = True,
        features: Scattering | RandomConvolutions | RandomFourier | None = None,
        schema: Schema | str | os.PathLike[str] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        declared_after_look: bool = False,
        unit_rows: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
        **options: Any,
    ) -> None:
        """Store the parameters; those of methods are among the options."""


@declared("linear", taking="radius")
class PrivateLasso(_PrivateRegressor):
    """The LASSO under differential privacy: linear regression with weights in an ℓ₁ ball.

    Private Frank–Wolfe moves towards one vertex of the ball at a time, which the exponential
    mechanism selects: its noise grows with the logarithm of the number of columns.

    Parameters
    ----------
    epsilon : float
        The budget: one record changes the probability of any outcome by a factor of at most e^ε,
        and by delta. Around 1 is strong, beyond 10 weak. ``float("inf")`` fits without privacy,
        for public data.
    delta : float
        The probability with which the promise may fail; far below 1/n for n records.
    rho : float
        The budget in zero-concentrated differential privacy, instead of ``epsilon``; the ρ of
        several fits add up.
    row_bound : tuple of (str, float)
        The bound of a row, enforced: ``("l2", B)`` scales longer rows down, ``("linf", B)`` clips
        larger values. Not needed with a ``schema``, which maps features to [−1, 1].
    target_range : tuple of (float, float)
        The numbers between which the target lies; values beyond are clipped. Not needed with a
        ``schema``.
    method : {"frank-wolfe", "sparsifier"}, default="frank-wolfe"
        ``"sparsifier"`` keeps as many weights as a LASSO without privacy would, counted privately,
        or ``nonzero`` of them. ``"lasso"`` for ``epsilon=float("inf")``.
    nonzero : int, default=None
        How many weights the sparsifier keeps: a public number.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    features : Scattering, RandomConvolutions or RandomFourier, default=None
        A fixed, public map of each row before the model: it learns nothing from the data, and costs
        no privacy. ``row_bound`` is then that of a row of features, ``("l2", 1.0)`` if None. A
        schema may declare its own.
    schema : Schema or path, default=None
        What the named columns of a data frame mean.
    adjacency : {"replace-one", "add-remove"}, default="replace-one"
        Which tables count as neighbours.
    public_n : int, default=None
        A public number in place of the number of records, which is private under add-remove.
    declared_after_look : bool, default=False
        Whether bounds, levels or classes were changed after a look at the data; the certificate
        then lists that among what is assumed public.
    unit_rows : int, default=None
        How many rows of one person count where ``fit`` is given ``groups``: the first ones, 100 if
        None.
    random_state : int, RandomState instance or None, default=None
        Repeatable noise, for tests and comparisons: the model is then NOT PRIVATE, and its
        certificate says so. None draws from the operating system.
    verbose : bool, default=False
        Whether a progress bar is shown when a fit takes a while.
    {options}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights; a CSR matrix of one row after ``sparsify()``.
    intercept_ : float
        The intercept.
    certificate_ : reticent.privacy.Certificate
        What was spent, and everything that the guarantee depends on.
    n_iter_ : int
        How many steps the fit took.
    method_ : str
        The method that was used.
    why_ : str or None
        Why, if it was chosen automatically.
    weight_names_ : ndarray of shape (n_features,)
        The names of the weights.
    n_features_in_ : int
        How many features, or with a schema columns, ``fit`` saw.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have any.

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
        nonzero: int | None = None,
        fit_intercept: bool = True,
        features: Scattering | RandomConvolutions | RandomFourier | None = None,
        schema: Schema | str | os.PathLike[str] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        declared_after_look: bool = False,
        unit_rows: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
        **options: Any,
    ) -> None:
        """Store the parameters; those of methods are among the options."""

    def _request(self, task: str, **more: Any) -> FitRequest:
        if self.method not in self._methods:
            msg = (
                f"method is '{self.method}'; PrivateLasso has {', '.join(map(repr, self._methods))}"
                " ('lasso' for epsilon=float('inf')); PrivateLinearRegression has the others"
            )
            raise ValueError(msg)
        if isinstance(self.nonzero, str):
            msg = (
                f"nonzero is {self.nonzero!r}; PrivateLasso takes a whole number, with "
                "method='sparsifier'; PrivateLinearRegression has nonzero='auto'"
            )
            raise ValueError(msg)
        return super()._request(task, **more)
