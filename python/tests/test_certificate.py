"""Certificates say what they were given, find out changes, and add up."""

import copy
import json
import math
import pickle

import pytest

import reticent
from reticent.privacy import Budget, Certificate, Event, account, compose


def certificate(charges=None, *, delta=1e-6, **changes):
    """A certificate of these charges, as a fit would make it, with changes to its JSON."""
    charges = [Event.gaussian(noise=20) * 30] if charges is None else charges
    total = account(charges, delta=delta)
    fields = {
        "private": True,
        "reasons_not_private": [],
        "statement": {
            "basis": "plan",
            "adjacency": "replace-one",
            "epsilon": total.epsilon,
            "delta": delta,
            "accountant": total.accountant,
            "charges": [as_json(charge) for charge in charges],
            "secure": True,
        },
        "records": 5000,
        "columns": 20,
        "rows": {"l2": 1.5},
        "target": {"low": -1.0, "high": 4.0},
        "method": {"name": "ight", "parameters": [{"name": "steps", "value": "30"}]},
        "published": None,
        "assumed_public": ["the <names> of the columns"],
        "version": "0.0.1",
    }
    fields["statement"].update(changes.pop("statement", {}))
    return Certificate.from_json(json.dumps(fields | changes))


def as_json(charge):
    numbers = ["noise", "range", "epsilon", "rho", "rate", "sampling"]
    given = {name: getattr(charge.event, name) for name in numbers}
    present = {name: value for name, value in given.items() if value is not None}
    return {"kind": charge.event.kind, **present, "count": charge.count}


NO_GUARANTEE = {
    "basis": "no-guarantee",
    "epsilon": "inf",
    "accountant": "basic",
    "charges": [],
}


def test_a_certificate_says_what_its_json_says():
    it = certificate()
    total = account(Event.gaussian(noise=20) * 30, delta=1e-6)
    assert (it.epsilon, it.delta, it.rho) == (total.epsilon, 1e-6, None)
    assert (it.adjacency, it.accountant, it.basis) == ("replace-one", "gaussian", "plan")
    assert it.charges == (Event.gaussian(noise=20) * 30,)
    assert (it.records, it.columns, it.rows, it.target) == (5000, 20, ("l2", 1.5), (-1.0, 4.0))
    assert (it.method, it.parameters) == ("ight", {"steps": "30"})
    assert it.private
    assert it.secure
    assert it.reasons_not_private == ()
    assert it.assumed_public == ("the <names> of the columns",)
    assert it.published is None
    assert it.version == "0.0.1"
    assert it.to_dict()["statement"]["epsilon"] == total.epsilon


def test_a_certificate_survives_json_and_pickles_to_the_last_bit():
    for it in [certificate(), certificate(statement=NO_GUARANTEE)]:
        assert Certificate.from_json(it.to_json()) == it
        assert pickle.loads(pickle.dumps(it)) == it
        assert copy.deepcopy(it) == it
        assert json.loads(it.to_json()) == it.to_dict()
    assert certificate() != certificate(records=5001)


def test_without_a_guarantee_epsilon_is_infinite():
    it = certificate(statement=NO_GUARANTEE, private=False, reasons_not_private=["no noise"])
    assert it.epsilon == math.inf
    assert repr(it) == "<Certificate, NOT PRIVATE, no guarantee>"
    assert not it.verify()


@pytest.mark.parametrize("name", ["epsilon", "private", "charges", "remark"])
def test_a_certificate_can_not_be_changed(name):
    with pytest.raises(AttributeError):
        setattr(certificate(), name, 0.1)


def test_a_wrong_type_is_a_type_error():
    with pytest.raises(TypeError):
        Certificate.from_json(1)
    with pytest.raises(TypeError, match="expected Certificate objects"):
        compose([Event.pure(epsilon=1)], delta=1e-6)


def test_what_is_no_certificate_is_refused():
    fields = certificate().to_dict()
    for damaged in [{**fields, "remark": 1}, {**fields, "records": -1}, {**fields, "rows": {}}]:
        with pytest.raises(ValueError, match=r"^no certificate: "):
            Certificate.from_json(json.dumps(damaged))


def test_an_honest_certificate_holds():
    verification = certificate().verify()
    assert verification
    assert verification.holds
    assert verification.epsilon == pytest.approx(certificate().epsilon, rel=1e-12)
    # Of another version plans may differ.
    warned = [check for check in verification.checks if check.verdict == "warns"]
    assert [check.name for check in warned] == ["the releases are those of the plan"]
    assert "made by another version (0.0.1)" in warned[0].found
    assert str(verification).startswith("holds\n  ✓ consistency")


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 1.0},
        {"charges": [{"kind": "gaussian", "noise": 20.0, "count": 31}]},
        {"charges": [{"kind": "gaussian", "noise": 19.0, "count": 30}]},
        {"delta": 1e-7},
        {"accountant": "basic"},
        {"secure": False},
    ],
)
def test_what_was_changed_by_hand_does_not_hold(change):
    it = certificate(statement=change)
    verification = it.verify()
    assert not verification
    assert not verification.holds
    assert "✗" in str(verification)
    with pytest.raises(ValueError, match=r"^certificate 1 does not hold"):
        compose([certificate(), it], delta=1e-6)


def test_a_certificate_is_shown_as_text_and_as_a_table():
    it = certificate()
    assert repr(it) == "<Certificate, private: ε = 1.1705 at δ = 1e-6, replace-one>"
    text = str(it)
    assert "ε = 1.1705 at δ = 1e-6" in text
    assert "30 × gaussian:noise=20" in text
    assert "clipped to l2 = 1.5" in text
    html = it._repr_html_()
    assert "<table>" in html
    assert "&lt;names&gt;" in html
    assert "<names>" not in html


def test_what_is_shown_of_epsilon_is_never_below_it():
    for noise in [1.7, 3.3, 9.1, 20, 1e4, 1e7]:
        it = certificate([Event.gaussian(noise=noise) * 1])
        shown = float(repr(it).split("ε = ")[1].split(" ")[0])
        assert it.epsilon <= shown <= it.epsilon + 1e-4


def test_reasons_come_first_and_no_text_can_talk_to_a_terminal():
    it = certificate(private=False, reasons_not_private=["a seed\x1b[2J"])
    assert repr(it).startswith("<Certificate, NOT PRIVATE")
    assert "a seed" in str(it).splitlines()[1]
    assert "\x1b" not in str(it) + it._repr_html_()


# ---------------------------------------------------------------- several fits


def test_fits_together_cost_what_all_their_releases_cost():
    one = certificate()
    other = certificate([Event.gaussian(noise=10) * 30])
    total = compose([one, other, one], delta=1e-5)
    charges = [*one.charges, *other.charges, *one.charges]
    assert total.epsilon == account(charges, delta=1e-5).epsilon
    assert total.shares == pytest.approx((1 / 6, 4 / 6, 1 / 6))
    assert total.epsilon < 2 * one.epsilon + other.epsilon
    assert compose(iter([one]), delta=1e-6).epsilon == one.epsilon


def test_a_filter_counts_with_its_whole_budget():
    rho = 0.05
    filtered = {
        "basis": "filter",
        "rho": rho,
        "epsilon": Budget(rho=rho, delta=1e-6).epsilon,
        "accountant": "zcdp",
        "charges": [{"kind": "zcdp", "rho": 0.01, "count": 1}],
    }
    total = compose([certificate(statement=filtered)] * 2, delta=1e-6)
    assert total.epsilon == account(Event.zcdp(rho=rho) * 2, delta=1e-6).epsilon
    with pytest.raises(ValueError, match="only a budget in rho adds up"):
        compose([certificate(statement=filtered | {"rho": None})], delta=1e-6)
    # Of a version that says what was asked for, it has to.
    for version in [reticent.__version__, "1.0.0"]:
        for statement in [filtered, {}]:
            with pytest.raises(ValueError, match="does not hold"):
                compose([certificate(statement=statement, version=version)], delta=1e-6)


def test_what_does_not_add_up_is_refused():
    one = certificate()
    other = certificate(statement={"adjacency": "add-remove"})
    with pytest.raises(ValueError, match="certificate 1 is under add-remove adjacency, and the"):
        compose([one, other], delta=1e-6)
    seeded = certificate(
        statement={"secure": False}, private=False, reasons_not_private=["it has a seed"]
    )
    with pytest.raises(ValueError, match="certificate 0 is not private: it has a seed"):
        compose([seeded, one], delta=1e-6)
    without = certificate(
        statement=NO_GUARANTEE, private=False, reasons_not_private=["it has no noise"]
    )
    with pytest.raises(ValueError, match="certificate 1 is not private: it has no noise"):
        compose([one, without], delta=1e-6)
    with pytest.raises(ValueError, match="no certificate to compose"):
        compose([], delta=1e-6)


def test_what_is_composed_is_said_to_hold_for_folds_by_row_number_only():
    said = " ".join(compose.__doc__.split())
    for words in ("by row number alone", "stratified split", "looks at y", "add-remove adjacency"):
        assert words in said
