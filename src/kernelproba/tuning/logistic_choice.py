"""How gamma, C and the scale of the features are chosen, stage by stage.

1. On all rows up to 600, else on a sample of 400: from a coarse to a finer lattice.  Up to six classes every
   point is judged by leave-one-out; more classes make that dearer than fits to folds, and four folds judge,
   or two of them on a sample.
2. The other scale of the features is tried at the point that was found; if it is better, the search goes on
   from there.
3. From more than 600 rows on, a few points around the best are fitted to three quarters of the rows, or of a
   sample of `max_rows`, and judged on the last quarter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..estimators.classifier import Training
from ..estimators.logistic_function import Options
from ..kernels import Kernel
from .distinct_rows import DistinctRows
from .lattice_search import STEPS
from .logistic_search import LogisticSearch, Trial, central_gamma
from .logistic_trials import Trials
from .standardisation import ScaledView
from .unseen_rows import inner_folds

#: Rows of the first stage; up to one and a half times as many it is the only one.
SAMPLE_ROWS = 400
#: Classes up to which leave-one-out is cheaper than folds.
LEFT_OUT_CLASSES = 6
#: Folds where it is not, and parts of which the last stage holds out one.
FOLDS = 4
#: Rows behind the median distance.
MEDIAN_ROWS = 1000
#: Where the search of C starts.
START_C = 10.0

Folds = Sequence[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Terms:
    """What the user leaves to be chosen.

    Parameters
    ----------
    kernel_of : callable
        (X, gamma) → Kernel.
    options : Options
        Of the fits.
    gammas, Cs : list or None
        Values to choose from; None for a search.  [None] is the gamma of a kernel that has none.
    max_rows : int
        Rows of the last stage.
    folded : (Training, folds) or None
        The user's own folds, by which then the last stage judges.
    """

    kernel_of: Callable[[Any, float | None], Kernel]
    options: Options
    gammas: Sequence[float | None] | None
    Cs: Sequence[float] | None
    max_rows: int
    folded: tuple[Training, Folds] | None

    @property
    def searched(self) -> tuple[bool, bool]:
        """Whether gamma, and C, are searched."""
        return self.gammas is None, self.Cs is None

    def trials(self, view: ScaledView, training: Training, folds: Folds | None) -> Trials:
        """Fits to rows in a view."""
        seen = view.of(training)
        return Trials(seen, partial(self.kernel_of, seen.X), self.options, folds, view.rule)


def choose(
    terms: Terms, rows: DistinctRows, search: LogisticSearch, rules: Sequence[str | None]
) -> tuple[Trial, ScaledView]:
    """Return the best point, and the view in which it was found.

    Parameters
    ----------
    terms : Terms
        What is to be chosen.
    rows : DistinctRows
        Training rows.
    search : LogisticSearch
        Keeps the record.
    rules : sequence of str or None
        Scales of the features, the first one more likely.
    """
    staged = _is_staged(terms, rows)
    view, *others = (ScaledView.learn(rule, rows.training) for rule in rules)
    stage = partial(_first_trials if staged or terms.folded is None else _last_trials, terms, rows)
    trials = stage(view)
    center = _center(terms, rows, view)
    starts = product(terms.gammas or [center], terms.Cs or [START_C])
    best = max((search.descend(trials, start) for start in starts), key=lambda trial: trial.score)
    for other in others:
        gamma = best.gamma
        if terms.gammas is None and gamma is not None:
            gamma *= _center(terms, rows, other) / center
        trials = stage(other)
        known = search.attempt(trials, gamma, best.C)
        if known.score > best.score:
            best, view = search.descend(trials, (gamma, best.C), STEPS[-1:], known), other
    if staged:
        best = search.descend(_last_trials(terms, rows, view), (best.gamma, best.C), STEPS[-1:])
    return best, view


def _is_staged(terms: Terms, rows: DistinctRows) -> bool:
    """Whether a sample is searched before all rows are."""
    return len(rows.keys) > 1.5 * SAMPLE_ROWS and any(terms.searched)


def _center(terms: Terms, rows: DistinctRows, view: ScaledView) -> float:
    """Gamma from which to search."""
    X = view.of(rows.sample(MEDIAN_ROWS)).X
    return central_gamma(terms.kernel_of(X, 1.0), X)


def _first_trials(terms: Terms, rows: DistinctRows, view: ScaledView) -> Trials:
    """Judge all points of the first stage by rows left out one by one, or by folds."""
    training = rows.sample(SAMPLE_ROWS) if _is_staged(terms, rows) else rows.training
    if training.y.max() < LEFT_OUT_CLASSES:
        return terms.trials(view, training, None)
    # A first stage that is not the last need not be exact.
    folds = inner_folds(training, FOLDS)[: FOLDS // 2 if _is_staged(terms, rows) else FOLDS]
    return terms.trials(view, training, folds)


def _last_trials(terms: Terms, rows: DistinctRows, view: ScaledView) -> Trials:
    """Judge by the user's folds, or by a quarter of the rows."""
    if terms.folded is not None:
        return terms.trials(view, *terms.folded)
    training = rows.sample(terms.max_rows)
    return terms.trials(view, training, inner_folds(training, FOLDS)[:1])
