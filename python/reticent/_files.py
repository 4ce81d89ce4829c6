"""Model files, the same as the command's."""

from __future__ import annotations

import os

from reticent._engine import Model
from reticent._linear import PrivateLinearRegression
from reticent._logistic import PrivateLogisticRegression


def load(path: str | os.PathLike[str]) -> PrivateLogisticRegression | PrivateLinearRegression:
    """Read a model file, written by ``save`` or by the command ``reticent fit``.

    The estimator has the parameters of the fit, so that ``sklearn.base.clone(load(path))`` asks for
    the same again, the names of the columns and the type of the labels. Not in a file, because they
    are secret, or no part of the model: ``random_state`` (a seed would give the noise away), the
    rows of ``public`` (`load` warns of it), ``verbose``, and classes that put several labels
    together, which only the command and schemas declare.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    PrivateLogisticRegression or PrivateLinearRegression
        A fitted estimator.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, reticent
    >>> X = np.tile([[1.0], [-1.0]], (500, 1))
    >>> model = reticent.PrivateLinearRegression(epsilon=1, delta=1e-7, row_bound=("linf", 1),
    ...                                          target_range=(-2, 2)).fit(X, X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "model.json")
    ...     model.save(file)
    ...     again = reticent.load(file)
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    model = Model.read(path)
    kind = PrivateLinearRegression if model.task == "linear" else PrivateLogisticRegression
    return kind()._adopt(model)
