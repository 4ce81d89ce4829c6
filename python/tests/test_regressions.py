"""Promises that an attack found broken, or a newcomer missed."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import reticent
from reticent import FitFailed, FitInterrupted, PrivateLogisticRegression, Schema
from reticent.privacy import Certificate, account

BUDGET = {"epsilon": 1.0, "delta": 1e-8, "row_bound": ("linf", 1.0)}


def signs(n, d):
    X = np.random.default_rng(1).choice([-1.0, 1.0], size=(n, d))
    return X, np.where(X[:, 0] > 0, "yes", "no")


def test_a_matrix_that_changes_during_a_fit_gives_no_model():
    X, y = signs(60_000, 60)
    X = sp.csr_matrix(X)

    def change(done, total):
        X.indices[:60] = 0

    model = PrivateLogisticRegression(**BUDGET)
    request = model._request("logistic", classes=["no", "yes"])
    places = (y == "yes").astype(np.uint32)
    how = {"seed": None, "progress": change, "spent": [], "assumed": [], "groups": None}
    with pytest.raises(FitFailed, match="X was changed") as caught:
        request.train(X, (places, ["no", "yes"]), how)
    assert caught.value.epsilon == np.inf


def test_an_interrupt_on_the_way_back_tells_what_was_spent(monkeypatch):
    def interrupted(self, model):
        raise KeyboardInterrupt

    monkeypatch.setattr(PrivateLogisticRegression, "_learn", interrupted)
    with pytest.raises(FitInterrupted, match="count this run as epsilon = ") as caught:
        PrivateLogisticRegression(**BUDGET).fit(*signs(500, 5))
    assert 0 < caught.value.epsilon <= 1
    assert caught.value.charges


def test_a_stopped_fit_with_a_seed_says_that_nothing_is_private():
    X, y = signs(60_000, 60)
    request = PrivateLogisticRegression(**BUDGET)._request("logistic", classes=["no", "yes"])

    def stop(done, total):
        raise KeyboardInterrupt

    how = {"seed": 3, "progress": stop, "spent": [], "assumed": [], "groups": None}
    with pytest.raises(FitInterrupted, match="NOT PRIVATE"):
        request.train(X, ((y == "yes").astype(np.uint32), ["no", "yes"]), how)


def test_scores_see_the_classes_that_a_schema_makes_of_labels():
    schema = Schema.from_toml("""
version = 1
column = [
  {name = "x", kind = "numeric", bounds = [-1, 1]},
  {name = "grade", kind = "target", classes = ["mild=1|2", "severe=*"]},
]
""")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.uniform(-1, 1, 4000)})
    frame["grade"] = np.where(frame["x"] > 0, rng.integers(3, 9, 4000), rng.integers(1, 3, 4000))
    model = PrivateLogisticRegression(epsilon=2, delta=1e-8, schema=schema).fit(frame)
    assert model.score(frame, frame["grade"]) > 0.9
    assert model.score(frame, frame["grade"].astype(str)) > 0.9


@pytest.mark.parametrize("delta", [0.5, 1 / 500])
def test_a_delta_that_allows_a_record_to_be_published_warns(delta):
    X, y = signs(500, 5)
    with pytest.warns(reticent.PrivacyWarning, match="allows publishing a whole record"):
        PrivateLogisticRegression(**{**BUDGET, "delta": delta}).fit(X, y)
    with pytest.warns(reticent.PrivacyWarning, match="allows publishing a whole record"):
        reticent.plan("logistic", n=500, d=5, **{**BUDGET, "delta": delta})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateLogisticRegression(**BUDGET).fit(X, y)


def test_what_is_missing_is_not_to_be_learnt_from_the_records():
    X, y = signs(50, 3)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="put a public number in the place") as caught:
        PrivateLogisticRegression(**BUDGET).fit(X, y)
    assert "imputer" not in str(caught.value)


def test_a_small_epsilon_is_shown_as_it_is():
    X, y = signs(500, 5)
    tiny = PrivateLogisticRegression(**{**BUDGET, "epsilon": 1e-6}).fit(X, y)
    assert "ε = 1.000e-6" in repr(tiny.certificate_)


def test_means_of_skewed_targets_are_to_be_had():
    rng = np.random.default_rng(2)
    X = rng.choice([-1.0, 1.0], size=(20_000, 4))
    y = np.exp(0.5 * X[:, 0]) * rng.exponential(size=20_000)
    bounds = {"epsilon": 4, "delta": 1e-9, "row_bound": ("linf", 1), "target_range": (0, 20)}
    for options in ({}, {"method": "select", "fitting": "statistics"}):
        model = reticent.PrivateLinearRegression(**bounds, **options)
        assert model.fit(X, y).predict(X).mean() == pytest.approx(y.mean(), rel=0.05)


def test_a_count_that_is_not_the_plans_is_found_out_though_epsilon_matches():
    X, y = signs(200, 5)
    honest = PrivateLogisticRegression(**BUDGET).fit(X, y).certificate_
    assert {check.verdict for check in honest.verify().checks} == {"holds"}
    assert honest.request["task"] == "logistic"
    fields = honest.to_dict()
    statement = fields["statement"]
    for charge in statement["charges"]:
        charge["count"] = 1
    total = account([charge.event for charge in honest.charges], delta=honest.delta)
    statement["epsilon"], statement["accountant"] = total.epsilon, total.accountant
    verification = Certificate.from_json(json.dumps(fields)).verify()
    failed = [check.name for check in verification.checks if check.verdict == "fails"]
    assert failed == ["the releases are those of the plan"]
