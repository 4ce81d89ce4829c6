"""Schemas as Python objects: the same as in TOML, with the same checks; and what they encode."""

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import reticent
from reticent import (
    Categorical,
    Date,
    Ignored,
    Numeric,
    PrivateLogisticRegression,
    Schema,
    Target,
)

TOML = """
version = 1
missing = ["", "-9"]
[[column]]
name = "age"
kind = "numeric"
bounds = [0, 120]
missing_indicator = true
[[column]]
name = "cost"
kind = "numeric"
bounds = [1, 1e6]
scale = "log"
missing = "low"
[[column]]
name = "since"
kind = "date"
bounds = [1990-01-01, "2030-12-31"]
missing = 2000-01-01
[[column]]
name = "ward"
kind = "categorical"
levels = ["north", "7", "true"]
[[column]]
name = "note"
kind = "ignored"
[[column]]
name = "ill"
kind = "target"
classes = [0, 1]
missing = 0
"""


def columns():
    return [
        Numeric("age", low=0, high=np.int64(120), missing_indicator=True),
        Numeric("cost", low=1.0, high=1e6, scale="log", missing="low"),
        Date("since", low=dt.date(1990, 1, 1), high="2030-12-31", missing=dt.date(2000, 1, 1)),
        Categorical("ward", levels=("north", 7, True)),
        Ignored("note"),
    ]


def test_objects_and_toml_make_one_schema(tmp_path):
    schema = Schema(
        columns=columns(), target=Target("ill", classes=[0, 1], missing=0), missing=["", -9]
    )
    assert schema == Schema.from_toml(TOML)
    assert schema == Schema(
        [*columns(), Target("ill", classes=[0, 1], missing=0)], missing=["", "-9"]
    )
    assert Schema.from_toml(schema.to_toml()) == schema
    assert pickle.loads(pickle.dumps(schema)) == schema
    schema.save(tmp_path / "schema.toml")
    assert Schema.open(tmp_path / "schema.toml") == schema
    with pytest.raises(FileNotFoundError):
        schema.save(tmp_path / "none" / "schema.toml")
    names = ["age", "age is missing", "cost", "since"]
    assert schema.features == [*names, "ward=north", "ward=7", "ward=true", "ward=other"]
    assert schema.get_feature_names_out().tolist() == schema.features


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (Numeric("a", low=1, high=0), "the bounds of column 'a' must be two finite numbers"),
        (Numeric("a", low=0, high=float("inf")), "must be two finite numbers"),
        (Numeric("a", low="1990-01-01", high=3), "must be two finite numbers"),
        (Numeric("a", low=0, high=1, scale="log"), "needs bounds above 0 in column 'a'"),
        (Numeric("a", low=0, high=1, scale="sqrt"), "column 'a': unknown variant `sqrt`"),
        (Numeric("a", low=0, high=1, missing="mean"), "'missing' of column 'a' must be \"middle\""),
        (Numeric("a", low=0, high=1, missing="refuse", missing_indicator=True), "never be set"),
        (Numeric(" a", low=0, high=1), "blanks around it"),
        (Date("a", low="01.01.1990", high="2030-01-01"), "must be two dates, the earlier first"),
        (Date("a", low="2031-01-01", high="2030-01-01"), "must be two dates, the earlier first"),
        (Date("a", low=0, high=9), "must be two dates"),
        (Date("a", low="1990-01-01", high="2030-01-01", missing="1.1.2000"), "or a date such as"),
        (Categorical("a", levels=["x", "x"]), "level 'x' of column 'a' is listed twice"),
        (Categorical("a", levels=[]), "the levels of 'a' is still to be filled in"),
        (Target("a", classes=[0, 1], range=(0, 1)), "target 'a' has both classes and range"),
        (Target("a", classes=[0, "1"]), "all texts, all whole numbers or all truth values"),
        (Target("a", classes=[0, 1, 1]), "two classes"),
        (Target("a", classes=[0, 1], missing=2), "the name of a class: 0 or 1"),
        (Target("a", classes=[0.5, 1]), "expected a text, a whole number or a truth value"),
        (Target("a"), "the classes or range of 'a'"),
    ],
)
def test_what_is_wrong_is_told_as_of_toml(column, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        Schema([column, Numeric("b", low=0, high=1)])


def test_what_is_no_column_is_told():
    with pytest.raises(TypeError, match=r"is one of reticent\.Numeric, reticent\.Date"):
        Schema(["age"])
    with pytest.raises(TypeError, match=r"target must be a reticent\.Target"):
        Schema([Numeric("a", low=0, high=1)], target="ill")


@pytest.mark.parametrize(
    ("classes", "kind"),
    [([0, 1], "i"), ([False, True], "b"), (["0", "1"], "U"), ([2, 0, 1], "i"), ([-1, 1], "i")],
)
@pytest.mark.parametrize("stored", [int, float, str, object])
def test_labels_have_the_declared_type_however_y_is_stored(classes, kind, stored, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.uniform(-1, 1, 400)})
    places = np.digitize(frame["a"], [-0.5, 0.5]) if len(classes) == 3 else frame["a"] > 0
    y = np.array(classes)[np.asarray(places).astype(int)]
    if stored is str and kind == "b":
        y = y.astype(str)
    elif not (kind == "b" and stored in (int, float)):
        y = y.astype(stored)
    schema = Schema([Numeric("a", low=-1, high=1)], target=Target("y", classes=classes))
    model = PrivateLogisticRegression(epsilon=5, delta=1e-6, schema=schema, random_state=3)
    model.fit(frame, y)
    if kind != "U":
        assert model.classes_.dtype.kind == kind
        assert model.classes_.tolist() == classes
        assert not model.certificate_.assumed_public
        assert model.predict(frame).dtype.kind == kind
    assert model.score(frame, y) > 0.8
    model.save(tmp_path / "model.json")
    again = reticent.load(tmp_path / "model.json")
    if kind != "U":
        assert again.classes_.dtype.kind == kind
        assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert again.score(frame, y) == model.score(frame, y)


def test_encode_gives_what_the_model_sees():
    schema = Schema(columns(), missing=["", "-9"])
    frame = pd.DataFrame(
        {
            "age": [60, None, 150.0],
            "cost": [1000.0, 0, -9],
            "since": pd.to_datetime(["1990-01-01", None, "2010-07-02"]),
            "ward": ["north", "7.0", "south"],
            "more": [1, 2, 3],
        }
    )
    found = schema.encode(frame)
    assert sp.isspmatrix_csr(found)
    assert found.dtype == np.float32
    # A missing date is 2000-01-01, day 3652 of 14974 after the first; 2010-07-02 is the middle.
    missing = np.float32(3652 / 7487 - 1)
    expected = [
        [0, 0, 0, -1, 1, 0, 0, 0],
        [0, 1, -1, missing, 0, 1, 0, 0],
        [1, 0, -1, 0, 0, 0, 0, 1],
    ]
    np.testing.assert_array_equal(found.toarray(), np.array(expected, dtype=np.float32))


def test_a_summary_is_in_the_units_of_the_column():
    schema = Schema(columns()[:3])
    n = 4000
    frame = pd.DataFrame(
        {
            "age": np.full(n, 60.0),
            "cost": np.full(n, 5e5),
            "since": np.full(n, np.datetime64("2010-01-01")),
        }
    )
    found = reticent.privacy.summary(frame, epsilon=5, delta=1e-9, schema=schema, quantiles=[0.5])
    middles = {name: column.mean.value for name, column in found.columns.items()}
    assert middles["cost"] == pytest.approx(5e5, rel=0.05)
    assert middles["age"] == pytest.approx(60, rel=0.05)
    day = np.datetime64("2010-01-01").astype(int)
    assert middles["since"] == pytest.approx(day, rel=0.05)
