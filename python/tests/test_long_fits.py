"""Fits that take a while: other threads go on, a bar shows how far, and Ctrl-C reports the cost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from reticent import FitInterrupted, PrivateLogisticRegression
from reticent._progress import PATIENCE, bar
from reticent.privacy import Budget


@pytest.fixture(scope="module")
def large():
    """A table that takes some tenths of a second to fit."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(8000, 200)).astype(np.float32)
    return X, X[:, 0] > rng.normal(size=len(X))


def model(**parameters):
    promises = {"epsilon": 1.0, "delta": 1e-9, "row_bound": ("linf", 1.0)}
    return PrivateLogisticRegression(**{**promises, "method": "ight", **parameters})


def test_other_threads_go_on_while_a_fit_runs(large):
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    began = time.monotonic()
    model().fit(*large)
    ended = time.monotonic()
    over.set()
    other.join()
    # With the interpreter held there would be a few, before and after the engine's part.
    during = [at for at in ticks if began < at < ended]
    assert np.diff(during).max() < (ended - began) / 2
    assert len(during) > 20


def test_two_threads_fit_the_same_table_at_once(large):
    X, y = large[0][:2000], large[1][:2000]
    expected = model(random_state=3).fit(X, y).coef_
    found = [None, None]

    def fit(at):
        found[at] = model(random_state=3).fit(X, y).coef_

    threads = [threading.Thread(target=fit, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((coef == expected).all() for coef in found)


# ---------------------------------------------------------------- the bar


def test_a_bar_shows_itself_after_half_a_second_and_goes_away(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr("reticent._progress.time.monotonic", lambda: now[0])
    show, close = bar(True)
    now[0] += PATIENCE / 2
    show(1, 10)
    assert capsys.readouterr().err == ""
    now[0] += PATIENCE
    show(5, 10)
    shown = capsys.readouterr().err
    assert "step 5 of 10" in shown
    assert "█" * 20 + "·" * 20 in shown
    assert "s left" in shown
    close()
    assert capsys.readouterr().err.strip(" \r") == ""
    assert PATIENCE == 0.5


def test_only_a_long_fit_that_is_asked_to_shows_a_bar(monkeypatch, capsys, large):
    X, y = large
    model().fit(X, y)
    model(verbose=True).fit(X[:50], y[:50])
    assert capsys.readouterr().err == ""
    # Thousands of steps are seen however fast the machine is.
    monkeypatch.setattr("reticent._progress.PATIENCE", 0.0)
    fitted = model(method="frank-wolfe", iterations=4000, verbose=True).fit(X, y)
    reported = capsys.readouterr()
    assert f"of {fitted.n_iter_}" in reported.err
    assert reported.out == ""


class Broken:
    def write(self, text):
        raise RuntimeError(text)


@pytest.mark.parametrize("stream", [None, Broken()])
def test_a_bar_that_can_not_be_shown_does_not_stop_a_fit(monkeypatch, stream, large):
    monkeypatch.setattr("reticent._progress.PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    assert model(verbose=2).fit(*large).certificate_.private


# ---------------------------------------------------------------- Ctrl-C

INTERRUPTED = """
import json

import numpy as np
import reticent
import reticent._spend
from sklearn.exceptions import NotFittedError

# Says when the fit has begun to spend.
def begun(done, total):
    if done:
        print("begun", flush=True)

reticent._spend.bar = lambda verbose: (begun, lambda: None)

rng = np.random.default_rng(0)
X = rng.choice([-1.0, 1.0], size=(100_000, 200)).astype(np.float32)
y = X[:, 0] > rng.normal(size=len(X))
model = reticent.PrivateLogisticRegression(
    BUDGET, delta=1e-9, row_bound=("linf", 1.0), method=METHOD
)
model.fit(X[:500, :3], y[:500])
try:
    model.fit(X, y)
except KeyboardInterrupt as interrupt:
    seen = {name: getattr(interrupt, name) for name in ["epsilon", "delta", "rho", "done", "total"]}
    seen["kind"] = type(interrupt).__name__
    seen["message"] = str(interrupt)
    seen["cause"] = type(interrupt.__cause__).__name__
    account = reticent.privacy.account(interrupt.charges, delta=1e-9)
    seen["charges"] = [account.epsilon, sum(charge.count for charge in interrupt.charges)]
try:
    model.predict(X)
    seen["fitted"] = True
except NotFittedError:
    seen["fitted"] = False
model.fit(X[:500], y[:500])
seen["again"] = model.certificate_.private and model.predict(X[:500]).shape == (500,)
print(json.dumps(seen), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to whole consoles")
@pytest.mark.parametrize(
    ("method", "budget"),
    [("ight", {"epsilon": 1.0}), ("frank-wolfe", {"epsilon": 1.0}), ("ight", {"rho": 0.01})],
)
def test_ctrl_c_stops_a_fit_and_tells_what_it_cost(method, budget):
    ((name, amount),) = budget.items()
    script = INTERRUPTED.replace("BUDGET", f"{name}={amount}").replace("METHOD", repr(method))
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "begun\n"
        run.send_signal(signal.SIGINT)
        *_, last = run.stdout.read().splitlines()
    assert run.returncode == 0
    seen = json.loads(last)
    assert seen["kind"] == "FitInterrupted"
    assert seen["cause"] == "KeyboardInterrupt"
    assert 0 < seen["done"] < seen["total"]
    assert seen["delta"] == 1e-9
    assert 0 < seen["epsilon"] <= Budget(**budget, delta=1e-9).epsilon
    assert (seen["rho"] is None) == (name == "epsilon")
    assert name == "epsilon" or 0 < seen["rho"] <= amount
    spent, releases = seen["charges"]
    assert spent <= seen["epsilon"] * (1 + 1e-9)
    assert releases >= seen["done"]
    assert "what was charged stays spent: count this run as" in seen["message"]
    assert f"after {seen['done']} of {seen['total']} steps" in seen["message"]
    assert seen["fitted"] is False
    assert seen["again"] is True


def test_a_ctrl_c_that_comes_when_the_fit_is_done_tells_the_cost_too(monkeypatch, table):
    it = model(epsilon=2.0)
    with monkeypatch.context() as patch:
        patch.setattr(PrivateLogisticRegression, "densify", interrupt)
        with pytest.raises(FitInterrupted, match="what was charged stays spent") as seen:
            it.fit(table["X"], table["two"])
    assert isinstance(seen.value, KeyboardInterrupt)
    assert 0 < seen.value.epsilon <= 2
    assert seen.value.delta == 1e-9
    assert seen.value.charges
    assert seen.value.done == seen.value.total > 0
    with pytest.raises(NotFittedError):
        it.predict(table["X"])
    assert it.fit(table["X"], table["two"]).certificate_.private


def interrupt(_):
    raise KeyboardInterrupt


# ---------------------------------------------------------------- processes

FORKED = """
import multiprocessing
import warnings

import numpy as np
import reticent

X = np.random.default_rng(0).choice([-1.0, 1.0], size=(20_000, 30))
y = (X[:, 0] > 0).astype(int)

def fit(seed):
    model = reticent.PrivateLogisticRegression(
        epsilon=1, delta=1e-9, row_bound=("linf", 1), random_state=seed
    )
    return model.fit(X, y).coef_

# Python warns of threads where processes are forked.
warnings.simplefilter("ignore")
here = fit(3)
with multiprocessing.get_context("fork").Pool(2) as pool:
    there = pool.map(fit, [3, 3, 4])
print(*(np.array_equal(here, weights) for weights in there))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_fits_on_threads_of_its_own():
    command = [sys.executable, "-c", FORKED]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout == "True True False\n", run.stderr
