"""Fixed, public maps from rows to features, which come before a linear model."""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any


class _Map:
    """What all maps share."""

    def __repr__(self) -> str:
        """Return the map as it is written, without what is at its default."""
        shown = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)  # type: ignore[arg-type]
            if getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, repr=False)
class Scattering(_Map):
    """Wavelet scattering of images, of order 2: how strong edges of each size and angle are where.

    The best of the maps for most images: 3969 features of 28 × 28 pixels, 15552 of 3 × 32 × 32.
    Pixels may have any unit; each image is seen relative to its brightest pixel.

    Parameters
    ----------
    image : tuple of int
        (height, width), or (channels, height, width). A row has its pixels in this order.
    scales, angles : int, default=2 and 8
        Of the wavelets.
    groups : int, default=None
        Groups of channels that are normalised together; the largest divisor of the channels up to
        27 if None.
    colours : {"opponent", "as-given"}, default=None
        What wavelets see of red, green and blue: brightness and two differences, or the channels as
        they are. Opponent colours of images of three channels if None.

    Examples
    --------
    >>> import reticent
    >>> reticent.Scattering((28, 28))
    Scattering(image=(28, 28))
    """

    image: tuple[int, ...]
    scales: int | None = None
    angles: int | None = None
    groups: int | None = None
    colours: str | None = None


@dataclass(frozen=True, repr=False)
class RandomConvolutions(_Map):
    """Random convolutions of images: how well random patches fit where.

    Quicker than scattering, with as many features as you like: 4096 by default.

    Parameters
    ----------
    image : tuple of int
        (height, width), or (channels, height, width). A row has its pixels in this order.
    filters : int, default=128
        How many random filters; each gives 2·cells² features.
    patch : int, default=7
        The side of a filter in pixels.
    cells : int, default=4
        Cells along each side of the grid over which responses are averaged.
    threshold : float, default=0.6
        What a response has to exceed.
    groups : int, default=None
        Groups of channels that are normalised together; the largest divisor of the channels up to
        32 if None.
    seed : int, default=0
        Which filters: public, and no seed of noise.

    Examples
    --------
    >>> import reticent
    >>> reticent.RandomConvolutions((3, 32, 32), filters=64, seed=1)
    RandomConvolutions(image=(3, 32, 32), filters=64, seed=1)
    """

    image: tuple[int, ...]
    filters: int | None = None
    patch: int | None = None
    cells: int | None = None
    threshold: float | None = None
    groups: int | None = None
    seed: int = 0


@dataclass(frozen=True, repr=False)
class RandomFourier(_Map):
    """Random Fourier features of a table: waves over all columns, for boundaries that bend.

    A linear model on them is near one with a Gaussian kernel. They tell rows apart only where
    columns are within about [−1, 1], as the features of a schema are.

    Parameters
    ----------
    outputs : int
        How many features; 1000 is a start.
    scale : float, default=None
        The distance at which two rows cease to be alike: smaller bends more. √columns / 2 if None.
    seed : int, default=0
        Which waves: public, and no seed of noise.

    Examples
    --------
    >>> import reticent
    >>> reticent.RandomFourier(1000, scale=0.5)
    RandomFourier(outputs=1000, scale=0.5)
    """

    outputs: int
    scale: float | None = None
    seed: int = 0


# What the engine calls them.
KINDS = {
    "scattering": Scattering,
    "random-convolutions": RandomConvolutions,
    "fourier": RandomFourier,
}


def declared(name: str, value: Any) -> str:
    """Return a map as the engine reads it."""
    kinds = [kind for kind, known in KINDS.items() if type(value) is known]
    if not kinds:
        known = ", ".join(known.__name__ for known in KINDS.values())
        msg = f"{name} must be None or a map ({known}); got {type(value).__name__}"
        raise TypeError(msg)
    plain = {"kind": kinds[0]}
    for field in fields(value):
        given = getattr(value, field.name)
        if given is not None:
            plain[field.name] = _plain(f"{field.name} of {kinds[0]}", field.name, given)
    return json.dumps(plain)


def _plain(what: str, field: str, value: Any) -> Any:
    """Return a value of a map as JSON has it."""
    if field == "image":
        return _shape(what, value)
    if field in ("scale", "threshold"):
        return float(value)
    return _whole(what, value)


def _shape(what: str, value: Any) -> str:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) not in (2, 3):
        msg = f"{what} must be (height, width) or (channels, height, width); got {value!r}"
        raise ValueError(msg)
    return "x".join(str(_whole(f"an entry of {what}", size)) for size in value)


def _whole(what: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        msg = f"{what} must be a whole number; got {value!r}"
        raise TypeError(msg) from None


def read(text: str | None) -> Any:
    """Return the map that a model states, in full."""
    if text is None:
        return None
    plain = json.loads(text)
    kind = KINDS[plain.pop("kind")]
    # It follows from the columns.
    plain.pop("inputs", None)
    if "image" in plain:
        plain["image"] = tuple(int(size) for size in plain["image"].split("x"))
    return kind(**plain)


def pixels(value: Any) -> int | None:
    """Return how many columns a map of images takes; None for others."""
    image = getattr(value, "image", None)
    if image is None:
        return None
    count = 1
    for size in image:
        count *= size
    return count
