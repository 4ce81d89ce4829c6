"""Maps of features before a model: what they make possible, and what estimators keep of them."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

import reticent
from reticent import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    RandomConvolutions,
    RandomFourier,
    Scattering,
    SparseSelector,
)

BUDGET = {"epsilon": 5, "delta": 1e-6}
FOURIER = RandomFourier(60, scale=0.5)
MAPS = [
    Scattering((8, 8), scales=1),
    RandomConvolutions((1, 8, 8), filters=32, seed=3),
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


def test_weights_belong_to_features_and_columns_stay_those_of_the_table(xor):
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
    assert clone(features) == features
    assert clone(features) is not features
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
    # The map in full is the map that was given, and asks for the same again.
    assert read.features == features
    assert model.certificate_.features == features
    assert hash(read.features) == hash(features)
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
        (Scattering("8x8"), ValueError, "image of Scattering is '8x8'; it must be"),
        (Scattering(None), ValueError, "image of Scattering is None; it must be"),
        (Scattering((8.5, 8)), TypeError, "an entry of image of Scattering is 8.5; it must be"),
        (Scattering((8, 8, 1)), ValueError, "channels come first: write 1x8x8"),
        (
            Scattering((8, 8), colours="grey"),
            ValueError,
            "colours of Scattering is 'grey'; it must be",
        ),
        (
            Scattering((8, 8), colours=3),
            ValueError,
            "colours of Scattering is 3; it must be one of",
        ),
        (Scattering((8, 8), scales=9), ValueError, "scales = 9; it must be from 1 to 2"),
        (RandomConvolutions((8, 8), threshold="a"), TypeError, "threshold of .* is 'a'; it must"),
        (RandomConvolutions((8, 8), patch=True), TypeError, "patch of .* is True; it must be"),
        (RandomFourier(2.5), TypeError, "outputs of .* is 2.5; it must be a whole number"),
        (RandomFourier(None), TypeError, "outputs of .* is None; it must be a whole number"),
        (RandomFourier(0), ValueError, "outputs of RandomFourier is 0; it must be"),
        (RandomFourier(-1), ValueError, "outputs of .* is -1; it must be .* from 1 to 1048576"),
        (RandomFourier(10, scale=-1), ValueError, "scale of .* is -1; it must be a number from"),
        (RandomFourier(10, scale=float("nan")), ValueError, "scale of .* is nan; it must be"),
        (RandomFourier(10, seed=-3), ValueError, "seed of .* is -3; it must be"),
        (RandomFourier(10, seed=None), TypeError, "seed of .* is None; it must be"),
        ("scattering", TypeError, "Scattering, RandomConvolutions, RandomFourier"),
    ],
)
def test_a_map_that_makes_no_sense_is_refused_with_a_reason(xor, features, error, words):
    with pytest.raises(error, match=words) as refused:
        mapped(features).fit(*xor)
    assert "line 1" not in str(refused.value)
    # It can be shown, and compared, all the same.
    assert repr(features)
    assert features == features


def test_a_plan_refuses_a_map_that_makes_no_sense():
    for features, words in [
        (Scattering(None), "image of Scattering is None"),
        (Scattering(("a", 8)), "is 'a'; it must be a whole number"),
        (Scattering((32, 32, 3)), "32 channels of 32x3 pixels; channels come first: write 3x32x32"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            reticent.plan("logistic", n=600, features=features, **BUDGET)


def test_maps_are_equal_if_they_describe_the_same():
    same = [
        (Scattering((28, 28)), Scattering(np.array([1, 28, 28]), scales=2, angles=8, groups=27)),
        (RandomConvolutions((8, 8)), RandomConvolutions([8, 8], patch=7, cells=2, threshold=0.6)),
        (Scattering((3, 28, 28)), Scattering((3, 28, 28), colours="opponent")),
        (RandomFourier(20), RandomFourier(np.int64(20), None, 0)),
        (RandomFourier(20, scale=1), RandomFourier(20, scale=np.float32(1))),
    ]
    for one, other in same:
        assert one == other
        assert hash(one) == hash(other)
    for one, other in [
        (Scattering((28, 28)), Scattering((28, 28), scales=1)),
        (RandomFourier(20), RandomFourier(20, seed=1)),
        (RandomFourier(20), RandomFourier(20, scale=1)),
        (RandomFourier(0), RandomFourier(-1)),
        (RandomFourier(20), "fourier"),
    ]:
        assert one != other


def test_a_search_tries_parameters_of_a_map(xor):
    grid = GridSearchCV(mapped(), {"features__scale": [0.5, 100.0]}, cv=KFold(2))
    with warnings.catch_warnings():
        # Each fit of a search spends, and says so.
        warnings.simplefilter("ignore")
        grid.fit(*xor)
    assert grid.best_estimator_.features == RandomFourier(60, scale=0.5)
    assert FOURIER.scale == 0.5
    estimator = mapped(RandomFourier(9)).set_params(features__seed=4)
    assert estimator.get_params()["features__seed"] == 4
    with pytest.raises(ValueError, match="no parameter 'sedd'; it has outputs, scale, seed"):
        estimator.set_params(features__sedd=4)


def test_columns_that_nothing_scales_are_warned_of(xor):
    X, y = xor
    words = r"within about \[-1, 1\]"
    with pytest.warns(UserWarning, match=words):
        mapped(RandomFourier(30)).fit(X, y)
    with pytest.warns(UserWarning, match=words):
        reticent.plan("logistic", n=600, d=2, features=RandomFourier(30), **BUDGET)
    with warnings.catch_warnings():
        # A scale is for the columns as they are.
        warnings.simplefilter("error")
        reticent.plan("logistic", n=600, d=2, features=FOURIER, **BUDGET)
        schema = reticent.Schema(
            [reticent.Numeric("a", 0, 255)], features=RandomFourier(30, seed=2)
        )
        reticent.plan("logistic", n=600, schema=schema, **BUDGET)


def test_an_array_of_images_is_refused_with_how_to_make_rows(images):
    X, y = images
    with pytest.raises(ValueError, match=r"write X\.reshape\(len\(X\), -1\)"):
        mapped(MAPS[0]).fit(X.reshape(600, 8, 8), y)
    # The colours of most libraries are in the last place.
    with pytest.raises(ValueError, match=r"write np\.moveaxis\(X, -1, 1\)\.reshape"):
        mapped(MAPS[0]).fit(X.reshape(600, 8, 8, 1), y)
    with pytest.raises(ValueError, match="dim 3") as refused:
        mapped().fit(X.reshape(600, 8, 8), y)
    assert "images" not in str(refused.value)


def test_a_schema_of_objects_declares_the_map_that_toml_does():
    columns = [reticent.Numeric("a", -1, 1), reticent.Numeric("b", -1, 1)]
    target = reticent.Target("same", classes=[False, True])
    made = reticent.Schema(columns, target, features=FOURIER)
    assert made == reticent.Schema.from_toml(SCHEMA)
    with pytest.raises(ValueError, match="scale of RandomFourier is 0"):
        reticent.Schema(columns, target, features=RandomFourier(9, scale=0))
    with pytest.raises(TypeError, match="must be None or a map"):
        reticent.Schema(columns, target, features="fourier")


def test_plans_and_certificates_show_the_map(xor):
    plan = reticent.plan("logistic", n=600, d=2, features=FOURIER, **BUDGET)
    certificate = mapped().fit(*xor).certificate_
    for shown in (plan, certificate):
        assert shown.features == FOURIER
        assert "random Fourier features: 2 columns to 60, with scale 0.5" in str(shown)
    plain = reticent.plan("logistic", n=600, d=2, row_bound=("l2", 1.0), **BUDGET)
    assert plain.features is None
