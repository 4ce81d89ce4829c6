"""What reticent.privacy promises: closed forms, the command's figures, honest refusals."""

import copy
import math
import pickle
import re
import sys
import threading
import time

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from reticent.privacy import (
    Budget,
    Charge,
    Event,
    account,
    calibrate,
    total_rho,
)

EVENTS = [
    Event.gaussian(noise=1.1),
    Event.exponential(range=0.5),
    Event.pure(epsilon=1e-3),
    Event.zcdp(rho=0.25),
    Event.subsampled_gaussian(noise=2.0, rate=1 / 3, sampling="poisson"),
    Event.subsampled_gaussian(noise=2.0, rate=0.01, sampling="without-replacement"),
]

# Takes the PLD accountant about a tenth of a second.
LONG = [Event.pure(epsilon=0.01 + 1e-4 * k) for k in range(1000)]


def gaussian_epsilon(mu, delta):
    """ε of μ-Gaussian differential privacy (Balle and Wang 2018), by SciPy."""

    def excess(epsilon):
        second = math.exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu))
        return norm.cdf(mu / 2 - epsilon / mu) - second - delta

    return brentq(excess, 0, mu * (mu + 20), xtol=1e-14)


# ---------------------------------------------------------------- events and charges


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_an_event_is_a_value(event):
    assert eval(repr(event)) == event
    assert hash(eval(repr(event))) == hash(event)
    assert pickle.loads(pickle.dumps(event)) == event
    assert copy.deepcopy(event) == event
    charge = 7 * event
    assert charge == event * 7 == Charge(event, count=7)
    assert hash(charge) == hash(event * 7)
    assert charge != event * 8
    assert eval(repr(charge)) == charge
    assert pickle.loads(pickle.dumps(charge)) == charge


def test_different_events_differ():
    assert len(set(EVENTS)) == len(EVENTS)
    assert Event.pure(epsilon=1) != Event.zcdp(rho=1)
    assert Event.pure(epsilon=1) != 1


def test_an_event_has_the_numbers_of_its_kind_and_no_others():
    event = EVENTS[-1]
    assert (event.kind, event.noise, event.rate) == ("subsampled-gaussian", 2.0, 0.01)
    assert event.sampling == "without-replacement"
    assert event.range is event.epsilon is event.rho is None
    assert str(event * 3) == (
        "subsampled-gaussian:noise=2,rate=0.01,sampling=without-replacement,count=3"
    )


def test_nothing_can_be_changed():
    event = Event.pure(epsilon=1)
    for thing, name in [
        (event, "epsilon"),
        (event * 2, "count"),
        (Budget(epsilon=1, delta=1e-6), "delta"),
        (account(event, delta=1e-6), "epsilon"),
        (event, "remark"),
    ]:
        with pytest.raises(AttributeError):
            setattr(thing, name, 0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Event.gaussian(noise=0), "noise is 0; it must be between 1e-6 and 1e12"),
        (lambda: Event.pure(epsilon=math.nan), "epsilon is NaN; it must be a finite number"),
        (lambda: Event.zcdp(rho=-1), "rho is -1; it must be a finite number above 0"),
        (lambda: Event.exponential(range=math.inf), "range is inf; it must be a finite number"),
        (
            lambda: Event.subsampled_gaussian(noise=1, rate=1.5, sampling="poisson"),
            "rate is 1.5; it must be above 0 and at most 1",
        ),
        (
            lambda: Event.subsampled_gaussian(noise=1, rate=0.5, sampling="shuffled"),
            "sampling is 'shuffled'; it must be 'poisson' or 'without-replacement'",
        ),
        (lambda: Event.pure(epsilon=1) * 0, "count is 0; it must be a whole number from 1 to"),
        (lambda: -1 * Event.pure(epsilon=1), "count is -1; it must be a whole number"),
        (lambda: Charge(Event.pure(epsilon=1), 2**64), "count is 18446744073709551616; it must"),
        (lambda: account([], delta=1), "delta is 1; it must be above 0 and below 1"),
        (
            lambda: account([], delta=0.1, adjacency="substitute"),
            "adjacency is 'substitute'; it must be 'replace-one' or 'add-remove'",
        ),
        (
            lambda: account(EVENTS[4], delta=1e-6),
            "poisson sampling is accounted for under add-remove adjacency only; replace-one",
        ),
        (
            lambda: account(EVENTS[0], delta=1e-6, accountant="basic"),
            "the accountant basic has no theorem for these releases",
        ),
        (
            lambda: account(EVENTS[0], delta=1e-6, accountant="moments"),
            "accountant is 'moments'; it must be 'basic' or",
        ),
        (lambda: total_rho(EVENTS[4]), "a subsampled-gaussian release has no zCDP cost"),
        (lambda: Budget(delta=1e-6), "a budget is epsilon or rho, at delta; neither was given"),
        (
            lambda: Budget(epsilon=1, rho=1, delta=1e-6),
            "a budget is epsilon or rho, at delta; both were given",
        ),
    ],
)
def test_nonsense_is_a_value_error_in_the_words_of_the_engine(make, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Event.gaussian(noise="1"),
        lambda: Event.gaussian(1.0),
        lambda: Event.gaussian(),
        lambda: Event(),
        lambda: Event.pure(epsilon=1) * 2.5,
        lambda: Event.pure(epsilon=1) * "a",
        lambda: Charge("gaussian"),
        lambda: account("gaussian", delta=1e-6),
        lambda: account([Event.pure(epsilon=1), 3], delta=1e-6),
        lambda: account(Event.pure(epsilon=1)),
        lambda: account(Event.pure(epsilon=1), delta=1e-6, adjacency=1),
        lambda: calibrate(None, epsilon=1, delta=1e-6),
        lambda: calibrate(lambda noise: noise, epsilon=1, delta=1e-6),
    ],
)
def test_a_wrong_type_is_a_type_error(make):
    with pytest.raises(TypeError):
        make()


# ---------------------------------------------------------------- accounts


@pytest.mark.parametrize("noise", [0.5, 1, 4.2, 50])
@pytest.mark.parametrize("count", [1, 10, 1000])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_gaussians_cost_what_scipy_says(noise, count, delta):
    total = account(Event.gaussian(noise=noise) * count, delta=delta)
    exact = gaussian_epsilon(math.sqrt(count) / noise, delta)
    assert total.accountant == "gaussian"
    assert exact * (1 - 1e-9) <= total.epsilon <= exact * (1 + 1e-8)


def test_pure_releases_add_up():
    charges = [Event.pure(epsilon=0.3) * 2, Event.exponential(range=0.4)]
    total = account(charges, delta=1e-6, accountant="basic")
    assert 1.0 <= total.epsilon == pytest.approx(1.0, rel=1e-12)
    assert total.shares == pytest.approx((0.6, 0.4))
    assert account(charges, delta=1e-6).epsilon <= total.epsilon


def test_rho_is_that_of_the_theorems():
    charges = [
        Event.gaussian(noise=3) * 4,
        Event.pure(epsilon=0.5) * 2,
        Event.exponential(range=0.8) * 5,
        Event.zcdp(rho=0.01),
    ]
    exact = 4 / (2 * 3**2) + 2 * 0.5**2 / 2 + 5 * 0.8**2 / 8 + 0.01
    assert exact <= total_rho(charges) == pytest.approx(exact, rel=1e-12)
    assert total_rho([]) == 0


def test_rho_converts_by_the_best_order():
    rho, delta = 0.05, 1e-6

    def at(order):
        logs = math.log(1 / delta) + (order - 1) * math.log(1 - 1 / order) - math.log(order)
        return order * rho + logs / (order - 1)

    least = min(at(1 + 10 ** (k / 2000)) for k in range(-2000, 8000))
    total = account(Event.zcdp(rho=rho), delta=delta, accountant="zcdp")
    assert total.epsilon == pytest.approx(least, rel=1e-5)
    assert total.epsilon <= Budget(rho=rho, delta=delta).epsilon <= total.epsilon * (1 + 1e-8)


@pytest.mark.parametrize(
    ("charges", "options", "epsilon", "accountant"),
    [
        # reticent account --json --delta … --event …
        (Event.gaussian(noise=20) * 30, {"delta": 1e-6}, 1.1704186076566856, "gaussian"),
        (
            Event.subsampled_gaussian(noise=1.1, rate=256 / 60000, sampling="poisson") * 14000,
            {"delta": 1e-5, "adjacency": "add-remove"},
            2.3760588743772466,
            "pld",
        ),
        (
            [Event.exponential(range=0.5) * 100, Event.pure(epsilon=0.25)],
            {"delta": 1e-8},
            17.534779208969436,
            "rdp",
        ),
        (
            [
                Event.subsampled_gaussian(noise=2, rate=0.01, sampling="without-replacement")
                * 1000,
                Event.zcdp(rho=0.01),
            ],
            {"delta": 1e-6},
            1.767180333205979,
            "rdp",
        ),
    ],
)
def test_the_command_says_the_same(charges, options, epsilon, accountant):
    total = account(charges, **options)
    assert total.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert (total.accountant, total.delta) == (accountant, options["delta"])
    assert sum(total.shares) == pytest.approx(1)


def test_the_least_of_the_accountants_wins_and_order_does_not_matter():
    charges = [Event.gaussian(noise=5) * 3, Event.exponential(range=0.2) * 4]
    total = account(charges, delta=1e-6)
    for name in ["zcdp", "rdp", "pld"]:
        assert total.epsilon <= account(charges, delta=1e-6, accountant=name).epsilon * (1 + 1e-9)
    assert account(reversed(charges), delta=1e-6).epsilon == total.epsilon
    split = (Event.gaussian(noise=5) for _ in range(3))
    assert account([*split, charges[1]], delta=1e-6).epsilon == total.epsilon


def test_nothing_costs_nothing():
    assert account([], delta=1e-6).epsilon == 0


def test_an_account_survives_a_pickle():
    total = account([Event.gaussian(noise=5), Event.pure(epsilon=1)], delta=1e-6)
    assert pickle.loads(pickle.dumps(total)) == total


def test_other_threads_run_while_an_account_is_drawn_up():
    spent = []

    def work():
        began = time.perf_counter()
        account(LONG, delta=1e-6, accountant="pld")
        spent.extend([began, time.perf_counter()])

    patience = sys.getswitchinterval()
    # Nobody is made to hand over: if the account kept the interpreter, no tick would fall into it.
    sys.setswitchinterval(60)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        ticks = []
        while thread.is_alive():
            time.sleep(1e-3)
            ticks.append(time.perf_counter())
    finally:
        sys.setswitchinterval(patience)
    began, ended = spent
    assert any(began < tick < ended for tick in ticks)


# ---------------------------------------------------------------- budgets and calibration


def test_a_budget_is_a_value():
    for budget in [Budget(epsilon=0.3, delta=1e-6), Budget(rho=0.02, delta=1e-6)]:
        assert eval(repr(budget)) == budget
        assert hash(eval(repr(budget))) == hash(budget)
        assert pickle.loads(pickle.dumps(budget)) == budget
    assert Budget(epsilon=0.3, delta=1e-6).rho is None
    assert Budget(rho=0.02, delta=1e-6).rho == 0.02


def selection_then_steps(noise):
    return [Event.exponential(range=0.25), Event.gaussian(noise=noise) * 20]


def steps(noise):
    return Event.gaussian(noise=noise) * 20


@pytest.mark.parametrize(
    ("plan", "slack"),
    [(steps, 1e-8), (selection_then_steps, 2e-4)],
)
def test_calibrated_noise_is_within_the_budget_and_hardly_less_is_not(plan, slack):
    found = calibrate(plan, epsilon=1, delta=1e-6)
    assert found.budget == Budget(epsilon=1, delta=1e-6)
    assert found.account.epsilon <= 1
    assert account(plan(found.noise), delta=1e-6) == found.account
    assert account(found.charges, delta=1e-6) == found.account
    assert account(plan(found.noise * (1 - slack)), delta=1e-6).epsilon > 1


def test_the_command_calibrates_to_the_same_noise():
    # reticent account --event gaussian:count=20 --event exponential:range=0.25 --delta 1e-6
    #     --solve noise --epsilon 1 --json
    found = calibrate(selection_then_steps, epsilon=1, delta=1e-6)
    assert found.noise == pytest.approx(23.962836923013334, rel=1e-9)


def test_noise_for_a_rho_is_the_closed_form():
    found = calibrate(steps, rho=0.1, delta=1e-6)
    assert found.noise == pytest.approx(math.sqrt(20 / (2 * 0.1)), rel=1e-9)
    assert total_rho(found.charges) <= 0.1
    assert total_rho(steps(found.noise * (1 - 1e-9))) > 0.1


def test_what_a_plan_raises_passes_through_and_it_is_not_called_again():
    class OwnError(Exception):
        pass

    raised = OwnError("mine")
    calls = []

    def plan(noise):
        calls.append(noise)
        if len(calls) == 4:
            raise raised
        return steps(noise)

    with pytest.raises(OwnError) as caught:
        calibrate(plan, epsilon=1, delta=1e-6)
    assert caught.value is raised
    assert len(calls) == 4


def test_an_interrupt_ends_a_calibration():
    def plan(noise):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrate(plan, epsilon=1, delta=1e-6)


def test_a_plan_that_is_too_dear_is_refused_with_what_it_costs():
    with pytest.raises(ValueError, match=r"no noise is enough: .* already cost epsilon = 1"):
        calibrate(lambda noise: [Event.pure(epsilon=2), steps(noise)], epsilon=1, delta=1e-6)
    with pytest.raises(ValueError, match=r"no noise is enough: .* already cost rho = 0.5"):
        calibrate(lambda noise: [Event.zcdp(rho=0.5), steps(noise)], rho=0.1, delta=1e-6)
