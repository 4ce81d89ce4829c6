"""The outside check: `reticent account` against Google's dp-accounting.

usage: check_accounting.py PATH-TO-RETICENT

Draws a fixed random grid of events, asks both, and fails with the command line of each
case where reticent leaves the interval that dp-accounting allows. Which of its relations
answers which of our questions: ADD_OR_REMOVE_ONE for Gaussians and zCDP events whatever
our adjacency, since their noise is relative to the sensitivity, and for Poisson sampling;
REPLACE_ONE, by RDP, for sampling without replacement.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import dp_accounting as dp
import numpy as np
from absl import logging
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import rdp_privacy_accountant as rdp

ADD_REMOVE = dp.NeighboringRelation.ADD_OR_REMOVE_ONE
REPLACE = dp.NeighboringRelation.REPLACE_ONE
SEED = 20190923

# Relative slack for the last digits: ours is rounded up, theirs is not.
DIGITS = 1e-6
# Their series for Poisson sampling at fractional orders is a few 1e-6 too high (mpmath).
SERIES = 1e-5


@dataclass
class Case:
    """One question, and the interval that the answer must be in."""

    kind: str
    accountant: str
    adjacency: str
    delta: float
    events: list[str]
    interval: Callable[[], tuple[float, float]]

    def arguments(self) -> list[str]:
        events = [word for event in self.events for word in ("--event", event)]
        return [
            *("account", "--json", "--accountant", self.accountant),
            *("--adjacency", self.adjacency, "--delta", repr(self.delta), *events),
        ]


def renyi(event: dp.DpEvent, relation, delta: float, orders) -> tuple[float, float]:
    """ε of dp-accounting's RDP accountant, and its best order."""
    accountant = rdp.RdpAccountant(list(orders), relation)
    accountant.compose(event)
    return accountant.get_epsilon_and_optimal_order(delta)


def renyi_interval(
    event: dp.DpEvent, delta: float, slack: float = DIGITS
) -> tuple[float, float]:
    """From the least over all orders to the least over dp-accounting's own."""
    high, _ = renyi(event, ADD_REMOVE, delta, rdp.DEFAULT_RDP_ORDERS)
    orders = np.geomspace(1.02, 1e4, 40)
    for _ in range(4):
        # Their series for fractional orders does not converge at large ones.
        orders = np.unique(np.where(orders > 500, np.round(orders), orders))
        low, best = renyi(event, ADD_REMOVE, delta, orders)
        below, above = neighbours(orders, best)
        orders = np.linspace(below, above, 24)
    return min(low, high) * (1 - slack), high * (1 + DIGITS)


def replacement_interval(
    noise: float, rate: float, count: int, delta: float
) -> tuple[float, float]:
    """The same without replacement. Their bound (Wang et al. 2019) is exact at whole orders
    up to 256 and interpolated between; ours may also use joint convexity, which is less
    where the divergence is large: ln(1 − q + q·e^{α(α−1)/2σ²})/(α−1)."""
    batch = dp.SampledWithoutReplacementDpEvent(1000, round(1000 * rate), dp.GaussianDpEvent(noise))
    event = dp.SelfComposedDpEvent(batch, count)

    def least(orders: np.ndarray) -> tuple[float, float]:
        accountant = rdp.RdpAccountant(list(orders), REPLACE)
        accountant.compose(event)
        gaussian = orders * (orders - 1) / (2 * noise**2)
        convex = np.logaddexp(np.log1p(-rate), np.log(rate) + gaussian) / (orders - 1)
        return rdp.compute_epsilon(orders, np.minimum(accountant.rdp, count * convex), delta)

    high, _ = renyi(event, REPLACE, delta, np.unique(np.round(np.geomspace(2, 256, 40))))
    orders = np.unique(np.concatenate([np.linspace(1.02, 3, 20), np.geomspace(3, 255, 40)]))
    for _ in range(4):
        low, best = least(orders)
        below, above = neighbours(orders, best)
        orders = np.unique(np.append(np.linspace(below, above, 12), np.round(best)))
    if best > 250:  # beyond, theirs is a looser bound than ours may be
        low = 0.0
    return min(low, high) * (1 - DIGITS), high * (1 + DIGITS)


def neighbours(orders: np.ndarray, best: float) -> tuple[float, float]:
    """The orders of the grid on both sides of the best one."""
    place = int(np.argmin(np.abs(orders - best)))
    return orders[max(place - 1, 0)], orders[min(place + 1, len(orders) - 1)]


def distribution_interval(
    parts: list[tuple[float, float, int]], delta: float
) -> tuple[float, float]:
    """From the optimistic to the pessimistic estimate; parts are (noise, rate, count)."""
    # The optimistic one is off by half a step for each release.
    step = 3e-5 if max(count for _, _, count in parts) > 100 else 1e-4

    def epsilon(pessimistic: bool) -> float:
        total = None
        for noise, rate, count in parts:
            one = pld.from_gaussian_mechanism(
                noise,
                pessimistic_estimate=pessimistic,
                value_discretization_interval=step,
                sampling_prob=rate,
                # Connecting the dots is their tightest estimate, and a pessimistic one.
                use_connect_dots=pessimistic,
            ).self_compose(count)
            total = one if total is None else total.compose(one)
        return total.get_epsilon_for_delta(delta)

    return epsilon(False) * (1 - DIGITS), 1.001 * epsilon(True)


def gaussian(noise: float, count: int) -> dp.DpEvent:
    return dp.SelfComposedDpEvent(dp.GaussianDpEvent(noise), count)


def poisson(noise: float, rate: float, count: int) -> dp.DpEvent:
    return dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(noise)), count)


def zcdp(rho: float, count: int) -> dp.DpEvent:
    return dp.SelfComposedDpEvent(dp.ZCDpEvent(rho), count)


def draw(rng: random.Random, low: float, high: float) -> float:
    """Log-uniform, with digits that survive the command line."""
    return float(f"{low * (high / low) ** rng.random():.6g}")


def cases(rng: random.Random) -> Iterator[Case]:
    def delta() -> float:
        return draw(rng, 1e-12, 1e-3)

    adjacencies = ("replace-one", "add-remove")
    for turn in range(14):
        noise, count, at = draw(rng, 0.3, 300), rng.choice([1, 2, 30, 1000]), delta()
        exact = dp.get_epsilon_gaussian(noise / count**0.5, at)
        yield Case(
            "gaussian, exact",
            "gaussian",
            adjacencies[turn % 2],
            at,
            [f"gaussian:noise={noise},count={count}"],
            lambda exact=exact: (exact * (1 - DIGITS), exact * (1 + DIGITS)),
        )
    for turn in range(8):
        noise, count, at = draw(rng, 1, 30), rng.choice([1, 3, 10]), delta()
        yield Case(
            "gaussian, PLD",
            "gaussian",
            adjacencies[turn % 2],
            at,
            [f"gaussian:noise={noise},count={count}"],
            lambda n=noise / count**0.5, d=at: distribution_interval([(n, 1.0, 1)], d),
        )
    for turn in range(14):
        at = delta()
        noise, count = draw(rng, 2, 200), rng.choice([1, 10, 100])
        rho, eta, epsilon = draw(rng, 1e-5, 1), draw(rng, 1e-3, 2), draw(rng, 1e-3, 1)
        theirs = dp.ComposedDpEvent(
            [
                zcdp(1 / (2 * noise**2), count),
                zcdp(rho, 1),
                zcdp(eta**2 / 8, count),
                zcdp(epsilon**2 / 2, 2),
            ]
        )
        yield Case(
            "zCDP mix",
            "zcdp",
            adjacencies[turn % 2],
            at,
            [
                f"gaussian:noise={noise},count={count}",
                f"zcdp:rho={rho}",
                f"exponential:range={eta},count={count}",
                f"pure:epsilon={epsilon},count=2",
            ],
            lambda e=theirs, d=at: renyi_interval(e, d),
        )
    for turn in range(12):
        noise, rate = draw(rng, 0.6, 8), draw(rng, 1e-4, 0.3)
        count, at = rng.choice([1, 100, 10_000]), delta()
        events = [f"subsampled-gaussian:noise={noise},rate={rate},count={count},sampling=poisson"]
        theirs = [poisson(noise, rate, count)]
        if turn % 3 == 2:
            events += ["gaussian:noise=7", "zcdp:rho=0.01"]
            theirs += [gaussian(7, 1), zcdp(0.01, 1)]
        yield Case(
            "Poisson, RDP",
            "rdp",
            "add-remove",
            at,
            events,
            lambda e=dp.ComposedDpEvent(theirs), d=at: renyi_interval(e, d, SERIES),
        )
    for _ in range(8):
        noise, size, count = draw(rng, 0.8, 8), rng.randint(1, 300), rng.choice([1, 30, 1000])
        at = delta()
        yield Case(
            "without replacement, RDP",
            "rdp",
            "replace-one",
            at,
            [
                f"subsampled-gaussian:noise={noise},rate={size / 1000},count={count},"
                "sampling=without-replacement"
            ],
            lambda n=noise, q=size / 1000, c=count, d=at: replacement_interval(n, q, c, d),
        )
    for turn in range(8):
        noise, rate, count = draw(rng, 0.7, 4), draw(rng, 1e-3, 0.2), rng.choice([1, 30, 1000])
        at = draw(rng, 1e-9, 1e-3)
        events = [f"subsampled-gaussian:noise={noise},rate={rate},count={count},sampling=poisson"]
        parts = [(noise, rate, count)]
        if turn % 4 == 3:
            events.append("gaussian:noise=5")
            parts.append((5.0, 1.0, 1))
        yield Case(
            "Poisson, PLD",
            "pld",
            "add-remove",
            at,
            events,
            lambda p=parts, d=at: distribution_interval(p, d),
        )


def main() -> int:
    binary = sys.argv[1]
    # They warn of every order that they leave out.
    logging.set_verbosity(logging.ERROR)
    started = time.monotonic()
    # kind -> [cases, lowest of ours/low, highest of ours/high]
    table: dict[str, list[float]] = {}
    wrong = []
    for case in cases(random.Random(SEED)):
        command = [binary, *case.arguments()]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        low, high = map(float, case.interval())
        row = table.setdefault(case.kind, [0, float("inf"), 0.0])
        row[0] += 1
        if answer.returncode != 0:
            wrong.append(f"  {' '.join(command)}\n    failed: {answer.stderr.splitlines()[0]}")
            continue
        ours = json.loads(answer.stdout)["epsilon"]
        row[1] = min(row[1], ours / low if low > 0 else float("inf"))
        row[2] = max(row[2], ours / high if high > 0 else float("inf") if ours > 0 else 0.0)
        if not low <= ours <= high:
            wrong.append(f"  {' '.join(command)}\n    gives {ours!r}, not in [{low!r}, {high!r}]")

    print("  ours over dp-accounting's    cases   least, must be ≥ 1   greatest, must be ≤ 1")
    for kind, (count, least, greatest) in table.items():
        print(f"  {kind:<26} {count:>7}   {least:>18.9f}   {greatest:>21.9f}")
    total = sum(int(row[0]) for row in table.values())
    if wrong:
        print(f"\n{len(wrong)} of {total} cases disagree:")
        print("\n".join(wrong))
        return 1
    print(f"  {total} cases agree, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
