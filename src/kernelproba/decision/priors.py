"""Class priors, and posteriors moved from one set of priors to another.

If only the priors change, π → π', while p(x|y) stays, Bayes' rule gives

    p'(y|x) ∝ p(y|x) π'_y / π_y .

A fit that counts class y with weight w_y has, in the same way, learnt p_w(y|x) ∝ w_y p(y|x).
"""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from kernelproba.number_range import LOG_ZERO, log_probabilities

SUM_TOLERANCE = 1e-6
"""How far priors may be from a sum of one before they are taken for a mistake."""

#: Priors as users give them: "uniform", in the order of the classes, or by label.
PriorsLike: TypeAlias = str | ArrayLike | Mapping[object, float]


def as_priors(priors: PriorsLike, classes: ArrayLike, name: str = "priors") -> NDArray[np.float64]:
    """Return priors as an array (c,) in the order of `classes` that sums to one.

    Parameters
    ----------
    priors : "uniform", array-like of shape (c,), mapping or pandas Series
        The same for all; in the order of `classes`; or ``{label: prior}`` that names exactly the classes.
    classes : array-like of shape (c,)
        The labels.
    name : str, default="priors"
        How errors call the argument.

    See Also
    --------
    class_priors : Priors from labels.
    reweight_posterior : What they do to a posterior.

    Examples
    --------
    >>> from kernelproba.decision import as_priors
    >>> as_priors({"well": 0.9, "ill": 0.1}, ["ill", "well"])
    array([0.1, 0.9])
    """
    labels = np.asarray(classes).tolist()
    # A Series is read by its labels too: as a plain array it would be taken in its own order.
    if hasattr(priors, "items"):
        named = dict(priors.items())
        unknown, missing = [k for k in named if k not in labels], [k for k in labels if k not in named]
        if unknown or missing:
            raise ValueError(
                f"{name} must name exactly the classes {labels}; unknown: {unknown}, missing: {missing}"
            )
        priors = [named[label] for label in labels]
    if isinstance(priors, str) and priors == "uniform":
        return np.full(len(labels), 1 / len(labels))
    try:
        values = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be 'uniform', one number for each of the classes {labels}, or a mapping from these "
            f"labels to numbers; got {priors!r}"
        ) from None
    if values.shape != (len(labels),):
        raise ValueError(
            f"{name} must hold one prior for each of the {len(labels)} classes {labels}; "
            f"got shape {values.shape}"
        )
    if not (values >= 0).all() or abs(values.sum() - 1.0) > SUM_TOLERANCE:
        raise ValueError(
            f"{name} must be non-negative and sum to one; got {values.tolist()} with sum {values.sum():.6g}: "
            "divide them by their sum if they are counts"
        )
    return values / values.sum()


def class_priors(index: NDArray, n_classes: int, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the (weighted) share (c,) of each class among rows whose classes are `index` (n,).

    See Also
    --------
    mean_class_weights : Mean weights of the classes.
    estimate_priors : Priors of rows without labels.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import class_priors
    >>> class_priors(np.array([0, 1, 1, 1]), n_classes=2)
    array([0.25, 0.75])
    """
    counts = np.bincount(index, weights=None if weights is None else np.asarray(weights), minlength=n_classes)
    return counts / counts.sum()


def mean_class_weights(index: NDArray, n_classes: int, weights: ArrayLike) -> NDArray[np.float64]:
    """Return the mean weight (c,) of the rows of each class.

    It is the ratio of weighted to unweighted class frequencies, up to a factor: the shift of priors
    that a fit with these row weights has learnt.  A class without rows gets 0.

    Parameters
    ----------
    index : ndarray of shape (n,)
        The class of each row.
    n_classes : int
        The number c of classes.
    weights : array-like of shape (n,)
        The weights of the rows as the fit used them: ``sample_weight`` times ``class_weight``.  Give
        the class weights alone to keep what the sample weights say about the priors.

    See Also
    --------
    undo_weights : Takes them out of a posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import mean_class_weights
    >>> mean_class_weights(np.array([0, 1, 1]), 2, [3.0, 1.0, 2.0])
    array([3. , 1.5])
    """
    total = np.bincount(index, weights=np.asarray(weights, dtype=np.float64), minlength=n_classes)
    return total / np.bincount(index, minlength=n_classes).clip(min=1)


def reweight_posterior(P: NDArray, old_priors: NDArray, new_priors: NDArray) -> NDArray[np.float64]:
    """Return p'(y|x) ∝ p(y|x) π'_y / π_y, the posterior (n, c) under new priors.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Posterior under the old priors.
    old_priors, new_priors : ndarray of shape (c,)
        Non-negative.  A class of new prior 0 gets probability 0; one of old prior 0 cannot return.

    See Also
    --------
    reweight_log_posterior : The same of logarithms.
    kernelproba.PriorShiftClassifier : A classifier that does so.

    Notes
    -----
    A row whose whole mass lies on classes of new prior 0 says nothing about the others: it gets the
    new priors.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import reweight_posterior
    >>> reweight_posterior(np.array([[0.5, 0.5]]), np.array([0.5, 0.5]), np.array([0.9, 0.1]))
    array([[0.9, 0.1]])
    """
    revived = (old_priors == 0) & (new_priors > 0)
    if revived.any():
        raise ValueError(
            f"new priors give mass to classes of old prior 0 (positions {np.flatnonzero(revived).tolist()}), "
            "which the posterior cannot know: fit with rows of these classes"
        )
    if (new_priors * old_priors[0] == old_priors * new_priors[0]).all():
        return P
    return np.exp(reweight_log_posterior(log_probabilities(P), old_priors, new_priors))


def reweight_log_posterior(log_P: NDArray, old_priors: NDArray, new_priors: NDArray) -> NDArray[np.float64]:
    """Return the logarithm of what `reweight_posterior` makes of the logarithm of a posterior, (n, c).

    See Also
    --------
    reweight_posterior : The same of probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> log_P = np.log([[0.5, 0.5]])
    >>> np.exp(reweight_log_posterior(log_P, np.array([0.5, 0.5]), np.array([0.9, 0.1]))).round(3).tolist()
    [[0.9, 0.1]]
    """
    if np.array_equal(old_priors, new_priors):
        return log_P
    shift = np.full(len(new_priors), LOG_ZERO)
    kept = new_priors > 0
    shift[kept] = np.log(new_priors[kept]) - np.log(old_priors[kept])
    return _shift_classes(log_P, shift, new_priors)


def undo_weights(P: NDArray, class_weights: NDArray) -> NDArray[np.float64]:
    """Return p(y|x) ∝ p_w(y|x) / w_y: the posterior (n, c) without the shift that weights put into a fit.

    Exact for class weights whenever the fit has learnt p_w(y|x) ∝ w_y p(y|x).  For row weights use
    `mean_class_weights`: the shift of the priors is undone, a reweighting within a class is kept.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Posterior of the weighted fit.
    class_weights : ndarray of shape (c,)
        Positive; only their ratios matter.

    See Also
    --------
    reweight_posterior : The change in general.
    mean_class_weights : The weights to undo.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import undo_weights
    >>> undo_weights(np.array([[0.5, 0.5]]), np.array([1.0, 9.0]))
    array([[0.9, 0.1]])
    """
    class_weights = np.asarray(class_weights, dtype=np.float64)
    if not (np.isfinite(class_weights) & (class_weights > 0)).all():
        raise ValueError(
            f"class_weights must be positive and finite; got {class_weights.tolist()}. The probability of a "
            "class that a fit did not count cannot be recovered: leave the class out"
        )
    if (class_weights == class_weights[0]).all():
        return P
    fallback = np.full(P.shape[1], 1.0 / P.shape[1])
    return np.exp(_shift_classes(log_probabilities(P), -np.log(class_weights), fallback))


def _shift_classes(log_P: NDArray, shift: NDArray, fallback: NDArray) -> NDArray[np.float64]:
    """Return log of rows ∝ P · exp(shift), or of `fallback` where no class is possible."""
    # In logs a factor of 1e300 beside a probability of 1e-300 neither overflows nor vanishes.
    scores = np.maximum(log_P + shift, LOG_ZERO)
    possible = scores > LOG_ZERO / 2
    scores = np.where(possible.any(axis=1, keepdims=True), scores, log_probabilities(fallback))
    return np.maximum(log_softmax(scores, axis=1), LOG_ZERO)
