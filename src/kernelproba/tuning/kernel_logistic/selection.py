"""Which kernels take part: each is screened on the same rows, and those that help a pool are finished."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kernelproba.tuning.kernel_logistic.growth import grown_in_memory
from kernelproba.tuning.kernel_logistic.kept_stages import KeptSelection, selected_of
from kernelproba.tuning.kernel_logistic.pooling import fit_pool
from kernelproba.tuning.kernel_logistic.search import CandidateSearch
from kernelproba.tuning.kernel_logistic.stages import SearchSpace, SelectedModel, StageResult, finish, screen
from kernelproba.tuning.observations import Observations

#: Rows up to which the matrices of all kernels are kept until the models are fitted.
KEPT_ROWS = 1000


def selected_models(
    name: str, spaces: Sequence[SearchSpace], rows: Observations, search: CandidateSearch
) -> list[SelectedModel]:
    """What `select_models` chooses, or what a checkpoint keeps of it under this name."""
    stage = KeptSelection(search, name, partial(selected_of, spaces=spaces, rows=rows))
    known = stage.found()
    return stage.keep(select_models(spaces, rows, search)) if known is None else known


def select_models(
    spaces: Sequence[SearchSpace], rows: Observations, search: CandidateSearch
) -> list[SelectedModel]:
    """Choose gamma, C and the scale of the features for every kernel that is worth it.

    Parameters
    ----------
    spaces : sequence of SearchSpace
        One for each kernel.
    rows : Observations
        Training rows.
    search : CandidateSearch
        Keeps the record.
    """
    screened = [screen(spaces[0], rows, search)]
    screened += [screen(space, rows, search) for space in spaces[1:] if not search.budget.is_over()]
    weights = np.ones(1) if len(screened) == 1 else _screening_pool(screened)
    found: list[SelectedModel] = []
    # The likeliest first: what the others have to be measured by.
    for k in np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]:
        rival = max((each.best for each in found), key=lambda best: best.score, default=None)
        finished = finish(spaces[k], rows, search, screened[k], rival)
        if finished is not None:
            found.append(finished)
        if len(rows) > KEPT_ROWS:  # before matrices of the next kernel are needed
            search.forget()
    selected = []
    for each in _pooled(found, rows, search):
        space = next(space for space in spaces if space.kernel == each.best.view.kernel)
        selected.append(grown_in_memory(space, rows, search, each))
        if len(rows) > KEPT_ROWS:
            search.forget()
            each.fits.forget()
    return selected


def _pooled(found: list[SelectedModel], rows: Observations, search: CandidateSearch) -> list[SelectedModel]:
    """Those that have weight in a pool by the predictions of their last stage, where all rows are more.

    Where these are all, the pool of all of them will tell, for little more time and by more predictions.
    """
    n_rows, c = found[0].best.n_rows, rows.n_classes
    if len(found) == 1 or n_rows == len(rows) or any(each.best.n_rows != n_rows for each in found):
        return found
    log_Ps, weight = np.full((len(found), n_rows, c), np.nan), np.zeros(n_rows)
    for log_P, each in zip(log_Ps, found, strict=True):
        y, parts = search.held_out(each.best)
        for part in parts:
            log_P[part.rows], weight[part.rows] = part.log_P, part.weight
    shared = np.isfinite(log_Ps).all(axis=(0, 2))
    kept = fit_pool(list(log_Ps[:, shared]), y[shared], weight[shared])
    return [each for each, v in zip(found, kept, strict=True) if v > 0]


def _screening_pool(screened: Sequence[Sequence[StageResult]]) -> np.ndarray:
    """Weights (K,) of the kernels in a pool of their best candidates on the rows of the screening.

    Where a kernel has nothing left to be searched it is judged on other rows at once, and all take part.
    """
    best = [max(results, key=lambda result: result.best.score) for results in screened]
    usable = [k for k, result in enumerate(best) if np.isfinite(result.best.score)]
    weights = np.zeros(len(best))
    if not usable:
        weights[0] = 1.0
        return weights
    judged = [_JudgedRows.of(best[k]) for k in usable]
    first, *others = judged
    if all(np.array_equal(each.keys, first.keys) for each in others):
        weights[usable] = fit_pool([each.log_P for each in judged], first.y, first.weight)
    else:
        weights[usable] = 1 / len(usable)
    return weights


class _JudgedRows(NamedTuple):
    """Rows by which a kernel was judged: keys, class indices, weights (r,) and log-probabilities (r, c)."""

    keys: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    log_P: np.ndarray

    @classmethod
    def of(cls, result: StageResult) -> "_JudgedRows":
        """Rows by which the best candidate of a stage was judged."""
        rows = result.stage.fits.rows
        parts = result.stage.fits.held_out(*result.best.point, result.stage.folds)
        number, weight, log_P = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "weight", "log_P")
        )
        return cls(rows.keys[number], rows.y[number], weight, log_P)
