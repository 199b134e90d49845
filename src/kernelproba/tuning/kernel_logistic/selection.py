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
    useful = [0] if len(screened) == 1 else np.flatnonzero(_screening_pool(screened)).tolist()
    selected = []
    for k in useful:
        found = finish(spaces[k], rows, search, screened[k])
        selected.append(grown_in_memory(spaces[k], rows, search, found))
        if len(rows) > KEPT_ROWS:  # before matrices of the next kernel are needed
            search.forget()
            selected[-1].fits.forget()
    return selected


def _screening_pool(screened: Sequence[Sequence[StageResult]]) -> np.ndarray:
    """Weights (K,) of the kernels in a pool of their best candidates on the rows of the screening."""
    best = [max(results, key=lambda result: result.best.score) for results in screened]
    usable = np.array([np.isfinite(result.best.score) for result in best])
    if not usable.any():
        return np.arange(len(best)) == 0
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
