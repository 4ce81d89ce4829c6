"""What is missing, wrong or contradictory is refused, with what to do, and no data are quoted."""

import numpy as np
import pytest

import reticent
from reticent import PrivateLasso, PrivateLinearRegression, PrivateLogisticRegression

GIVEN = {"epsilon": 1.0, "delta": 1e-6, "row_bound": ("linf", 1.0)}
X = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, 6))
Y = (X[:, 0] > 0).astype(int)


def classifier(**changes):
    return PrivateLogisticRegression(**{**GIVEN, **changes})


def regressor(kind=PrivateLinearRegression, **changes):
    return kind(**{**GIVEN, "target_range": (0, 1), **changes})


@pytest.mark.parametrize(
    ("model", "how"),
    [
        (classifier(epsilon=None), ["epsilon was not given", "epsilon=1.0", "Around 1 is strong"]),
        (classifier(delta=None), ["delta was not given", "delta=1e-8", "far below 1/n"]),
        (classifier(row_bound=None), ["row_bound was not given", "('l2', 1.0)", "('linf', 1.0)"]),
        (regressor(target_range=None), ["target_range was not given", "not the smallest and the"]),
        (regressor(PrivateLasso, target_range=None), ["target_range was not given", "(0, 120)"]),
        (classifier(adjacency="add-remove"), ["public_n was not given", "a public guess"]),
        (classifier(epsilon=None, rho=0.1, delta=None), ["delta was not given"]),
        (
            PrivateLinearRegression(),
            ["epsilon, delta, row_bound and target_range were not given", "no defaults"],
        ),
        (PrivateLogisticRegression(), ["epsilon, delta and row_bound were not given"]),
    ],
)
def test_what_is_missing_is_refused_with_how_to_choose_it(model, how):
    with pytest.raises(ValueError, match="no default") as told:
        model.fit(X, Y)
    for words in how:
        assert words in str(told.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("epsilon", 0, "epsilon is 0; it must be a finite number above 0"),
        ("epsilon", -1.0, "epsilon is -1"),
        ("epsilon", float("nan"), "epsilon is NaN"),
        ("delta", 0, "delta is 0; it must be above 0 and below 1"),
        ("delta", 1.5, "delta is 1.5"),
        ("row_bound", ("l3", 1.0), "the norm of row_bound is 'l3'"),
        ("row_bound", ("l2", 0.0), "the bound of the rows is 0"),
        ("row_bound", ("l2", float("inf")), "the bound of the rows is inf"),
        ("row_bound", ("l2",), "row_bound has 1 entries; it must be a pair"),
        ("target_range", (1, 0), r"target_range is \(1, 0\)"),
        ("target_range", (0, float("inf")), "it must be two finite numbers"),
        ("target_range", (0, 1, 2), "target_range has 3 entries"),
        ("method", "magic", "method is 'magic'; it must be 'auto' or"),
        ("nonzero", 0, "can keep 1 to 6 of them; 0 were asked for"),
        ("nonzero", 7, "can keep 1 to 6 of them; 7 were asked for"),
        ("nonzero", -1, "nonzero is -1; it must be a whole number"),
        ("nonzero", "Auto", "nonzero is 'Auto'; it must be a whole number or 'auto'"),
        ("nonzero", 2**70, "nonzero is 1180591620717411303424; it must be"),
        ("adjacency", "near", "adjacency is 'near'; it must be 'replace-one' or 'add-remove'"),
        ("random_state", -1, "random_state is -1; it must be a whole number"),
        ("random_state", 2**64, "random_state is 18446744073709551616"),
        ("random_state", "seven", "cannot be used to seed"),
    ],
)
def test_a_value_that_can_not_be_is_a_value_error(name, value, words):
    with pytest.raises(ValueError, match=words):
        regressor(**{name: value}).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("epsilon", "1", "epsilon must be a number; got str"),
        ("epsilon", [1], "epsilon must be a number; got list"),
        ("epsilon", True, "epsilon must be a number; got bool"),
        ("delta", "small", "delta must be a number; got str"),
        ("row_bound", "l2", r"row_bound must be a pair like \('l2', 1.0\)"),
        ("row_bound", 1.0, "row_bound must be a pair"),
        ("row_bound", ("l2", "1"), "the bound of row_bound must be a number; got str"),
        ("row_bound", (2, 1.0), "the norm of row_bound must be a name; got int"),
        ("target_range", 5, r"target_range must be a pair like \(0, 120\); got int"),
        ("target_range", ("a", 1), "the lower end of target_range must be a number; got str"),
        ("method", None, "method must be a name; got NoneType"),
        ("nonzero", 2.5, "nonzero must be a whole number; got float"),
        ("radius", "2", "radius must be a number; got str"),
        ("adjacency", 1, "adjacency must be a name; got int"),
        ("public_n", 1.5, "public_n must be a whole number; got float"),
        ("fit_intercept", "no", "fit_intercept must be True or False; got str"),
        ("schema", 3, r"schema must be a reticent\.Schema or the path"),
    ],
)
def test_a_wrong_type_is_a_type_error_that_names_the_parameter(name, value, words):
    with pytest.raises(TypeError, match=words):
        regressor(**{name: value}).fit(X, Y)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (classifier(rho=0.1), "epsilon and rho were both given; a budget is in one of them"),
        (classifier(public_n=5), "public_n was given, but under replace-one adjacency"),
        (classifier(radius=2.0), "radius was given, but it does not apply to method='auto'"),
        (classifier(method="frank-wolfe", nonzero=2), "nonzero was given, but"),
        (classifier(method="ight", nonzero="auto"), "nonzero='auto' was given, but"),
        (
            classifier(method="frank-wolfe", radius=-2.0),
            "radius is -2; it must be a finite",
        ),
        (classifier(epsilon=None, rho=-1), "rho is -1"),
        (classifier(method="lasso"), r"use epsilon=float\('inf'\) if the data are public"),
        (classifier(epsilon=float("inf"), method="select"), "is private by design"),
        (classifier(adjacency="add-remove", public_n=0), "at least one record"),
        (regressor(PrivateLasso, method="ight"), "PrivateLasso has 'frank-wolfe'"),
        (regressor(PrivateLasso, nonzero="auto"), "PrivateLasso takes a whole number"),
        (classifier(classes=[1]), "classes must name two classes or more"),
    ],
)
def test_what_contradicts_itself_is_refused_with_what_to_do(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)


def test_refusals_come_before_the_data_are_looked_at():
    lasso = regressor(PrivateLasso, radius="1")
    for model in (classifier(epsilon=None), regressor(delta=2.0), lasso):
        with pytest.raises((ValueError, TypeError), match=r"epsilon|delta|radius"):
            model.fit(object(), object())


# ---------------------------------------------------------------- data


SECRET = "4242.4242"


@pytest.mark.parametrize(
    ("model", "X", "y", "words"),
    [
        (classifier(), X, np.full(200, SECRET), "y has one class"),
        (classifier(), X, np.where(Y, float(SECRET), 1.5), "Unknown label type: continuous"),
        (classifier(classes=[0, 1]), X, np.where(Y, 4242, 0), "not among the declared classes"),
        (classifier(classes=["a", "b"]), X, np.where(Y, SECRET, "a"), "not among the declared"),
        (classifier(classes=[0, 1]), X, np.where(Y, SECRET, "a"), "not among the declared"),
        (classifier(), np.full((200, 6), f"x{SECRET}"), Y, "X holds a string that is not a number"),
        (classifier(), [[f"x{SECRET}"]] * 200, Y, "X holds a string that is not a number"),
        (regressor(), X, [f"x{SECRET}"] * 200, "y holds a string that is not a number"),
        (regressor(), X, np.full(200, f"x{SECRET}"), "y holds a string that is not a number"),
        (regressor(), X, Y[:9], "inconsistent numbers of samples"),
        (regressor(), X, None, "requires y to be passed, but the target y is None"),
        (classifier(), np.full(200, 4242.0), Y, r"got 1D array instead\.\nReshape your data"),
        (classifier(), 4242.0, Y, "Expected 2D array, got scalar array instead"),
        (classifier(), np.full((200, 6), 4242.0j), Y, "Complex data not supported"),
        (regressor(), X, np.full(200, 4242.0j), "Complex data not supported"),
        (regressor(), X, np.full((200, 2), 4242.0), "y should be a 1d array"),
    ],
)
def test_data_that_can_not_be_are_refused_and_not_quoted(model, X, y, words):
    with pytest.raises(ValueError, match=words) as told:
        model.fit(X, y)
    seen, error = "", told.value
    while error is not None:
        seen += str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert "4242" not in seen


def test_what_is_predicted_is_not_quoted_either():
    model = classifier().fit(X, Y)
    for wrong in ([[SECRET + "x"] * 6], [4242.0] * 6):
        with pytest.raises(ValueError, match=r"X holds a string|Reshape your data") as told:
            model.predict(wrong)
        assert "4242" not in str(told.value)


# ---------------------------------------------------------------- marks


def test_only_a_fit_without_a_seed_and_with_a_budget_is_private():
    assert classifier().fit(X, Y).certificate_.private
    for seed in (0, 7, np.random.RandomState(3)):
        certificate = classifier(random_state=seed).fit(X, Y).certificate_
        assert not certificate.private
        assert any("seed" in reason for reason in certificate.reasons_not_private)
    for model in (classifier(epsilon=float("inf")), regressor(epsilon=float("inf"), delta=None)):
        certificate = model.fit(X, Y).certificate_
        assert not certificate.private
        assert certificate.epsilon == float("inf")
        assert any("without noise" in reason for reason in certificate.reasons_not_private)
        assert "NOT PRIVATE" in repr(certificate)


def test_a_plan_is_refused_in_the_same_words():
    good = {**GIVEN, "n": 1000, "d": 20}
    assert reticent.plan("logistic", **good).epsilon <= 1
    for change, error, words in [
        ({"epsilon": None}, ValueError, "epsilon was not given"),
        ({"epsilon": "1"}, TypeError, "epsilon must be a number"),
        ({"n": -1}, ValueError, "n is -1; it must be a whole number"),
        ({"d": 2.5}, TypeError, "d must be a whole number"),
        ({"d": None}, ValueError, "d was not given"),
        ({"nonzero": -1}, ValueError, "nonzero is -1"),
        ({"colour": 1}, TypeError, "colour"),
    ]:
        with pytest.raises(error, match=words):
            reticent.plan("logistic", **{**good, **change})
    with pytest.raises(ValueError, match="k was not given"):
        reticent.plan("multinomial", **good)
    with pytest.raises(ValueError, match="task is 'cubic'"):
        reticent.plan("cubic", **good)
