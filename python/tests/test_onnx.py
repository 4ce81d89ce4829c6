"""ONNX: another runtime predicts what the model predicts."""

import numpy as np
import onnxruntime
import polars as pl
import pytest

from reticent import PrivateLinearRegression, PrivateLogisticRegression, Schema


def rows(rng, bound):
    """Rows within the bound, and far beyond it, of values that no grid holds."""
    inside = rng.uniform(-0.3, 0.3, size=(200, 8)) * bound
    beyond = rng.normal(scale=20, size=(200, 8)) * bound
    return np.vstack([inside, beyond, np.zeros((1, 8))]).astype(np.float32)


def run(model, X):
    session = onnxruntime.InferenceSession(model.to_onnx(), providers=["CPUExecutionProvider"])
    (features,) = session.get_inputs()
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {features.name: X}), strict=True))


@pytest.mark.parametrize("row_bound", [("l2", 1.0), ("l2", 3.5), ("linf", 1.0), ("linf", 0.7)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_onnxruntime_predicts_the_same(target, intercept, row_bound, table):
    shared = {"delta": 1e-6, "row_bound": row_bound, "random_state": 7, "fit_intercept": intercept}
    if target == "number":
        model = PrivateLinearRegression(epsilon=2, target_range=(-6, 6), **shared)
    else:
        model = PrivateLogisticRegression(epsilon=2, **shared)
    model.fit(table["X"], table[target])
    assert np.count_nonzero(model.coef_)
    X = rows(np.random.default_rng(1), row_bound[1])
    answer = run(model, X)
    if target == "number":
        np.testing.assert_allclose(answer["values"], model.predict(X), atol=1e-6, rtol=0)
        return
    np.testing.assert_allclose(answer["probabilities"], model.predict_proba(X), atol=1e-6, rtol=0)
    assert answer["label"].tolist() == [str(label) for label in model.predict(X)]


def test_the_names_of_classes_go_along(table):
    model = PrivateLogisticRegression(epsilon=2, delta=1e-6, row_bound=("linf", 1))
    model.fit(table["X"], np.array(["ill", "wohlauf ✓"])[table["two"]])
    answer = run(model, table["X"].astype(np.float32))
    assert answer["label"].tolist() == model.predict(table["X"]).tolist()


def test_a_model_without_weights_is_a_graph_too():
    model = PrivateLinearRegression(
        epsilon=float("inf"), row_bound=("linf", 1), target_range=(-1, 1), method="lasso"
    ).fit(np.zeros((50, 3)), np.tile([0.5, 0.25], 25))
    assert not model.coef_.any()
    np.testing.assert_allclose(run(model, np.ones((2, 3), np.float32))["values"], model.intercept_)


def test_a_model_of_a_schema_takes_its_features():
    schema = Schema.from_toml("""
version = 1
[[column]]
name = "age"
kind = "numeric"
bounds = [0, 100]
[[column]]
name = "ward"
kind = "categorical"
levels = ["north", "south"]
[[column]]
name = "ill"
kind = "target"
classes = ["no", "yes"]
""")
    frame = pl.DataFrame({"age": [10, 90] * 50, "ward": ["north", "south", "west", None] * 25})
    model = PrivateLogisticRegression(epsilon=2, delta=1e-6, schema=schema)
    model.fit(frame, ["no", "yes"] * 50)
    features = np.zeros((100, 4), np.float32)
    features[:, 0] = np.tile([-0.8, 0.8], 50)
    features[np.arange(100), np.tile([1, 2, 3, 3], 25)] = 1
    answer = run(model, features)
    np.testing.assert_allclose(answer["probabilities"], model.predict_proba(frame), atol=1e-6)
