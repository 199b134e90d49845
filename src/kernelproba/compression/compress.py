"""The same model with fewer centres."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Protocol

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba.compression.model_parts import inside, reducible
from kernelproba.compression.reduced_functions import Reduced
from kernelproba.typing import MatrixLike

#: Centres that the search for the smallest model begins with, and how closely it ends.
FEWEST, PRECISION = 8, 1.05


class Reducible(Protocol):
    """Functions that can do with fewer centres."""

    @property
    def n_centers(self) -> int:
        """Centres of all functions together."""

    @property
    def largest(self) -> int:
        """Number from which on nothing is left out."""

    def reduce(self, size: int) -> Reduced:
        """Keep so many of them."""


def compress(
    model: BaseEstimator,
    X: MatrixLike | None = None,
    *,
    n_centers: int | None = None,
    max_loss: float | None = None,
    move_centers: bool = False,
) -> BaseEstimator:
    """Return a fitted model with fewer centres whose probabilities are nearly the same.

    Centres are kept by how much of the model's functions they span, in the function space of its own kernel;
    their coefficients are then fitted anew to the model's probabilities, which needs no labels.  Time to
    predict and size of a model file fall with the number of centres.

    Parameters
    ----------
    model : classifier
        A fitted `KernelLogisticRegression` (softmax or pairwise), `KernelLogisticRegressionCV`,
        `SparseKernelLogisticRegression` or `SparseKernelLogisticRegressionCV`, also inside a pipeline, a
        search, a `TableClassifier`, a `MinimumRiskClassifier` or a `PriorShiftClassifier`.  It is left alone.
    X : array-like of shape (n, d), optional
        Rows as `model` takes them, without labels, such as it will be asked about.  They are used beside the
        rows that it has kept; a sparse model has kept its centres only.
    n_centers : int, optional
        Centres to keep, of each function in a pool; pairs of classes keep one of each class at least, or
        become one function per class where that is nearer to their probabilities.
    max_loss : float, optional
        Instead, the largest mean divergence, in nats, of the new probabilities from the old: as few centres
        are kept as that allows, to 5 %.
    move_centers : bool, default=False
        Whether centres of Gaussian kernels may move to where they serve best.  At a tenth of the centres that
        costs a small part of the log loss that rows as centres cost (letter: 2 instead of 36 %), after half a
        minute to one instead of seconds.  Choose it for serving; leave it where reasons are wanted, as moved
        centres are no training rows, and `kernelproba.inspection.explain` cannot name them.

    Returns
    -------
    small : classifier
        Of the same class.  Its attribute ``compression_`` says

        - ``mean_kl``: mean of KL(old ‖ new) in nats, on rows that had no part in fitting the coefficients
          (a fifth of X, or else of the rows that the model has kept, but not many more than 300);
        - ``n_rows``: how many these were;
        - ``n_centers`` and ``n_centers_before``: numbers of centres, those of all functions added up.

        What was said of the model before is gone: leave-one-out probabilities, and the rows behind intervals
        and novelty.

    See Also
    --------
    kernelproba.SparseKernelLogisticRegression : Fits few centres in the first place.
    kernelproba.persistence.save_model : Writes the smaller model.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.compression import compress
    >>> X, y = load_wine(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> model = KernelLogisticRegression(C=10).fit(X, y)
    >>> small = compress(model, n_centers=20)
    >>> len(model.support_), len(small.support_)
    (178, 20)
    >>> small.compression_["mean_kl"] < 0.01
    True
    """
    check_is_fitted(model)
    _check_goal(n_centers, max_loss)
    wrapper = inside(model)
    if wrapper is not None:
        seen = None if X is None else wrapper.seen(X)
        return wrapper.around(
            compress(wrapper.model, seen, n_centers=n_centers, max_loss=max_loss, move_centers=move_centers)
        )
    functions, rebuild = reducible(model, X, moves=move_centers)
    reduced = functions.reduce(n_centers) if n_centers else _smallest(functions, float(max_loss or 0.0))
    small = rebuild(reduced.models)
    small.compression_ = {
        "mean_kl": reduced.mean_kl,
        "n_rows": reduced.n_rows,
        "n_centers": reduced.n_centers,
        "n_centers_before": functions.n_centers,
    }
    return small


def _check_goal(n_centers: int | None, max_loss: float | None) -> None:
    """Complain unless one of the two says how small the model is to be."""
    if (n_centers is None) == (max_loss is None):
        raise ValueError("compress needs n_centers or max_loss, one of the two: say how small, or how alike.")
    if n_centers is not None and not (isinstance(n_centers, Integral) and n_centers >= 1):
        raise ValueError(f"n_centers must be a whole number of centres, 1 at least; got {n_centers!r}.")
    if max_loss is not None and not (isinstance(max_loss, Real) and max_loss > 0):
        raise ValueError(f"max_loss must be a positive number of nats, such as 0.01; got {max_loss!r}.")


def _smallest(functions: Reducible, max_loss: float) -> Reduced:
    """Keep the fewest centres whose divergence is small enough: double them, then narrow the interval."""
    size, low, too_far = FEWEST, 0, np.inf
    best = functions.reduce(size)
    while best.mean_kl > max_loss and size < functions.largest:
        low, too_far, size = size, best.mean_kl, min(2 * size, functions.largest)
        best = functions.reduce(size)
    while size > PRECISION * low + 1:
        middle = _between((low, too_far), (size, best.mean_kl), max_loss)
        tried = functions.reduce(middle)
        if tried.mean_kl <= max_loss:
            size, best = middle, tried
        else:
            low, too_far = middle, tried.mean_kl
    return best


def _between(few: tuple[int, float], enough: tuple[int, float], max_loss: float) -> int:
    """Return a number of centres between two whose divergences are known: about what that asked for needs.

    Logarithms of divergences fall about as those of sizes rise.  A guess next to an end is as far from it as
    the search is to be precise, so that a right one ends it.
    """
    (low, too_far), (size, near) = few, enough
    if low == 0 or not 0 < near < too_far < np.inf:
        return (low + size) // 2
    share = (np.log(too_far) - np.log(max_loss)) / (np.log(too_far) - np.log(near))
    guess = low * (size / low) ** share
    return int(np.clip(guess, min(PRECISION * low + 1, size - 1), max(size / PRECISION, low + 1)))
