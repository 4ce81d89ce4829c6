"""Classes: those that were declared, or those of the target."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from reticent import _arrays
from reticent._engine import Schema

# So many classes are named in a certificate; the model lists them all.
NAMED = 20


def classes_of(y: np.ndarray, declared: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Give the classes, the place of each record's among them, and what is assumed public."""
    with warnings.catch_warnings():
        # How many classes there are of how many records: a fact of the data.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)
    found, places = np.unique(y, return_inverse=True)
    if declared is None:
        if len(found) < 2:
            msg = "y has one class; two or more are needed (declare them with classes=)"
            raise ValueError(msg)
        names = [_arrays.text(label) for label in found[:NAMED]]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        assumed = f"the classes ({', '.join(names)}{more}) were taken from y"
        return found, places.astype(np.uint32), [assumed]
    classes = np.unique(np.asarray(declared))
    if len(classes) < 2:
        msg = "classes must name two classes or more"
        raise ValueError(msg)
    place = {label: at for at, label in enumerate(classes.tolist())}
    where = [place.get(label) for label in found.tolist()]
    if None in where:
        msg = "y holds a label that is not among the declared classes; add it to classes="
        raise ValueError(msg)
    return classes, np.array(where, dtype=np.uint32)[places], []


def named(y: Any, schema: Schema) -> list[str]:
    """Give the name of the class of each label, as the engine finds it."""
    classes = list(zip(schema.classes or [], schema.class_labels or [], strict=True))
    of_label = {_key(label): name for name, labels in classes for label in labels or []}
    rest = next((name for name, labels in classes if labels is None), None)
    found = [of_label.get(_key(label), rest) for label in np.asarray(y, dtype=object).tolist()]
    if None in found:
        msg = "y holds a label that is in no class of the schema"
        raise ValueError(msg)
    return found


def _key(label: Any) -> float | str:
    """Give what labels are compared by: numbers as numbers, others as texts."""
    text = _arrays.text(label).strip()
    try:
        return float(text)
    except ValueError:
        return text
