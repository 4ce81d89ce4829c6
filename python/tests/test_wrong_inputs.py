"""What a hospital's table really has, in a frame: refused with its remedy, or declared."""

import csv
import json
import pickle
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import reticent
from reticent import PrivateLogisticRegression, Schema

ROOT = Path(__file__).resolve().parents[2]
CASES = json.loads((ROOT / "crates/reticent-cli/tests/wrong_inputs.json").read_text())


def schema(case):
    levels = '["007", "08"]' if case.get("schema") == "codes" else '["aspirin", "statin"]'
    classes = '["0", "1"]' if case.get("classes") else '["no", "yes"]'
    return Schema.from_toml(f"""
version = 1
[[column]]
name = "id"
kind = "ignored"
[[column]]
name = "age"
kind = "numeric"
bounds = [0, 120]
[[column]]
name = "drug"
kind = "categorical"
levels = {levels}
[[column]]
name = "score"
kind = "numeric"
bounds = [0, 10]
[[column]]
name = "ill"
kind = "target"
classes = {classes}
""")


def table(case):
    """The header and the records, all texts; those that repeat are made here."""
    header, *records = list(csv.reader(case["lines"]))
    for i in range(40 if "repeat" in case else 0):
        drug, ill = [("aspirin", "no"), ("statin", "yes")][i % 2]
        ids, score = ([f"P{min(i, 38)}"], f"{i % 3}.5") if case["repeat"] == "id" else ([], i + 1)
        records.append([*ids, str(30 + i % 7), drug, str(score), ill])
    return [name.strip() for name in header], records


FRAMES = [case for case in CASES if "frame" in case]


def test_most_cases_are_about_frames_as_well():
    assert len(FRAMES) > 25


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("case", FRAMES, ids=lambda case: case["name"])
def test_a_wrong_input_is_refused_with_its_remedy_or_declared_and_never_quoted(case, library):
    header, records = table(case)
    if library == "pandas":
        frame = pd.DataFrame(records, columns=header, dtype=str)
    else:
        columns = {name: [record[j] for record in records] for j, name in enumerate(header)}
        frame = pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String))
    model = PrivateLogisticRegression(epsilon=1, delta=1e-6, schema=schema(case))
    if case["frame"] == "accepted":
        assert model.fit(frame).certificate_.private
        look = schema(case).check(frame)
        column, *kind = case.get("check") or [None]
        if kind:
            found = {(finding["column"] or "", finding["kind"]) for finding in look.findings}
            assert (column, *kind) in found
        return
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the place and remedy are below
        model.fit(frame)
    said = str(refused.value)
    place = case.get("at", "").split(":")
    if len(place) == 3 and place[1] != "1":
        name = header[int(place[2]) - 1]
        name = f"'{name}'"
        assert f"row {int(place[1]) - 1}" in said
        assert name in said or "column 4" in said
    for cell in {cell.strip() for record in records for cell in record} - set(header):
        assert len(cell) < 4 or cell not in said
    # Nothing behind the exception quotes either.
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


SMALL = pd.DataFrame(
    {
        "age": ["30", "-", "300"],
        "drug": ["ASPIRIN", "statin", "statin"],
        "score": ["1", "2", "3"],
        "ill": ["no", "yes", "no"],
    }
)


def test_the_owner_sees_all_at_once_and_is_told_whom_it_is_for():
    look = schema({}).check(SMALL)
    assert str(look).startswith("For the owner's eyes only")
    assert "declared_after_look" in str(look)
    kinds = [finding["kind"] for finding in look.findings]
    assert kinds[0] == "not-a-number"
    assert {"level-undeclared", "clips-many"} <= set(kinds)
    assert "'ASPIRIN' (1, for 'aspirin'?)" in " ".join(str(look).split())
    assert look.wants_mending
    assert look.records == 3
    assert look.columns[1]["numbers"]["above"] == 1


def test_the_target_need_not_be_there():
    kinds = [finding["kind"] for finding in schema({}).check(SMALL.drop(columns="ill")).findings]
    assert "target-absent" in kinds


def test_a_look_is_not_stored():
    with pytest.raises(TypeError, match="private records"):
        pickle.dumps(schema({}).check(SMALL))


FACT = "bounds declared after a look at the data"


def test_who_changed_a_declaration_after_a_look_says_so_and_the_certificate_lists_it(tmp_path):
    frame = SMALL.assign(age=["30", "40", "50"])
    looked = schema({}).to_toml().replace("version = 1", "version = 1\ndeclared_after_look = true")
    looked = Schema.from_toml(looked)
    assert looked.declared_after_look
    assert not schema({}).declared_after_look
    budget = {"epsilon": 1, "delta": 1e-6}
    for declared, said, listed in [
        (schema({}), False, 0),
        (looked, False, 1),
        (schema({}), True, 1),
        (looked, True, 1),
    ]:
        model = PrivateLogisticRegression(**budget, schema=declared, declared_after_look=said)
        model.fit(frame)
        assert model.certificate_.assumed_public.count(FACT) == listed
        model.save(tmp_path / "model.json")
        loaded = reticent.load(tmp_path / "model.json")
        assert loaded.declared_after_look == bool(listed)
        assert loaded.certificate_.assumed_public.count(FACT) == listed


def test_what_is_declared_after_a_look_is_true_or_false():
    model = PrivateLogisticRegression(
        epsilon=1, delta=1e-6, schema=schema({}), declared_after_look="yes"
    )
    with pytest.raises(TypeError, match="declared_after_look must be True or False"):
        model.fit(SMALL.assign(age=["30", "40", "50"]))


def test_a_summary_lists_a_change_after_a_look_as_a_fit_does():
    for said in (False, True):
        found = reticent.privacy.summary(
            [[30.0], [40.0]], epsilon=1, delta=1e-6, bounds=(0, 120), declared_after_look=said
        )
        assert found.certificate_.assumed_public.count(FACT) == said
