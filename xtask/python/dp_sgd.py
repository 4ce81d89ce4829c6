"""DP-SGD for logistic regression, as one would write it in NumPy."""

import functools

import dp_accounting
import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy.optimize import brentq
from scipy.special import expit


def fit(features, classes, *, noise, rate, steps, clip, pace, seed, start=0.0):
    """Poisson sampling, clipping of each record's gradient, Gaussian noise; the mean of the second
    half of the steps. All weights start at 0, and the intercept at `start`. Returns the weights, of
    which the last is the intercept."""
    generator = np.random.default_rng(seed)
    features = np.column_stack([features, np.ones(len(classes))])
    lengths = np.linalg.norm(features, axis=1)
    weights, total = np.zeros((2, features.shape[1]))
    weights[-1] = start
    for step in range(steps):
        drawn = generator.random(len(classes)) < rate
        batch = features[drawn]
        slopes = expit(batch @ weights) - classes[drawn]
        # The gradient of a record is its slope times its row.
        most = clip / lengths[drawn]
        slopes = np.clip(slopes, -most, most)
        gradient = slopes @ batch + generator.normal(0, noise * clip, len(weights))
        weights -= pace / clip * gradient / (rate * len(classes))
        if 2 * step >= steps:
            total += weights
    return total / (steps // 2)


@functools.cache
def noise(epsilon, delta, adjacency, rate, steps):
    """The least noise, in clips, that dp-accounting's PLD proves (ε, δ) for."""
    relation = dp_accounting.NeighboringRelation[adjacency]

    def excess(noise):
        one = privacy_loss_distribution.from_gaussian_mechanism(
            noise, sampling_prob=rate, neighboring_relation=relation
        )
        return one.self_compose(steps).get_epsilon_for_delta(delta) - epsilon

    high = 1.0
    while excess(high) > 0:
        high *= 2
    # A search that stops 1e-4 from the root may stop below it.
    return (1 + 1e-4) * brentq(excess, high / 2, high, rtol=1e-4)
