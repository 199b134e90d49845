"""Which kernels take part: each is screened on the same rows, and those that help a pool are finished."""

from collections.abc import Sequence

import numpy as np

from kernelproba.tuning.kernel_logistic.growth import grown_in_memory
from kernelproba.tuning.kernel_logistic.pooling import fit_pool
from kernelproba.tuning.kernel_logistic.search import CandidateSearch
from kernelproba.tuning.kernel_logistic.stages import SearchSpace, SelectedModel, StageResult, finish, screen
from kernelproba.tuning.observations import Observations

#: Rows up to which the matrices of all kernels are kept until the models are fitted.
KEPT_ROWS = 1000


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
        for part in search.held_out(each.best):
            log_P[part.rows], weight[part.rows] = part.log_P, part.weight
    y = rows.sample(n_rows).y
    shared = np.isfinite(log_Ps).all(axis=(0, 2))
    kept = fit_pool(list(log_Ps[:, shared]), y[shared], weight[shared])
    return [each for each, v in zip(found, kept, strict=True) if v > 0]


def _screening_pool(screened: Sequence[Sequence[StageResult]]) -> np.ndarray:
    """Weights (K,) of the kernels in a pool of their best candidates on the rows of the screening."""
    best = [max(results, key=lambda result: result.best.score) for results in screened]
    usable = np.array([np.isfinite(result.best.score) for result in best])
    if not usable.any():
        return (np.arange(len(best)) == 0).astype(float)
    parts = [
        result.stage.fits.held_out(*result.best.point, result.stage.folds)
        for result, good in zip(best, usable, strict=True)
        if good
    ]
    rows = best[0].stage.fits.rows
    y = np.concatenate([rows.y[part.rows] for part in parts[0]])
    weight = np.concatenate([part.weight for part in parts[0]])
    log_Ps = [np.concatenate([part.log_P for part in each]) for each in parts]
    weights = np.zeros(len(best))
    weights[usable] = fit_pool(log_Ps, y, weight)
    return weights
