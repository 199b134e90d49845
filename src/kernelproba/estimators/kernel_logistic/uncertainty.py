"""How firm the probabilities of kernel logistic functions are, and how new a row is to them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import TransformerMixin

from kernelproba.conformal.p_values import SortedScores
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.validation import check_confidence
from kernelproba.kernels.stationary import Stationary
from kernelproba.rows.store import stored_rows
from kernelproba.solvers.posterior.probabilities import average_probabilities, probability_intervals
from kernelproba.typing import Matrix, MatrixLike

if TYPE_CHECKING:
    from kernelproba.estimators.kernel_logistic.kept_rows import NoveltyReference, UncertainFunction

#: Rows that are predicted at a time.
BLOCK_ROWS = 512
#: Of a row far from all: how many times the odds of being unexplained that this share of the training rows
#: exceeds, and the least share of it that is unexplained.
FAR_ODDS, EXCEEDED_BY, FAR_LEAST = 2.0, 0.02, 0.01


@dataclass(frozen=True)
class Member:
    """A kernel logistic function in a pool: its weight, the model, and what scales rows for it (or None)."""

    weight: float
    model: "UncertainFunction"
    scaler: TransformerMixin | None = None

    @property
    def covariance_share(self) -> float:
        """½v(1 + v): of functions that err half independently; 1 of a single one."""
        return self.weight * (1 + self.weight) / 2

    def rows(self, X: Matrix) -> Matrix:
        """Checked rows as the model compares them."""
        return X if self.scaler is None else self.scaler.transform(X)

    def covariance(self, X: Matrix) -> tuple[np.ndarray, np.ndarray]:
        """Covariance (n, q, q) of the scores of checked rows, and its share (n,) of the prior's."""
        features, posterior = self.model._score_posterior()
        Psi, whole = features(self.rows(X))
        S = posterior.score_covariance(Psi, whole)
        prior = posterior.scale * S.shape[1] * whole
        left = np.trace(S, axis1=1, axis2=2)
        # Of a row with k(x, x) = 0 the prior leaves nothing open but the intercept.
        return S, np.clip(np.divide(left, prior, out=np.zeros(len(S)), where=prior > 0), 0.0, 1.0)


class UncertainProbabilities(ProbabilisticClassifier):
    """Methods of classifiers whose scores are a mean of kernel logistic functions that have kept their rows.

    Subclasses give `_scores` and `_members`, and `_score_scale` if scores are divided by a temperature.
    """

    def _scores(self, X: MatrixLike) -> np.ndarray:
        raise NotImplementedError

    def _members(self) -> list[Member]:
        """Functions whose weighted mean the scores are; the weights sum to one."""
        raise NotImplementedError

    def _score_scale(self) -> float:
        """What scores are divided by."""
        return 1.0

    def predict_proba(self, X: MatrixLike, *, moderated: bool = False) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.
        moderated : bool, default=False
            Whether to average the probabilities over the posterior of the function that
            `predict_proba_interval` speaks of, instead of taking those of the most probable function: nearer
            to even odds the less the rows of training determine them.  Costs the same.

        Returns
        -------
        P : ndarray of shape (n, c)
            Probability of each class, columns in the order of `classes_`; rows sum to one.
        """
        if not moderated:
            return super().predict_proba(X)
        return self._judge_scores(X, average_probabilities)

    def predict_proba_interval(self, X: MatrixLike, confidence: float = 0.9) -> np.ndarray:
        """Intervals of the class probabilities: what the rows of training leave open.

        The shortest intervals that hold a share `confidence` of the posterior of each probability, by
        Laplace's approximation: the prior is the Gaussian process whose most probable function the fit has
        found, with the kernel and C taken as known.  What more rows like these could tell is inside; that the
        kernel may be wrong is not.  Where classes can be separated Laplace's variance is too large; it is
        reduced until averaging over it leaves the labels of the training rows as probable as the fit does, to
        3 %.

        The first call builds the posterior, once: some n r² + r³ operations, n rows (5000 of them where not
        all rows are centres) and r ≤ 1000 features, fewer of smooth kernels.  Each row then costs r (d + t)
        operations for t directions in which the rows tell something, and ½(c − 1)² s² for those s of them
        whose errors are taken together, 1000/(c − 1) at most: like some predictions with r centres.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        confidence : float in (0, 1), default=0.9
            Share of the posterior in each interval.

        Returns
        -------
        intervals : ndarray of shape (n, c, 2)
            Least and largest probability of each class; `predict_proba` is between them.
        """
        check_confidence(confidence)
        return self._judge_scores(X, partial(probability_intervals, confidence=confidence))

    def novelty_score(
        self, X: MatrixLike, *, return_p_value: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """How little of a row the rows of training explain, in the kernel of the model.

        For each class the share of k(x, x) that its rows do not explain, 1 − k(x)ᵀ(K + I/C)⁻¹k(x)/k(x, x); of
        all classes the least: near 0 for a row among those of some class, 1 far from all.  Of a row longer
        than all rows of training, k(x, x) > max k(z, z), which a dot product knows, the share is relative to
        that maximum, 1 at most: it is new in the direction of known rows as well.  A narrow kernel finds more
        rows new than a wide one, so that scores of different models do not compare; p-values do.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        return_p_value : bool, default=False
            Whether to return p-values as well: the share of training rows, each left out of those that
            explain it, that are as new or newer.  A row from where the rows of training came from has one of
            α or less with probability α, about.

        Returns
        -------
        score : ndarray of shape (n,)
            In [0, 1].
        p_value : ndarray of shape (n,)
            Only if asked for.
        """
        X = self._rows_in_memory(X)
        members = distance_members(self._members())
        references = [member.model._novelty_reference() for member in members]
        scores = _in_blocks(
            lambda block: np.sum(
                [
                    member.weight * reference.score(member.rows(block))
                    for member, reference in zip(members, references, strict=True)
                ],
                axis=0,
            ),
            X,
        )
        return (
            (scores, _p_values(left_out_novelties(members, references), scores)) if return_p_value else scores
        )

    def novelty_limit(self) -> float:
        """Novelty above which a row is far from all rows of training, and nothing they tell applies to it.

        With q the novelty that one in fifty training rows exceeds, each left out, twice the odds
        q/(1 − q), and 0.01 at least.  Of rows from where those of training came from hardly any exceeds it.

        Returns
        -------
        limit : float
            In [0.01, 1]; see `novelty_score`.
        """
        members = distance_members(self._members())
        known = left_out_novelties(members, [member.model._novelty_reference() for member in members])
        return far_novelty(known)

    def _rows_in_memory(self, X: Matrix) -> Matrix:
        if stored_rows(X) is not None:
            raise ValueError("intervals and novelty need rows in memory: pass them block by block")
        return self._check_predict(X)

    def _judge_scores(self, X: MatrixLike, judge: Callable[..., np.ndarray]) -> np.ndarray:
        """Stack ``judge(F, S, Q)`` of mean and covariance of the scores, a block of rows at a time."""
        members, T = self._members(), self._score_scale()
        Q = members[0].model._score_posterior()[1].contrasts

        def judge_block(block: Matrix) -> np.ndarray:
            scores = np.array([member.model._expansion().scores(member.rows(block)) for member in members])
            F, S = pooled_moments(members, scores, block, Q)
            return judge(F / T, S / T**2, Q)

        return _in_blocks(judge_block, self._rows_in_memory(X))


def pooled_moments(
    members: list[Member], scores: np.ndarray, X: Matrix, Q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean (n, k) and covariance (n, q, q) of the scores of a pool.

    Where the rows of training leave a share ν of the prior's variance open, ν of what the functions differ by
    is open as well: next to nothing among the rows, all of it far from them, where a line goes on for ever.

    Parameters
    ----------
    members : list of Member
        Functions.
    scores : array of shape (len(members), n, k)
        Their scores.
    X : array of shape (n, d)
        Checked rows.
    Q : array of shape (k, q)
        Contrasts.
    """
    weights = np.array([member.weight for member in members])
    F = np.tensordot(weights, scores, 1)
    covariances, open_shares = zip(*(member.covariance(X) for member in members), strict=True)
    S = np.tensordot([member.covariance_share for member in members], covariances, 1)
    if len(members) > 1:
        nu = distance_weights(members) @ np.array(open_shares)
        D = nu[:, None] * ((scores - F) @ Q)
        S = S + np.einsum("m,mna,mnb->nab", weights, D, D)
    return F, S


def distance_weights(members: list[Member]) -> np.ndarray:
    """Weights, of sum one: 0 of members whose kernels do not fall with the distance of rows, if others do."""
    weights = np.array([member.weight for member in members])
    falls = np.array([isinstance(member.model.kernel_, Stationary) for member in members])
    chosen = np.where(falls, weights, 0.0) if falls.any() else weights
    return chosen / chosen.sum()


def distance_members(members: list[Member]) -> list[Member]:
    """Members to which far rows are new, weighed by `distance_weights`."""
    weighed = zip(members, distance_weights(members), strict=True)
    return [replace(member, weight=float(weight)) for member, weight in weighed if weight > 0]


def left_out_novelties(members: list[Member], references: list["NoveltyReference"]) -> SortedScores:
    """Novelties of the training rows, each left out."""
    shares = [m.weight * r.left_out for m, r in zip(members, references, strict=True)]
    return SortedScores.of(np.sum(shares, axis=0), references[0].weight)


def far_novelty(left_out: SortedScores) -> float:
    """Return the `novelty_limit` of a model whose training rows have these novelties."""
    few = left_out.weight_from[:-1] <= EXCEEDED_BY * left_out.weight_from[0]
    q = left_out.scores[np.argmax(few) if few.any() else -1]
    return float(max(FAR_ODDS * q / (1 + (FAR_ODDS - 1) * q), FAR_LEAST))


def _in_blocks(function: Callable[..., np.ndarray], *aligned: Matrix) -> np.ndarray:
    """Stack the values of a function of blocks of rows."""
    starts = range(0, aligned[0].shape[0], BLOCK_ROWS)
    return np.concatenate([function(*(each[s : s + BLOCK_ROWS] for each in aligned)) for s in starts])


def _p_values(left_out: SortedScores, score: np.ndarray) -> np.ndarray:
    """Share (n,) of the training rows, and the new one, that are as new or newer."""
    return (left_out.weight_of_worse(score, "left") + 1) / (left_out.weight_from[0] + 1)
