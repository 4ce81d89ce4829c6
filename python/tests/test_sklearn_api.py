"""Estimators go wherever those of scikit-learn go: pipelines, copies, pickles, data frames."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from reticent import PrivateLinearRegression, PrivateLogisticRegression


def frame(X):
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


def same(one, other, X):
    """Whether two models are the same to the last bit."""
    assert (one.coef_ == other.coef_).all()
    assert np.array_equal(one.intercept_, other.intercept_)
    assert one.certificate_ == other.certificate_
    assert (one.predict(X) == other.predict(X)).all()
    if hasattr(one, "classes_"):
        assert one.classes_.dtype == other.classes_.dtype
        assert (one.classes_ == other.classes_).all()
        assert (one.predict_proba(X) == other.predict_proba(X)).all()


def pickled(it):
    return pickle.loads(pickle.dumps(it))


def through_joblib(it):
    file = io.BytesIO()
    joblib.dump(it, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize("copied", [pickled, through_joblib, copy.deepcopy, copy.copy])
def test_a_copy_is_the_same_estimator_before_and_after_it_is_fitted(copied, task, table):
    estimator, y = task
    fresh = copied(estimator)
    assert repr(fresh) == repr(estimator)
    assert fresh.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(table["X"])
    fitted = clone(estimator).fit(table["X"], y)
    same(copied(fitted), fitted, table["X"])
    same(fresh.fit(table["X"], y), fitted, table["X"])


def test_a_clone_has_the_parameters_and_nothing_learned(task, table):
    estimator, y = task
    fitted = clone(estimator).fit(table["X"], y)
    again = clone(fitted)
    assert again.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(again)


def test_parameters_are_set_and_told_by_name(task):
    estimator, _ = task
    estimator = clone(estimator).set_params(epsilon=0.5, row_bound=("l2", 2.0))
    assert estimator.epsilon == 0.5
    shown = repr(estimator)
    assert "epsilon=0.5" in shown
    assert "row_bound=('l2', 2.0)" in shown
    assert "verbose" not in shown
    with pytest.raises(ValueError, match="Invalid parameter 'eps'"):
        estimator.set_params(eps=1)


def test_a_pipeline_fits_and_predicts(task, table):
    estimator, y = task
    alone = clone(estimator).fit(table["X"], y)
    pipeline = make_pipeline(FunctionTransformer(), clone(estimator)).fit(table["X"], y)
    same(pipeline[-1], alone, table["X"])
    assert (pipeline.predict(table["X"]) == alone.predict(table["X"])).all()
    assert pipeline.score(table["X"], y) == alone.score(table["X"], y)
    assert pipeline.set_params(**{f"{pipeline.steps[-1][0]}__epsilon": 3})[-1].epsilon == 3


@pytest.mark.parametrize(("output", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_names_come_through_a_column_transformer_of_either_data_frame(output, kind, table):
    X = frame(table["X"][:, :3]).assign(ward=np.where(table["X"][:, 3] > 0, "north", "south"))
    # The largest value and the wards are public here.
    scaler, wards = MaxAbsScaler(), OneHotEncoder(sparse_output=False)
    columns = ColumnTransformer(
        [("numbers", scaler, ["c0", "c1", "c2"]), ("ward", wards, ["ward"])]
    )
    model = PrivateLogisticRegression(epsilon=2, delta=1e-6, row_bound=("linf", 1), random_state=7)
    pipeline = Pipeline([("columns", columns), ("model", model)]).set_output(transform=output)
    pipeline.fit(X, table["two"])
    names = ["numbers__c0", "numbers__c1", "numbers__c2", "ward__ward_north", "ward__ward_south"]
    assert model.feature_names_in_.tolist() == names
    assert model.weight_names_.tolist() == names
    assert isinstance(pipeline[:-1].transform(X), kind)
    predicted = pipeline.predict(X)
    plain = clone(model).fit(columns.set_output(transform="default").fit_transform(X), table["two"])
    assert (plain.coef_ == model.coef_).all()
    assert (predicted == plain.predict(columns.transform(X))).all()


def test_a_sparse_column_transformer_gives_the_same_model(table):
    X = frame(table["X"])
    sparse = FunctionTransformer(sp.csr_matrix)
    columns = ColumnTransformer([("all", sparse, make_column_selector("c"))], sparse_threshold=1)
    model = PrivateLogisticRegression(epsilon=2, delta=1e-6, row_bound=("linf", 1), random_state=7)
    pipeline = make_pipeline(columns, model).fit(X, table["two"])
    assert sp.issparse(columns.transform(X))
    same(pipeline[-1], clone(model).fit(table["X"], table["two"]), table["X"])


def polars_frame(X):
    return pl.from_numpy(X, schema=[f"c{j}" for j in range(X.shape[1])])


@pytest.mark.parametrize("make", [frame, polars_frame])
def test_the_names_of_a_data_frame_are_kept_and_wanted_again(make, task, table):
    estimator, y = task
    X = make(table["X"])
    model = clone(estimator).fit(X, y)
    names = [f"c{j}" for j in range(8)]
    assert model.feature_names_in_.tolist() == names
    assert model.weight_names_.tolist() == names
    assert model.n_features_in_ == 8
    assert (model.coef_ == clone(estimator).fit(table["X"], y).coef_).all()
    renamed = make(table["X"])
    renamed.columns = [name.upper() for name in names]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(renamed)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[names[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(table["X"])


def test_another_number_of_columns_is_scikit_learns_error(task, table):
    estimator, y = task
    model = clone(estimator).fit(table["X"], y)
    assert not hasattr(model, "feature_names_in_")
    assert model.weight_names_.tolist() == [f"x{j}" for j in range(8)]
    for wrong in (table["X"][:, :5], sp.csr_matrix(table["X"][:, :5])):
        with pytest.raises(ValueError, match=r"X has 5 features, but Private.* expecting 8"):
            model.predict(wrong)


def test_weights_become_sparse_and_dense_again(task, table):
    estimator, y = task
    model = clone(estimator).fit(table["X"], y)
    dense, predicted = model.coef_, model.predict(table["X"])
    assert model.sparsify() is model
    assert sp.issparse(model.coef_)
    assert model.coef_.nnz == np.count_nonzero(dense)
    assert (model.coef_.toarray() == np.atleast_2d(dense)).all()
    assert (model.predict(table["X"]) == predicted).all()
    assert (pickled(model).coef_ != model.coef_).nnz == 0
    assert model.densify() is model
    assert np.array_equal(model.coef_, dense)
    assert model.coef_.shape == dense.shape


def test_weights_say_what_is_predicted_within_the_bound(task, table):
    estimator, y = task
    model = clone(estimator).fit(table["X"], y)
    scores = table["X"] @ np.atleast_2d(model.coef_).T + model.intercept_
    got = model.decision_function if hasattr(model, "classes_") else model.predict
    got, scores = got(table["X"]), scores.squeeze()
    if hasattr(model, "classes_") and scores.ndim == 1:
        # Log-odds are an increasing map of the linear function, with the same sign.
        order = np.argsort(scores)
        assert (np.diff(got[order]) > -1e-9).all()
        clear = abs(scores) > 1e-9
        assert ((got > 0) == (scores > 0))[clear].all()
        return
    # Rows of −1, 0 and 1 are on the grid, so that only the order of the sum differs.
    np.testing.assert_allclose(got, scores, rtol=1e-12, atol=1e-12)


def test_rows_beyond_the_bound_are_held_to_it(table):
    model = PrivateLinearRegression(
        epsilon=2, delta=1e-6, row_bound=("linf", 1), target_range=(-6, 6), random_state=7
    ).fit(table["X"], table["number"])
    assert (model.predict(100 * table["X"]) == model.predict(table["X"])).all()


def test_probabilities_and_their_logarithms_agree(table):
    for target in ("two", "three"):
        model = PrivateLogisticRegression(
            epsilon=float("inf"), row_bound=("linf", 1e3), random_state=7
        ).fit(table["X"], table[target])
        chances = model.predict_proba(table["X"])
        np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(table["X"])), chances)
        assert (model.classes_[chances.argmax(axis=1)] == model.predict(table["X"])).all()
        # Far from any doubt a logarithm is not lost to rounding.
        assert np.isfinite(model.predict_log_proba(1000 * table["X"])).all()


@pytest.mark.parametrize(
    "labels",
    [np.array([5, 9]), np.array([1.0, 2.0]), np.array(["ill", "well"]), np.array([False, True])],
    ids=str,
)
def test_labels_come_back_as_they_were(labels, table):
    model = PrivateLogisticRegression(epsilon=2, delta=1e-6, row_bound=("linf", 1), random_state=7)
    y = labels[table["two"]]
    model.fit(table["X"], y)
    assert model.classes_.tolist() == labels.tolist()
    assert model.predict(table["X"]).dtype == labels.dtype
    assert model.score(table["X"], y) > 0.7
    assert (clone(model).fit(table["X"], table["two"]).coef_ == model.coef_).all()


def test_declared_classes_may_be_absent_from_the_table(table):
    model = PrivateLogisticRegression(
        epsilon=2, delta=1e-6, row_bound=("linf", 1), classes=["c", "a", "b"]
    )
    model.fit(table["X"], np.array(["a", "b"])[table["two"]])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.coef_.shape == (3, 8)
    assert not any("classes" in line for line in model.certificate_.assumed_public)
    model.set_params(classes=None).fit(table["X"], table["two"])
    assert any("classes (0, 1)" in line for line in model.certificate_.assumed_public)


def test_a_fit_that_is_refused_leaves_no_half_of_a_model(table):
    model = PrivateLogisticRegression(
        epsilon=2, delta=1e-6, row_bound=("linf", 1), classes=[0, 1], nonzero=9
    )
    with pytest.raises(ValueError, match="9 were asked for"):
        model.fit(table["X"], table["two"])
    with pytest.raises(NotFittedError):
        model.predict(table["X"])
    with pytest.raises(NotFittedError):
        model.save("nowhere")
    assert not hasattr(model, "weight_names_")
