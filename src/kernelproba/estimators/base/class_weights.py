"""Factors on the weights of classes, and what they do to the class frequencies that a fit learns."""

from typing import Protocol

import numpy as np
from sklearn.utils import compute_class_weight

from kernelproba.typing import ClassWeight


class WeightedClasses(Protocol):
    """Rows of a fit, of which the weights of the classes are known."""

    def class_means(self, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean weight (c,) of the rows of each class, with and without the class weights."""


def class_factors(class_weight: ClassWeight, classes: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return one factor per class, (c,).

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Parameter of a classifier.
    classes : array of shape (c,)
        Labels.
    mass : array of shape (c,)
        Sum of the sample weights of each class, which "balanced" makes equal: a weight of two is a row seen
        twice.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return mass.sum() / len(mass) / mass
    try:
        factors = compute_class_weight(class_weight, classes=classes, y=classes)
    except TypeError as error:
        raise ValueError(f"class_weight={class_weight!r} does not name the classes of y: {error}") from error
    if not (np.isfinite(factors).all() and (factors > 0).all()):
        raise ValueError("class_weight must be positive and finite for every class.")
    return factors


def weight_shift(undo: bool | str, training: WeightedClasses, n_classes: int) -> np.ndarray:
    """Return how far weights have moved the log-probabilities (c,), as far as that is to be undone.

    A fit with weights learns p_w(y|x) ∝ w_y p(y|x), where w_y is the mean weight of the rows of class y; the
    shift is log w, centred.

    Parameters
    ----------
    undo : bool or "class_weight"
        Parameter `undo_weights` of a classifier: nothing, all, or the part of the class weights.
    training : WeightedClasses
        Rows of a fit.
    n_classes : int
        c.
    """
    if not undo:
        return np.zeros(n_classes)
    total, sampled = training.class_means(n_classes)
    log_w = np.log(total / sampled if undo == "class_weight" else total)
    return log_w - log_w.mean()
