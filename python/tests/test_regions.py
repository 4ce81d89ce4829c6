"""Frank–Wolfe in every region, from Python and from the command: the weights stay inside, the
certificate holds, and the excess risk is below the bound of its theorem.

Linear data: ±1 features, targets in [−1, 1], no intercept, ε = 1. The loss is half the square,
which Huber's is where no residual exceeds the threshold.
"""

import json
import math

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.datasets import dump_svmlight_file

import reticent
from reticent import PrivateLasso, PrivateLinearRegression, PrivateLogisticRegression

N, D, SEEDS = 20_000, 10, 5
PROMISES = {
    "epsilon": 1.0,
    "delta": 1e-9,
    "row_bound": ("linf", 1.0),
    "target_range": (-1.0, 1.0),
    "fit_intercept": False,
}
# Three known models, and the origin.
HULL = np.array(
    [
        np.zeros(D),
        np.r_[0.3, 0.3, 0.1, np.zeros(D - 3)],
        np.r_[0.4, 0.0, 0.0, 0.3, np.zeros(D - 4)],
        np.r_[np.zeros(D - 1), 0.5],
    ]
)
# What is asked for, and the vertices of the region; those of a ball are none.
REGIONS = {
    "l1": ({"region": "l1", "radius": 1.0}, np.vstack([np.eye(D), -np.eye(D)])),
    "simplex": ({"region": "simplex"}, np.eye(D)),
    "simplex of sum 1/2": ({"region": "simplex", "radius": 0.5}, 0.5 * np.eye(D)),
    "l2": ({"region": "l2", "radius": 0.5}, None),
    "polytope": ({"region": HULL}, HULL),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.choice([-1.0, 1.0], size=(N, D))
    weights = np.r_[0.3, 0.2, 0.1, np.zeros(D - 3)]
    return X, X @ weights + rng.uniform(-0.4, 0.4, size=N)


def risk(X, y, w):
    return float(np.mean(0.5 * (X @ w - y) ** 2))


def least(X, y, vertices, radius):
    """The least risk on the region, by Frank–Wolfe with exact steps; from below, by its gap."""
    gram, moment = X.T @ X / N, X.T @ y / N
    w = np.zeros(D) if vertices is None else vertices[0].copy()
    for _ in range(20_000):
        gradient = gram @ w - moment
        if vertices is None:
            corner = -radius * gradient / np.linalg.norm(gradient)
        else:
            corner = vertices[np.argmin(vertices @ gradient)]
        step = corner - w
        gap = -gradient @ step
        if gap < 1e-7:
            break
        w = w + min(1.0, gap / (step @ gram @ step)) * step
    return risk(X, y, w) - gap


def inside(w, vertices, given):
    """Whether weights lie in the region, but for rounding."""
    if vertices is None:
        return np.linalg.norm(w) <= given["radius"] * (1 + 1e-9)
    # Barycentric coordinates: the nearest point of the hull, by non-negative least squares.
    heavy = 1e3
    system = np.vstack([vertices.T, heavy * np.ones(len(vertices))])
    _, distance = nnls(system, np.r_[w, heavy])
    return distance < 1e-6


def written_out(certificate, vertices, given):
    """The bound of the theorem, with its constants: docs/derivations/frank-wolfe.md."""
    parameters = certificate.parameters
    steps, noise = int(parameters["iterations"]), float(parameters["gradient noise"])
    if vertices is None:
        largest_margin = given["radius"] * math.sqrt(D)
        selection = 2 * noise * given["radius"] * math.sqrt(D)
    else:
        largest_margin = size = np.abs(vertices).sum(axis=1).max()
        selection = size * noise * math.log(len(vertices))
    curvature = (2 * largest_margin) ** 2
    return curvature * (1 + math.log(steps)) / (2 * steps) + selection


@pytest.mark.parametrize("name", REGIONS)
def test_weights_stay_in_the_region_and_the_excess_risk_below_its_bound(name, data):
    given, vertices = REGIONS[name]
    X, y = data
    threshold = 1 + (0.5 * math.sqrt(D) if vertices is None else np.abs(vertices).sum(axis=1).max())
    lowest = least(X, y, vertices, given.get("radius"))
    excesses = []
    for seed in range(SEEDS):
        model = PrivateLasso(**PROMISES, **given, huber_threshold=threshold, random_state=seed).fit(
            X, y
        )
        assert inside(model.coef_, vertices, given)
        assert model.certificate_.verify().holds
        assert model.certificate_.epsilon <= 1
        excesses.append(risk(X, y, model.coef_) - lowest)
    stated = float(model.certificate_.parameters["excess risk"])
    by_hand = written_out(model.certificate_, vertices, given)
    # What grids add is little, and never taken off.
    assert by_hand <= stated <= 1.05 * by_hand
    assert 0 <= np.mean(excesses) <= stated


@pytest.mark.parametrize("name", REGIONS)
def test_the_command_fits_the_same_model_in_the_same_region(name, data, command, tmp_path):
    given, vertices = REGIONS[name]
    X, y = data[0][:2000], np.round(data[1][:2000], 6)
    file, out = tmp_path / "table.svm", tmp_path / "model.json"
    dump_svmlight_file(X, y, str(file), zero_based=False)
    region = given["region"]
    if not isinstance(region, str):
        region = tmp_path / "hull.txt"
        region.write_text("".join(" ".join(map(str, v)) + "\n" for v in HULL.tolist()))
    flags = ["--radius", given["radius"]] if "radius" in given else []
    printed = command(
        "fit", file, "--task", "linear", "--method", "frank-wolfe", "--region", region, *flags,
        "--rows", "linf=1", "--target-range=-1,1", "--no-intercept", "--columns", D,
        "--epsilon", 1, "--delta", 1e-9, "--seed", 5, "--out", out, "--json",
    )  # fmt: skip
    assert json.loads(printed)["epsilon"] <= 1
    found = reticent.load(out)
    same = PrivateLasso(**PROMISES, **given, random_state=5).fit(X, y)
    np.testing.assert_array_equal(found.coef_, same.coef_)
    assert inside(found.coef_, vertices, given)
    # Seeded noise is not private, and that is the one thing that is pointed out.
    checks = {check.name: check.verdict for check in found.certificate_.verify().checks}
    assert checks.pop("NOT PRIVATE") == "warns"
    assert set(checks.values()) == {"holds"}


def test_classes_have_regions_too(data):
    X, y = data
    model = PrivateLogisticRegression(
        epsilon=1, delta=1e-9, row_bound=("linf", 1), method="frank-wolfe", region="simplex"
    ).fit(X, y > 0)
    assert (model.coef_ >= 0).all()
    assert math.isclose(model.coef_.sum(), 1)


def test_vertices_are_public_and_the_certificate_lists_that(data):
    X, y = data
    model = PrivateLasso(**PROMISES, region=HULL).fit(X, y)
    assert any("vertices of the region" in fact for fact in model.certificate_.assumed_public)
    checks = {check.name: check.verdict for check in model.certificate_.verify().checks}
    assert checks["the releases are those of the plan"] == "holds"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"region": "l3"}, "region is 'l3'; it must be one of l1, simplex, l2, or the vertices"),
        ({"region": HULL, "radius": 2.0}, "leave the radius out"),
        ({"region": HULL[:, :4]}, "has 4 numbers; the table has 10 features"),
        ({"region": np.full((2, D), np.nan)}, "not a finite number"),
        (
            {"region": "simplex", "method": "sparsifier"},
            "but it does not apply to method='sparsifier'",
        ),
    ],
)
def test_what_is_no_region_is_refused_before_anything_is_spent(given, words, data):
    X, y = data
    with pytest.raises(ValueError, match=words):
        PrivateLinearRegression(**PROMISES, **({"method": "frank-wolfe"} | given)).fit(X, y)


def test_several_classes_have_balls_and_no_other_regions(data):
    X, y = data
    model = PrivateLogisticRegression(
        epsilon=1, delta=1e-9, row_bound=("linf", 1), method="frank-wolfe", region="l2"
    )
    with pytest.raises(ValueError, match="does not apply to task='multinomial'"):
        model.fit(X, np.digitize(y, [-0.2, 0.2]))
