"""What each penalty of a path of maximum contrast is worth on rows held out."""

from collections.abc import Iterator

import numpy as np
from scipy.special import log_softmax

from kernelproba.kernels.logarithm import log_sums
from kernelproba.solvers.lp.contrast_problem import ContrastProblem
from kernelproba.solvers.lp.slpm import ContrastFit
from kernelproba.tuning.grid.width_grid import HeldOut

SCORINGS = ("accuracy", "log_loss", "contrast")
#: What `assess_contrast` returns.
COLUMNS = (*SCORINGS, "support", "deactivated")


def assess_contrast(held_out: HeldOut, problem: ContrastProblem, fit: ContrastFit) -> tuple[float, ...]:
    """Return the scores on the test rows, the share of non-zero weights and that of rows switched off.

    Parameters
    ----------
    held_out : HeldOut
        The fold.
    problem : ContrastProblem
        The problem of its training rows.
    fit : ContrastFit
        A solution.
    """
    train, test = held_out.fold
    used = np.flatnonzero(fit.beta)
    centers = train[used]
    log_q = log_sums(
        held_out.K[np.ix_(test, centers)],
        problem.spread(fit.beta)[used],
        lambda rows: held_out.grid.logarithm(held_out.width, test[rows], centers),
    )
    with np.errstate(divide="ignore"):
        log_F = log_q + np.log(problem.priors)
    scores = _scores(log_F, held_out.training.y[test], held_out.training.weight[test])
    return (*scores, len(used) / len(train), 1 - float(fit.active.mean()))


def _scores(log_F: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Iterator[float]:
    """Accuracy, minus log loss, and mean contrast of rows of class y whose log fields are (n, c)."""
    rows = np.arange(len(y))
    # Where all fields are 0 nothing is known; elsewhere a class may be impossible, but not infinitely so.
    log_F = np.where(np.isneginf(log_F).all(axis=1, keepdims=True), 0.0, log_F)
    log_P = np.maximum(log_softmax(log_F, axis=1), np.log(np.finfo(float).tiny))
    F = np.exp(log_F)
    own = F[rows, y].copy()
    F[rows, y] = -np.inf
    contrast = np.clip(own - F.max(axis=1), -1, 1)
    hits = log_F.argmax(axis=1) == y
    return (float(np.average(values, weights=weight)) for values in (hits, log_P[rows, y], contrast))
