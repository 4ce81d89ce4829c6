"""Maps of features before a model: what they make possible, and what estimators keep of them."""

import pickle

import numpy as np
import pytest
import reticent
import scipy.sparse as sp
from reticent import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    RandomConvolutions,
    RandomFourier,
    Scattering,
    SparseSelector,
)
from sklearn.base import clone

BUDGET = {"epsilon": 5, "delta": 1e-6}
FOURIER = RandomFourier(60, scale=0.5)
MAPS = [
    Scattering((8, 8), scales=1),
    RandomConvolutions((1, 8, 8), filters=4, seed=3),
    RandomFourier(30, seed=2),
]


@pytest.fixture(scope="module")
def xor():
    X = np.random.default_rng(3).uniform(-1, 1, size=(4000, 2))
    return X, X[:, 0] * X[:, 1] > 0


@pytest.fixture(scope="module")
def images():
    """Images of 8 × 8 pixels with a bright row or a bright column."""
    rng = np.random.default_rng(4)
    y, at = rng.integers(0, 2, size=600), rng.integers(0, 8, size=600)
    X = np.zeros((600, 8, 8))
    X[y == 0, at[y == 0], :] = 255
    X[y == 1, :, at[y == 1]] = 255
    return X.reshape(600, 64), y


def mapped(features=FOURIER, **more):
    return PrivateLogisticRegression(features=features, random_state=1, **(BUDGET | more))


def test_a_boundary_that_bends_is_found_with_features_and_not_without(xor):
    plain = PrivateLogisticRegression(row_bound=("linf", 1.0), random_state=1, **BUDGET)
    assert plain.fit(*xor).score(*xor) < 0.65
    assert mapped().fit(*xor).score(*xor) > 0.85


def test_weights_belong_to_features_and_columns_stay_those_of_X(xor):
    model = mapped().fit(*xor)
    assert model.n_features_in_ == 2
    assert model.coef_.shape == (1, 60)
    assert model.weight_names_.tolist() == [f"cos{j}" for j in range(60)]
    assert model.certificate_.rows == ("l2", 1.0)
    assert model.certificate_.verify().holds
    assert "random Fourier features: 2 columns to 60" in str(model.card())
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.zeros((2, 3)))


@pytest.mark.parametrize("features", MAPS, ids=repr)
def test_images_are_told_apart_dense_or_sparse(images, features):
    X, y = images
    model = mapped(features).fit(X / 255, y)
    scores = model.decision_function(X / 255)
    assert np.array_equal(scores, model.decision_function(sp.csr_matrix(X / 255)))
    assert model.coef_.shape[1] == len(model.weight_names_)
    if not isinstance(features, RandomFourier):
        assert model.score(X / 255, y) > 0.9


@pytest.mark.parametrize("features", MAPS, ids=repr)
def test_a_map_is_a_value_that_can_be_shown_compared_copied_and_pickled(features):
    assert eval(repr(features)) == features
    assert pickle.loads(pickle.dumps(features)) == features
    assert len({features, eval(repr(features))}) == 1
    assert features != FOURIER
    estimator = mapped(features)
    assert clone(estimator).get_params()["features"] == features
    with pytest.raises(AttributeError):
        features.seed = 9


@pytest.mark.parametrize("features", MAPS, ids=repr)
def test_a_model_is_saved_pickled_and_loaded_with_its_map(images, features, tmp_path):
    X, y = images
    model = mapped(features).fit(X, y)
    model.save(tmp_path / "model.json")
    read = reticent.load(tmp_path / "model.json")
    assert np.array_equal(read.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert (read.n_features_in_, read.coef_.shape) == (64, model.coef_.shape)
    # The map in full asks for the same again.
    assert read.get_params()["row_bound"] is None
    again = clone(read).set_params(random_state=1).fit(X, y)
    assert np.array_equal(again.coef_, model.coef_)


def test_numbers_are_predicted_from_features(xor):
    X, _ = xor
    model = PrivateLinearRegression(
        features=FOURIER, target_range=(-1, 1), random_state=1, **BUDGET
    )
    y = X[:, 0] * X[:, 1]
    assert model.fit(X, y).score(X, y) > 0.5


def test_a_plan_counts_features(images):
    # The shape of the images says how many columns there are.
    plan = reticent.plan("logistic", n=600, features=MAPS[0], **BUDGET)
    assert plan.epsilon <= 5
    model = mapped(MAPS[0]).fit(*images)
    assert plan.charges == model.certificate_.charges
    with pytest.raises(ValueError, match="d was not given"):
        reticent.plan("logistic", n=600, features=FOURIER, **BUDGET)
    with pytest.raises(ValueError, match="63 columns"):
        reticent.plan("logistic", n=600, d=63, features=MAPS[0], **BUDGET)


SCHEMA = """
version = 1
[features]
kind = "fourier"
outputs = 60
scale = 0.5
[[column]]
name = "a"
kind = "numeric"
bounds = [-1, 1]
[[column]]
name = "b"
kind = "numeric"
bounds = [-1, 1]
[[column]]
name = "same"
kind = "target"
classes = [false, true]
"""


def test_a_schema_declares_the_map(xor, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = xor
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "same": y})
    schema = reticent.Schema.from_toml(SCHEMA)
    assert reticent.Schema.from_toml(schema.to_toml()) == schema
    model = PrivateLogisticRegression(schema=schema, random_state=1, **BUDGET).fit(frame)
    assert model.score(frame, y) > 0.85
    assert (model.n_features_in_, model.coef_.shape) == (2, (1, 60))
    model.save(tmp_path / "model.json")
    read = reticent.load(tmp_path / "model.json")
    assert read.features is None
    assert np.array_equal(read.predict(frame), model.predict(frame))
    plan = reticent.plan("logistic", n=4000, schema=schema, **BUDGET)
    assert plan.charges == model.certificate_.charges
    with pytest.raises(ValueError, match="the schema declares another"):
        clone(model).set_params(features=RandomFourier(9)).fit(frame)
    with pytest.raises(ValueError, match=r"leave \[features\] out"):
        SparseSelector(schema=schema, **BUDGET).fit(frame)


@pytest.mark.parametrize(
    ("features", "error", "words"),
    [
        (Scattering((8, 8)), ValueError, r"64 columns\), and the table has 2 columns"),
        (Scattering((8, 8, 8, 8)), ValueError, "height, width"),
        (Scattering("8x8"), ValueError, "height, width"),
        (Scattering((8.5, 8)), TypeError, "whole number"),
        (RandomFourier(2.5), TypeError, "whole number"),
        (RandomFourier(0), ValueError, "outputs = 0"),
        (RandomFourier(10, scale=-1), ValueError, "scale = -1"),
        ("scattering", TypeError, "Scattering, RandomConvolutions, RandomFourier"),
    ],
)
def test_a_map_that_makes_no_sense_is_refused_with_a_reason(xor, features, error, words):
    with pytest.raises(error, match=words):
        mapped(features).fit(*xor)
