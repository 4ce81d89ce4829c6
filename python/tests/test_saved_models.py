"""What a model file keeps: names of columns, types of labels and parameters, and every bit."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import reticent
from reticent import PrivateLasso, PrivateLinearRegression, PrivateLogisticRegression, Schema

DATA = Path(__file__).resolve().parents[2] / "crates/reticent/tests/data"
NAMES = [f"c{j}" for j in range(7)] + ['<b>"x"</b>']
PROMISES = {"epsilon": 2.0, "delta": 1e-6, "row_bound": ("linf", 1.0), "random_state": 7}

# Each kind of label that scikit-learn allows: two classes of it.
LABELS = {
    "strings": np.array(["no", "yes"]),
    "digits": np.array(["0", "1"]),
    "padded": np.array(["01", "2"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "int64": np.array([-1, 1]),
    "int8": np.array([0, 1], dtype=np.int8),
    "uint16": np.array([3, 500], dtype=np.uint16),
    "bool": np.array([False, True]),
    "float64": np.array([0.0, 1.0]),
    "float32": np.array([-1.0, 2.0], dtype=np.float32),
}

# Each way of giving the same rows without a schema.
WAYS = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "single": lambda X: X.astype(np.float32),
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(dict(zip(NAMES, X.T.copy(), strict=True))),
}


def again(model, folder):
    """Saves and loads."""
    model.save(folder / "model.json")
    return reticent.load(folder / "model.json")


def bits(model, X):
    """What a model says of rows, to the last bit."""
    if isinstance(model, PrivateLogisticRegression):
        return [model.decision_function(X).tobytes(), model.predict_proba(X).tobytes()]
    return [model.predict(X).tobytes()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", LABELS)
def test_every_label_and_every_container_scores_the_same(table, kind, way, tmp_path):
    X, labels = WAYS[way](table["X"]), LABELS[kind]
    model = PrivateLogisticRegression(**PROMISES).fit(X, labels[table["two"]])
    read = again(model, tmp_path)
    assert bits(read, X) == bits(model, X)
    assert read.classes_.dtype == model.classes_.dtype
    assert (read.classes_ == model.classes_).all()
    found, expected = read.predict(X), model.predict(X)
    assert found.dtype == expected.dtype
    assert (found == expected).all()
    assert read.score(X, labels[table["two"]]) == model.score(X, labels[table["two"]])
    assert read.n_features_in_ == 8
    named = way in ("pandas", "polars")
    assert hasattr(read, "feature_names_in_") == named
    if named:
        assert read.feature_names_in_.tolist() == NAMES
        assert read.feature_names_in_.dtype == model.feature_names_in_.dtype
    # Once more, the file is the same.
    read.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


@pytest.mark.parametrize("way", WAYS)
def test_numbers_score_the_same_from_every_container(table, way, tmp_path):
    X = WAYS[way](table["X"])
    model = PrivateLinearRegression(**PROMISES, target_range=(-6, 6)).fit(X, table["number"])
    assert bits(again(model, tmp_path), X) == bits(model, X)


def test_several_classes_keep_their_type(table, tmp_path):
    labels = np.array([10, 20, 30], dtype=np.uint8)[table["three"]]
    model = PrivateLogisticRegression(**PROMISES).fit(table["X"], labels)
    read = again(model, tmp_path)
    assert read.classes_.dtype == np.uint8
    assert read.classes_.tolist() == [10, 20, 30]
    assert bits(read, table["X"]) == bits(model, table["X"])


def test_without_a_schema_names_are_checked_as_scikit_learn_does(table, tmp_path):
    frame = pd.DataFrame(table["X"], columns=NAMES)
    model = PrivateLogisticRegression(**PROMISES).fit(frame, table["two"])
    read = again(model, tmp_path)
    for wrong in (frame[NAMES[::-1]], frame.rename(columns={"c0": "d0"}), frame[NAMES[:5]]):
        messages = []
        for it in (model, read):
            with pytest.raises(ValueError, match="feature") as refused:
                it.predict(wrong)
            messages.append(str(refused.value))
        assert messages[0] == messages[1]
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert bits(read, table["X"]) == bits(model, frame)
    assert "the names of the columns were taken from X" in read.certificate_.assumed_public
    assert (read.weight_names_ == model.weight_names_).all()


SCHEMA = """
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
classes = [{classes}]
"""


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        ("strings", '"no", "yes"'),
        ("digits", '"0", "1"'),
        ("int64", '"-1", "1"'),
        ("bool", '"false", "true"'),
    ],
)
def test_with_a_schema_columns_may_be_reordered(kind, classes, library, tmp_path):
    rng = np.random.default_rng(3)
    columns = {
        "age": rng.uniform(0, 100, size=500),
        "ward": np.array(["north", "south", "west"])[rng.integers(3, size=500)],
    }
    frame = library(columns)
    turned = library({"other": columns["age"], **dict(reversed(columns.items()))})
    y = LABELS[kind][(columns["age"] > 50).astype(int)]
    schema = Schema.from_toml(SCHEMA.replace("{classes}", classes))
    kept = {name: value for name, value in PROMISES.items() if name != "row_bound"}
    model = PrivateLogisticRegression(**kept, schema=schema).fit(frame, y)
    read = again(model, tmp_path)
    assert bits(read, turned) == bits(model, frame)
    assert read.classes_.dtype.kind == model.classes_.dtype.kind == y.dtype.kind
    assert read.feature_names_in_.tolist() == ["age", "ward"]
    assert read.score(turned, y) == model.score(frame, y)
    assert read.get_params() == model.get_params() | {"random_state": None}


# Parameters that are not the defaults.
REQUESTS = [
    (PrivateLogisticRegression, {"method": "ight", "nonzero": 3, "fit_intercept": False}),
    (PrivateLogisticRegression, {"rho": 0.1, "epsilon": None, "nonzero": "auto"}),
    (PrivateLogisticRegression, {"classes": [0, 1]}),
    (PrivateLogisticRegression, {"adjacency": "add-remove", "public_n": 512}),
    (PrivateLogisticRegression, {"method": "frank-wolfe", "radius": 3.0, "iterations": 11}),
    (PrivateLogisticRegression, {"method": "frank-wolfe", "region": np.eye(8).tolist()}),
    (PrivateLogisticRegression, {"epsilon": float("inf"), "delta": None}),
    (PrivateLinearRegression, {"method": "select", "row_bound": ("l2", 2.5)}),
    (PrivateLinearRegression, {"target_range": (-7.5, 6.25), "nonzero": 2}),
]


@pytest.mark.parametrize(("kind", "parameters"), REQUESTS)
def test_a_loaded_model_asks_for_the_same_again(table, kind, parameters, tmp_path):
    asked = PROMISES | parameters
    y = table["two"]
    if kind is PrivateLinearRegression:
        asked = {"target_range": (-6, 6)} | asked
        y = table["number"]
    model = kind(**asked).fit(table["X"], y)
    read = again(model, tmp_path)
    assert read.get_params() == model.get_params() | {"random_state": None}
    repeated = clone(read).set_params(random_state=7).fit(table["X"], y)
    assert repeated.certificate_ == model.certificate_
    assert bits(repeated, table["X"]) == bits(model, table["X"])


def test_the_lasso_comes_back_as_the_same_request(table, tmp_path):
    model = PrivateLasso(**PROMISES, target_range=(-6, 6)).fit(table["X"], table["number"])
    read = again(model, tmp_path)
    repeated = clone(read).set_params(random_state=7).fit(table["X"], table["number"])
    assert repeated.certificate_ == model.certificate_


def test_what_cannot_be_kept_is_said(table, tmp_path):
    model = PrivateLogisticRegression(**PROMISES, method="transfer", public=table["X"][:50])
    model.fit(table["X"], table["two"])
    with pytest.warns(UserWarning, match="set public="):
        read = again(model, tmp_path)
    assert read.public is None
    assert read.random_state is None


def test_a_file_from_before_names_still_loads():
    file = DATA / "model-before-names.json"
    read = reticent.load(file)
    rows = [[0.915, 0.924, 0.046, -0.643], [-1.338, -0.35, -0.275, -1.364]]
    assert read.decision_function(rows).tolist() == [1.127514857102816, -1.243367308958741]
    assert read.classes_.tolist() == [0, 1]
    assert read.classes_.dtype.kind == "i"
    assert not hasattr(read, "feature_names_in_")
    assert read.get_params()["classes"] is None
    assert read.get_params()["public_n"] == 500


def test_a_type_that_the_labels_do_not_have_is_refused(table, tmp_path):
    labels = np.array(["no", "yes"])[table["two"]]
    PrivateLogisticRegression(**PROMISES).fit(table["X"], labels).save(tmp_path / "model.json")
    changed = json.loads((tmp_path / "model.json").read_text())
    for wrong in ("int64", "bool", "float32"):
        (tmp_path / "wrong.json").write_text(json.dumps(changed | {"label_type": wrong}))
        with pytest.raises(ValueError, match="not of the type that its file states"):
            reticent.load(tmp_path / "wrong.json")


def test_the_command_finds_columns_by_their_names(table, tmp_path, command):
    frame = pd.DataFrame(table["X"] * 0.37, columns=NAMES)
    model = PrivateLogisticRegression(**PROMISES).fit(frame, table["two"])
    model.save(tmp_path / "model.json")
    expected = model.predict_proba(frame)[:, 1]
    turned = frame[NAMES[::-1]].assign(other="text")
    turned.to_csv(tmp_path / "rows.csv", index=False)
    turned.to_parquet(tmp_path / "rows.parquet")
    for file in ("rows.csv", "rows.parquet"):
        lines = command("predict", tmp_path / file, "--model", tmp_path / "model.json").split()
        found = np.array([float(line.split(",")[1]) for line in lines[1:]])
        assert np.allclose(found, expected, rtol=1e-15, atol=0)


def test_the_card_is_that_of_the_command_and_names_stay_text(table, tmp_path, command):
    names = ["<script>alert(1)</script>", *NAMES[1:]]
    frame = pd.DataFrame(table["X"], columns=names)
    labels = np.array(["<i>no</i>", "yes & no"])[table["two"]]
    model = PrivateLogisticRegression(**PROMISES).fit(frame, labels)
    model.save(tmp_path / "model.json")
    assert model.card() == command("inspect", tmp_path / "model.json")
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "<script>" not in page
        assert "<i>" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "yes &amp; no" in page


def test_a_choice_has_a_card_and_an_unfitted_estimator_a_diagram(table):
    selector = reticent.SparseSelector(**PROMISES, nonzero=2)
    assert "sk-top-container" in selector._repr_html_()
    selector.fit(pd.DataFrame(table["X"], columns=NAMES), table["two"])
    card = selector.card()
    assert "2 of 8 features" in card
    assert selector.get_feature_names_out()[0] in card
    assert "<pre" in selector._repr_html_()


@pytest.mark.parametrize(
    ("parameters", "category", "words"),
    [
        ({"epsilon": 21.0}, reticent.PrivacyWarning, "hardly a promise"),
        ({"delta": 2e-3}, reticent.PrivacyWarning, "1/n or more for n = 600"),
        ({"epsilon": 1e-3}, reticent.NoiseWarning, "n = 600 is too few"),
        (
            {"adjacency": "add-remove", "public_n": 4000, "delta": 1 / 3000},
            reticent.PrivacyWarning,
            "1/n or more for n = 4000",
        ),
    ],
)
def test_each_warning_comes_once_and_before_anything_is_spent(table, parameters, category, words):
    model = PrivateLogisticRegression(**PROMISES | parameters)
    with pytest.warns(category, match=words) as warned:
        model.fit(table["X"], table["two"])
    assert [one.category for one in warned if "NOT PRIVATE" not in str(one.message)] == [category]
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", category)
        refused = clone(model)
        with pytest.raises(category):
            refused.fit(table["X"], table["two"])
        assert not hasattr(refused, "certificate_")


def test_a_sensible_budget_is_not_warned_of(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateLogisticRegression(**PROMISES).fit(table["X"], table["two"])
        reticent.plan(
            "linear", n=600, d=8, epsilon=1, delta=1e-6, row_bound=("linf", 1), target_range=(0, 1)
        )
