"""Whether rows that stand in a table several times are copies of one observation where they count as several.

A row seen twice is two observations, and leave-one-out keeps one of them when it leaves out the other.  That
is right for answers to the same question.  Of rows that were copied (to make a rare class larger, by joining
a table with itself, by weights that say how much a row matters) it learns the labels by heart, and promises
that of rows which nobody has seen.

Two observations at one place differ in their labels as often as a model that has seen neither says.  Copies
never do.  So the rows are predicted by fits without all that stands where they do: labels that agree more
often than these fits allow are copies, and what the fits lose is what new rows will.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from kernelproba.caller_warning import warn_caller
from kernelproba.rows.folds import Fold
from kernelproba.solvers.loo.locations import Locations
from kernelproba.tuning.observations import Observations

#: Parts of which each is predicted by a fit to the others.
PARTS = 4
#: Places with two labels that must be expected before fewer tell anything, and the share of them up to which
#: rows are called copies.
EXPECTED, SHARE = 10.0, 0.25
#: Nats an observation by which copies must flatter before it is said.
FLATTERED = 0.05
#: Log-probabilities that are as good as any below.
LOWEST = -1e3


def warn_of_copies(rows: Observations, model: BaseEstimator) -> None:
    """Say so if rows look like copies of one observation and what is known without one of them is flattered.

    Parameters
    ----------
    rows : Observations
        m distinct rows as the model takes them.
    model : estimator
        With the parameters that were chosen, fitted or not.
    """
    if (copies := flattering_copies(rows, model)) is not None:
        warn_caller(
            f"{copies} If copies are one observation, scores and choices are too sure: keep each row once, "
            "and give weights as w / w.max(), for whole numbers count observations."
        )


def flattering_copies(rows: Observations, model: BaseEstimator) -> str | None:
    """What is to be said of rows that look like copies, as in `warn_of_copies`; None if nothing is."""
    places = Locations.distinct(len(rows)) if rows.precomputed else Locations.of(rows.X)
    repeated = np.bincount(places.which, weights=rows.units)[places.which] > 1
    mixed = np.bincount(places.which)[places.which] > 1
    alone, n_mixed = repeated & ~mixed, len(np.unique(places.which[mixed]))
    if not _are_copies(n_mixed, n_mixed + alone.sum()):
        return None
    folds = _folds_of_places(places.which, rows.y)
    fresh = _held_out(rows, model, folds)
    if not _are_copies(n_mixed, n_mixed + (1 - _agreement(rows, folds, fresh))[alone].sum()):
        return None
    weight = np.where(repeated, rows.judged_weight, 0.0)
    found, kept = _loss(rows.y, weight, folds, fresh), rows.folds(PARTS)
    promised = _loss(rows.y, weight, kept, _held_out(rows, model, kept))
    if (found - promised) * weight.sum() <= FLATTERED * rows.judged_weight.sum():
        return None
    n_copies = rows.units[repeated].sum()
    return (
        f"{n_copies} of {rows.units.sum()} observations are at the same place as others and "
        f"agree with them, as copies do: their log loss is {promised:.2g} where these may be known, and "
        f"{found:.2g} where they are not."
    )


def _are_copies(n_mixed: float, expected: float) -> bool:
    """Whether far fewer places have two labels than were expected."""
    return expected >= EXPECTED and n_mixed <= SHARE * expected


def _folds_of_places(which: np.ndarray, y: np.ndarray) -> list[Fold]:
    """Folds that leave out all rows at a place (m,); distinct rows, and so places, are in a random order."""
    tested = (which % PARTS == np.arange(PARTS)[:, None]).astype(float)
    return [Fold.of_shares(1 - each, each, y) for each in tested if each.any()]


def _held_out(rows: Observations, model: BaseEstimator, folds: Sequence[Fold]) -> list[np.ndarray]:
    """Log-probabilities (r, c) of what each fold tests on."""
    # The weights of the rows have those of their classes in them.
    free = {"class_weight": None} if "class_weight" in model.get_params(deep=False) else {}
    held_out = []
    for fold in folds:
        kept = rows.train(fold)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fit = clone(model).set_params(**free).fit(kept.X, kept.y, sample_weight=kept.weight)
        held_out.append(fit.predict_log_proba(rows.test(fold)))
    return held_out


def _agreement(rows: Observations, folds: Sequence[Fold], held_out: Sequence[np.ndarray]) -> np.ndarray:
    """Probability (m,) that all observations of each row have one label."""
    same = np.empty(len(rows))
    for fold, log_P in zip(folds, held_out, strict=True):
        same[fold.test] = np.exp(rows.units[fold.test, None] * np.maximum(log_P, LOWEST)).sum(axis=1)
    return same


def _loss(y: np.ndarray, weight: np.ndarray, folds: Sequence[Fold], held_out: Sequence[np.ndarray]) -> float:
    """Mean loss of the labels y (m,) with weights (m,), in nats."""
    parts = [
        weight[fold.test] * fold.test_share @ log_P[np.arange(len(fold.test)), y[fold.test]]
        for fold, log_P in zip(folds, held_out, strict=True)
    ]
    return -float(sum(parts) / weight.sum())
