"""What several tests share: a table that is easy to learn, and the command to compare with."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import reticent

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def binary():
    """The program ``reticent``: that of RETICENT_BINARY, or of a build of this repository."""
    named = os.environ.get("RETICENT_BINARY")
    places = [ROOT / "target" / kind / "reticent" for kind in ("release", "debug")]
    # What was built last is nearest to the sources.
    built = sorted(filter(Path.exists, places), key=lambda place: -place.stat().st_mtime)
    binary = named or (built[0] if built else None)
    if binary is None:
        why = "the command is not built: cargo build -p reticent-cli, or set RETICENT_BINARY"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    return binary


@pytest.fixture(scope="session")
def command(binary):
    """Runs that program, which must have an answer."""

    def run(*arguments):
        done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def table():
    """Rows of −1, 0 and 1 with two classes, three classes and a number that follow from them."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 0.0, 1.0], size=(600, 8))
    score = 2 * X[:, 0] - X[:, 3] + rng.normal(size=600)
    return {
        "X": X,
        "two": (score > 0).astype(int),
        "three": np.digitize(score, [-1, 1]),
        "number": score,
    }


# What every private estimator must be told.
PROMISES = {"epsilon": 2.0, "delta": 1e-6, "row_bound": ("linf", 1.0)}


@pytest.fixture(params=["two", "three", "number", "lasso"])
def task(request, table):
    """Each kind of model: an estimator that draws the same noise again, and its target."""
    promises = PROMISES | {"random_state": 7}
    if request.param in ("two", "three"):
        return reticent.PrivateLogisticRegression(**promises), table[request.param]
    kind = {"number": reticent.PrivateLinearRegression, "lasso": reticent.PrivateLasso}
    return kind[request.param](**promises, target_range=(-6, 6)), table["number"]
