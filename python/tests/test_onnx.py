"""ONNX: another runtime predicts what the model predicts."""

import json
import lzma
import os
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from reticent import (
    Categorical,
    Date,
    Ignored,
    Numeric,
    PrivateLinearRegression,
    PrivateLogisticRegression,
    RandomConvolutions,
    RandomFourier,
    Scattering,
    Schema,
    Target,
    _arrays,
)


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


@pytest.mark.parametrize(
    "features",
    [
        Scattering((4, 4), scales=1, angles=3),
        RandomConvolutions((1, 4, 4), filters=5, patch=2, threshold=0.3, groups=1),
        RandomFourier(40),
    ],
)
def test_a_map_of_features_is_part_of_the_graph(features):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(500, 16)).astype(np.float32)
    X[0] = 0
    model = PrivateLogisticRegression(epsilon=5, delta=1e-6, features=features, random_state=7)
    model.fit(X, X[:, 0] * X[:, 1] > 0)
    answer = run(model, X)
    np.testing.assert_allclose(answer["probabilities"], model.predict_proba(X), atol=1e-5, rtol=0)
    assert np.ptp(answer["probabilities"][:, 1]) > 1e-3


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


def given(session, frame):
    """The raw columns of a frame as a graph takes them: numbers, days and texts."""
    columns = {}
    for wanted in session.get_inputs():
        values = frame[wanted.name]
        if wanted.type == "tensor(string)":
            texts = values.astype(object).where(values.notna(), "").map(str)
            found = texts.to_numpy(dtype=object)
        elif values.dtype.kind == "M":
            days = (values - pd.Timestamp(0)) / pd.Timedelta(days=1)
            found = days.to_numpy(dtype=np.float64)
        else:
            found = pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64)
        columns[wanted.name] = found.reshape(-1, 1)
    return columns


def agrees(model, frame):
    """The same labels, and probabilities or values to 1e-6; the largest difference is returned."""
    session = onnxruntime.InferenceSession(model.to_onnx(), providers=["CPUExecutionProvider"])
    assert {wanted.name for wanted in session.get_inputs()} == set(model._model.schema.columns)
    answers = session.run(None, given(session, frame))
    if isinstance(model, PrivateLinearRegression):
        ours, theirs = model.predict(frame), answers[0]
    else:
        ours, theirs = model.predict_proba(frame), answers[1]
        labels = [_arrays.text(label) for label in model.predict(frame)]
        assert answers[0].tolist() == labels
        assert len(set(labels)) > 1
    assert np.ptp(ours) > 0
    np.testing.assert_allclose(theirs, ours, atol=1e-6, rtol=0)
    return np.abs(theirs - ours).max()


RAW = [
    # Columns that are called as nodes of the graph would be.
    Numeric("features", low=-5, high=30, missing=4, missing_indicator=True),
    Numeric("step", low=-1e9, high=1e9, missing="low"),
    Numeric("cost", low=0.5, high=1e6, scale="log", missing="high", missing_indicator=True),
    Numeric("dose", low=0.001, high=0.1, scale="log"),
    Date("label", low="1950-01-01", high="2020-12-31", missing_indicator=True),
    Date("probabilities", low="2000-01-01", high="2001-01-01", missing="2000-02-01"),
    Categorical("values", levels=["north", "south", "7", "true", "ünïcode"]),
    Categorical("code", levels=[3, 1, 0.5, -2]),
    Ignored("note"),
]


def raw_frame(n):
    rng = np.random.default_rng(11)

    def some(values, missing=np.nan):
        values = pd.Series(values)
        return values.where(rng.random(n) > 0.1, missing)

    def day(first, count):
        return pd.Timestamp(first) + pd.to_timedelta(rng.integers(0, count * 86400, n), unit="s")

    return pd.DataFrame(
        {
            "features": some(rng.normal(10, 20, n)).where(rng.random(n) > 0.1, -999.0),
            "step": some(rng.choice([-1e300, -1e9, -7, 0, 0.1, 123456.789, 1e9, 1e300], n)),
            "cost": some(10 ** rng.uniform(-3, 8, n)).where(rng.random(n) > 0.2, 0.0),
            "dose": some(10 ** rng.integers(-5, 1, n).astype(float)),
            "label": some(day("1940-01-01", 36000), pd.NaT),
            "probabilities": some(day("1999-11-01", 500), pd.NaT),
            "values": some(
                rng.choice(
                    ["north", "South", "south", "7", "7.0", "True", "ünïcode", "nörth", "x"], n
                ),
                None,
            ),
            "code": some(rng.choice([3, 1, 0.5, 0, -2, 1e300], n)),
            "note": "not read",
        }
    )


def raw_target(frame, task):
    score = frame["features"].clip(-5, 30) / 10 + (frame["values"] == "north") * 2
    score = (score + (frame["label"] > pd.Timestamp("1985-01-01")) - (frame["cost"] > 1e3)).fillna(
        1
    )
    if task == "number":
        return score * 100
    return np.digitize(score, [2.0] if task == "two" else [1.0, 3.0])


@pytest.mark.parametrize("task", ["two", "three", "number"])
def test_a_graph_of_a_schema_takes_the_raw_columns(task):
    frame = raw_frame(3000)
    y = raw_target(frame, task)
    shared = {"epsilon": 20, "delta": 1e-6, "random_state": 5}
    missing = ["", "-999"]
    if task == "number":
        schema = Schema(RAW, Target("y", range=(-500, 900)), missing=missing)
        model = PrivateLinearRegression(schema=schema, **shared)
    else:
        schema = Schema(RAW, Target("y", classes=np.unique(y)), missing=missing)
        model = PrivateLogisticRegression(schema=schema, **shared)
    model.fit(frame, y)
    assert agrees(model, frame) < 1e-9


def test_what_a_graph_cannot_refuse_counts_as_the_middle_or_an_end():
    schema = Schema(
        [Numeric("x", low=-1, high=1, missing="refuse")], Target("y", classes=[False, True])
    )
    model = PrivateLogisticRegression(schema=schema, epsilon=5, delta=1e-6)
    X = np.linspace(-1, 1, 400)
    model.fit(pd.DataFrame({"x": X}), X > 0)
    session = onnxruntime.InferenceSession(model.to_onnx(), providers=["CPUExecutionProvider"])
    odd = np.array([[np.nan], [0.0], [np.inf], [1.0], [-np.inf], [-1.0]])
    label, probabilities = session.run(None, {"x": odd})
    assert (probabilities[::2] == probabilities[1::2]).all()
    assert label[2:].tolist() == ["true", "true", "false", "false"]


def adult(name):
    """The raw rows of Adult: numbers and texts, a question mark where one is missing."""
    beside = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
    file = Path(os.environ.get("RETICENT_DATA", beside)) / name
    if not file.exists():
        if os.environ.get("CI") and file.parent.exists():
            pytest.fail(f"{file} is missing")
        pytest.skip(f"needs {file}")
    with lzma.open(file, "rt") as lines:
        rows = [[field.strip() for field in line.split(",")] for line in lines]
    rows = [row for row in rows if len(row) == 15]
    frame = pd.DataFrame(rows, columns=[*ADULT.columns[:2], "fnlwgt", *ADULT.columns[2:], "income"])
    numbers = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    return frame.astype(dict.fromkeys(numbers, float))


SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
ADULT = Schema.open(SCHEMAS / "adult.toml")


def declared_as(target, what):
    """The schema of Adult with another target, and a feature for a missing age."""
    head, *columns = (SCHEMAS / "adult.toml").read_text().split("[[column]]")
    made = [head]
    for column in columns:
        name = column.split('"')[1]
        if name == target:
            column = f'\nname = "{name}"\nkind = "target"\n{what}\n'
        elif name == "income":
            column = f'\nname = "{name}"\nkind = "ignored"\n'
        elif name == "age":
            column = column.rstrip() + "\nmissing_indicator = true\n\n"
        made.append(column)
    return Schema.from_toml("[[column]]".join(made))


ADULT_MODELS = {
    "two classes, calibrated": (ADULT, PrivateLogisticRegression, {}),
    "several classes": (
        declared_as("relationship", 'classes = ["Husband", "Not-in-family", "Own-child", "x=*"]'),
        PrivateLogisticRegression,
        {},
    ),
    "a number": (declared_as("hours-per-week", "range = [0, 100]"), PrivateLinearRegression, {}),
    "a number, few weights": (
        declared_as("education-num", "range = [1, 16]"),
        PrivateLinearRegression,
        {"nonzero": 12},
    ),
}


@pytest.mark.parametrize("name", ADULT_MODELS)
def test_onnxruntime_agrees_on_raw_rows_of_adult(name):
    schema, kind, more = ADULT_MODELS[name]
    train, test = adult("adult.data.csv.xz"), adult("adult.test.csv.xz")
    assert len(test) == 16281
    model = kind(epsilon=1, delta=1e-6, schema=schema, random_state=1, **more).fit(train)
    # Beyond the bounds, missing, and levels that nobody declared.
    test.loc[:99, "age"] = np.repeat([-5, 1e300, np.nan, 120.5], 25)
    test.loc[50:150, "capital-gain"] = 1e7
    test.loc[100:200, "education"] = np.resize(["PhD", "", None, "bachelors"], 101)
    assert (test["workclass"] == "?").sum() > 900
    off = agrees(model, test)
    print(f"{name}: {len(test)} rows, largest difference {off:.1e}")
    contents = model._model
    if name == "two classes, calibrated":
        assert "calibration" in json.loads(contents.to_json())
    if name == "a number":
        assert "ranges" in json.loads(contents.to_json())
