"""Private logistic regression, of two classes or several."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from reticent import _arrays, _frames, _units, _values
from reticent._base import PrivateLinearModel
from reticent._classes import (
    classes_by,
    classes_of,
    declared_labels,
    labelled,
    named,
    places_among,
    weights_of,
    were_taken,
)
from reticent._engine import Model, Schema
from reticent._features import RandomConvolutions, RandomFourier, Scattering
from reticent._options import declared, for_tasks

if TYPE_CHECKING:
    from typing_extensions import Self

# Methods for two classes alone.
BINARY = {
    method["name"] for method in for_tasks(["logistic"]) if "multinomial" not in method["tasks"]
}
SEVERAL = [method["name"] for method in for_tasks(["multinomial"]) if method["name"] != "lasso"]


@declared("logistic", "multinomial")
class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):
    """Sparse logistic regression under differential privacy.

    Two classes are fitted by one linear function, several by one per class (multinomial). With
    ``nonzero`` all but that many weights are exactly zero; without it, some of those that are only
    noise. Parameters that are left at their defaults follow from public facts: there is nothing to
    tune.

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
    method : str, default="auto"
        {methods};
        ``"lasso"`` is for ``epsilon=float("inf")``.
    nonzero : int or "auto", default=None
        How many weights there may be, over all classes together: a public number. With several
        classes a feature has one weight per class: features are selected first, then weights.
        ``"auto"`` keeps those that exceed their noise, on average at most one in ten of them by
        chance: for models whose weights are to be read. If None, as many as predict best.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    classes : array-like, default=None
        The classes, declared; a label that is a number is found however it is written (1, 1.0,
        "1"). If None they are those of ``y``, and the certificate lists that as assumed to be
        public.
    class_weight : dict or "balanced", default=None
        How much records count for by their class: a number per class, of which only ratios matter,
        or such that all classes weigh the same, by the counts that the fit releases. Probabilities
        then refer to the weighted population.
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
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights; a CSR matrix after ``sparsify()``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : ndarray of shape (n_classes,)
        The classes; of two, a weight above 0 favours the second.
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
    PrivateLinearRegression : The same for numbers.
    SparseSelector : The selection of features alone.
    reticent.plan : What a fit would do and spend.

    Notes
    -----
    Rows are clipped to ``row_bound`` when the model predicts, as they were in training, so
    predictions may differ from ``X @ coef_.T + intercept_`` where rows exceed it. Of two classes
    whose probabilities are calibrated, this linear function orders records as their log-odds do and
    is 0 where these are; the log-odds themselves are an increasing map of it, which is part of the
    model.

    ``X`` is read in place: only its values are copied, in single precision, because every row is
    clipped to its bound there. The column indices of a CSR matrix are not copied if they have 32
    bits; CSC is converted to CSR. ``X`` must not be changed by another thread while a fit runs.

    Examples
    --------
    >>> import numpy as np
    >>> from reticent import PrivateLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1.0, 1.0], size=(5000, 20))
    >>> y = np.where(X[:, 0] + X[:, 1] > rng.normal(size=5000), "ill", "well")
    >>> model = PrivateLogisticRegression(epsilon=1.0, delta=1e-8, row_bound=("linf", 1.0),
    ...                                   nonzero=2)
    >>> model.fit(X, y).coef_.nonzero()[1]
    array([0, 1])
    >>> bool(model.certificate_.private), model.certificate_.epsilon <= 1
    (True, True)
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        row_bound: tuple[str, float] | None = None,
        method: str = "auto",
        nonzero: int | Literal["auto"] | None = None,
        fit_intercept: bool = True,
        classes: Any = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
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

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn: some methods are for two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.method not in BINARY
        return tags

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:
        """Fit the model, and spend the budget.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features), or data frame
            The records; with a schema, a data frame of pandas or Polars or a table of Arrow.
        y : array-like of shape (n_samples,)
            Their classes; with a schema it may be a column of X.

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
        self._request("logistic")
        groups = _units.of_rows(groups, self.unit_rows)
        X, y = _arrays.features(
            self, X, labelled(y, self.classes), reset=True, counted=groups is None
        )
        classes, places, assumed = classes_of(y, self.classes)
        names = [_arrays.text(label) for label in classes]
        weight = weights_of(self.class_weight, names)
        request = self._request(self._task(len(classes)), classes=names, class_weight=weight)
        self.classes_ = classes
        labels = _arrays.label_type(classes)
        target = (places, names)
        self._fit_arrays(X, target, request, len(classes), groups, assumed=assumed, labels=labels)
        return self

    def _fit_by_schema(self, X: Any, y: Any) -> Self:
        schema = _frames.opened(self.schema)
        if schema.classes is None:
            msg = "the schema has no target with classes; PrivateLogisticRegression needs one"
            raise ValueError(msg)
        names = None if self.classes is None else [_arrays.text(c) for c in self.classes]
        weight = weights_of(self.class_weight, schema.classes)
        task = self._task(len(schema.classes))
        request = self._request(task, classes=names, class_weight=weight)
        y = _frames.target(X, y, schema)
        self.classes_, assumed = classes_by(schema, y)
        labels = _arrays.label_type(self.classes_)
        self._fit_frame(X, y, request, schema, assumed, labels=labels)
        return self

    def _task(self, classes: int) -> str:
        if classes == 2:
            return "logistic"
        if self.method in BINARY:
            msg = (
                "Only binary classification is supported. The type of the target is multiclass. "
                f"method='{self.method}' is for two classes; use {', '.join(map(repr, SEVERAL))}"
            )
            raise ValueError(msg)
        return "multinomial"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on other records; no certificate covers it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records.
        y : array-like of shape (n_samples,)
            Their labels; those of a schema become its classes, as in ``fit``.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each record counts.

        Returns
        -------
        float
            The share of the records whose class is predicted correctly.
        """
        check_is_fitted(self)
        schema = self._model.schema
        if schema is not None:
            names = np.array([_arrays.text(label) for label in self.classes_], dtype=object)
            y = self.classes_[[names.tolist().index(name) for name in named(y, schema)]]
        elif self.classes is not None:
            # As in training, where 1 and "1" are one label.
            right = places_among(_values.array(y), self.classes_)
            found = places_among(self.predict(X), self.classes_)
            return float(accuracy_score(right, found, sample_weight=sample_weight))
        return super().score(X, y, sample_weight=sample_weight)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each class; for two classes, the log-odds of the second.

        Log-odds are calibrated: an increasing map of ``X @ coef_.T + intercept_``, with the same
        sign.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The scores.
        """
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class.

        They are calibrated within the budget of the fit. Where ``certificate_.parameters`` says
        ``probabilities: as fitted`` (without an intercept, or where a radius, a region or a
        penalty was asked for) they are not, and only order records.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The probabilities, in the order of ``classes_``.
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return expit(np.hstack([-scores, scores]))
        return softmax(scores, axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The logarithms, in the order of ``classes_``.
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return log_expit(np.hstack([-scores, scores]))
        return log_softmax(scores, axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or data frame
            The records.

        Returns
        -------
        ndarray of shape (n_samples,)
            The classes.
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return self.classes_[(scores.ravel() > 0).astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]

    def _adopt(self, model: Model) -> Self:
        names = model.classes or []
        declared = declared_labels(model.schema)
        if declared is None:
            declared = _arrays.labels_of_type(names, model.label_type)
        self.classes_ = declared
        super()._adopt(model)
        # Classes that put several labels together can be declared to the command alone.
        each_label = all(
            labels == [name] for name, labels in zip(names, model.class_labels, strict=True)
        )
        if model.schema is None and each_label and not were_taken(self.certificate_):
            self.set_params(classes=self.classes_.tolist())
        weight = (model.certificate.request or {}).get("class_weight")
        if isinstance(weight, dict):
            weight = dict(zip(self.classes_.tolist(), weight["numbers"], strict=True))
        self.set_params(class_weight=weight)
        return self
