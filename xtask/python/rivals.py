"""What our column is compared with, fit by fit: diffprivlib, and DP-SGD over a grid of
settings."""

import itertools
import time

import dp_sgd
import numpy as np
from diffprivlib.models import LogisticRegression
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

REPLACE, ADD_REMOVE = "REPLACE_ONE", "ADD_OR_REMOVE_ONE"
# DP-SGD as one may write it down without having looked: five passes over the records.
WRITTEN = {"rate": 0.01, "steps": 500, "clip": 1.0, "pace": 1.0}


def diffprivlib(part, test, *, epsilon, norm, strength, seed):
    """Seconds of the fit, and its figures."""
    model = LogisticRegression(epsilon=epsilon, data_norm=norm, C=strength, random_state=seed)
    start = time.perf_counter()
    model.fit(part.features, part.classes)
    seconds = time.perf_counter() - start
    return figures(seconds, test.classes, model.decision_function(test.features))


def descent(part, test, **settings):
    """The same of DP-SGD."""
    start = time.perf_counter()
    weights = dp_sgd.fit(part.features, part.classes, **settings)
    seconds = time.perf_counter() - start
    return figures(seconds, test.classes, test.features @ weights[:-1] + weights[-1])


def figures(seconds, classes, scores):
    return {
        "seconds": seconds,
        "auc": roc_auc_score(classes, scores),
        "log-loss": log_loss(classes, expit(scores)),
    }


def grid(epsilon, delta, adjacency, choices, starts=(0.0,)):
    """All settings of DP-SGD, each with the noise that the budget asks for: `choices` of the share of
    the records in a batch and the number of steps, of the clip of a record's gradient, and of the
    pace; and where the intercept starts."""
    plans, *others = choices
    for rate, steps in plans:
        noise = dp_sgd.noise(epsilon, delta, adjacency, rate, steps)
        for clip, pace, start in itertools.product(*others, starts):
            yield {
                "noise": noise,
                "rate": rate,
                "steps": steps,
                "clip": clip,
                "pace": pace,
                "start": start,
            }


def log_odds(classes):
    """What the intercept of a careful person starts at, if nobody has to pay for it."""
    return float(np.log(classes.mean() / (1 - classes.mean())))


def described(plan):
    start = f", intercept from {plan['start']:.2f}" if plan["start"] else ""
    batch = "all records" if plan["rate"] == 1 else f"one record in {1 / plan['rate']:.0f}"
    return (
        f"{plan['steps']} steps on {batch}, noise {plan['noise']:.2f}, clip {plan['clip']:g}, pace "
        f"{plan['pace']:g}{start}"
    )
