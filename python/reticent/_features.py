"""Fixed, public maps from rows to features, which come before a linear model."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from reticent._engine import map_in_full

if TYPE_CHECKING:
    from typing_extensions import Self

# More than any size of a map may be; what each may be in its map is up to the engine.
LARGEST = 2**20
LARGEST_SEED = 2**64 - 1
COLOURS = ("opponent", "as-given")


class _Map:
    """What all maps share: they only store what they are given, and are checked when they are used.

    They have scikit-learn's protocol of parameters, so that a search may try several, and are equal
    if they describe the same map. Only ``set_params`` changes one.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the map by their names.

        Parameters
        ----------
        deep : bool, default=True
            As estimators have it; nothing in a map has parameters of its own.

        Returns
        -------
        dict
        """
        del deep
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Change parameters of the map.

        Parameters
        ----------
        **params
            Those of the constructor.

        Returns
        -------
        self
            The map.
        """
        known = list(self.get_params())
        for name, value in params.items():
            if name not in known:
                msg = f"{type(self).__name__} has no parameter '{name}'; it has {', '.join(known)}"
                raise ValueError(msg)
            # Maps are frozen against changes in passing.
            object.__setattr__(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the map as it is written, without what is at its default."""
        shown = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)  # type: ignore[arg-type]
            if not _is(getattr(self, field.name), field.default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        """Return whether both describe the same map: what is left out has its default."""
        if type(other) is not type(self):
            return NotImplemented
        return self._described() == other._described()

    def __hash__(self) -> int:
        """Return a hash of what is described."""
        return hash(self._described())

    def _described(self) -> str:
        try:
            return map_in_full(declared("features", self))
        except (TypeError, ValueError):
            # It describes no map, and is only itself.
            return repr(self)


def _is(value: Any, default: Any) -> bool:
    """Return whether a value is a default, which is None or a number: arrays compare by element."""
    return value is default or (isinstance(value, numbers.Number) and bool(value == default))


@dataclass(frozen=True, repr=False, eq=False)
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


@dataclass(frozen=True, repr=False, eq=False)
class RandomConvolutions(_Map):
    """Random convolutions of images: how well random patches fit where.

    Quicker than scattering, with as many features as you like: 4096 by default, fewer of images
    below 10 pixels a side.

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


@dataclass(frozen=True, repr=False, eq=False)
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
        # None stands for the default of what has one.
        if given is not None or field.default is not None:
            plain[field.name] = _plain(f"{field.name} of {type(value).__name__}", field.name, given)
    return json.dumps(plain)


def _plain(what: str, field: str, value: Any) -> Any:
    """Return a value of a map as JSON has it."""
    if field == "image":
        return _shape(what, value)
    if field == "colours":
        return _colours(what, value)
    if field == "scale":
        return _number(what, value, 1e-6, 1e6)
    if field == "threshold":
        return _number(what, value, 0, 1000)
    return _whole(what, value, *((0, LARGEST_SEED) if field == "seed" else (1, LARGEST)))


def _colours(what: str, value: Any) -> str:
    if not isinstance(value, str) or value not in COLOURS:
        msg = f"{what} is {value!r}; it must be one of {', '.join(COLOURS)}"
        raise ValueError(msg)
    return value


def _shape(what: str, value: Any) -> str:
    sizes = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(sizes, Sequence) or isinstance(sizes, str) or len(sizes) not in (2, 3):
        msg = f"{what} is {value!r}; it must be (height, width) or (channels, height, width)"
        raise ValueError(msg)
    return "x".join(str(_whole(f"an entry of {what}", size, 1, LARGEST)) for size in sizes)


def _whole(what: str, value: Any, least: int, most: int) -> int:
    msg = f"{what} is {value!r}; it must be a whole number from {least} to {most}"
    if not isinstance(value, numbers.Integral) or _is_truth(value):
        raise TypeError(msg)
    if not least <= value <= most:
        raise ValueError(msg)
    return int(value)


def _number(what: str, value: Any, least: float, most: float) -> float:
    msg = f"{what} is {value!r}; it must be a number from {least:g} to {most:g}"
    if not isinstance(value, numbers.Real) or _is_truth(value):
        raise TypeError(msg)
    # NaN is not, either.
    if not least <= value <= most:
        raise ValueError(msg)
    return float(value)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def read(text: str | None) -> Any:
    """Return the map that a model states, in full but for what follows from its columns."""
    if text is None:
        return None
    plain = json.loads(text)
    kind = KINDS[plain.pop("kind")]
    columns = plain.pop("inputs", None)
    if columns is not None and plain["scale"] == math.sqrt(columns) / 2:
        del plain["scale"]
    if "image" in plain:
        plain["image"] = tuple(int(size) for size in plain["image"].split("x"))
    return kind(**plain)


def pixels(value: Any) -> int | None:
    """Return how many columns a map of images takes; None for others."""
    if not hasattr(value, "image"):
        return None
    # Checked first: it may be anything.
    plain = json.loads(declared("features", value))
    return math.prod(int(size) for size in plain["image"].split("x"))


def shape_hint(value: Any, shape: Sequence[int]) -> str:
    """Return how to make rows of an array of images, as far as its shape tells."""
    if not hasattr(value, "image"):
        return ""
    if len(shape) == 4 and shape[3] <= 4 < shape[1]:
        # Channels come first in a row.
        return " Rows are images: write np.moveaxis(X, -1, 1).reshape(len(X), -1)"
    return " Rows are images: write X.reshape(len(X), -1)"
