"""What a fit costs is what was promised, whatever the method."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import reticent
from reticent import PrivateLasso, PrivateLinearRegression, PrivateLogisticRegression

METHODS = ["auto", "ight", "select", "frank-wolfe", "sparsifier", "two-stage", "transfer", "admm"]
TARGETS = ["two", "three", "number"]
PROMISES = {"epsilon": 1.0, "delta": 1e-6, "row_bound": ("linf", 1.0)}

# These are for two classes or a number, and admm for two classes.
ABSENT = {("two-stage", "three"), ("transfer", "three"), ("admm", "three"), ("admm", "number")}


def fit(method, target, table, **told):
    told = {**PROMISES, "method": method, **told}
    if target == "number":
        model = PrivateLinearRegression(**told, target_range=(-6, 6))
    else:
        model = PrivateLogisticRegression(**told)
    return model.fit(table["X"], table[target])


CASES = [case for case in itertools.product(METHODS, TARGETS) if case not in ABSENT]
REPLACE_ONE_ONLY = ["two-stage", "admm"]


@pytest.mark.parametrize(("method", "target"), CASES)
def test_every_method_keeps_to_its_budget_and_says_how(method, target, table):
    model = fit(method, target, table)
    certificate = model.certificate_
    assert certificate.private
    verification = certificate.verify()
    assert verification.holds, str(verification)
    assert 0 < certificate.epsilon <= 1
    assert certificate.delta == 1e-6
    assert certificate.charges
    spent = reticent.privacy.account(certificate.charges, delta=1e-6)
    assert spent.epsilon <= 1 + 1e-9
    assert (certificate.records, certificate.columns) == (600, 8)
    assert certificate.rows == ("linf", 1.0)
    assert certificate.target == ((-6, 6) if target == "number" else None)
    assert isinstance(model.n_iter_, int)
    assert model.n_iter_ >= 1
    assert model.method_ == certificate.method
    if method == "auto":
        assert model.why_
    else:
        assert model.method_ == method
        assert model.why_ is None


@pytest.mark.parametrize(("method", "target"), sorted(ABSENT))
def test_what_a_method_can_not_fit_is_refused_before_anything_is_spent(method, target, table):
    with pytest.raises(ValueError, match=method) as told:
        fit(method, target, table)
    assert "count this run" not in str(told.value)


@pytest.mark.parametrize("method", REPLACE_ONE_ONLY)
def test_what_is_not_built_for_add_remove_is_refused(method, table):
    with pytest.raises(ValueError, match=f"'{method}' is built for replace-one adjacency only"):
        fit(method, "two", table, adjacency="add-remove", public_n=500)


@pytest.mark.parametrize(("method", "target"), CASES)
def test_a_budget_in_rho_is_kept(method, target, table):
    certificate = fit(method, target, table, epsilon=None, rho=0.05).certificate_
    assert certificate.rho <= 0.05
    assert certificate.verify().holds
    assert certificate.epsilon <= reticent.privacy.Budget(rho=0.05, delta=1e-6).epsilon


@pytest.mark.parametrize(
    ("method", "target"), [case for case in CASES if case[0] not in REPLACE_ONE_ONLY]
)
def test_under_add_remove_a_public_number_stands_for_the_records(method, target, table):
    told = {"adjacency": "add-remove", "public_n": 500}
    certificate = fit(method, target, table, **told).certificate_
    assert certificate.verify().holds
    assert certificate.epsilon <= 1
    assert certificate.adjacency == "add-remove"
    assert certificate.records == 500


@pytest.mark.parametrize(("method", "target"), [case for case in CASES if case[0] != "frank-wolfe"])
def test_there_are_no_more_weights_than_were_asked_for(method, target, table):
    for nonzero in (1, 3):
        model = fit(method, target, table, nonzero=nonzero, random_state=5)
        assert np.count_nonzero(model.coef_) <= nonzero


def test_without_an_intercept_there_is_none(table):
    for target in TARGETS:
        model = fit("ight", target, table, fit_intercept=False)
        assert not np.any(model.intercept_)


@pytest.mark.parametrize("method", ["frank-wolfe", "sparsifier"])
def test_the_weights_of_a_lasso_lie_in_their_ball(method, table):
    model = PrivateLasso(**PROMISES, target_range=(-6, 6), radius=0.25, method=method)
    model.fit(table["X"], table["number"])
    assert model.certificate_.verify().holds
    # In the units of a target in [−1, 1].
    assert np.abs(model.coef_).sum() / 6 <= 0.25 * (1 + 1e-9)


def test_a_plan_says_beforehand_what_the_fit_will_cost(table):
    names = {"two": "logistic", "three": "multinomial", "number": "linear"}
    for method, target in CASES:
        facts = {"n": 600, "d": 8, "k": 3, "method": method, **PROMISES}
        if target == "number":
            facts["target_range"] = (-6, 6)
        plan = reticent.plan(names[target], **facts)
        model = fit(method, target, table)
        assert plan.method == model.method_
        assert plan.charges == model.certificate_.charges
        assert plan.epsilon == model.certificate_.epsilon


def test_two_fits_together_cost_what_their_certificates_say(table):
    one, other = (fit("ight", "two", table, epsilon=None, rho=0.05) for _ in range(2))
    total = reticent.privacy.compose([one.certificate_, other.certificate_], delta=1e-6)
    assert total.epsilon <= reticent.privacy.Budget(rho=0.1, delta=1e-6).epsilon


def test_without_privacy_the_steps_are_counted_as_well(table):
    for target in TARGETS:
        model = fit("auto", target, table, epsilon=float("inf"), delta=None)
        assert model.n_iter_ >= 1


def test_what_is_fitted_is_what_the_data_say(table):
    X = sp.csr_matrix(np.tile(table["X"], (20, 1)))
    y = np.tile(table["two"], 20)
    model = PrivateLogisticRegression(**PROMISES, nonzero=2, random_state=1).fit(X, y)
    assert set(model.coef_.nonzero()[1]) == {0, 3}
    assert model.coef_[0, 0] > 0 > model.coef_[0, 3]
    assert model.score(X, y) > 0.8
