"""Data frames with a schema: the same model as the command makes of the same table."""

import csv

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import reticent
from reticent import PrivateLinearRegression, PrivateLogisticRegression, Schema

COLUMNS = """
version = 1
[[column]]
name = "age"
kind = "numeric"
bounds = [0, 100]
[[column]]
name = "dose"
kind = "numeric"
bounds = [-5, 5]
missing = "low"
[[column]]
name = "ward"
kind = "categorical"
levels = ["north", "south", "west"]
[[column]]
name = "smoker"
kind = "categorical"
levels = ["false", "true"]
[[column]]
name = "visits"
kind = "categorical"
levels = ["1", "2", "900719925474099"]
[[column]]
name = "insured"
kind = "numeric"
bounds = [0, 1]
[[column]]
name = "note"
kind = "ignored"
"""

TARGETS = {
    "two": '[[column]]\nname = "ill"\nkind = "target"\nclasses = ["no", "yes"]\n',
    "three": '[[column]]\nname = "ill"\nkind = "target"\nclasses = ["no", "yes", "maybe"]\n',
    "number": '[[column]]\nname = "ill"\nkind = "target"\nrange = [-10, 10]\n',
}

SECRET = "a name that nobody may read"


def rows(task, n=400):
    """Values of Python, column by column; None is missing."""
    rng = np.random.default_rng(5)

    def some(values):
        return [
            None if gone else value for value, gone in zip(values, rng.random(n) < 0.1, strict=True)
        ]

    age = rng.integers(0, 101, n).tolist()
    dose = (rng.integers(-60, 61, n) / 8).tolist()
    score = np.array(age) / 20 - np.array(dose) + rng.normal(size=n)
    labels = {
        "two": np.where(score > 2.5, "yes", "no").tolist(),
        "three": np.array(["no", "maybe", "yes"])[np.digitize(score, [0, 5])].tolist(),
        "number": np.round(score, 3).tolist(),
    }
    return {
        "age": some(age),
        "dose": some(dose),
        "ward": some(
            rng.choice(["north", "south", "west", "east"], n, p=[0.3, 0.3, 0.3, 0.1]).tolist()
        ),
        "smoker": some(rng.choice([True, False], n).tolist()),
        "visits": some([[1, 2, 3, 900719925474099, 2**53][j] for j in rng.integers(0, 5, n)]),
        "insured": [int(one) for one in rng.choice([0, 1], n)],
        "note": some([SECRET] * n),
        "ill": labels[task],
    }


def pandas_nullable(values):
    kinds = {"age": "Int64", "smoker": "boolean", "visits": "Int64", "ward": "string"}
    made = {name: pd.Series(column, dtype=kinds.get(name)) for name, column in values.items()}
    return pd.DataFrame(made)


def pandas_plain(values):
    """Floats with NaN where that loses nothing, and objects."""
    kinds = {"age": "float64", "dose": "float64", "insured": "bool"}
    made = {
        name: pd.Series(column, dtype=kinds.get(name, object)) for name, column in values.items()
    }
    return pd.DataFrame(made).iloc[:, ::-1]


def pandas_categories(values):
    frame = pandas_nullable(values)
    return frame.astype({"ward": "category", "smoker": "category", "visits": "category"})


def pandas_of_arrow(values):
    table = arrow_table(values)
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def polars_frame(values):
    return pl.DataFrame(values, strict=False).with_columns(pl.col("insured").cast(pl.Boolean))


def polars_categories(values):
    return polars_frame(values).with_columns(pl.col("ward").cast(pl.Categorical))


def arrow_table(values):
    return pa.table({name: pa.array(column) for name, column in values.items()})


def arrow_dictionaries(values):
    table = arrow_table(values)
    names = ["east", "west", "south", "north"]
    places = pa.array([None if ward is None else names.index(ward) for ward in values["ward"]])
    wards = pa.DictionaryArray.from_arrays(places, names)
    return table.set_column(table.column_names.index("ward"), "ward", wards)


def arrow_chunks(values):
    table = arrow_table(values)
    return pa.concat_tables([table.slice(0, 100), table.slice(100)])


FRAMES = [
    pandas_nullable,
    pandas_plain,
    pandas_categories,
    pandas_of_arrow,
    polars_frame,
    polars_categories,
    arrow_table,
    arrow_dictionaries,
    arrow_chunks,
]


def schema(task):
    return Schema.from_toml(COLUMNS + TARGETS[task])


def estimator(task):
    kind = PrivateLinearRegression if task == "number" else PrivateLogisticRegression
    return kind(epsilon=2.0, delta=1e-6, schema=schema(task), random_state=7)


def write_csv(path, values):
    def text(value):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else value

    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(values)
        writer.writerows(
            [text(value) for value in row] for row in zip(*values.values(), strict=True)
        )


@pytest.fixture(scope="module", params=list(TARGETS))
def fitted(request, command, tmp_path_factory):
    """A task, its table, and the model that the command makes of it as CSV."""
    folder, task = tmp_path_factory.mktemp("command"), request.param
    values = rows(task)
    write_csv(folder / "table.csv", values)
    (folder / "schema.toml").write_text(COLUMNS + TARGETS[task])
    name = {"two": "logistic", "three": "multinomial", "number": "linear"}[task]
    promises = ("--epsilon", 2, "--delta", 1e-6, "--seed", 7, "--out", folder / "model.json")
    arguments = ("--schema", folder / "schema.toml", "--task", name, *promises)
    command("fit", folder / "table.csv", *arguments)
    return task, values, reticent.load(folder / "model.json")


@pytest.mark.parametrize("make", FRAMES)
def test_a_data_frame_gives_the_model_that_the_command_makes_of_its_csv(make, fitted):
    task, values, expected = fitted
    frame = make(values)
    model = estimator(task).fit(frame)
    assert (model.coef_ == expected.coef_).all()
    assert np.array_equal(model.intercept_, expected.intercept_)
    assert model.certificate_.to_dict() == expected.certificate_.to_dict()
    assert (model.predict(frame) == expected.predict(frame)).all()
    if task != "number":
        assert model.classes_.tolist() == expected.classes_.tolist()
    assert model.feature_names_in_.tolist() == [
        "age", "dose", "ward", "smoker", "visits", "insured",
    ]  # fmt: skip
    assert model.n_features_in_ == 6
    assert "ward=north" in model.weight_names_
    assert len(model.weight_names_) == np.atleast_2d(model.coef_).shape[1]


@pytest.mark.parametrize("task", TARGETS)
def test_the_target_may_be_given_apart(task):
    values = rows(task)
    expected = estimator(task).fit(pandas_nullable(values))
    y = values.pop("ill")
    for make in (pandas_nullable, polars_frame, arrow_table):
        for given in (y, np.array(y), pd.Series(y), pl.Series(y), pa.chunked_array([y])):
            model = estimator(task).fit(make(values), given)
            assert (model.coef_ == expected.coef_).all()
            assert model.predict(make(values)).shape == (400,)


def test_ignored_columns_and_the_target_may_be_absent_from_what_is_predicted():
    values = rows("two")
    model = estimator("two").fit(polars_frame(values))
    expected = model.predict(polars_frame(values))
    for name in ("note", "ill"):
        del values[name]
        assert (model.predict(pandas_nullable(values)) == expected).all()


def test_a_number_that_is_a_level_is_the_same_among_objects():
    text = """
version = 1
[[column]]
name = "dose"
kind = "categorical"
levels = ["1", "0.0000001", "true", "west"]
[[column]]
name = "y"
kind = "target"
classes = ["0", "1"]
"""
    dose = [1, 1e-7, True, "west", None, 3] * 50
    texts = ["1", "0.0000001", "true", "west", None, "3"] * 50
    numpys = [np.float64(1), np.float64(1e-7), np.bool_(True), np.str_("west"), np.nan, 3.0]
    model = PrivateLogisticRegression(
        epsilon=2, delta=1e-6, schema=Schema.from_toml(text), random_state=7
    )
    expected = clone(model).fit(pl.DataFrame({"dose": texts}), [0, 1, 1] * 100)
    assert np.count_nonzero(expected.coef_) > 1
    for given in (dose, numpys * 50):
        frame = pd.DataFrame({"dose": pd.Series(given, dtype=object)})
        assert (clone(model).fit(frame, [0, 1, 1] * 100).coef_ == expected.coef_).all()


def test_columns_that_the_schema_does_not_describe_are_left_alone():
    values = rows("two")
    expected = estimator("two").fit(arrow_table(values))
    more = {"when": [b"\x00"] * 400, **values, "where": [[1, 2]] * 400}
    for make in (pandas_nullable, polars_frame, arrow_table):
        model = estimator("two").fit(make(more))
        assert (model.coef_ == expected.coef_).all()
        assert (model.predict(make(more)) == expected.predict(make(values))).all()


def test_a_data_frame_stays_as_it_was():
    for make in (pandas_plain, pandas_nullable):
        frame = make(rows("two"))
        before = frame.copy(deep=True)
        estimator("two").fit(frame).predict(frame)
        pd.testing.assert_frame_equal(frame, before)


def test_a_schema_goes_through_pipelines_clones_files_and_pickles(tmp_path):
    frame = pandas_nullable(rows("two"))
    y = frame.pop("ill")
    path = tmp_path / "schema.toml"
    path.write_text(COLUMNS + TARGETS["two"])
    expected = estimator("two").fit(frame, y)
    for given in (path, str(path), Schema.open(path)):
        model = clone(estimator("two").set_params(schema=given))
        pipeline = make_pipeline(FunctionTransformer(), model).fit(frame, y)
        assert (pipeline[-1].coef_ == expected.coef_).all()
        assert pipeline.score(frame, y) == expected.score(frame, y)
    expected.save(tmp_path / "model.json")
    again = reticent.load(tmp_path / "model.json")
    assert again.schema == expected.schema
    assert (again.predict_proba(frame) == expected.predict_proba(frame)).all()


def test_a_model_with_a_range_that_was_loaded_can_be_fitted_again(tmp_path):
    frame = pandas_nullable(rows("number"))
    estimator("number").fit(frame).save(tmp_path / "model.json")
    again = clone(reticent.load(tmp_path / "model.json"))
    assert again.fit(frame).certificate_.private


@pytest.mark.parametrize(
    ("labels", "y"),
    [
        (["0", "1"], pd.Series([0, 1] * 50)),
        (["0", "1"], pd.Series(["0", "1"] * 50)),
        (["0", "1"], pd.Series([0.0, 1.0] * 50)),
        (["false", "true"], pd.Series([False, True] * 50)),
        (["false", "true"], pd.Series(["false", "true"] * 50)),
        (["1_0", "20"], pd.Series(["1_0", "20"] * 50)),
    ],
)
def test_classes_come_back_in_the_type_of_the_target(labels, y):
    text = f"""
version = 1
[[column]]
name = "x"
kind = "numeric"
bounds = [0, 1]
[[column]]
name = "y"
kind = "target"
classes = {labels}
"""
    frame = pd.DataFrame({"x": [0.0, 1.0] * 50})
    model = PrivateLogisticRegression(
        epsilon=50, delta=1e-6, schema=Schema.from_toml(text), random_state=7
    )
    assert model.fit(frame, y).score(frame, y) == 1
    assert model.classes_.tolist() == y[:2].tolist()


# ---------------------------------------------------------------- refusals


def refused(error, words, change, task="two", y=None):
    """Fits a changed table, which is refused in words that quote nothing of it."""
    values = rows(task)
    model = estimator(task)
    with pytest.raises(error, match=words) as caught:
        model.fit(change(values), y)
    assert SECRET not in str(caught.value)
    with pytest.raises(NotFittedError):
        model.predict(pandas_nullable(rows(task)))


@pytest.mark.parametrize("make", [pandas_nullable, polars_frame, arrow_table])
def test_a_column_too_few_is_refused(make):
    def without(name):
        return lambda values: make({key: it for key, it in values.items() if key != name})

    refused(ValueError, "there is no column 'dose', which the schema describes", without("dose"))
    refused(ValueError, "y is None, and X does not have the target 'ill'", without("ill"))


def test_what_is_no_data_frame_is_refused():
    refused(TypeError, "X must be a table with named columns", lambda _: np.zeros((9, 6)), y=[0])
    refused(TypeError, "X must be a table with named columns", lambda _: [[SECRET]], y=[0])


@pytest.mark.parametrize(
    ("error", "words", "name", "value"),
    [
        (ValueError, r"column 'age', row 8: .* number", "age", SECRET),
        (ValueError, r"column 'ill', row 8: ", "ill", SECRET),
        (ValueError, r"column 'ill', row 8: .*missing", "ill", None),
        (TypeError, "column 'ward' holds a value that is not a number, text", "ward", [SECRET]),
        (TypeError, "column 'ward' holds a value that is not a number, text", "ward", b"north"),
    ],
)
def test_a_value_that_the_schema_can_not_mean_is_refused(error, words, name, value):
    def change(values):
        values[name][7] = value
        return pd.DataFrame({key: pd.Series(it, dtype=object) for key, it in values.items()})

    refused(error, words, change)


def test_a_type_that_the_schema_can_not_mean_is_refused():
    def dates(values):
        return pandas_nullable(values).assign(age=pd.Timestamp("2020-01-01"))

    refused(TypeError, "column 'age' holds values of kind 'M'; it must hold numbers", dates)
    twice = "column 'age' must be one-dimensional"
    refused(
        ValueError,
        twice,
        lambda values: pd.concat(
            [pandas_nullable(values), pd.DataFrame({"age": [1] * 400})], axis=1
        ),
    )


def test_a_target_of_another_length_is_refused():
    refused(
        ValueError,
        "column 'ill': the column does not have one value per row",
        pandas_nullable,
        y=["no", "yes"],
    )


def test_a_schema_of_another_task_is_refused():
    with pytest.raises(ValueError, match="no target with classes"):
        estimator("two").set_params(schema=schema("number")).fit(pandas_nullable(rows("two")))
    with pytest.raises(ValueError, match="no target with a range"):
        estimator("number").set_params(schema=schema("two")).fit(pandas_nullable(rows("two")))
    with pytest.raises(ValueError, match="target_range was given, and the schema declares it"):
        estimator("number").set_params(target_range=(0, 1)).fit(pandas_nullable(rows("number")))
    with pytest.raises(ValueError, match="classes was given, and the schema declares them"):
        estimator("two").set_params(classes=["no", "yes"]).fit(pandas_nullable(rows("two")))
    with pytest.raises(TypeError, match=r"schema must be a reticent\.Schema or the path"):
        estimator("two").set_params(schema=3).fit(pandas_nullable(rows("two")))
    with pytest.raises(FileNotFoundError):
        estimator("two").set_params(schema="absent.toml").fit(pandas_nullable(rows("two")))
