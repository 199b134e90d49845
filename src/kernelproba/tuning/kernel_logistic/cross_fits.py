"""Honest predictions of many rows: models with the same centres, each fitted without a fold of the rows.

The centres and the settings are those of the model of all rows, whose coefficients each of these fits sets
out from; a few passes take it from there to its own minimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kernelproba.estimators.base.stored_training import GivenRows
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.tuning.kernel_logistic.candidates import score_log_probabilities
from kernelproba.tuning.kernel_logistic.final_fits import FinalFits
from kernelproba.tuning.kernel_logistic.kept_stages import refitted_of, refitted_state
from kernelproba.tuning.kernel_logistic.pooling import pooled
from kernelproba.tuning.kernel_logistic.progress import FOLD_UNITS
from kernelproba.tuning.kernel_logistic.search import CandidateSearch
from kernelproba.tuning.scaling import ScaledView
from kernelproba.typing import Matrix

#: Folds, and rows beyond which there are only two.
FOLDS, FOUR_FOLDS_ROWS = 4, 50_000
#: Rows whose predictions weigh the models of a pool.
POOL_ROWS = 20_000
#: Rows that are predicted at a time.
BLOCK_ROWS = 16_384


def n_folds(n: int) -> int:
    """Folds of n rows: half of very many rows teach nearly as much as all."""
    return FOLDS if n <= FOUR_FOLDS_ROWS else 2


@dataclass(frozen=True)
class CrossFits:
    """A model of the pool in as many versions as there are folds.

    Parameters
    ----------
    view : ScaledView
        How the model sees rows.
    models : sequence of KernelLogisticRegression
        Number k was fitted without the rows of fold k; the last to all rows, for those of weight zero.
    known : array of shape (n, c), optional
        Log-probabilities of all rows by the versions that lack them, if these are known already.
    """

    view: ScaledView
    models: Sequence[KernelLogisticRegression]
    known: np.ndarray | None = None

    def log_probabilities(self, X: Matrix, fold: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Log-probabilities (r, c) of rows X (r, d) of these numbers, by versions that lack their folds."""
        if self.known is None:
            log_P, first = np.empty((len(fold), len(self.models[0].classes_))), 0
        else:  # but for rows of weight zero
            log_P, first = self.known[numbers], len(self.models) - 1
        for number in range(first, len(self.models)):
            own = np.maximum(fold, 0) == number
            if own.any():
                log_P[own] = score_log_probabilities(self.models[number]._scores(self.view.rows(X[own])))
        return log_P


@dataclass(frozen=True)
class HeldOutPool:
    """The pool of cross-fitted models.

    Parameters
    ----------
    members : sequence of CrossFits
        Its models.
    weights : array of shape (len(members),)
        Their weights.
    temperature : float
        What scores are divided by.
    """

    members: Sequence[CrossFits]
    weights: np.ndarray
    temperature: float


def held_out_probabilities(X: Matrix, fold: np.ndarray, numbers: np.ndarray, pool: HeldOutPool) -> np.ndarray:
    """Probabilities (r, c) of rows X (r, d), numbers (r,), by the models that lack their folds (r,)."""
    log_Ps = [member.log_probabilities(X, fold, numbers) for member in pool.members]
    return np.exp(pooled(log_Ps, pool.weights, pool.temperature))


def held_out_of_all(given: GivenRows, fold: np.ndarray, pool: HeldOutPool) -> np.ndarray:
    """Probabilities (n, c) of all rows of a store, of which those that carry weight are in folds (m,)."""
    kept = slice(None) if given.kept is None else given.kept
    folds = np.full(len(given.X), len(pool.members[0].models) - 1, dtype=np.int8)
    numbers = np.zeros(len(given.X), dtype=np.int64)
    folds[kept], numbers[kept] = fold, np.arange(len(fold))
    rows = given.X.in_blocks(BLOCK_ROWS)
    return rows.map(held_out_probabilities, rows.align(folds), rows.align(numbers), shared=(pool,))


def cross_fit(
    fits: FinalFits,
    model: KernelLogisticRegression,
    fold: np.ndarray,
    name: str,
    search: CandidateSearch,
) -> CrossFits:
    """Fit a model of all rows anew without each fold (n,) of them; a checkpoint knows it by a name."""

    def refit(number: int) -> KernelLogisticRegression:
        with search.reported("fit without a fold", len(fits.many), units=FOLD_UNITS) as passes:
            return fits.without(model, fold, number, passes)

    models = [
        search.stages.kept(
            f"{name}-fold-{number}",
            partial(refit, number),
            refitted_state,
            partial(refitted_of, model),
            complete=lambda: not search.budget.ran_out,
        )
        for number in range(int(fold.max()) + 1)
    ]
    return CrossFits(fits.selected.view, [*models, model], _known(fits, models, fold))


def _known(
    fits: FinalFits, models: Sequence[KernelLogisticRegression], fold: np.ndarray
) -> np.ndarray | None:
    """Log-probabilities (n, c) of all rows by the models that lack their folds (n,), if these are at hand."""
    log_P = None
    for number, model in enumerate(models):
        if (F := fits.known_scores(model)) is None:
            return None
        own, found = np.maximum(fold, 0) == number, score_log_probabilities(F)
        log_P = found if log_P is None else np.where(own[:, None], found, log_P)
    return log_P
