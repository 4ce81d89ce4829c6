"""Class weights: what a rare class counts for."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, recall_score

import reticent
from reticent import PrivateLogisticRegression, SparseSelector

BOUND = {"row_bound": ("linf", 1.0)}


def rare(n, seed, rate=0.02):
    """Five of thirty columns tell a class that one record in fifty has."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 30))
    score = 1.3 * X[:, :5].sum(axis=1) + rng.logistic(size=n)
    return X, (score > np.quantile(score, 1 - rate)).astype(int)


def private(seed=None, **parameters):
    return PrivateLogisticRegression(
        epsilon=5.0, delta=1e-9, **BOUND, random_state=seed, **parameters
    )


def test_balanced_weights_find_as_many_of_a_rare_class_as_those_of_scikit_learn():
    (X, y), (others, truth) = rare(20_000, 0), rare(20_000, 1)
    without = LogisticRegression(class_weight="balanced").fit(X, y)
    wanted = recall_score(truth, without.predict(others))
    found = [
        recall_score(truth, private(seed, class_weight="balanced").fit(X, y).predict(others))
        for seed in range(5)
    ]
    assert wanted > 0.6
    assert abs(np.mean(found) - wanted) <= 0.1
    # Without weights nobody is above one half.
    assert recall_score(truth, private(0).fit(X, y).predict(others)) < 0.2


def test_probabilities_refer_to_the_weighted_population():
    X, y = rare(20_000, 2)
    model = private(3, class_weight="balanced").fit(X, y)
    likely = model.predict_proba(X)[:, 1]
    weight = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    assert abs(np.average(likely, weights=weight) - 0.5) < 0.05
    declared = private(3, class_weight={0: 1, 1: 10}).fit(X, y)
    weight = np.where(y == 1, 10.0, 1.0)
    likely = declared.predict_proba(X)[:, 1]
    assert abs(np.average(likely, weights=weight) - np.average(y, weights=weight)) < 0.03


def test_weights_of_one_change_nothing():
    X, y = rare(2000, 4, rate=0.4)
    plain, weighted = private(5).fit(X, y), private(5, class_weight={0: 3, 1: 3}).fit(X, y)
    assert plain.certificate_.charges == weighted.certificate_.charges
    np.testing.assert_allclose(weighted.coef_, plain.coef_, atol=0.02)


@pytest.mark.parametrize("method", ["auto", "ight", "select", "frank-wolfe"])
@pytest.mark.parametrize("classes", [2, 3])
def test_methods_of_sums_take_weights(method, classes):
    X, _ = rare(3000, 6)
    y = np.digitize(X[:, 0], [0.0, 0.6][: classes - 1])
    model = private(7, method=method, class_weight="balanced").fit(X, y)
    assert model.certificate_.verify()
    assert set(model.predict(X)) == set(range(classes))


def test_a_file_keeps_the_weights(tmp_path):
    X, y = rare(2000, 8)
    for weight in ("balanced", {0: 1.0, 1: 4.0}):
        model = private(9, class_weight=weight).fit(X, y)
        model.save(tmp_path / "model.json")
        assert reticent.load(tmp_path / "model.json").class_weight == weight


def test_weights_without_a_meaning_are_refused():
    X, y = rare(2000, 10)
    for weight, word in [
        ("even", "balanced"),
        ({0: 1, 2: 3}, "a class that there is not"),
        ({0: 1, 1: 0}, "above 0"),
        ({0: 1, 1: float("nan")}, "above 0"),
    ]:
        with pytest.raises(ValueError, match=word):
            private(class_weight=weight).fit(X, y)
    with pytest.raises(ValueError, match="without an intercept"):
        private(class_weight="balanced", fit_intercept=False).fit(X, y)
    for method, nonzero in [("two-stage", 3), ("transfer", 3), ("sparsifier", None)]:
        with pytest.raises(ValueError, match="does not know class weights"):
            private(class_weight="balanced", method=method, nonzero=nonzero).fit(X, y)
    with pytest.raises(ValueError, match="add-remove"):
        private(class_weight="balanced", adjacency="add-remove", public_n=2000).fit(X, y)


def test_few_records_of_a_rare_class_give_no_absurd_probabilities():
    X, y = rare(2000, 11, rate=0.03)
    (others, truth) = rare(20_000, 12, rate=0.03)
    weight = np.where(truth == 1, 0.5 / truth.mean(), 0.5 / (1 - truth.mean()))
    for seed in range(8):
        model = PrivateLogisticRegression(
            epsilon=1.0, delta=1e-7, **BOUND, random_state=seed, class_weight="balanced", nonzero=3
        )
        likely = model.fit(X, y).predict_proba(others)
        loss = log_loss(truth, likely, sample_weight=weight)
        assert loss < 1.5, loss


def test_a_selection_takes_no_weights():
    assert "class_weight" not in SparseSelector().get_params()
