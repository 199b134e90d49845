"""How gamma, C and the scale of the features are chosen, stage by stage.

1. Scouting, from a coarse to a finer lattice.  With few rows or two classes every point is judged by
   leave-one-out on all rows, and the search ends here.  Else that is dearer than some fits: points are judged
   by half of the rows, fitted to the other half; of more than 450 rows by two folds of a sample, or by
   leave-one-out of the sample for up to three classes.
2. The other scale of the features is tried at the point that was found, and at its own median distance; if
   it is better, the search goes on from there.  What a sample says of the scale is compared once more, on all
   rows or a sample of `max_rows`: by leave-one-out where that is quick, else by as many of four folds as hold
   out 600 rows.
3. Points around the best one that the scouts have not found hopeless are tried on the same rows, but by folds
   that hold out 250.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from kernelproba.estimators.base.classifier import Training
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.kernels import Kernel
from kernelproba.tuning.duplicates import DistinctRows
from kernelproba.tuning.kernel_logistic.candidates import Folds, Trials
from kernelproba.tuning.kernel_logistic.feature_relevance import Relevance, Weighed, Weighing, pays
from kernelproba.tuning.kernel_logistic.out_of_sample import (
    inner_folds,
    left_out_is_cheap,
    left_out_operations,
)
from kernelproba.tuning.kernel_logistic.search import (
    LogisticSearch,
    Scouts,
    Trial,
    Values,
    central_gamma,
    judged_weight,
)
from kernelproba.tuning.loo_report import WORTHWHILE
from kernelproba.tuning.scaling import ScaledView

#: Rows of a sample at least, and for each of many classes, and the number of rows from which on it is taken.
SAMPLE_ROWS, CLASS_ROWS, SAMPLED_ROWS = 300, 20, 450
#: Operations of leave-one-out that scouts can afford for softmax, and classes for which they can in a sample.
SCOUT_OPERATIONS, SAMPLED_CLASSES = 6e7, 3
#: Rows up to which the last stage can afford leave-one-out, and operations it may take there for softmax.
LEFT_OUT_ROWS, REFINE_OPERATIONS = 1000, 3e8
#: Folds where it is not, and rows held out that it takes to tell two scales, and two neighbours, apart.
FOLDS, COMPARED_ROWS, REFINED_ROWS = 4, 600, 250
#: Rows from which weights of features are learned.
WEIGHED_ROWS = 1000
#: Rows behind the median distance.
MEDIAN_ROWS = 300
#: How much worse, relatively, another scale may be on a sample and still be compared.
SLACK = 0.25
#: Nats up to which scouts of two scales say the same.
SAME = 0.25
#: Where the search of C starts.
START_C = 10.0


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
    weighable : bool
        Whether features may be weighed.
    """

    kernel_of: Callable[[Any, float | None], Kernel]
    options: Options
    gammas: Sequence[float | None] | None
    Cs: Sequence[float] | None
    max_rows: int
    folded: tuple[Training, Folds] | None
    weighable: bool

    @property
    def searched(self) -> tuple[bool, bool]:
        """Whether gamma, and C, are searched."""
        return self.gammas is None, self.Cs is None

    def trials(self, view: ScaledView, training: Training, folds: Folds | None) -> Trials:
        """Fits to rows in a view."""
        seen = view.of(training)
        return Trials(seen, partial(self.kernel_of, seen.X), self.options, folds, view.rule)


class Found(NamedTuple):
    """The best point of a view, the fits among which it was found, and those that found the way there."""

    best: Trial
    view: ScaledView
    trials: Trials
    scouts: Trials | None = None

    @property
    def point(self) -> Values:
        """(gamma, C)."""
        return self.best.gamma, self.best.C

    @property
    def score(self) -> float:
        """Of the best point."""
        return self.best.score


class Choice(NamedTuple):
    """The best point, its view, fits to all rows in it, and how features were weighed."""

    best: Trial
    view: ScaledView
    trials: Trials
    weighed: Weighed | None = None


def choose(terms: Terms, rows: DistinctRows, search: LogisticSearch, rules: Sequence[str | None]) -> Choice:
    """Return the best point.

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
    scouted = _is_scouted(terms, rows)
    stage = partial(_scouts if scouted else _last_trials, terms, rows)
    views = [ScaledView.learn(rule, rows.training) for rule in rules]
    found = _explore(terms, rows, search, [(view, stage(view)) for view in views])
    if scouted:
        found = [_refine(terms, search, _compare(terms, rows, search, found))]
    chosen = max(found, key=_score)
    whole = terms.folded is None and len(chosen.trials.training.y) == len(rows.keys)
    trials = chosen.trials if whole else terms.trials(chosen.view, rows.training, None)
    plain = Choice(chosen.best, chosen.view, trials)
    return _weighed(terms, rows, search, chosen, plain) if terms.weighable else plain


def _weighed(terms: Terms, rows: DistinctRows, search: LogisticSearch, found: Found, plain: Choice) -> Choice:
    """Return a choice with weighed features, if rows held out are then predicted better."""
    gamma, C = found.point
    assert gamma is not None
    few = len(rows.keys) <= WEIGHED_ROWS
    learners = plain.trials if few else terms.trials(found.view, rows.sample(WEIGHED_ROWS), None)
    seen = learners.training
    weighing = Weighing(learners, (gamma, C), inner_folds(seen, FOLDS))
    if not pays(weighing.held_out(), seen.y, judged_weight(seen)):
        return plain
    relevance = Relevance.learn(learners, gamma, C)
    trials = relevance.of(found.trials)
    best = search.refine(trials, (relevance.gamma, C), Scouts(found.trials, found.point))
    assert best.gamma is not None
    weighed = Weighed(relevance.weights, best.gamma / relevance.gamma, weighing if few else None)
    whole = trials if plain.trials is found.trials else relevance.of(plain.trials)
    return Choice(best, found.view.weighed(relevance.weights), whole, weighed)


def _explore(
    terms: Terms, rows: DistinctRows, search: LogisticSearch, stages: list[tuple[ScaledView, Trials]]
) -> list[Found]:
    """Return the best point of each view; after the first only views that are better are searched."""
    (view, trials), *others = stages
    center = _center(terms, rows, view)
    starts = product(terms.gammas or [center], terms.Cs or [START_C])
    best = max((search.descend(trials, start) for start in starts), key=_score)
    found = [Found(best, view, trials)]
    for other, trials in others:
        gammas = _alike(terms, best.gamma, center, _center(terms, rows, other))
        known = max((search.attempt(trials, g, best.C) for g in gammas), key=_score)
        if known.score > best.score + WORTHWHILE / len(trials.training.y):
            known = search.refine(trials, (known.gamma, known.C))
        found.append(Found(known, other, trials))
    return found


def _compare(terms: Terms, rows: DistinctRows, search: LogisticSearch, found: Sequence[Found]) -> Found:
    """Return the view to go on with on all rows: what a sample says of the scale is compared once more."""
    first, *others = found
    if not _is_sampled(rows):
        better = [each for each in others if each.score > first.score + WORTHWHILE / len(rows.keys)]
        return _last_stage(terms, rows, max([first, *better], key=_score))
    n = len(first.trials.training.y)
    found = [first, *(each for each in others if abs(each.score - first.score) * n > SAME)]
    best = max(map(_score, found))
    stages = [_last_stage(terms, rows, each) for each in found if each.score >= best - SLACK * abs(best)]
    if len(stages) == 1:
        return stages[0]
    return max((each._replace(best=search.attempt(each.trials, *each.point)) for each in stages), key=_score)


def _last_stage(terms: Terms, rows: DistinctRows, found: Found) -> Found:
    """Fits to all rows in a view, judged by folds where those are cheaper than leave-one-out."""
    trials = _last_trials(terms, rows, found.view)
    k = _n_scores(trials.training)
    if trials.folds is None and k > 1:
        rank = trials.low_rank(found.best.gamma).Phi.shape[1]
        if left_out_operations(len(trials.training.y), k, rank) > REFINE_OPERATIONS:
            trials.folds = inner_folds(trials.training, FOLDS)
    return found._replace(trials=trials, scouts=found.trials)


def _refine(terms: Terms, search: LogisticSearch, found: Found) -> Found:
    """Walk on from a point, judged by fewer folds if the user has not asked for them."""
    trials = found.trials
    if terms.folded is None and trials.folds is not None:
        trials.folds = trials.folds[: _folds_that_hold_out(REFINED_ROWS, trials.training)]
    scouts = None if found.scouts is None else Scouts(found.scouts, found.point)
    return found._replace(best=search.refine(trials, found.point, scouts))


def _score(found: Found | Trial) -> float:
    return found.score


def _is_sampled(rows: DistinctRows) -> bool:
    """Whether a sample goes before all rows."""
    return len(rows.keys) > SAMPLED_ROWS


def _is_scouted(terms: Terms, rows: DistinctRows) -> bool:
    """Whether points are searched in a cheaper way before they are judged."""
    n, k = len(rows.keys), _n_scores(rows.training)
    cheap = terms.folded is not None or k == 1 or left_out_operations(n, k, n) <= SCOUT_OPERATIONS
    return any(terms.searched) and (_is_sampled(rows) or not cheap)


def _n_scores(training: Training) -> int:
    """One score for two classes, else one for each."""
    c = int(training.y.max()) + 1
    return 1 if c == 2 else c


def _center(terms: Terms, rows: DistinctRows, view: ScaledView) -> float:
    """Gamma from which to search."""
    X = view.of(rows.sample(MEDIAN_ROWS)).X
    return central_gamma(terms.kernel_of(X, 1.0), X)


def _alike(terms: Terms, gamma: float | None, center: float, other: float) -> list[float | None]:
    """Gammas to try around another centre: as far from it as a gamma is from its own, and that centre."""
    if terms.gammas is not None or gamma is None:
        return [gamma]
    return [other] if gamma == center else [gamma / center * other, other]


def _scouts(terms: Terms, rows: DistinctRows, view: ScaledView) -> Trials:
    """Judge by half of the rows, fitted to the other; a sample by leave-one-out, or by two of four folds."""
    if not _is_sampled(rows):
        return terms.trials(view, rows.training, inner_folds(rows.training, 2)[:1])
    training = rows.sample(max(SAMPLE_ROWS, CLASS_ROWS * _n_scores(rows.training)))
    if _n_scores(training) <= SAMPLED_CLASSES:
        return terms.trials(view, training, None)
    return terms.trials(view, training, inner_folds(training, FOLDS)[: FOLDS // 2])


def _last_trials(terms: Terms, rows: DistinctRows, view: ScaledView) -> Trials:
    """Judge by the user's folds, by rows left out while these are few, or by quarters of the rows."""
    if terms.folded is not None:
        return terms.trials(view, *terms.folded)
    training = rows.sample(terms.max_rows)
    n = len(training.y)
    if n <= LEFT_OUT_ROWS and left_out_is_cheap(n, _n_scores(training)):
        return terms.trials(view, training, None)
    folds = inner_folds(training, FOLDS)[: _folds_that_hold_out(COMPARED_ROWS, training)]
    return terms.trials(view, training, folds)


def _folds_that_hold_out(n_rows: int, training: Training) -> int:
    """How many of four folds hold out so many rows."""
    return math.ceil(n_rows * FOLDS / len(training.y))
