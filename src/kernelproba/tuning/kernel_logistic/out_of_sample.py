"""What the chosen model says of every training row, as if it had not seen it.

Leave-one-out needs a low rank that describes the kernel matrix and, for softmax, up to 2 k n³ operations.
Where the kernel is too narrow, that is dearer than some fits, or features were weighed, four folds say it by
fits without a quarter of the rows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from kernelproba.estimators.base.classifier import Training
from kernelproba.rows.folds import content_folds, training_rows
from kernelproba.tuning.kernel_logistic.candidates import (
    MAX_RANK,
    Trials,
    Unseen,
    allowed_rest,
    log_probabilities,
)
from kernelproba.tuning.kernel_logistic.feature_relevance import Weighed

#: Operations that leave-one-out may take, with one score and with one for each class.
BINARY_OPERATIONS, SOFTMAX_OPERATIONS = 5e9, 1.2e9
FOLDS = 4


def unseen_log_probabilities(
    model: Any, trials: Trials, gamma: float | None, weighed: Weighed | None
) -> tuple[np.ndarray, str]:
    """Return log-probabilities (n, c) of the rows, and by what: "leave-one-out" or "folds".

    Parameters
    ----------
    model : KernelLogisticRegression
        Fitted to the rows.
    trials : Trials
        Fits to the same rows, as the model sees them.
    gamma : float or None
        Of the model.
    weighed : Weighed or None
        How its features were weighed, in which a row that is left out must have no part.
    """
    rows = trials.training
    n, c = len(rows.y), int(rows.y.max()) + 1
    exact = len(model.support_) >= n  # all rows are centres
    if exact and weighed is not None and weighed.weighing is not None:
        return weighed.weighing.unseen(weighed.factor, model.C), "folds"
    k = 1 if c == 2 else c
    if exact and left_out_is_cheap(n, k) and _is_described(trials, gamma, model.C, k):
        F = trials.left_out_scores(gamma, model.C, model._scores(rows.X))
        return log_probabilities(F), "leave-one-out"
    log_P = np.empty((n, c))
    trials.folds = inner_folds(rows, FOLDS)
    for part in trials.unseen(gamma, model.C) if exact else _refits(model, trials):
        log_P[part.rows] = part.log_P
    return log_P, "folds"


def _is_described(trials: Trials, gamma: float | None, C: float, n_scores: int) -> bool:
    """Whether the matrix of leave-one-out is the whole one, or a low rank leaves little of every row."""
    return trials.is_exact(n_scores) or trials.low_rank(gamma).rest.max(initial=0.0) <= allowed_rest(C)


def _refits(model: Any, trials: Trials) -> Iterator[Unseen]:
    """Fit models with centres to the folds, whose matrices would be too large."""
    rows = trials.training
    for train, test in trials.folds or ():
        # The weights of the rows have those of their classes in them.
        part = (
            clone(model).set_params(class_weight=None).fit(rows.X[train], rows.y[train], rows.weight[train])
        )
        yield Unseen(test, part.predict_log_proba(rows.X[test]))


def inner_folds(training: Training, n_folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of rows that keep every class in training."""
    numbers = content_folds(training.X, training.y, n_folds)
    return [
        (training_rows(numbers, fold, training.y), np.flatnonzero(numbers == fold)) for fold in range(n_folds)
    ]


def left_out_is_cheap(n: int, k: int) -> bool:
    """Whether leave-one-out of n rows and k scores takes no longer than a few fits, at the largest rank."""
    return left_out_operations(n, k, min(n, MAX_RANK)) <= (
        BINARY_OPERATIONS if k == 1 else SOFTMAX_OPERATIONS
    )


def left_out_operations(n: int, k: int, rank: int) -> float:
    """Operations of leave-one-out of n rows, k scores and a kernel matrix of some rank."""
    return 2.0 * n * rank**2 if k == 1 else float(k * n**2 * min(5 * rank, 2 * n))
