"""Fitting the same people again and again warns, once, with the way to do it privately."""

import subprocess
import sys
import warnings

import pytest
from sklearn import model_selection as ms
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import reticent


@pytest.fixture
def model(monkeypatch):
    """An estimator in a process that has not been warned yet."""
    monkeypatch.setattr("reticent._search._warned", False)
    return reticent.PrivateLogisticRegression(
        epsilon=5, delta=1e-6, row_bound=("linf", 1), random_state=3
    )


def warnings_from(act):
    """The privacy warnings of an act, none being left out as a repetition."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    return [one for one in caught if one.category is reticent.PrivacyWarning]


REPEATED = {
    "GridSearchCV": lambda it, X, y: ms.GridSearchCV(it, {"nonzero": [1, 2]}, cv=2).fit(X, y),
    "RandomizedSearchCV": lambda it, X, y: ms.RandomizedSearchCV(
        it, {"nonzero": [1, 2]}, n_iter=2, cv=2
    ).fit(X, y),
    "cross_val_score": lambda it, X, y: ms.cross_val_score(it, X, y, cv=2),
    "cross_val_predict": lambda it, X, y: ms.cross_val_predict(it, X, y, cv=2),
    "in a pipeline": lambda it, X, y: ms.cross_validate(
        make_pipeline(FunctionTransformer(), it), X, y, cv=2
    ),
    "learning_curve": lambda it, X, y: ms.learning_curve(it, X, y, cv=2),
    "RFECV": lambda it, X, y: RFECV(it, cv=2).fit(X, y),
    "CalibratedClassifierCV": lambda it, X, y: CalibratedClassifierCV(it, cv=2).fit(X, y),
    "BaggingClassifier": lambda it, X, y: BaggingClassifier(it, n_estimators=2).fit(X, y),
    "OneVsRestClassifier": lambda it, X, y: OneVsRestClassifier(it).fit(X, y),
    "StackingClassifier": lambda it, X, y: StackingClassifier([("it", it)], cv=2).fit(X, y),
}


@pytest.mark.parametrize("name", REPEATED)
def test_fitting_the_same_people_again_and_again_warns_once(name, model, table):
    (caught,) = warnings_from(lambda: REPEATED[name](model, table["X"], table["two"]))
    assert caught.filename == __file__
    assert warnings_from(lambda: REPEATED[name](model, table["X"], table["two"])) == []


def test_the_warning_tells_the_private_way(model, table):
    (caught,) = warnings_from(lambda: ms.cross_val_score(model, table["X"], table["two"], cv=2))
    for way in ("To do it privately", "public facts", "rho=R/m", "reticent.privacy.compose"):
        assert way in str(caught.message)


def test_the_warning_says_which_folds_add_up(model, table):
    (caught,) = warnings_from(lambda: ms.cross_val_score(model, table["X"], table["two"], cv=2))
    for words in ("under replace-one adjacency alone", "by row number", "stratified", "look at y"):
        assert words in str(caught.message)


ONCE = {
    "fit": lambda it, X, y: it.fit(X, y).fit(X, y).score(X, y),
    "Pipeline": lambda it, X, y: make_pipeline(FunctionTransformer(), it).fit(X, y).predict(X),
    "train_test_split": lambda it, X, y: it.fit(*ms.train_test_split(X, y)[::2]),
    "SelectFromModel": lambda it, X, y: SelectFromModel(it).fit(X, y),
    "VotingClassifier": lambda it, X, y: VotingClassifier([("it", it)]).fit(X, y),
}


@pytest.mark.parametrize("name", ONCE)
def test_one_fit_does_not_warn(name, model, table):
    assert warnings_from(lambda: ONCE[name](model, table["X"], table["two"])) == []


def test_it_is_said_once_a_process_to_a_person_who_runs_a_script():
    script = """
import numpy as np, reticent
from sklearn.model_selection import GridSearchCV, cross_val_score

X = np.tile([[1.0], [-1.0]], (50, 1))
model = reticent.PrivateLogisticRegression(epsilon=1, delta=1e-6, row_bound=("linf", 1))
for _ in range(2):
    cross_val_score(model, X, X[:, 0], cv=2)
    GridSearchCV(model, {"nonzero": [1]}, cv=2).fit(X, X[:, 0])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("PrivacyWarning: a private estimator") == 1


def test_a_warning_that_is_made_an_error_stops_the_search(model, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error", reticent.PrivacyWarning)
        with pytest.raises(reticent.PrivacyWarning):
            ms.cross_validate(model, table["X"], table["two"], cv=2, error_score="raise")


@pytest.mark.filterwarnings("ignore::reticent.PrivacyWarning")
def test_a_search_with_two_workers_finds_what_one_finds(model, table):
    X, y = table["X"][:300], table["two"][:300]
    pipeline = make_pipeline(FunctionTransformer(), model)
    grid = {"privatelogisticregression__nonzero": [1, 2, 8]}
    one = ms.GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    two = ms.GridSearchCV(clone(pipeline), grid, cv=2, n_jobs=2).fit(X, y)
    assert one.best_params_ == two.best_params_
    assert (one.cv_results_["mean_test_score"] == two.cv_results_["mean_test_score"]).all()
    assert (one.predict(X) == two.predict(X)).all()
