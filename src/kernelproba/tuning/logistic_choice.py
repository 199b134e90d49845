"""How gamma, C and the scale of the features are chosen, stage by stage.

1. On all rows up to 450, else on a sample of 300: from a coarse to a finer lattice.  Up to six classes, or
   three on a sample, every point is judged by leave-one-out; more classes make that dearer than fits to
   folds, and four folds judge, or two of them on a sample.
2. The other scale of the features is tried at the point that was found, and at its own median distance; if
   it is better (on a sample: not much worse), the search goes on from there.
3. From more than 450 rows on, the best points of both scales are compared on all rows, or a sample of
   `max_rows`: by leave-one-out where that is quick, else by as many of four folds as hold out 600 rows.  A
   few points around the better one are tried in the same way, but with the first fold alone.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..estimators.classifier import Training
from ..estimators.logistic_function import Options
from ..kernels import Kernel
from .distinct_rows import DistinctRows
from .lattice_search import STEPS
from .logistic_search import LogisticSearch, Trial, central_gamma
from .logistic_trials import Trials
from .standardisation import ScaledView
from .unseen_rows import inner_folds, left_out_is_cheap

#: Rows of the first stage; up to one and a half times as many it is the only one.
SAMPLE_ROWS = 300
#: Classes up to which leave-one-out is cheaper than four folds, and than two of them on a sample.
LEFT_OUT_CLASSES, SAMPLED_CLASSES = 6, 3
#: Rows up to which the last stage can afford it.
LEFT_OUT_ROWS = 1000
#: Folds where it is not, and rows that it takes to tell two scales apart.
FOLDS, COMPARED_ROWS = 4, 600
#: Rows behind the median distance.
MEDIAN_ROWS = 1000
#: How much worse, relatively, another scale may start on a sample and still be searched.
SLACK = 0.25
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


class Found(NamedTuple):
    """The best point of a view, and the fits among which it was found."""

    best: Trial
    view: ScaledView
    trials: Trials

    @property
    def point(self) -> tuple[float | None, float]:
        """(gamma, C)."""
        return self.best.gamma, self.best.C


def choose(terms: Terms, rows: DistinctRows, search: LogisticSearch, rules: Sequence[str | None]) -> Found:
    """Return the best point, the view in which it was found, and fits to all rows in that view.

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
    stage = partial(_first_trials if staged or terms.folded is None else _last_trials, terms, rows)
    views = [ScaledView.learn(rule, rows.training) for rule in rules]
    found = _explore(terms, rows, search, [(view, stage(view)) for view in views])
    if staged:
        found = [_refine(terms, search, max(_compare(terms, rows, search, found), key=_score))]
    best, view, trials = max(found, key=_score)
    whole = terms.folded is None and len(trials.training.y) == len(rows.keys)
    return Found(best, view, trials if whole else terms.trials(view, rows.training, None))


def _compare(terms: Terms, rows: DistinctRows, search: LogisticSearch, found: Sequence[Found]) -> list[Found]:
    """Judge the points of the views that promise something on all rows."""
    least = _promising(max(found, key=_score).best.score)
    stages = [
        each._replace(trials=_last_trials(terms, rows, each.view)) for each in found if _score(each) >= least
    ]
    if len(stages) == 1:
        return stages
    return [each._replace(best=search.attempt(each.trials, *each.point)) for each in stages]


def _refine(terms: Terms, search: LogisticSearch, found: Found) -> Found:
    """Walk on from a point, judged by one fold if there are several that the user has not asked for."""
    if terms.folded is None and found.trials.folds is not None:
        found.trials.folds = found.trials.folds[:1]
    return found._replace(best=search.descend(found.trials, found.point, STEPS[-1:]))


def _explore(
    terms: Terms, rows: DistinctRows, search: LogisticSearch, stages: list[tuple[ScaledView, Trials]]
) -> list[Found]:
    """Return the best point of each view; after the first only views that promise something are searched."""
    (view, trials), *others = stages
    center = _center(terms, rows, view)
    starts = product(terms.gammas or [center], terms.Cs or [START_C])
    best = max((search.descend(trials, start) for start in starts), key=lambda trial: trial.score)
    found = [Found(best, view, trials)]
    least = _promising(best.score) if _is_staged(terms, rows) else best.score
    for other, trials in others:
        gammas = _alike(terms, best.gamma, center, _center(terms, rows, other))
        known = max((search.attempt(trials, g, best.C) for g in gammas), key=lambda trial: trial.score)
        if known.score > least:
            known = search.descend(trials, (known.gamma, known.C), STEPS[-1:])
        found.append(Found(known, other, trials))
    return found


def _score(found: Found) -> float:
    return found.best.score


def _promising(score: float) -> float:
    """Score on a sample from which on another scale may turn out as good as the best."""
    return score - SLACK * abs(score)


def _is_staged(terms: Terms, rows: DistinctRows) -> bool:
    """Whether a sample is searched before all rows are."""
    return len(rows.keys) > 1.5 * SAMPLE_ROWS and any(terms.searched)


def _center(terms: Terms, rows: DistinctRows, view: ScaledView) -> float:
    """Gamma from which to search."""
    X = view.of(rows.sample(MEDIAN_ROWS)).X
    return central_gamma(terms.kernel_of(X, 1.0), X)


def _alike(terms: Terms, gamma: float | None, center: float, other: float) -> list[float | None]:
    """Gammas to try around another centre: as far from it as a gamma is from its own, and that centre."""
    if terms.gammas is not None or gamma is None:
        return [gamma]
    return [other] if gamma == center else [gamma / center * other, other]


def _first_trials(terms: Terms, rows: DistinctRows, view: ScaledView) -> Trials:
    """Judge all points of the first stage by rows left out one by one, or by folds."""
    staged = _is_staged(terms, rows)
    training = rows.sample(SAMPLE_ROWS) if staged else rows.training
    if training.y.max() < (SAMPLED_CLASSES if staged else LEFT_OUT_CLASSES):
        return terms.trials(view, training, None)
    # A first stage that is not the last need not be exact.
    return terms.trials(view, training, inner_folds(training, FOLDS)[: FOLDS // 2 if staged else FOLDS])


def _last_trials(terms: Terms, rows: DistinctRows, view: ScaledView) -> Trials:
    """Judge by the user's folds, by rows left out while these are few, or by quarters of the rows."""
    if terms.folded is not None:
        return terms.trials(view, *terms.folded)
    training = rows.sample(terms.max_rows)
    n, c = len(training.y), int(training.y.max()) + 1
    if n <= LEFT_OUT_ROWS and left_out_is_cheap(n, 1 if c == 2 else c):
        return terms.trials(view, training, None)
    return terms.trials(view, training, inner_folds(training, FOLDS)[: math.ceil(COMPARED_ROWS * FOLDS / n)])
