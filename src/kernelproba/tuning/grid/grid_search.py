"""Cross-validation over a grid of widths and strengths: one path of strengths for each fold and width."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from kernelproba.calibration import HeldOutScores
from kernelproba.estimators.base.callbacks import Step, as_steps
from kernelproba.rows.folds import Fold
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.results import ResultsBuilder, finite_or_worst
from kernelproba.tuning.scorers import HeldOutScorer, smoothed_log_likelihood

#: Second scores that differ by less are equal: the weights are not known any better.
ROUNDING = 1e-6


class FoldOutcome(NamedTuple):
    """What the models of one fold and width, one for each of a strengths, are worth.

    Parameters
    ----------
    scores : array of shape (a, r, c)
        Scores of the r test rows.
    support : array of shape (a,)
        Share of the training rows that have non-zero weights.
    """

    scores: np.ndarray
    support: np.ndarray


@dataclass(frozen=True)
class Grid:
    """Parameters to choose from.

    Parameters
    ----------
    widths : sequence of dict
        Parameters of each width, such as ``{"gamma": 0.1}``.
    name : str
        Of the strength.
    strengths : array of shape (a,)
        Its values, in the order of a path: from sparse to rich models.
    """

    widths: Sequence[dict[str, object]]
    name: str
    strengths: np.ndarray

    def params(self, width: int, strength: int) -> dict[str, object]:
        """Parameters of a candidate."""
        return {**self.widths[width], self.name: float(self.strengths[strength])}


@dataclass(frozen=True)
class GridSearch:
    """Candidates of a grid, judged by folds.

    Parameters
    ----------
    grid : Grid
        The candidates.
    rows : Observations
        Training rows.
    folds : sequence of Fold
        What is held out.
    score : HeldOutScorer
        What is to be best.
    log_probabilities : callable
        HeldOutScores of all folds → log-probabilities (n, c).
    """

    grid: Grid
    rows: Observations
    folds: Sequence[Fold]
    score: HeldOutScorer
    log_probabilities: Callable[[HeldOutScores], np.ndarray]

    def run(self, assess: Callable[[int, Fold], FoldOutcome], step: Step, n_jobs: int | None) -> "GridScores":
        """Try all candidates.

        Parameters
        ----------
        assess : callable
            (number of a width, fold) → FoldOutcome.
        step : Step
            Context of every fold and width.
        n_jobs : int or None
            Folds and widths tried at once.
        """
        tasks = list(product(range(len(self.grid.widths)), self.folds))
        outcomes = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(assess)(*task) for task in tasks)
        results = list(as_steps(step, "fold", outcomes, len(tasks)))
        k = len(self.folds)
        parts = [self._width_scores(results[start : start + k]) for start in range(0, len(results), k)]
        return GridScores(*(np.stack(part) for part in zip(*parts, strict=True)))

    def results(self, scores: "GridScores") -> ResultsBuilder:
        """Return all candidates with their scores, width by width."""
        builder = ResultsBuilder()
        for width, strength in np.ndindex(scores.scores.shape[:2]):
            builder.add(
                self.grid.params(width, strength),
                scores.scores[width, strength],
                mean_support=float(scores.support[width, strength].mean()),
                n_rows=len(self.rows),
            )
        return builder

    def _width_scores(self, outcomes: Sequence[FoldOutcome]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores, log-likelihoods and support (a, k) of one width from the outcomes of its folds."""
        y = np.concatenate([self.rows.y[fold.test] for fold in self.folds])
        weight = np.concatenate([self.rows.test_weight(fold) for fold in self.folds])
        stops = np.cumsum([len(fold.test) for fold in self.folds])
        total, judged = float(self.rows.units.sum()), []
        for a in range(len(self.grid.strengths)):
            Q = np.concatenate([outcome.scores[a] for outcome in outcomes])
            log_P = self.log_probabilities(HeldOutScores(Q, y, weight))
            folds = np.split(np.arange(len(y)), stops[:-1])
            judged.append(
                [
                    [score(log_P[fold], y[fold], weight[fold], total) for fold in folds]
                    for score in (self.score, smoothed_log_likelihood)
                ]
            )
        scores, ties = np.moveaxis(np.array(judged), 1, 0)
        return scores, ties, np.stack([outcome.support for outcome in outcomes], axis=1)


class GridScores(NamedTuple):
    """Scores, log-likelihoods and support (widths, strengths, folds) of all candidates."""

    scores: np.ndarray
    log_likelihoods: np.ndarray
    support: np.ndarray

    def best(self, *, one_standard_error: bool) -> int:
        """Return the number of the best candidate, width by width.

        Few rows make few different accuracies: equal scores are told apart by the log-likelihood, and of
        candidates equal in both the first is taken.

        Parameters
        ----------
        one_standard_error : bool
            Whether to take, of all candidates whose score is within one standard error (over the folds) of
            the best, the one with the fewest non-zero weights.
        """
        mean, n_folds = finite_or_worst(self.scores.mean(axis=-1)).ravel(), self.scores.shape[-1]
        top = int(mean.argmax())
        error = 0.0
        if one_standard_error and n_folds > 1:
            error = float(self.scores.reshape(-1, n_folds)[top].std(ddof=1)) / np.sqrt(n_folds)
        second = -self.support if one_standard_error else self.log_likelihoods
        preference = np.where(mean >= mean[top] - error - 1e-12, second.mean(axis=-1).ravel(), -np.inf)
        return int(np.argmax(finite_or_worst(preference) >= np.nanmax(preference) - ROUNDING))
