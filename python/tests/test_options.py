"""Options of methods are declared in the engine: here they are documented, checked parameters."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import reticent
from reticent import (
    PrivateLasso,
    PrivateLinearRegression,
    PrivateLogisticRegression,
    Schema,
    SparseSelector,
)
from reticent._engine import methods

PROMISES = {"epsilon": 2.0, "delta": 1e-6, "row_bound": ("linf", 1.0)}
ESTIMATORS = {
    PrivateLogisticRegression: {"logistic", "multinomial"},
    PrivateLinearRegression: {"linear"},
    PrivateLasso: {"linear"},
    SparseSelector: {"logistic", "multinomial", "linear"},
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_declared_option_is_a_parameter_with_an_entry_in_the_docstring(estimator):
    names = set(inspect.signature(estimator).parameters)
    assert names == set(estimator().get_params())
    found = 0
    for method in methods():
        if method["name"] not in estimator._methods:
            continue
        # The selector refers to the estimators.
        listed = estimator is SparseSelector or f'"{method["name"]}"' in estimator.__doc__
        assert listed, method["name"]
        for option in method["options"]:
            suits = ESTIMATORS[estimator] & set(option["tasks"])
            handed_over = estimator is SparseSelector and option["kind"] == "public rows"
            if not suits or handed_over:
                continue
            found += 1
            assert option["name"] in names
            assert f"\n    {option['name']} : " in estimator.__doc__
    assert found >= 5
    assert "{methods}" not in estimator.__doc__
    assert "{options}" not in estimator.__doc__


def test_an_option_changes_the_model_and_survives_cloning(table):
    for change in ({"radius": 0.3}, {"iterations": 3}, {"step_rule": "standard"}, {"region": "l2"}):
        plain = PrivateLogisticRegression(**PROMISES, method="frank-wolfe", random_state=3)
        model = clone(plain).set_params(**change)
        assert clone(model).get_params() == model.get_params()
        plain.fit(table["X"], table["two"])
        model.fit(table["X"], table["two"])
        assert not np.array_equal(plain.coef_, model.coef_), change
        assert model.certificate_.verify().holds


@pytest.mark.parametrize(
    ("option", "error", "words"),
    [
        ({"radius": "2"}, TypeError, "radius must be a number; got str"),
        ({"radius": True}, TypeError, "radius must be a number; got bool"),
        ({"radius": float("nan")}, ValueError, "radius is NaN; it must be a finite number above 0"),
        ({"iterations": 2.5}, TypeError, "iterations must be a whole number; got float"),
        ({"iterations": 0}, ValueError, "iterations is 0; it must be a whole number from 1 on"),
        ({"batch": 0}, ValueError, "batch is 0; it must be a whole number from 1 on"),
        (
            {"step_rule": "long"},
            ValueError,
            "step_rule is 'long'; it must be one of standard, average",
        ),
        ({"step_rule": 2}, TypeError, "step_rule must be a name; got int"),
        ({"as_published": "yes"}, TypeError, "as_published must be True or False; got str"),
        ({"peeling": True}, ValueError, "it does not apply to method='frank-wolfe'"),
    ],
)
def test_wrong_values_are_refused_before_the_data_are_looked_at(option, error, words):
    model = PrivateLogisticRegression(**PROMISES, method="frank-wolfe", **option)
    with pytest.raises(error, match=words):
        model.fit(object(), object())


def test_parameters_that_no_method_has_are_refused_by_name():
    with pytest.raises(TypeError, match="radios"):
        PrivateLogisticRegression(radios=2)
    with pytest.raises(TypeError, match="plan has no parameter 'radios'"):
        reticent.plan("logistic", n=100, d=3, radios=2)


def test_a_plan_takes_the_options_of_methods():
    told = {"n": 10_000, "d": 40, "method": "frank-wolfe", "region": "simplex", "iterations": 7}
    plan = reticent.plan("logistic", **told, **PROMISES)
    assert plan.parameters["region"] == "the simplex of sum 1"
    assert int(plan.parameters["iterations"]) == 7


def test_a_teacher_answers_on_public_rows(table):
    public = np.random.default_rng(5).choice([-1.0, 0.0, 1.0], size=(300, 8))
    model = PrivateLogisticRegression(**PROMISES, method="transfer", public=public, random_state=1)
    model.fit(table["X"], table["two"])
    assert any("public rows" in fact for fact in model.certificate_.assumed_public)
    assert model.certificate_.verify().holds
    assert model.certificate_.parameters["auxiliary"].startswith("public file")
    with pytest.raises(ValueError, match="it does not apply to method='auto'"):
        clone(model).set_params(method="auto").fit(table["X"], table["two"])


def test_public_rows_go_through_the_schema_of_the_table(tmp_path):
    text = """
version = 1
[[column]]
name = "a"
kind = "numeric"
bounds = [0, 10]
[[column]]
name = "b"
kind = "numeric"
bounds = [-1, 1]
[[column]]
name = "y"
kind = "target"
classes = ["no", "yes"]
"""
    (tmp_path / "schema.toml").write_text(text)
    schema = Schema.open(tmp_path / "schema.toml")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.uniform(0, 10, 400), "b": rng.uniform(-1, 1, 400)})
    frame["y"] = np.where(frame["a"] > 5, "yes", "no")
    promises = {"epsilon": 2.0, "delta": 1e-6, "random_state": 1, "schema": schema}
    model = PrivateLogisticRegression(**promises, method="transfer", public=frame[["a", "b"]])
    model.fit(frame, None)
    assert model.certificate_.parameters["auxiliary"].startswith("public file")
    assert model.score(frame, frame["y"]) > 0.8


def test_the_engine_chooses_how_features_are_chosen(table):
    rows = {"linf": "choose", "l2": "ight"}
    for norm, method in rows.items():
        promises = PROMISES | {"row_bound": (norm, 1.0), "nonzero": 2, "random_state": 2}
        selector = SparseSelector(**promises).fit(table["X"], table["two"])
        assert selector.certificate_.method == method
        assert 1 <= selector.get_support().sum() <= 2
    several = SparseSelector(**promises, method="ight").fit(table["X"], table["three"])
    assert 1 <= several.get_support().sum() <= 3 * 2


def test_noise_of_which_nothing_is_proved_warns(table):
    told = {"method": "admm", "as_published": True}
    with pytest.warns(reticent.PrivacyWarning, match="NOT PRIVATE"):
        PrivateLogisticRegression(**PROMISES, **told).fit(table["X"], table["two"])


def test_a_loaded_model_knows_what_was_asked_for(table, tmp_path):
    told = {"method": "frank-wolfe", "region": "simplex", "iterations": 7, "fit_intercept": False}
    model = PrivateLogisticRegression(**PROMISES, **told).fit(table["X"], table["two"])
    model.save(tmp_path / "model.json")
    found = reticent.load(tmp_path / "model.json").get_params()
    for name, value in (PROMISES | told).items():
        assert found[name] == value, name


@pytest.mark.parametrize("estimator", [PrivateLogisticRegression, PrivateLinearRegression])
def test_the_number_of_weights_is_found(estimator):
    source = np.random.default_rng(5)
    X = source.uniform(-1, 1, size=(6000, 12))
    score = 3 * X[:, 2] - 3 * X[:, 7]
    linear = estimator is PrivateLinearRegression
    y = score + 0.2 * source.normal(size=6000) if linear else score > source.logistic(size=6000)
    promises = PROMISES | ({"target_range": (-10, 10)} if linear else {})
    model = estimator(**promises, nonzero="auto", random_state=1).fit(X, y)
    found = set(np.flatnonzero(model.coef_))
    # Beside the two that matter, which are tens of deviations above their noise, at most two of
    # ten: with a false discovery rate of 0.1 more have a probability below 1e-2, and the seed is
    # fixed.
    assert {2, 7} <= found
    assert len(found) <= 4
    assert model.certificate_.verify().holds
    assert clone(model).get_params()["nonzero"] == "auto"
