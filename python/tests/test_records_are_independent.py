"""Everything between a person's object and the engine: no record shows in another's encoding, in
whether a table is accepted, or in a message."""

import datetime as dt
import io
import warnings
from collections import UserList, deque
from collections.abc import Sequence

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import reticent
from reticent import (
    PrivateLasso,
    PrivateLinearRegression,
    PrivateLogisticRegression,
    Schema,
    SparseSelector,
)

N = 400
BUDGET = {"epsilon": 2.0, "delta": 1e-7, "random_state": 7}
BOUND = {"row_bound": ("linf", 1.0)}
RNG = np.random.default_rng(3)
X = RNG.choice([-1.0, 0.0, 1.0], size=(N, 4))


class Numbered(Sequence):
    """A sequence that NumPy knows nothing of."""

    def __init__(self, values):
        self._values = list(values)

    def __len__(self):
        return len(self._values)

    def __getitem__(self, at):
        return self._values[at]


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "deque": deque,
    "UserList": UserList,
    "sequence": Numbered,
    "objects": lambda values: np.array(values, dtype=object),
    "pandas": lambda values: pd.Series(values, dtype=object),
    "pandas, inferred": pd.Series,
    "polars": lambda values: pl.Series(values, dtype=pl.Object),
}


def schema(target):
    return Schema.from_toml(f"""
version = 1
column = [
  {{name = "a", kind = "numeric", bounds = [-1, 1]}},
  {{name = "b", kind = "numeric", bounds = [-1, 1]}},
  {{name = "c", kind = "categorical", levels = ["1", "-1"]}},
  {{name = "y", kind = "target", {target}}},
]
""")


CLASSES = schema('classes = ["no=*", "yes=true|1|a"]')
NUMBERS = schema("range = [0, 1]")
FRAME = pd.DataFrame(X[:, :3], columns=list("abc"))

# Each is of the class "no", so that a neighbour's model must be the same to the last bit.
NO = [False, 0, 0.0, 0.5, "x", "0", "False", "no", 2**70, np.float32(0), np.bool_(False)]
# Each is the number 1.
ONE = [1, 1.0, True, "1", "1.0", "01", "1e0", np.float32(1), np.bool_(True), np.int8(1)]


def same_models(make, fit, values, last):
    """Fit a table and its neighbours, whose last record has another type; noise is the same."""

    def weights(value):
        model = make()
        fit(model, [*values[:-1], value])
        if isinstance(model, SparseSelector):
            return model.get_support().tolist()
        return [np.ravel(model.coef_).tolist(), np.ravel(model.intercept_).tolist()]

    first, *others = last
    expected = weights(first)
    for value in others:
        assert weights(value) == expected, repr(value)


def labels(false, true):
    return np.where(X[:, 0] + X[:, 1] > 0, true, false).tolist()


MAKE_CLASSES = {
    "logistic": lambda **more: PrivateLogisticRegression(**BUDGET, **more),
    "selector": lambda **more: SparseSelector(**BUDGET, nonzero=1, **more),
}
MAKE_NUMBERS = {
    "linear": lambda **more: PrivateLinearRegression(**BUDGET, **more),
    "lasso": lambda **more: PrivateLasso(**BUDGET, **more),
    "selector": lambda **more: SparseSelector(**BUDGET, task="number", nonzero=1, **more),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("make", MAKE_CLASSES.values(), ids=MAKE_CLASSES)
def test_a_label_is_encoded_by_itself_with_a_schema(make, container):
    for false, true in [(False, True), (0, 1), ("b", "a")]:
        same_models(
            lambda: make(schema=CLASSES),
            lambda model, y: model.fit(FRAME, container(y)),
            labels(false, true),
            NO,
        )


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("make", MAKE_CLASSES.values(), ids=MAKE_CLASSES)
@pytest.mark.parametrize(
    ("classes", "last"),
    [
        ([0, 1], [0, 0.0, False, "0", "0.0", "False", np.int8(0), np.bool_(False)]),
        (["0", "1"], [0, 0.0, False, "0", "00", np.float32(0)]),
        ([False, True], [False, 0, 0.0, "False", "false", "0"]),
        ([0, 1, "x"], [0, 0.0, "0", False]),
        (["no", "yes"], ["no", np.str_("no")]),
    ],
)
def test_a_label_is_found_among_declared_classes_by_itself(make, container, classes, last):
    same_models(
        lambda: make(classes=classes, **BOUND),
        lambda model, y: model.fit(X, container(y)),
        labels(classes[0], classes[1]),
        last,
    )


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("make", MAKE_NUMBERS.values(), ids=MAKE_NUMBERS)
def test_a_number_is_encoded_by_itself(make, container):
    values = [*labels(0.25, 0.75)[:-2], True, 1]
    same_models(
        lambda: make(schema=NUMBERS),
        lambda model, y: model.fit(FRAME, container(y)),
        values,
        ONE,
    )
    same_models(
        lambda: make(target_range=(0, 1), **BOUND),
        lambda model, y: model.fit(X, container(y)),
        values,
        ONE,
    )


@pytest.mark.parametrize("kind", [list, tuple, lambda rows: np.array(rows, dtype=object)])
def test_a_feature_is_encoded_by_itself_without_a_schema(kind):
    rows = [[bool(a), b, 0.1 * b] for a, b, *_ in X.tolist()]
    models = []
    for value in ONE:
        rows[-1][0] = value
        model = PrivateLogisticRegression(**BUDGET, **BOUND).fit(kind(rows), labels(0, 1))
        models.append([model.coef_.tolist(), model.predict_proba(kind(rows)).tolist()])
    assert all(model == models[0] for model in models)


def encoded(frame, table_schema):
    return table_schema.encode(frame).toarray()


FRAMES = {
    "pandas": lambda values: pd.DataFrame({"v": values}),
    "pandas, objects": lambda values: pd.DataFrame({"v": pd.Series(values, dtype=object)}),
    "polars": lambda values: pl.DataFrame({"v": pl.Series(values, dtype=pl.Object)}),
}

LEVELS = Schema.from_toml("""
version = 1
column = [{name = "v", kind = "categorical", levels = ["1", "02", "0.5", "true", "x1"]}]
""")


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("last", [1, 1.0, True, "x", "1", None, np.nan, 2**70])
def test_one_record_does_not_change_how_the_others_are_encoded(make, last):
    for column in ([1, 2, 3] * 5, [1.0, 0.5] * 5, [True, False] * 5, ["1", "02", "x1", "y"] * 5):
        alone = [encoded(make([value]), LEVELS)[0].tolist() for value in column]
        assert encoded(make([*column, last]), LEVELS)[:-1].tolist() == alone


@pytest.mark.parametrize("column", [["01", "02", "03"], ["1", "2"], ["True", "False"], ["0.50"]])
@pytest.mark.parametrize("last", ["x", "01", "True", "", "1e400", "0.5"])
def test_a_reader_that_infers_types_over_a_column_does_not_change_the_levels(column, last):
    """The types are still inferred, which docs/guide/schema.md warns of; levels survive it."""

    def read(values, **how):
        return pd.read_csv(io.StringIO("v\n" + "\n".join(values) + "\n"), **how)

    as_texts = encoded(read(column, dtype=str), LEVELS)
    assert (as_texts[:, -1] == 0).sum() >= len(column) / 2
    assert (encoded(read(column), LEVELS) == as_texts).all()
    assert (encoded(read([*column, last]), LEVELS)[: len(column)] == as_texts).all()
    polars = pl.read_csv(io.StringIO("v\n" + "\n".join([*column, last]) + "\n"))
    assert (encoded(polars, LEVELS)[: len(column)] == as_texts).all()


def test_arrow_holds_the_same_values_in_any_of_its_types():
    values = [True, False, None, True]
    texts = [None if value is None else str(value) for value in values]
    expected = encoded(pa.table({"v": values}), LEVELS)
    assert (encoded(pa.table({"v": texts}), LEVELS) == expected).all()
    assert (encoded(pa.table({"v": pa.array(texts).dictionary_encode()}), LEVELS) == expected).all()
    # The columns of a batch are arrays, which are not read where they are if something is missing.
    assert (encoded(pa.record_batch({"v": values}), LEVELS) == expected).all()
    union = pa.UnionArray.from_sparse(
        pa.array([0, 1, 0, 1], pa.int8()), [pa.array([True] * 4), pa.array(["1", "True", "", "x"])]
    )
    expected = encoded(pl.DataFrame({"v": ["true", "true", "true", "x"]}), LEVELS)
    assert (encoded(pa.table({"v": union}), LEVELS) == expected).all()


DATES = Schema(
    [
        reticent.Date("v", low="1900-01-01", high="2100-01-01", missing_indicator=True),
        reticent.Date("w", low="1900-01-01", high="2100-01-01"),
    ],
    missing=["", "-9", "unknown"],
)
DAYS = ["1967-04-08", "2024-03-31", "1899-12-31", "1969-12-31", "2100-01-02", "2000-02-29"]


@pytest.mark.parametrize(
    "last",
    ["2024-03-31T23:59:59.5", "2024-03-31 10:00", None, "unknown", "", dt.date(1900, 1, 2), pd.NaT],
)
def test_a_date_is_encoded_by_itself_however_it_is_stored(last):
    """By one record a column of days becomes one of times, of texts or of objects."""
    days = [dt.date.fromisoformat(day) for day in DAYS]
    alone = [
        DATES.encode(pd.DataFrame({"v": [day], "w": [day]})).toarray()[0].tolist() for day in DAYS
    ]
    held = {
        "texts": DAYS,
        "dates": days,
        "times": [f"{day} 13:30:00" for day in DAYS],
        "datetimes": [dt.datetime.combine(day, dt.time(23, 59)) for day in days],
        "timestamps": [pd.Timestamp(day) for day in days],
        "numpy": [np.datetime64(day, "ms") for day in days],
        "zones": [pd.Timestamp(day, tz="UTC") + pd.Timedelta("23h") for day in days],
    }
    for values in held.values():
        column = pd.Series([*values, last], dtype=object)
        frame = pd.DataFrame({"v": column, "w": column[::-1].to_numpy()})
        found = DATES.encode(frame).toarray()
        assert found[:-1, :2].tolist() == [row[:2] for row in alone]
        assert found[1:, 2].tolist() == [row[2] for row in alone[::-1]]


@pytest.mark.parametrize(
    ("day", "position"),
    [
        (np.datetime64("20000-01-01"), 1),
        (np.datetime64("-0500-01-01"), -1),
        (dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(-dt.timedelta(hours=9))), 1),
        (dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=9))), -1),
        (np.datetime64("NaT"), 0),
    ],
)
def test_a_day_beyond_all_calendars_is_clipped(day, position):
    one = Schema([reticent.Date("v", low="1900-01-01", high="2100-01-01")])
    for last in [None, "1950-01-01", dt.date(2000, 1, 1)]:
        frame = pd.DataFrame({"v": pd.Series([day, last], dtype=object)})
        assert one.encode(frame).toarray()[0, 0] == position
    if isinstance(day, np.datetime64):
        table = pd.DataFrame({"v": np.array([day], "datetime64[s]")})
        assert one.encode(table).toarray()[0, 0] == position


def test_dates_are_the_same_in_every_frame():
    days = [None if day is None else dt.date.fromisoformat(day) for day in [*DAYS, None]]
    times = [None if day is None else dt.datetime.combine(day, dt.time(23, 59)) for day in days]
    texts = [*DAYS, None]
    frames = [
        pd.DataFrame({"v": pd.to_datetime(pd.Series(times))}),
        pd.DataFrame({"v": pd.to_datetime(pd.Series(times)).dt.tz_localize("UTC")}),
        pd.DataFrame({"v": pd.Series(texts, dtype="string")}),
        pd.DataFrame({"v": pd.Series(texts, dtype="category")}),
        pl.DataFrame({"v": days}),
        pl.DataFrame({"v": times}),
        pl.DataFrame({"v": pl.Series(times).dt.replace_time_zone("UTC")}),
        pl.DataFrame({"v": texts}),
        pa.table({"v": pa.array(days)}),
        pa.table({"v": pa.array(times, pa.timestamp("ns"))}),
        pa.table({"v": pa.array(times, pa.timestamp("us", "UTC"))}),
    ]
    one = Schema([reticent.Date("v", low="1900-01-01", high="2100-01-01", missing_indicator=True)])
    expected = one.encode(pd.DataFrame({"v": texts})).toarray()
    # By hand: 45 381 of 73 049 days, and a missing date in the middle.
    assert expected[1].tolist() == [np.float32(45_380 / 36_524.5 - 1), 0]
    assert expected[[2, 4, 6]].tolist() == [[-1, 0], [1, 0], [0, 1]]
    for frame in frames:
        assert (one.encode(frame).toarray() == expected).all(), frame


@pytest.mark.parametrize(
    "bad", ["31.03.2024", "45382", 45382, 4242.0, True, "2023-02-29", "2024-03-31T10:00+02:00"]
)
def test_what_is_no_date_is_refused_and_not_quoted(bad):
    frame = pd.DataFrame({"v": pd.Series([*DAYS, bad], dtype=object), "w": [*DAYS, None]})
    with pytest.raises(ValueError, match=r"column 'v', row 7: .*holds dates.*like 2024") as no:
        DATES.encode(frame)
    assert str(bad) not in str(no.value)
    assert no.value.__cause__ is None


AMOUNTS = Schema(
    [reticent.Numeric("v", low=1, high=10_000, scale="log", missing="low", missing_indicator=True)],
    missing=["", "-9"],
)


@pytest.mark.parametrize("last", [0, 100, "100", None, np.nan, True, 10**400, "-9", -9.0, ""])
def test_a_logarithm_and_a_missing_number_follow_from_the_value_alone(last):
    column = ["0", "1", "10", "1000", "1e5", "-9", None, "-3"]
    expected = [[-1, 0], [-1, 0], [-0.5, 0], [0.5, 0], [1, 0], [-1, 1], [-1, 1], [-1, 0]]
    frame = pd.DataFrame({"v": pd.Series([*column, last], dtype=object)})
    assert encoded(frame, AMOUNTS)[:-1].tolist() == expected
    alone = pd.DataFrame({"v": pd.Series([last], dtype=object)})
    assert encoded(frame, AMOUNTS)[-1].tolist() == encoded(alone, AMOUNTS)[0].tolist()


def test_levels_that_are_one_number_are_refused():
    for levels in ('["1", "01"]', '["0.5", ".50"]', '["True", "true"]'):
        with pytest.raises(ValueError, match="is the same number or truth value as a level before"):
            Schema.from_toml(
                f'version = 1\ncolumn = [{{name = "v", kind = "categorical", levels = {levels}}}]'
            )


def test_labels_are_scored_as_they_are_learnt():
    y = labels(0, 1)
    model = PrivateLogisticRegression(**BUDGET, **BOUND, classes=[0, 1]).fit(X, y)
    assert model.score(X, [str(label) for label in y]) == model.score(X, y) > 0.5
    assert model.score(X, ["neither"] * N) == 0
    with pytest.raises(ValueError, match="classes names one class twice"):
        PrivateLogisticRegression(**BUDGET, **BOUND, classes=["1", "01", "2"]).fit(X, y)


# ---------------------------------------------------------------- beyond the range of storage


BEYOND = [1e39, 1e300, np.finfo(np.float64).max]
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "list": lambda rows: rows.tolist(),
    "frame": pd.DataFrame,
}


@pytest.mark.parametrize("norm", ["l2", "linf"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_finite_number_is_clipped_however_large_it_is(layout, norm):
    def fitted(value, sign):
        rows = X.copy()
        # One entry: its direction is the same after any clipping.
        rows[5] = [0, sign * value, 0, 0]
        model = PrivateLogisticRegression(**BUDGET, row_bound=(norm, 1.0))
        model.fit(layout(rows), labels(0, 1))
        return model.coef_.tolist(), model.predict_proba(layout(rows)).tolist()

    for sign in (1, -1):
        expected = fitted(1e30, sign)
        for value in BEYOND:
            assert fitted(value, sign) == expected


def test_large_numbers_of_any_type_are_clipped():
    huge = [1e300, 10**400, "1e400", np.longdouble("1e400"), np.longdouble(1e300)]
    y = labels(0.25, 0.75)
    numbers = {"linear": MAKE_NUMBERS["linear"], "lasso": MAKE_NUMBERS["lasso"]}
    for make in numbers.values():
        for sign in (1, -1):
            last = [sign, *(f"-{it}" if sign < 0 and it == "1e400" else it for it in huge)]
            signed = [it if isinstance(it, str) else sign * it for it in last[1:]]
            for fit in (
                lambda model, y: model.set_params(schema=NUMBERS).fit(FRAME, y),
                lambda model, y: model.set_params(target_range=(0, 1), **BOUND).fit(X, y),
            ):
                same_models(make, fit, y, [float(sign) if sign > 0 else 0.0, *signed])
    for value in huge:
        frame = FRAME.astype({"a": object})
        frame["a"].array[3] = value
        assert encoded(frame, NUMBERS)[3, 0] == 1
        rows = X.astype(object)
        rows[3, 0] = value
        held = X.copy()
        held[3, 0] = 1
        one, other = (
            PrivateLogisticRegression(**BUDGET, **BOUND).fit(it, labels(0, 1)).coef_.tolist()
            for it in (rows.tolist(), held)
        )
        assert one == other
        before = pd.DataFrame(rows)
        after = before.copy()
        of_frame = PrivateLogisticRegression(**BUDGET, **BOUND).fit(after, labels(0, 1))
        assert of_frame.coef_.tolist() == other
        pd.testing.assert_frame_equal(after, before)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_as_before(bad):
    rows = X.copy()
    rows[3, 1] = bad
    for layout in LAYOUTS.values():
        with pytest.raises(ValueError, match=r"NaN|infinity|finite"):
            PrivateLogisticRegression(**BUDGET, **BOUND).fit(layout(rows), labels(0, 1))


# ---------------------------------------------------------------- messages


MARK = "4242"
SECRET = f"x{MARK}x"
NUMBER = 4242.4242


def chain(error):
    """An exception and all behind it, shown or not."""
    seen, left = [], [error]
    while left:
        error = left.pop()
        if error is not None and error not in seen:
            seen.append(error)
            left += [error.__cause__, error.__context__]
    return seen


def shown(error):
    """All that an exception tells of itself."""
    parts = [str(error), repr(error), repr(error.args), *getattr(error, "__notes__", [])]
    return "\n".join([*parts, repr(vars(error)), str(getattr(error, "object", ""))])


def objects(value, at=7, like=X):
    rows = like.astype(object)
    rows[at, 1] = value
    return rows


def frame(value, column="a"):
    changed = FRAME.assign(y=labels(0.0, 1.0)).astype(object)
    changed[column].array[7] = value
    return changed


def with_label(value, rest=(0, 1)):
    y = labels(*rest)
    y[7] = value
    return y


CLASSIFIER = PrivateLogisticRegression(**BUDGET, **BOUND)
DECLARED = PrivateLogisticRegression(**BUDGET, **BOUND, classes=[0, 1])
REGRESSOR = PrivateLinearRegression(**BUDGET, **BOUND, target_range=(0, 1))
LASSO = PrivateLasso(**BUDGET, **BOUND, target_range=(0, 1))
SELECTOR = SparseSelector(**BUDGET, **BOUND)
CHOOSER = SparseSelector(**BUDGET, **BOUND, task="number", target_range=(0, 1))
BY_CLASSES = PrivateLogisticRegression(**BUDGET, schema=schema('classes = ["0", "1"]'))
BY_NUMBERS = PrivateLinearRegression(**BUDGET, schema=NUMBERS)
Y = labels(0, 1)
OBJECTS = [SECRET, {"a": SECRET}, [SECRET], SECRET.encode(), complex(0, NUMBER), f"\ud800{SECRET}"]

REFUSED = [
    *(
        (model, objects(value), Y)
        for model in (CLASSIFIER, REGRESSOR, SELECTOR)
        for value in OBJECTS
    ),
    *((CLASSIFIER, objects(value).tolist(), Y) for value in OBJECTS),
    *((CLASSIFIER, pd.DataFrame(objects(value)), Y) for value in OBJECTS),
    *((model, X, with_label(value)) for model in (REGRESSOR, LASSO, CHOOSER) for value in OBJECTS),
    *((model, X, np.array(with_label(SECRET))) for model in (REGRESSOR, LASSO, DECLARED)),
    *((DECLARED, X, with_label(value)) for value in [*OBJECTS, NUMBER, 4242]),
    *((BY_CLASSES, frame(value, "y"), None) for value in [*OBJECTS, NUMBER]),
    *((BY_CLASSES, FRAME, with_label(value)) for value in [*OBJECTS, NUMBER]),
    *((BY_NUMBERS, frame(value, "y"), None) for value in OBJECTS),
    *((BY_NUMBERS, frame(value, "a"), None) for value in OBJECTS),
    *((BY_NUMBERS, FRAME, with_label(value)) for value in OBJECTS),
    (CLASSIFIER, np.full((N, 4), SECRET), Y),
    (CLASSIFIER, np.full((N, 4), NUMBER * 1j), Y),
    (CLASSIFIER, np.full(N, NUMBER), Y),
    (CLASSIFIER, [NUMBER] * N, Y),
    (CLASSIFIER, NUMBER, Y),
    (CLASSIFIER, X, np.full(N, SECRET)),
    (CLASSIFIER, X, np.where(Y, NUMBER, 1.5)),
    (REGRESSOR, X, np.full(N, NUMBER * 1j)),
    (REGRESSOR, X, np.full((N, 2), NUMBER)),
    (REGRESSOR, X, [[NUMBER]] * (N - 1) + [[NUMBER, 1]]),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_no_exception_of_the_chain_holds_a_value(case):
    model, features, y = REFUSED[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError)) as told:
            model.fit(features, y)
    for error in chain(told.value):
        assert MARK not in shown(error)


def test_no_exception_of_a_prediction_holds_a_value_either():
    arrays = PrivateLogisticRegression(**BUDGET, **BOUND).fit(X, Y)
    frames = PrivateLinearRegression(**BUDGET, schema=NUMBERS).fit(FRAME, labels(0.0, 1.0))
    cases = [(arrays, objects(value)) for value in OBJECTS]
    cases += [(frames, frame(value)) for value in OBJECTS]
    for model, features in cases:
        with pytest.raises((ValueError, TypeError)) as told:
            model.predict(features)
        for error in chain(told.value):
            assert MARK not in shown(error)


def test_a_half_character_is_a_text_like_any_other():
    changed = frame("\ud800", "c")
    assert encoded(changed, NUMBERS)[7].tolist()[2:] == [0, 0, 1]


PRIVATE_N = 1234
MANY = RNG.choice([-1.0, 1.0], size=(PRIVATE_N, 3))


def add_remove(kind=PrivateLogisticRegression, **more):
    # A δ that is warned of: the warning must speak of the public number.
    return kind(
        **{**BUDGET, "delta": 0.1, **BOUND, "adjacency": "add-remove", "public_n": 500, **more}
    )


@pytest.mark.parametrize(
    ("model", "features", "y"),
    [
        (add_remove(public_n=0), MANY, MANY[:, 0]),
        (add_remove(SparseSelector, public_n=0), MANY, MANY[:, 0]),
        (add_remove(PrivateLinearRegression, public_n=0, target_range=(0, 1)), MANY, MANY[:, 0]),
        (add_remove(method="two-stage"), MANY, MANY[:, 0]),
        (add_remove(nonzero=99), MANY, MANY[:, 0]),
        (add_remove(), MANY, MANY[:9, 0]),
        (add_remove(), MANY, MANY),
        (add_remove(), MANY[:, :0], MANY[:, 0]),
        (add_remove(), MANY[:, 0], MANY[:, 0]),
        (add_remove(), [*MANY.tolist()[:-1], [1.0]], MANY[:, 0]),
        (add_remove(classes=[7, 8]), MANY, MANY[:, 0]),
        (add_remove(row_bound=None, schema=CLASSES), pd.DataFrame(MANY, columns=list("abc")), Y),
    ],
)
def test_no_refusal_under_add_remove_tells_the_number_of_records(model, features, y):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises((ValueError, TypeError)) as told:
            model.fit(features, y)
    said = [shown(error) for error in chain(told.value)] + [str(it.message) for it in warned]
    assert not any(str(PRIVATE_N) in words for words in said)


def test_no_warning_under_add_remove_tells_the_number_of_records(capfd):
    with pytest.warns(reticent.PrivacyWarning, match="for n = 500") as warned:
        add_remove(verbose=True).fit(MANY, MANY[:, 0])
    assert not any(str(PRIVATE_N) in str(it.message) for it in warned)
    assert str(PRIVATE_N) not in "".join(capfd.readouterr())
    with pytest.raises(ValueError, match="public_n is 0"):
        reticent.plan(
            "logistic", n=PRIVATE_N, d=3, epsilon=1, delta=0.5, **BOUND,
            adjacency="add-remove", public_n=0,
        )  # fmt: skip
