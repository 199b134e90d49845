"""p-values of labels against the scores of rows whose label is known.

For known rows with scores sᵢ and weights wᵢ, and a new row that with label y has the score s and weighs w_y::

    p(y) = (Σᵢ wᵢ 1[sᵢ ≥ s] + w_y) / (Σᵢ wᵢ + w_y)

If the true label's score is exchangeable with the others (for weights: after the change of distribution that
they stand for), P(p ≤ α) ≤ α, so the labels with p > α hold the truth with probability 1 − α at least
[Vovk et al. 2005; Tibshirani et al. 2019; Podkopaev & Ramdas 2021].  Where the sum over i runs over the rows
of class y alone, the same holds within that class.  A draw v, uniform in (0, 1), for the share of the ties
that counts makes the level exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class KnownLabels:
    """Rows whose label is known.

    Parameters
    ----------
    labels : array of shape (m,)
        Class indices.
    weights : array of shape (m,)
        w, not negative.
    own_weights : array of shape (c,)
        w_y, of a new row with each label.
    by_class : bool
        Whether a label is judged by the rows of its own class alone.
    """

    labels: NDArray
    weights: NDArray
    own_weights: NDArray
    by_class: bool

    def attainable(self) -> NDArray[np.float64]:
        """Return the highest level (c,) at which each label can be ruled out.

        The least p-value is w_y/(Σw + w_y): n rows that count once attain n/(n + 1).
        """
        mass = np.bincount(self.labels, weights=self.weights, minlength=len(self.own_weights))
        total = mass if self.by_class else mass.sum()
        return total / np.maximum(total + self.own_weights, np.finfo(float).tiny)

    def p_values(
        self, scores: NDArray, folds: NDArray, S: Sequence[NDArray], v: NDArray | None = None
    ) -> NDArray[np.float64]:
        """Return p-values (n, c) of all labels of new rows.

        Parameters
        ----------
        scores : array of shape (m,)
            Scores of the known rows with their labels.
        folds : array of shape (m,)
            Which of the models has scored them.
        S : sequence of arrays of shape (n, c)
            Scores of all labels of the new rows by each of the models.
        v : array of shape (n,), optional
            Draws that break ties; None counts ties as worse.
        """
        groups = [self.labels == y for y in range(len(self.own_weights))] if self.by_class else [...]
        parts = [
            [
                SortedScores.of(scores[g][i], self.weights[g][i])
                for i in (folds[g] == k for k in range(len(S)))
            ]
            for g in groups
        ]
        columns = [
            _label_p_values(parts[y if self.by_class else 0], [s[:, y] for s in S], own, v)
            for y, own in enumerate(self.own_weights)
        ]
        return np.column_stack(columns)


@dataclass(frozen=True)
class SortedScores:
    """Scores (m,) in rising order, and the weight (m + 1,) of the rows from each place on."""

    scores: NDArray
    weight_from: NDArray

    @classmethod
    def of(cls, scores: NDArray, weights: NDArray) -> "SortedScores":
        """Sort scores (m,) with weights (m,)."""
        order = np.argsort(scores, kind="stable")
        return cls(scores[order], np.append(np.cumsum(weights[order][::-1])[::-1], 0.0))

    def weight_of_worse(self, s: NDArray, side: str) -> NDArray[np.float64]:
        """Return the weight of the scores that are `s` or more (side "left"), or more (side "right")."""
        return self.weight_from[np.searchsorted(self.scores, s, side=side)]  # type: ignore[call-overload]


def _label_p_values(
    parts: list[SortedScores], s: list[NDArray], own_weight: float, v: NDArray | None
) -> NDArray[np.float64]:
    """Return p-values (n,) of one label from its scores (n,) by each model."""
    pairs = list(zip(parts, s, strict=True))
    total = sum(part.weight_from[0] for part in parts) + own_weight
    worse = sum(part.weight_of_worse(each, "left") for part, each in pairs) + own_weight
    if v is not None:
        above = sum(part.weight_of_worse(each, "right") for part, each in pairs)
        worse = above + v * (worse - above)
    # A label of no weight among rows of no weight is none.
    return worse / total if total > 0 else np.zeros_like(worse)


def left_out_p_values(label_proba: NDArray, P: NDArray) -> NDArray[np.float64]:
    """Return p-values (n, c) of all labels of rows with posterior P (n, c), from leave-one-out alone.

    The score is that of least ambiguous sets, −p_y.

    Parameters
    ----------
    label_proba : array of shape (m,)
        Probability of the label of each known row by a fit without it; NaN for rows that do not count.
    P : array of shape (n, c)
        Probabilities of new rows.
    """
    known = label_proba[~np.isnan(label_proba)]
    one_model = np.zeros(len(known), dtype=int)
    rows = KnownLabels(one_model, np.ones(len(known)), np.ones(P.shape[1]), by_class=False)
    return rows.p_values(-known, one_model, [-P])
