"""One table gives one model, in whatever array it comes; and nobody's array is changed."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from reticent import PrivateLinearRegression, PrivateLogisticRegression

MODEL = PrivateLogisticRegression(epsilon=2, delta=1e-6, row_bound=("l2", 2.0), random_state=7)


def strided(X):
    """A view of every second row and column, backwards."""
    wide = np.full((2 * X.shape[0], 2 * X.shape[1]), 0.5, dtype=X.dtype)
    wide[::2, ::2] = X[::-1, ::-1]
    view = wide[::2, ::2][::-1, ::-1]
    assert not view.flags.forc
    return view


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def wide_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def unsorted(X):
    """Entries of a row in the opposite order."""
    X = sp.csr_matrix(X)
    order = np.lexsort((-X.indices, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))))
    parts = (X.data[order], X.indices[order], X.indptr.copy())
    X = sp.csr_matrix(parts, shape=X.shape)
    assert not X.has_sorted_indices
    return X


def twice(X):
    """Every entry in two halves."""
    X = sp.csr_matrix(X)
    parts = (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr)
    return sp.csr_matrix(parts, shape=X.shape)


def with_zeros(X):
    """Zeros that are stored."""
    parts = (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), X.shape[1] * np.arange(len(X) + 1))
    return sp.csr_matrix(parts, shape=X.shape)


def loose(X):
    """Values in a stride."""
    X = sp.csr_matrix(X)
    X.data = np.repeat(X.data, 2)[::2]
    assert not X.data.flags.contiguous
    return X


def read_only_sparse(X):
    X = sp.csr_matrix(X)
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


DENSE = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "float32": lambda X: X.astype(np.float32),
    "float32 in Fortran order": lambda X: np.asfortranarray(X, dtype=np.float32),
    "float32, strided": lambda X: strided(X.astype(np.float32)),
    "float16": lambda X: X.astype(np.float16),
    "another byte order": lambda X: X.astype(">f8"),
    "int64": lambda X: X.astype(np.int64),
    "int8": lambda X: X.astype(np.int8),
    "objects": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
    "read-only": read_only,
}

SPARSE = {
    "CSR": sp.csr_matrix,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_matrix,
    "LIL": sp.lil_matrix,
    "BSR": sp.bsr_matrix,
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "float32 CSR": lambda X: sp.csr_matrix(X, dtype=np.float32),
    "float32 CSC": lambda X: sp.csc_array(X, dtype=np.float32),
    "whole numbers": lambda X: sp.csr_matrix(X.astype(np.int64)),
    "CSR with 64-bit indices": lambda X: wide_indices(sp.csr_matrix(X)),
    "CSC with 64-bit indices": lambda X: wide_indices(sp.csc_array(X)),
    "unsorted": unsorted,
    "unsorted CSC": lambda X: unsorted(X.T).T,
    "duplicates": twice,
    "stored zeros": with_zeros,
    "loose values": loose,
    "read-only": read_only_sparse,
    "transposed": lambda X: sp.csr_matrix(X.T).T,
}

FORMS = {**DENSE, **{f"sparse: {name}": form for name, form in SPARSE.items()}}


def parts(X):
    """The arrays that an input consists of."""
    if sp.issparse(X):
        X = X.tocoo(copy=False) if X.format not in ("csr", "csc", "bsr", "coo") else X
        names = ("row", "col", "data") if X.format == "coo" else ("indptr", "indices", "data")
        return [getattr(X, name) for name in names]
    return [X if isinstance(X, np.ndarray) else np.array(X)]


def content(X):
    """Every byte of an input, and how it is laid out."""
    return [(part.tobytes(), part.dtype, part.strides, part.shape) for part in parts(X)]


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_table_gives_the_same_model_and_stays_as_it_was(name, table):
    expected = clone(MODEL).fit(table["X"], table["two"])
    X = FORMS[name](table["X"])
    before = content(X)
    model = clone(MODEL).fit(X, table["two"])
    assert (model.coef_ == expected.coef_).all()
    assert (model.intercept_ == expected.intercept_).all()
    assert (model.decision_function(X) == expected.decision_function(table["X"])).all()
    assert content(X) == before


def test_truth_values_are_ones_and_zeros(table):
    X = table["X"] > 0
    expected = clone(MODEL).fit(X.astype(float), table["two"])
    for form in (X, X.tolist(), sp.csr_matrix(X)):
        assert (clone(MODEL).fit(form, table["two"]).coef_ == expected.coef_).all()


def test_empty_rows_and_columns_count(table):
    X = table["X"].copy()
    X[:200] = 0
    X[:, [0, 4]] = 0
    expected = clone(MODEL).fit(X, table["three"])
    for form in (sp.csr_matrix, sp.csc_matrix, sp.coo_array):
        assert (clone(MODEL).fit(form(X), table["three"]).coef_ == expected.coef_).all()
    empty = sp.csr_matrix(X.shape)
    assert clone(MODEL).fit(empty, table["two"]).coef_.shape == (1, 8)
    assert expected.certificate_.records == 600


@pytest.mark.parametrize("bound", [("l2", 1.0), ("linf", 0.5)])
def test_rows_beyond_the_bound_are_held_to_it_in_a_copy(bound, table):
    X = 3 * table["X"]
    expected = None
    for form in (np.asarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix):
        for kind in (np.float64, np.float32):
            one = form(X.astype(kind))
            before = content(one)
            model = clone(MODEL).set_params(row_bound=bound).fit(one, table["two"])
            model.predict(one)
            assert content(one) == before
            expected = model.coef_ if expected is None else expected
            assert (model.coef_ == expected).all()


def test_a_memory_map_is_read_where_it_is(tmp_path, table):
    np.save(tmp_path / "X.npy", table["X"])
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert isinstance(X, np.memmap)
    expected = clone(MODEL).fit(table["X"], table["two"])
    model = clone(MODEL).fit(X, table["two"])
    assert (model.coef_ == expected.coef_).all()
    assert (model.predict(X) == expected.predict(table["X"])).all()
    assert (np.load(tmp_path / "X.npy") == table["X"]).all()


@pytest.mark.parametrize(
    "form",
    [list, np.float32, np.int64, lambda y: y.reshape(-1, 1)[:, 0], lambda y: np.repeat(y, 2)[::2]],
)
def test_every_form_of_a_target_gives_the_same_model(form, table):
    y = np.round(table["number"])
    model = PrivateLinearRegression(
        epsilon=2, delta=1e-6, row_bound=("linf", 1), target_range=(-6, 6), random_state=7
    )
    expected = clone(model).fit(table["X"], y)
    given = form(y)
    before = content(given)
    assert (clone(model).fit(table["X"], given).coef_ == expected.coef_).all()
    assert content(given) == before


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csc_array])
def test_what_is_no_finite_number_is_refused_in_scikit_learns_words(bad, form, table):
    X = table["X"].copy()
    X[3, 2] = bad
    what = "NaN" if np.isnan(bad) else "infinity or a value too large for dtype"
    with pytest.raises(ValueError, match=f"Input X contains {what}"):
        clone(MODEL).fit(form(X), table["two"])
    fitted = clone(MODEL).fit(table["X"], table["two"])
    with pytest.raises(ValueError, match=f"Input X contains {what}"):
        fitted.predict(form(X))


def test_a_target_that_is_no_finite_number_is_refused_in_scikit_learns_words(table):
    y = table["number"].copy()
    y[3] = np.nan
    model = PrivateLinearRegression(
        epsilon=2, delta=1e-6, row_bound=("linf", 1), target_range=(-6, 6)
    )
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model.fit(table["X"], y)


def test_a_seed_may_be_a_generator_of_numpy(table):
    def fit(state):
        return clone(MODEL).set_params(random_state=state).fit(table["X"], table["two"]).coef_

    assert (fit(np.int64(7)) == fit(7)).all()
    assert (fit(np.random.RandomState(1)) == fit(np.random.RandomState(1))).all()
    assert not (fit(np.random.RandomState(1)) == fit(np.random.RandomState(2))).all()
    assert fit(2**64 - 1).shape == (1, 8)
    assert not (fit(None) == fit(None)).all()
