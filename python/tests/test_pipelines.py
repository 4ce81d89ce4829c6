"""Steps that learn from the records are listed in the certificate, and warned of."""

import warnings

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from reticent import (
    PrivacyWarning,
    PrivateLinearRegression,
    PrivateLogisticRegression,
    SparseSelector,
    check_pipeline,
)

X = np.random.default_rng(0).choice([0.0, 1.0], size=(200, 4))
Y = (X[:, 0] > 0).astype(int)


def model(**more):
    budget = {"epsilon": 5.0, "delta": 1e-6, "row_bound": ("l2", 1.0)}
    return PrivateLogisticRegression(**budget, classes=[0, 1], **more)


LEARN = [
    StandardScaler(),
    MinMaxScaler(),
    MaxAbsScaler(),
    RobustScaler(),
    SimpleImputer(),
    SimpleImputer(strategy="constant", fill_value=0),
    OneHotEncoder(),
    OneHotEncoder(categories=[[0, 1]] * 4, min_frequency=2),
    OrdinalEncoder(),
    KBinsDiscretizer(),
    TargetEncoder(),
    PCA(2),
    SelectKBest(k=2),
    VarianceThreshold(),
    TfidfTransformer(),
    FunctionTransformer(StandardScaler().fit(X).transform),
]
DECLARED = [
    Normalizer(),
    Binarizer(),
    FunctionTransformer(np.log1p),
    OneHotEncoder(categories=[[0, 1]] * 4),
    OrdinalEncoder(categories=[[0, 1]] * 4),
    PolynomialFeatures(2),
    SimpleImputer(strategy="constant", fill_value=0, keep_empty_features=True),
    TfidfTransformer(use_idf=False),
    "passthrough",
    None,
]


def fitted(pipe, X=X, y=Y):
    """Fit, and return what the certificate assumes and whether it was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pipe.fit(X, y)
    return [str(w.message) for w in caught if "certificate does not cover" in str(w.message)]


@pytest.mark.parametrize("step", LEARN, ids=lambda step: type(step).__name__)
def test_a_step_that_learns_warns_and_is_listed(step):
    pipe = Pipeline([("first", step), ("model", model())])
    said = f"what the step 'first' ({type(step).__name__}) of a pipeline learned from the records"
    assert check_pipeline(pipe) == [said]
    (warned,) = fitted(pipe)
    assert said in warned
    assert said in pipe[-1].certificate_.assumed_public
    assert "'" + type(step).__name__ not in warned


@pytest.mark.parametrize("step", DECLARED, ids=lambda step: type(step).__name__)
def test_a_step_without_state_is_neither_warned_of_nor_listed(step):
    pipe = Pipeline([("first", step), ("model", model())])
    assert check_pipeline(pipe) == []
    assert fitted(pipe) == []
    assert pipe[-1].certificate_.assumed_public == ()


def test_vectorizers_learn_a_vocabulary_unless_it_is_given():
    for vectorizer, learns in [
        (CountVectorizer(), True),
        (TfidfVectorizer(), True),
        (TfidfVectorizer(vocabulary=["a"]), True),
        (CountVectorizer(vocabulary=["a"]), False),
        (TfidfVectorizer(vocabulary=["a"], use_idf=False), False),
        (HashingVectorizer(n_features=8), False),
    ]:
        assert bool(check_pipeline(make_pipeline(vectorizer, model()))) == learns


@pytest.mark.parametrize(
    ("pipe", "steps"),
    [
        (make_pipeline(Normalizer(), PCA(2), model()), ["pca"]),
        (make_pipeline(make_pipeline(StandardScaler(), Normalizer()), model()), ["standardscaler"]),
        (make_pipeline(StandardScaler(), make_pipeline(PCA(2), model())), ["standard", "pca"]),
        (make_pipeline(make_union(PCA(1), Normalizer()), model()), ["featureunion.pca"]),
        (
            make_pipeline(
                ColumnTransformer(
                    [("s", MinMaxScaler(), [0]), ("o", Binarizer(), [1])], remainder=RobustScaler()
                ),
                model(),
            ),
            ["columntransformer.s", "columntransformer.remainder"],
        ),
        (
            make_pipeline(FeatureUnion([("deep", make_pipeline(Normalizer(), PCA(2)))]), model()),
            ["featureunion.deep.pca"],
        ),
        (
            GridSearchCV(make_pipeline(StandardScaler(), model()), {}, cv=KFold(2)),
            ["standardscaler"],
        ),
        (
            make_pipeline(
                StandardScaler(),
                SparseSelector(epsilon=5, delta=1e-6, row_bound=("l2", 1.0), nonzero=2),
                PCA(2),
                model(),
            ),
            ["standardscaler", "pca"],
        ),
    ],
)
def test_steps_are_found_wherever_they_are(pipe, steps):
    found = check_pipeline(pipe)
    assert len(found) == len(steps)
    for fact, step in zip(found, steps, strict=True):
        assert step in fact
    assert fitted(pipe)
    last = getattr(pipe, "best_estimator_", pipe)
    while hasattr(last, "steps"):
        last = last[-1]
    learned = [fact for fact in last.certificate_.assumed_public if "learned" in fact]
    assert len(learned) == len(steps)


def test_what_comes_after_a_selection_is_not_before_it():
    chosen = {
        "epsilon": 5,
        "delta": 1e-6,
        "row_bound": ("l2", 1.0),
        "nonzero": 2,
        "classes": [0, 1],
    }
    pipe = make_pipeline(Normalizer(), SparseSelector(**chosen), StandardScaler(), model())
    fitted(pipe)
    assert pipe[1].certificate_.assumed_public == ()
    assert len(pipe[3].certificate_.assumed_public) == 1


def test_a_transformation_of_the_target_learns_from_it():
    numbers = PrivateLinearRegression(
        epsilon=5, delta=1e-6, row_bound=("l2", 1.0), target_range=(-3, 3)
    )
    scaled = TransformedTargetRegressor(numbers, transformer=StandardScaler())
    (said,) = check_pipeline(scaled)
    assert "'transformer' (StandardScaler)" in said
    assert fitted(scaled, y=X[:, 1] + X[:, 2])
    assert said in scaled.regressor_.certificate_.assumed_public
    plain = TransformedTargetRegressor(numbers, func=np.log1p, inverse_func=np.expm1)
    assert check_pipeline(plain) == []
    assert fitted(plain, y=X[:, 1] + X[:, 2]) == []


def test_a_frozen_step_is_assumed_to_be_public_without_a_warning():
    pipe = make_pipeline(FrozenEstimator(StandardScaler().fit(X)), model())
    assert fitted(pipe) == []
    (fact,) = pipe[-1].certificate_.assumed_public
    assert "frozen" in fact
    assert "StandardScaler" in fact


def test_a_transformer_of_someone_else_is_taken_to_learn():
    class Other(StandardScaler):
        pass

    assert "Other" in check_pipeline(make_pipeline(Other(), model()))[0]


def test_without_privacy_there_is_nothing_to_warn_of():
    open_ = PrivateLogisticRegression(epsilon=float("inf"), row_bound=("l2", 1.0), classes=[0, 1])
    assert fitted(make_pipeline(StandardScaler(), open_)) == []


def test_the_warning_points_to_the_callers_line():
    with pytest.warns(PrivacyWarning, match="standardscaler") as caught:
        make_pipeline(StandardScaler(), model()).fit(X, Y)
    assert caught[0].filename == __file__
