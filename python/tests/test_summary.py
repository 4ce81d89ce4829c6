"""Private summaries: figures near the truth, the same doors as the estimators, a certificate."""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from reticent import PrivacyWarning, Schema
from reticent.privacy import Certificate, Summary, summary

BUDGET = {"epsilon": 1, "delta": 1e-9}

SCHEMA = Schema.from_toml("""
version = 1
[[column]]
name = "cost"
kind = "numeric"
bounds = [0, 100000]
[[column]]
name = "ward"
kind = "categorical"
levels = ["north", "south"]
[[column]]
name = "days"
kind = "target"
range = [0, 1000]
""")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 20_000
    return pd.DataFrame(
        {
            "days": rng.integers(0, 10, n),
            "ward": np.where(np.arange(n) % 4 == 0, "east", "north"),
            "cost": 500 + 50 * rng.normal(size=n),
        }
    )


# A fixed seed; limits are six deviations of the noise or more.
def test_figures_are_near_the_truth_though_ranges_are_far_too_wide(people):
    found = summary(people, schema=SCHEMA, random_state=1, **BUDGET)
    assert list(found.columns) == ["cost", "ward", "days"]
    assert found.records == (20_000, 20_000, 20_000)
    assert abs(found["cost"].mean.value - people.cost.mean()) < 5
    for share, figure in found["cost"].quantiles.items():
        assert abs(figure.value - people.cost.quantile(share)) < 10
        assert figure.low <= figure.value <= figure.high
    counts = {level: figure.value for level, figure in found["ward"].levels.items()}
    assert counts == pytest.approx({"north": 15_000, "south": 0, "other": 5_000}, abs=250)
    assert abs(found["days"].mean.value - people.days.mean()) < 1
    histogram = found["cost"].histogram
    assert (histogram[0].start, histogram[-1].end) == (0, 100_000)
    assert all(one.end == two.start for one, two in itertools.pairwise(histogram))


def test_every_kind_of_table_gives_the_same_figures(people):
    how = {"schema": SCHEMA, "random_state": 2, **BUDGET}
    expected = summary(people, **how).to_json()
    mixed = people.assign(cost=people.cost.astype(object))
    for frame in (pl.from_pandas(people), pa.Table.from_pandas(people), mixed):
        assert summary(frame, **how).to_json() == expected
    array = people[["cost"]].to_numpy()
    how = {"bounds": (0, 1000), "random_state": 2, **BUDGET}
    expected = summary(array, **how).to_json()
    for table in (sp.csr_matrix(array), sp.csc_array(array), array.tolist(), array.astype(object)):
        assert summary(table, **how).to_json() == expected


def test_bounds_may_be_named(people):
    bounds = {"cost": (0, 1000), "days": (0, 31)}
    both = summary(people, bounds=bounds, **BUDGET)
    assert list(both.columns) == ["cost", "days"]
    one = summary(people, ["days"], bounds=bounds, **BUDGET)
    assert list(one.columns) == ["days"]
    array = people[["cost", "days"]].to_numpy()
    assert list(summary(array, [1], bounds=(0, 1000), **BUDGET).columns) == ["x1"]


def test_a_certificate_comes_with_it(people, tmp_path, command):
    found = summary(people, ["cost"], schema=SCHEMA, **BUDGET)
    certificate = found.certificate_
    assert isinstance(certificate, Certificate)
    assert certificate.private
    assert certificate.verify()
    assert certificate.epsilon <= 1
    assert certificate.method == "summary"
    found.save(tmp_path / "summary.json")
    assert "holds" in command("verify", tmp_path / "summary.json")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        found.save(tmp_path / "summary.json")
    found.save(tmp_path / "summary.json", overwrite=True)
    seeded = summary(people, ["cost"], schema=SCHEMA, random_state=0, **BUDGET)
    assert not seeded.certificate_.private


def test_the_command_releases_the_same_figures(people, tmp_path, command):
    people[["cost", "ward", "days"]].to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())
    printed = command(
        "summary",
        tmp_path / "people.csv",
        "--schema",
        tmp_path / "schema.toml",
        *"--epsilon 1 --delta 1e-9 --seed 5 --json".split(),
    )
    found = summary(people, schema=SCHEMA, random_state=5, **BUDGET)
    assert json.loads(printed) == json.loads(found.to_json())


def test_under_add_remove_the_number_of_records_is_released(people):
    how = {"adjacency": "add-remove", "public_n": 10_000, "random_state": 3, **BUDGET}
    found = summary(people, ["ward"], schema=SCHEMA, **how)
    assert found.records.value != 20_000
    assert abs(found.records.value - 20_000) < 250
    assert found.certificate_.records == 10_000


def test_it_can_be_read_and_tabulated(people):
    found = summary(people, schema=SCHEMA, **BUDGET)
    assert isinstance(found, Summary)
    text = repr(found)
    for word in (
        "20000 records",
        "ε",
        "cost  declared 0 to 100000; missing values count as 50000",
        "of values clipped to",
        "quantile 0.5",
        "count of north",
    ):
        assert word in text
    assert "<Certificate" not in text
    assert found["cost"].missing == 50_000
    assert found["days"].missing is None
    shown = found._repr_html_()
    assert shown.startswith("<table>")
    assert "of values clipped to" in shown
    frame = found.to_frame()
    assert list(frame.columns) == ["column", "figure", "value", "low", "high", "note"]
    assert (frame.low <= frame.value).all()
    assert (frame.value <= frame.high).all()
    assert set(frame.column.dropna()) == {"cost", "ward", "days"}


def test_what_noise_and_steps_hide_is_said(people):
    few = people[["cost"]].to_numpy()[:40]
    nothing = summary(few, bounds=(0, 1000), epsilon=0.01, delta=1e-6)
    assert "nothing can be said" in repr(nothing)
    assert (nothing["x0"].mean.low, nothing["x0"].mean.high) == (0, 1000)
    wide = summary(people, ["cost"], bounds=(0, 1e9), random_state=1, **BUDGET)
    assert "read in steps of 477" in repr(wide)
    mean = wide["cost"].mean
    assert mean.low <= people.cost.mean() <= mean.high


def test_what_makes_no_sense_is_refused(people):
    with pytest.raises(ValueError, match="either schema or bounds"):
        summary(people, **BUDGET)
    with pytest.raises(ValueError, match="both given"):
        summary(people, schema=SCHEMA, bounds={"cost": (0, 1)}, **BUDGET)
    with pytest.raises(TypeError, match="columns is 'cost'; it must be a list"):
        summary(people, "cost", bounds={"cost": (0, 1)}, **BUDGET)
    with pytest.raises(TypeError, match=r"quantiles is 0.5; it must be a list"):
        summary(people, schema=SCHEMA, quantiles=0.5, **BUDGET)
    with pytest.raises(ValueError, match=r"'cost' are \(5, 1\).*the lower one first"):
        summary(people, bounds={"cost": (5, 1)}, **BUDGET)
    with pytest.raises(ValueError, match=r"columns has 'x3'.*there are x0"):
        summary(people[["cost"]].to_numpy(), [3], bounds=(0, 1), **BUDGET)
    with pytest.raises(ValueError, match="delta was not given"):
        summary(people, schema=SCHEMA, epsilon=1)
    with pytest.raises(ValueError, match="no column 'age'"):
        summary(people, ["age"], schema=SCHEMA, **BUDGET)
    with pytest.raises(ValueError, match="'age', and the table has none"):
        summary(people, bounds={"age": (0, 120)}, **BUDGET)
    with pytest.raises(ValueError, match="pair of numbers"):
        summary(people, bounds={"cost": 5}, **BUDGET)
    with pytest.raises(ValueError, match="is the median"):
        summary(people, schema=SCHEMA, quantiles=[50], **BUDGET)
    with pytest.raises(ValueError, match="two dimensions"):
        summary(people.cost.to_numpy(), bounds=(0, 1), **BUDGET)
    with pytest.warns(PrivacyWarning, match="1/n"):
        summary(people, schema=SCHEMA, epsilon=1, delta=1e-3)


def test_a_missing_number_refuses_the_table_and_is_not_quoted(people):
    array = people[["cost"]].to_numpy().copy()
    array[17] = np.nan
    for table in (array, np.where(np.isnan(array), None, array.astype(object))):
        with pytest.raises(ValueError, match=r"row 18.*in place of bounds") as refused:
            summary(table, bounds=(0, 1000), **BUDGET)
        assert "nan" not in str(refused.value)


def test_a_column_is_read_alike_whatever_is_in_another_that_nobody_asked_for():
    values = np.array([["1", 2.0], ["3", None], ["5.5", 4.0]] * 50, dtype=object)
    other = values.copy()
    other[7, 1] = "text"
    asked = {"bounds": {0: (0, 10)}, "random_state": 1, **BUDGET}
    first, second = (summary(table, [0], **asked) for table in (values, other))
    listed = summary(other.tolist(), [0], **asked)
    assert first["x0"] == second["x0"] == listed["x0"]
