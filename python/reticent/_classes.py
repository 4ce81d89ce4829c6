"""Classes: those that were declared, or those of the target."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from reticent import _arrays, _parameters, _values
from reticent._engine import Certificate, Schema

# The spellings of truth values.
TRUTHS = {name: name.lower() == "true" for name in "true True TRUE false False FALSE".split()}

# How the engine, too, begins what it says of classes that were not declared.
TAKEN = "the classes ("

# How many classes are named in a certificate; the model lists all of them.
NAMED = 20


def labelled(y: Any, declared: Any) -> Any:
    """Return labels as they are looked up: one by one, if classes are declared."""
    return y if y is None or declared is None else _values.array(y)


def classes_of(y: np.ndarray, declared: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the classes, the place of each record's among them, and what is assumed public."""
    if declared is not None:
        return _declared(y, np.unique(np.asarray(declared)))
    with warnings.catch_warnings():
        # The ratio of classes to records is a fact about the data.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)
    found = np.unique(y)
    if len(found) < 2:
        msg = "y has one class; two or more are needed (declare them with classes=)"
        raise ValueError(msg)
    names = [_arrays.text(label) for label in found[:NAMED]]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    assumed = f"{TAKEN}{', '.join(names)}{more}) were taken from y"
    # Faster than the inverse of unique, which sorts all labels.
    return found, np.searchsorted(found, y).astype(np.uint32), [assumed]


def were_taken(certificate: Certificate) -> bool:
    """Return whether the classes of a model were those of its target, and not declared."""
    return any(fact.startswith(TAKEN) for fact in certificate.assumed_public)


def declared_labels(schema: Schema | None) -> np.ndarray | None:
    """Return the classes of a schema that declares them as whole numbers or truth values."""
    classes = None if schema is None else schema.classes
    if classes is None or isinstance(classes[0], str):
        return None
    return np.array(classes)


def classes_by(schema: Schema, y: Any) -> tuple[np.ndarray, list[str]]:
    """Return the classes of a schema as labels, and what is assumed public."""
    declared = declared_labels(schema)
    if declared is not None:
        return declared, []
    found = _arrays.labels(schema.classes, like=_values.array(y))
    if _arrays.only_texts(schema.classes):
        return found, []
    return found, ["whether labels are strings, numbers or Booleans was taken from y"]


def _declared(y: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    if len(classes) < 2:
        msg = "classes must name two classes or more"
        raise ValueError(msg)
    places = places_among(y, classes)
    if (places < 0).any():
        msg = "y holds a label that is not among the declared classes; add it to classes="
        raise ValueError(msg)
    return classes, places.astype(np.uint32), []


def places_among(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the place of each label among classes, −1 for one that is not there.

    Each label is looked up by itself, whatever type the others have.
    """
    place = {_label_key(label): at for at, label in enumerate(classes.tolist())}
    if len(place) < len(classes):
        msg = "classes names one class twice: numbers are the same however they are written"
        raise ValueError(msg)
    # Of one type most labels are the same; objects need not compare.
    found, inverse = (y, ...) if y.dtype.kind == "O" else np.unique(y, return_inverse=True)
    where = [place.get(_label_key(label), -1) for label in found.tolist()]
    return np.array(where, dtype=np.int64)[inverse]


def _label_key(label: Any) -> float | str | None:
    """Return what labels are compared by without a schema; None is never a class.

    Numbers and texts that are numbers are compared as numbers. True is 1, as it is to Python.
    """
    if not isinstance(label, str):
        known = _values.number(label)
        return None if known is None or math.isnan(known) else known
    if label in TRUTHS:
        return float(TRUTHS[label])
    known = _number(label)
    return label if known is None else known


def weights_of(class_weight: Any, names: list[str]) -> str | list[float] | None:
    """Return a weight for each class, in their order; those that are not named have 1."""
    if not isinstance(class_weight, dict):
        return class_weight
    known = {_key(label): _parameters.number("a weight", w) for label, w in class_weight.items()}
    keys = [_key(name) for name in names]
    if not known.keys() <= set(keys):
        msg = "class_weight names a class that there is not"
        raise ValueError(msg)
    return [known.get(key, 1.0) for key in keys]


def named(y: Any, schema: Schema) -> list[str]:
    """Return the name of the class of each label, as the engine finds it."""
    names = [_arrays.text(name) for name in schema.classes or []]
    classes = list(zip(names, schema.class_labels or [], strict=True))
    of_label = {_key(label): name for name, labels in classes for label in labels or []}
    rest = next((name for name, labels in classes if labels is None), None)
    found = [of_label.get(_key(label), rest) for label in _values.array(y).tolist()]
    if None in found:
        msg = "y holds a label that is in no class of the schema"
        raise ValueError(msg)
    return found


def _key(label: Any) -> float | str:
    """Return what labels are compared by: numbers as numbers, others as texts."""
    text = _arrays.text(label).strip()
    if text in TRUTHS:
        return text.lower()
    known = _number(text)
    return text if known is None else known


def _number(text: str) -> float | None:
    """Return the finite number that a text is, as the engine reads it: without underscores."""
    known = None if "_" in text else _values.number(text)
    return known if known is not None and math.isfinite(known) else None
