"""The card of a fitted estimator, as text and in a notebook; the engine writes both."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted


class CardMixin:
    """What shows the card of an estimator that has a certificate."""

    def _cards(self) -> tuple[str, str]:
        """Return the card as text and as HTML."""
        raise NotImplementedError

    def card(self) -> str:
        """Return what ``reticent inspect`` shows: what this is, what it promises, what was spent.

        Returns
        -------
        str
            Some lines of text; a notebook shows the same as the value of a cell.
        """
        check_is_fitted(self)
        return self._cards()[0]

    def _repr_html_(self) -> str:
        """Return the card for a notebook; before ``fit``, the diagram of scikit-learn."""
        if not self.__sklearn_is_fitted__():
            return estimator_html_repr(self)
        return self._cards()[1]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the same as a notebook asks for it."""
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_()
        return bundle
