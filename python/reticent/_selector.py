"""Private selection of features, without a model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from reticent import _arrays, _frames, _parameters, _units
from reticent._card import CardMixin
from reticent._classes import classes_of, labelled
from reticent._engine import Certificate, FitRequest, Schema
from reticent._options import declared
from reticent._spend import Spending, declared_parameters

if TYPE_CHECKING:
    from typing_extensions import Self


@declared("logistic", "multinomial", "linear", without=["public"])
class SparseSelector(SelectorMixin, CardMixin, BaseEstimator):
    """Select the features that predict a target best, under differential privacy.

    The whole budget goes into the selection; no model is fitted. A private estimator that is
    fitted on the selected features afterwards spends a budget of its own, on the same people: with
    ``rho`` the two simply add up. ``PrivateLogisticRegression(nonzero=s)`` divides one budget
    between selection and fit by itself, and better.

    Parameters
    ----------
    task : {"classes", "number"}, default="classes"
        What the target is. A number needs a ``target_range``.
    epsilon : float
        The budget: one record changes the probability of any outcome by a factor of at most e^ε.
    delta : float
        The probability with which the promise may fail; far below 1/n for n records.
    rho : float
        The budget in zero-concentrated differential privacy, instead of ``epsilon``; the ρ of
        several fits add up.
    row_bound : tuple of (str, float)
        The bound of a row, enforced for the selection: ``("l2", B)`` or ``("linf", B)``. What
        ``transform`` returns is not clipped.
    target_range : tuple of (float, float), default=None
        The numbers between which the target lies; values beyond are clipped.
    method : str, default="auto"
        ``"select"`` chooses by the size of the gradient, in one round. Any other method of the
        estimators fits a private model, and the features with weights are chosen: ``"ight"`` where
        rows are bounded in ℓ₂ or features are correlated, ``"frank-wolfe"`` for very few records.
        ``"auto"`` takes ``"ight"`` for classes and rows bounded in ℓ₂, as text is, and else
        ``"select"``.
    nonzero : int or "auto", default=None
        How many features are chosen; 1.5·√n_features if None. ``"auto"`` finds it: a private model
        is fitted, and those features are chosen whose weights exceed their noise.
    classes : array-like, default=None
        The classes, declared; a label that is a number is found however it is written (1, 1.0,
        "1"). If None they are those of ``y``, and the certificate lists that as assumed to be
        public.
    schema : Schema or path, default=None
        What the named columns of a data frame mean; the choice is among the features that it makes
        from them.
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
        Repeatable noise, for tests and comparisons: the choice is then NOT PRIVATE, and its
        certificate says so. None draws from the operating system.
    verbose : bool, default=False
        Whether a progress bar is shown when it takes a while.
    {options}

    Attributes
    ----------
    certificate_ : reticent.privacy.Certificate
        What was spent, and everything that the guarantee depends on.
    n_features_in_ : int
        How many features ``fit`` saw.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they have any.

    See Also
    --------
    PrivateLogisticRegression : Selection and fit in one.

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
        nonzero: int | Literal["auto"] | None = None,
        classes: Any = None,
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

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:
        """Choose the features, and spend the budget.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame of pandas or Polars or a table of Arrow.
        y : array-like of shape (n_samples,)
            Their classes or numbers; with a schema it may be a column of X.

        groups : array-like of shape (n_samples,), default=None
            Whose each row is. Then people are protected, each with all rows, and not rows: at most
            ``unit_rows`` rows of a person count, and share the weight of one. How many rows there
            are is private; how many people there are is public under replace-one. With a schema, a
            column of kind "unit" says it.

        Returns
        -------
        self
            The fitted selector.

        Raises
        ------
        FitInterrupted
            If it is stopped by Ctrl-C; it states what to count.
        """
        if self.task not in ("classes", "number"):
            msg = f"task is '{self.task}'; it must be 'classes' or 'number'"
            raise ValueError(msg)
        if self.epsilon == float("inf"):
            msg = "a choice of features is private by design; give it a budget, such as epsilon=1"
            raise ValueError(msg)
        if self.schema is not None:
            _units.refuse_beside(self.schema, groups, self.unit_rows)
            return self._fit_by_schema(X, y)
        # Invalid parameters are refused before the data are read.
        self._request(2)
        numeric = self.task == "number"
        y = _arrays.numeric_target(y) if numeric else labelled(y, self.classes)
        groups = _units.of_rows(groups, self.unit_rows)
        X, y = _arrays.features(self, X, y, reset=True, counted=groups is None)
        width = X.shape[1]
        _enough(width)
        if not numeric:
            classes, places, assumed = classes_of(y, self.classes)
            names = [_arrays.text(label) for label in classes]
            request = self._request(len(classes), classes=names)
            target: Any = (places, names)
        else:
            request, target, assumed = self._request(0), _arrays.numbers_of(y), []
            classes = ()
        self._names: np.ndarray | None = None
        records = _units.protected(groups, X.shape[0])
        cautions = request.cautions(records, width, len(classes))
        self._spend(
            lambda how: request.choose(X, target, how, assumed=assumed), width, cautions, groups
        )
        return self

    def _fit_by_schema(self, X: Any, y: Any) -> Self:
        schema = _frames.opened(self.schema)
        if (schema.classes is None) != (self.task == "number"):
            msg = f"task is '{self.task}', and the target of the schema is something else"
            raise ValueError(msg)
        if schema._has_map:
            msg = (
                "a selector chooses among columns, and the schema declares a map of features; "
                "leave [features] out"
            )
            raise ValueError(msg)
        width = len(schema.features)
        _enough(width)
        request = self._request(len(schema.classes or ()))
        columns = _frames.with_target(X, _frames.target(X, y, schema), schema)
        self._names = np.array(schema.features, dtype=object)
        self._schema = schema
        self.feature_names_in_ = np.array(schema.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        people = dict(columns).get(schema.unit)
        records = len(columns[-1][1]) if people is None else _units.count(people)
        cautions = request.cautions(records, width, len(schema.classes or ()))
        self._spend(lambda how: request.choose_frame(schema, columns, how), width, cautions)
        return self

    def _spend(
        self,
        fit: Callable[..., Any],
        width: int,
        cautions: Sequence[tuple[str, str]],
        groups: tuple[Any, int] | None = None,
    ) -> None:
        # A choice that is stopped leaves none, not even that of an earlier fit.
        self.__dict__.pop("_support", None)
        with Spending(self, cautions, groups) as spending:
            columns, certificate = fit(spending.how)
            self.certificate_: Certificate = certificate
            self._support = np.isin(np.arange(width), columns)

    def _cards(self) -> tuple[str, str]:
        return self.certificate_._cards(self.get_feature_names_out().tolist())

    def _request(self, count: int, **more: Any) -> FitRequest:
        task = "logistic" if count == 2 else "multinomial"
        if self.task == "number":
            task = "linear"
        parameters = declared_parameters(self)
        return _parameters.request(task, target_range=self.target_range, **parameters, **more)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a choice: a fit that is stopped leaves the shape of X alone."""
        return hasattr(self, "_support")

    def transform(self, X: Any) -> Any:
        """Return the chosen features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_chosen)
            Their chosen features; with a schema, those that it makes from the columns, in [−1, 1].
        """
        check_is_fitted(self)
        if self._names is None:
            return super().transform(X)
        return _frames.matrix(X, self._schema)[:, self._support].toarray()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the chosen features.

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
