"""From scores that should be class probabilities, but are not quite, to class probabilities.

*Clipping* (sugiyama2010, eq. 10) of scores q (n, c), which may be negative and need not sum to one::

    p_k = max(0, q_k) / Σ_j max(0, q_j),      the class priors if every score is clipped

*Power*, for probabilities p that rank the classes well but are too timid or too bold::

    p_k ← (p_k + ε)ᵗ / Σ_j (p_j + ε)ᵗ

The exponent t minimises the log loss of probabilities that the model gave to rows it had not seen, a convex
function of t; t > 1 sharpens, and without ε the map is temperature scaling.  The floor ε says how much a
zero is worth: "less than about ε", not "never".  The log loss picks it from a few sizes.  All classes are
raised alike, so none overtakes another.

*Prior outside*: where no centre is near, local kernels leave only the remains of tails to normalise, and
one class gets nearly everything.  There the class priors π are more honest::

    p ← u p + (1 − u) π,      u = min(1, T/T₀),      T = Σ_k max(0, q_k)

T₀ is the evidence that nearly every training row had when the model had not seen it.

*Slope*, for scores f that are no probabilities, such as contrasts and margins: p = softmax(slope · f).

*Temperature*, for probabilities of a logistic model: p ← p^(1/T), normalised, if that helps beyond chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax

from kernelproba.number_range import LOG_ZERO, log_probabilities

#: Bounds of t: probabilities as good as noise keep their order, perfect ones stay short of certainty.
MIN_EXPONENT, MAX_EXPONENT = 0.125, 64.0

#: Values of ε to choose from.
FLOORS = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)

#: Share of the training rows with less evidence than T₀.
_OUTSIDE_SHARE = 1e-3

#: Scores that separate the classes would be worth an infinite slope.
MAX_SLOPE = 2.0**20

#: Gain in log-likelihood, in nats, that one more parameter must bring: twice that is χ² with one degree of
#: freedom, and exceeds 4 by chance once in twenty times.
CHANCE_GAIN = 2.0


class ScoreMap(Protocol):
    """What turns scores into probabilities."""

    def log_probabilities(self, Q: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of scores Q (n, c)."""


class HeldOutScores(NamedTuple):
    """Scores Q (n, c) of rows that the model has not seen, their class indices and weights (n,).

    `n_observations` is how many observations the rows stand for, if that is not one each.
    """

    Q: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    n_observations: float | None = None


@dataclass(frozen=True)
class Clipping:
    """Clip scores at zero and normalise them.

    Parameters
    ----------
    prior : array of shape (c,)
        The answer where every score is clipped.
    """

    prior: np.ndarray

    def probabilities(self, Q: np.ndarray) -> np.ndarray:
        """Return p (n, c) of scores Q (n, c)."""
        P = np.maximum(Q, 0)
        # Scores at the edge of underflow would lose their digits in a sum: scale them up first.
        top = P.max(axis=1, keepdims=True)
        empty = top[:, 0] < np.finfo(P.dtype).tiny
        P /= np.where(empty[:, None], 1, top)
        P[empty] = self.prior
        P /= P.sum(axis=1, keepdims=True)
        return P

    def log_probabilities(self, Q: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of scores Q (n, c); −1e300 for a clipped class."""
        return log_probabilities(self.probabilities(Q))


@dataclass(frozen=True)
class PowerCalibration:
    """Raise probabilities to a power and normalise them.

    Parameters
    ----------
    exponent : float
        t.
    floor : float
        ε.
    """

    exponent: float
    floor: float

    def log_probabilities(self, P: np.ndarray) -> np.ndarray:
        """Return the logarithm of the recalibrated probabilities P (n, c)."""
        Z = self.exponent * np.log(P + self.floor)
        Z -= Z.max(axis=1, keepdims=True)
        Z -= np.log(np.exp(Z).sum(axis=1, keepdims=True))
        return Z


@dataclass(frozen=True)
class Calibrated:
    """Clip and normalise, then raise to a power."""

    clipping: Clipping
    power: PowerCalibration

    def log_probabilities(self, Q: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of scores Q (n, c)."""
        return self.power.log_probabilities(self.clipping.probabilities(Q))


@dataclass(frozen=True)
class PriorOutside:
    """Another map where there is evidence, the class priors where there is none.

    Parameters
    ----------
    inside : ScoreMap
        The other map.
    prior : array of shape (c,)
        π.
    threshold : float
        T₀.
    """

    inside: ScoreMap
    prior: np.ndarray
    threshold: float

    def log_probabilities(self, Q: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of scores Q (n, c)."""
        evidence = np.maximum(Q, 0).sum(axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # T₀ may be the least number there is
            share = np.minimum(evidence / self.threshold, 1)
        inside = log_probabilities(share) + self.inside.log_probabilities(Q)
        outside = log_probabilities(1 - share) + log_probabilities(self.prior)
        return np.maximum(np.logaddexp(inside, outside), LOG_ZERO)


def fit_score_map(rows: HeldOutScores, prior: np.ndarray, calibration: str | None, outside: str) -> ScoreMap:
    """Map from the scores of a model to probabilities.

    Parameters
    ----------
    rows : HeldOutScores
        Scores of rows that the model has not seen.
    prior : array of shape (c,)
        Class priors.
    calibration : {"power", None}
        None is clipping.
    outside : {"prior", "tails"}
        Whether to answer with the priors where there is no evidence.
    """
    inside: ScoreMap = Clipping(prior)
    if calibration is not None:
        clipping = Clipping(prior)
        P = clipping.probabilities(rows.Q)
        power = fit_power(P, rows.y, rows.weight, n_observations=rows.n_observations)
        inside = Calibrated(clipping, power)
    if outside == "tails":
        return inside
    return PriorOutside(inside, prior, _outside_threshold(rows))


def fit_power(
    P: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None = None,
    *,
    floors: Sequence[float] = FLOORS,
    n_observations: float | None = None,
) -> PowerCalibration:
    """Fit exponent and floor to probabilities of rows that the model has not seen.

    Parameters
    ----------
    P : array of shape (n, c)
        Probabilities; zeros are welcome.
    y : array of shape (n,)
        Class indices.
    weight : array of shape (n,), optional
        Weights of the rows.
    floors : sequence of float
        Values of ε to choose from.
    n_observations : float, optional
        How many observations the rows stand for; by default one each.
    """
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    share = weight / weight.sum()
    n_rows = len(y) if n_observations is None else n_observations
    best, t = (np.inf, PowerCalibration(1.0, floors[0])), 1.0
    for floor in floors:
        Z = np.log(P + floor)
        Z -= Z.max(axis=1, keepdims=True)
        t, loss = _exponent(Z, _smoothed_mean(Z, y, share, n_rows), share, t)
        best = min(best, (loss, PowerCalibration(t, floor)), key=lambda fit: fit[0])
    return best[1]


def _smoothed_mean(Z: np.ndarray, y: np.ndarray, share: np.ndarray, n_rows: float) -> float:
    """Mean of z at the labels, with one row's worth of evidence spread over all classes.

    As in Platt's method this keeps t finite when every row is classified correctly.
    """
    own = Z[np.arange(len(y)), y]
    return float((n_rows * (share @ own) + share @ Z.mean(axis=1)) / (n_rows + 1))


def _exponent(Z: np.ndarray, target: float, share: np.ndarray, start: float) -> tuple[float, float]:
    """Minimise the log loss Σᵢ shareᵢ log Σ_k exp(t zᵢₖ) − t·target over t; return t and the loss.

    Newton's method kept inside a bracket: the slope Σ share·E_p[z] − target rises with t, and its
    derivative is the mean variance of z under p.
    """
    low, high, t, loss = MIN_EXPONENT, MAX_EXPONENT, start, np.inf
    for _ in range(40):
        P = np.exp(t * Z)
        total = P.sum(axis=1)
        P /= total[:, None]
        mean = np.einsum("ij,ij->i", P, Z)
        loss = share @ np.log(total) - t * target
        slope = share @ mean - target
        low, high = (t, high) if slope < 0 else (low, t)
        curvature = share @ (np.einsum("ij,ij,ij->i", P, Z, Z) - mean**2)
        step = slope / curvature if curvature > 0 else np.inf
        small = abs(step) <= 1e-5 * t or high - low <= 1e-10 * t
        t = t - step if low < t - step < high else np.sqrt(low * high)
        if small:  # the error of t is about the square of the last step
            break
    return float(t), float(loss)


def _outside_threshold(rows: HeldOutScores) -> float:
    """T₀: the evidence that all but a small share of rows reach."""
    evidence = np.maximum(rows.Q, 0).sum(axis=1)
    order = np.argsort(evidence)
    reached = np.cumsum(rows.weight[order]) / rows.weight.sum()
    first = int(np.searchsorted(reached, _OUTSIDE_SHARE))
    return float(max(evidence[order[first]], np.finfo(np.float64).tiny))


@dataclass(frozen=True)
class SlopeMap:
    """p(j|x) = softmax_j (slope · f_j(x)): one parameter, so that the best score is the most probable class.

    Parameters
    ----------
    slope : float
        ≥ 0.
    """

    slope: float

    def log_probabilities(self, Q: np.ndarray) -> np.ndarray:
        """Return log p (n, c) of scores Q (n, c)."""
        return log_softmax(self.slope * Q, axis=1)


def fit_slope(rows: HeldOutScores) -> SlopeMap:
    """Fit a slope by the log loss against Platt's softened targets.

    The target of a row is (n_j + 1)/(n_j + c) for its class j and 1/(n_j + c) for the others, which keeps
    the slope finite where scores separate the classes.

    Parameters
    ----------
    rows : HeldOutScores
        Scores of rows that the model has not seen.
    """
    scores, y, weight = rows.Q, rows.y, rows.weight
    c = scores.shape[1]
    mass = np.bincount(y, weights=weight, minlength=c)[y][:, np.newaxis]
    targets = np.where(y[:, np.newaxis] == np.arange(c), mass + 1, 1) / (mass + c)
    share = (weight / weight.sum())[:, np.newaxis]

    def derivative(slope):
        return (share * (softmax(slope * scores, axis=1) - targets) * scores).sum()

    if derivative(0.0) >= 0:  # worse than guessing
        return SlopeMap(0.0)
    upper = 1.0
    while derivative(upper) < 0 and upper < MAX_SLOPE:
        upper *= 2
    return SlopeMap(float(brentq(derivative, 0.0, upper)) if derivative(upper) > 0 else upper)


def fit_temperature(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """Temperature T of p ∝ p^(1/T) that lowers the log loss of held-out rows, 1 if none does beyond chance.

    Parameters
    ----------
    log_P : array of shape (n, c)
        Log-probabilities of rows that the model has not seen.
    y, weight : arrays of shape (n,)
        Class indices, and weights whose sum is the number of observations that the rows stand for.
    """
    floors = (np.finfo(float).tiny,)
    power = fit_power(np.exp(log_P), y, weight, floors=floors, n_observations=float(weight.sum()))
    row = np.arange(len(y))
    gain = tempered(log_P, 1 / power.exponent)[row, y] - log_P[row, y]
    return 1 / power.exponent if weight @ gain > CHANCE_GAIN else 1.0


def tempered(log_P: np.ndarray, temperature: float) -> np.ndarray:
    """Log of p^(1/T), normalised, (n, c)."""
    return log_softmax(log_P / temperature, axis=1)
