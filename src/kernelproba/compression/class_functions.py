"""One function for each class, in the place of one for each pair of classes.

If the log-odds fᵢⱼ of all pairs agree with one posterior p, then fᵢⱼ = log pᵢ − log pⱼ, and the mean of those
of one class is its score in a softmax::

    gᵢ = 1/c Σ_{j≠i} fᵢⱼ = log pᵢ − 1/c Σⱼ log pⱼ

Pairs that were fitted each by itself agree roughly, so that g is a place to begin from.  Its functions share
all centres, where a pair has those of its two classes, and predict without coupling.
"""

from copy import copy

import numpy as np

from kernelproba.compression.reduced_functions import forget
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators import KernelLogisticRegression

#: What only pairs have.
OF_PAIRS = ("n_support_", "pair_C_", "pair_weights_", "_coupling_")


def with_class_functions(model: KernelLogisticRegression) -> KernelLogisticRegression:
    """Return a pairwise model with a softmax of the functions g at the head of this module."""
    c, m = len(model.classes_), len(model.support_)
    owner = np.repeat(np.arange(c), model.n_support_)
    dual, intercept = np.zeros((c, m)), np.zeros(c)
    for (i, j), b in zip(class_pairs(c), model.intercept_, strict=True):
        f = np.where(owner == i, model.dual_coef_[j - 1], np.where(owner == j, model.dual_coef_[i], 0.0))
        for one, sign in ((i, 1), (j, -1)):
            dual[one] += sign * f / c
            intercept[one] += sign * b / c
    joint = copy(model)
    joint.dual_coef_, joint.intercept_ = dual, intercept
    forget(joint, OF_PAIRS)
    return joint
