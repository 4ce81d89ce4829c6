"""People who have several rows: they are protected, each with all rows."""

import numpy as np
import pandas as pd
import pytest

import reticent
from reticent import PrivateLinearRegression, PrivateLogisticRegression, Schema, SparseSelector
from reticent.privacy import summary

BUDGET = {"epsilon": 1.0, "delta": 1e-7}
BOUND = {"row_bound": ("linf", 1.0)}

SCHEMA = """
version = 1

[[column]]
name = "patient"
kind = "unit"
rows = 5

[[column]]
name = "age"
kind = "numeric"
bounds = [0, 100]

[[column]]
name = "smoker"
kind = "categorical"
levels = ["yes", "no"]

[[column]]
name = "ill"
kind = "target"
classes = ["no", "yes"]
"""


def visits(people=400, seed=0):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rng.integers(1, 9, size=people))
    rng.shuffle(who)
    X = rng.choice([-1.0, 1.0], size=(people, 6))[who]
    return X, (X[:, 0] > 0).astype(int), who


def fitted(X, y, groups=None, **parameters):
    model = PrivateLogisticRegression(**BUDGET, **BOUND, random_state=1, **parameters)
    return model.fit(X, y, groups=groups)


def frame(people=300):
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(people), rng.integers(1, 7, size=people))
    ages = rng.integers(0, 100, size=people)[who]
    smokers = rng.choice(["yes", "no"], size=people)[who]
    ill = np.where(ages > 50, "yes", "no")
    named = {"patient": [f"p{w}" for w in who], "age": ages, "smoker": smokers, "ill": ill}
    return pd.DataFrame(named), people


def test_the_certificate_counts_people_and_says_person():
    X, y, who = visits()
    certificate = fitted(X, y, who).certificate_
    assert certificate.records == 400
    assert certificate.unit == (None, 100)
    assert certificate.verify()
    assert fitted(X, y).certificate_.unit is None


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, lambda who: [f"p{w}" for w in who]])
def test_groups_may_be_anything_that_tells_people_apart(kind):
    X, y, who = visits()
    assert (fitted(X, y, kind(who)).coef_ == fitted(X, y, who).coef_).all()


def test_a_person_counts_the_same_however_often_the_same_row_is_there():
    X, y, _ = visits()
    X, y = X[:300], y[:300]
    once = fitted(X, y, np.arange(300))
    thrice = fitted(np.repeat(X, 3, axis=0), np.repeat(y, 3), np.repeat(np.arange(300), 3))
    # Shares of a third are whole steps that add up to one.
    np.testing.assert_allclose(thrice.coef_, once.coef_, atol=0.05)
    assert thrice.certificate_.charges == once.certificate_.charges


def test_rows_beyond_the_declared_number_do_not_count():
    X, y, who = visits()
    order = np.argsort(who, kind="stable")
    X, y, who = X[order], y[order], who[order]
    place = np.arange(len(who)) - np.searchsorted(who, who)
    first = fitted(X, y, who, unit_rows=2)
    changed = np.where((place >= 2)[:, None], -X, X)
    again = fitted(changed, np.where(place >= 2, 1 - y, y), who, unit_rows=2)
    assert (first.coef_ == again.coef_).all()
    assert (first.coef_ != fitted(X, y, who, unit_rows=3).coef_).any()


@pytest.mark.parametrize("method", ["two-stage", "transfer", "admm", "sparsifier"])
def test_methods_without_a_proof_for_people_refuse(method):
    X, y, who = visits()
    options = {"nonzero": 2} if method in ("two-stage", "transfer") else {}
    with pytest.raises(ValueError, match="a person may have several rows"):
        PrivateLogisticRegression(**BUDGET, **BOUND, method=method, **options).fit(X, y, groups=who)


@pytest.mark.parametrize("method", ["ight", "select", "frank-wolfe"])
def test_methods_of_sums_protect_people(method):
    X, y, who = visits()
    assert fitted(X, y, who, method=method).certificate_.unit == (None, 100)


def test_regressions_and_selections_protect_people():
    X, y, who = visits()
    model = PrivateLinearRegression(**BUDGET, **BOUND, target_range=(0, 1))
    assert model.fit(X, y, groups=who).certificate_.unit == (None, 100)
    selector = SparseSelector(**BUDGET, **BOUND, unit_rows=7)
    assert selector.fit(X, y, groups=who).certificate_.unit == (None, 7)


def test_under_add_remove_the_public_number_is_that_of_people():
    X, y, who = visits()
    private = {"adjacency": "add-remove", "public_n": 380}
    model = fitted(X, y, who, unit_rows=16, **private)
    assert (model.certificate_.records, model.certificate_.unit) == (380, (None, 16))
    with pytest.raises(ValueError, match="at most 16 rows"):
        fitted(X, y, who, **private)


def test_people_with_long_identifiers_are_not_taken_for_one_another():
    X, y, who = visits()
    ids = [str(2**60 + w) for w in who]
    assert fitted(X, y, ids).certificate_.records == 400
    with pytest.raises(ValueError, match="store the column as text"):
        fitted(X, y, 2**60 + who)


def test_a_schema_of_python_objects_says_whose_a_row_is():
    data, people = frame()
    columns = [reticent.Unit("patient", rows=5), reticent.Numeric("age", low=0, high=100)]
    target = reticent.Target("ill", classes=["no", "yes"])
    schema = Schema([*columns, reticent.Ignored("smoker")], target=target)
    model = PrivateLogisticRegression(**BUDGET, schema=schema).fit(data)
    assert (model.certificate_.records, model.certificate_.unit) == (people, ("patient", 5))


def test_a_column_of_the_schema_says_whose_a_row_is():
    data, people = frame()
    schema = Schema.from_toml(SCHEMA)
    model = PrivateLogisticRegression(**BUDGET, schema=schema).fit(data)
    assert (model.certificate_.records, model.certificate_.unit) == (people, ("patient", 5))
    # Nobody has to be named to be predicted.
    assert len(model.predict(data[["age", "smoker"]])) == len(data)
    assert list(model.feature_names_in_) == ["age", "smoker"]


def test_a_saved_model_still_knows_what_was_protected(tmp_path):
    data, _ = frame()
    model = PrivateLogisticRegression(**BUDGET, schema=Schema.from_toml(SCHEMA)).fit(data)
    model.save(tmp_path / "model.json")
    again = reticent.load(tmp_path / "model.json")
    assert again.certificate_ == model.certificate_
    assert again.schema.unit == "patient"


def test_summaries_count_people():
    data, people = frame()
    found = summary(data, ["age"], **BUDGET, schema=Schema.from_toml(SCHEMA))
    assert (found.certificate_.records, found.certificate_.unit) == (people, ("patient", 5))


def test_what_does_not_say_whose_a_row_is_is_refused():
    X, y, who = visits()
    with pytest.raises(ValueError, match="one entry for each row") as error:
        fitted(X, y, who[:-1])
    assert str(len(who)) not in str(error.value)
    missing = [None, *who[1:].tolist()]
    with pytest.raises(ValueError, match=r"row 1.*empty here"):
        fitted(X, y, missing)
    with pytest.raises(ValueError, match="unit_rows was given without groups"):
        fitted(X, y, unit_rows=3)
    with pytest.raises(ValueError, match="between 1 and"):
        fitted(X, y, who, unit_rows=0)
    data, _ = frame()
    schema = Schema.from_toml(SCHEMA)
    with pytest.raises(ValueError, match="kind = 'unit'"):
        PrivateLogisticRegression(**BUDGET, schema=schema).fit(data, groups=data["patient"])
    with pytest.raises(ValueError, match="no column 'patient'"):
        PrivateLogisticRegression(**BUDGET, schema=schema).fit(data.drop(columns="patient"))


def test_an_error_does_not_tell_how_many_rows_there_are():
    X, y, who = visits()
    with pytest.raises(ValueError, match="inconsistent") as error:
        fitted(X, y[:-1], who)
    assert str(len(y)) not in str(error.value)
