"""Feature relevance: features weighed by how much the scores depend on them: one length scale for each.

A feature that says nothing still adds to the distance of rows.  Where the scores f of a fit with one length
scale hardly depend on a feature, its weight mⱼ in Σⱼ mⱼ(xⱼ − zⱼ)² may be less [Radhakrishnan et al. 2024]:

    mⱼ ∝ √Gⱼ,      Gⱼ = Σᵢ ωᵢ Σₐ (∂fₐ(xᵢ)/∂xⱼ)² / Σᵢ ωᵢ

with f centred over the classes, m of mean 1, and a gamma that leaves the mean squared distance what it was.
For the RBF kernel

    ∂fₐ(x)/∂xⱼ = −2γ (xⱼ Σₗ αₗₐ k(x, zₗ) − Σₗ αₗₐ zₗⱼ k(x, zₗ))

and for the Laplacian one, whose mean distance Σⱼ √mⱼ |xⱼ − zⱼ| is kept,

    ∂fₐ(x)/∂xⱼ = −γ Σₗ αₗₐ sign(xⱼ − zₗⱼ) k(x, zₗ)

Fits with these weights may teach again: mⱼ is multiplied by what the slopes along √mⱼ xⱼ say, as long as that
pays.  A column whose intervals are the classes is found among many in a few rounds.

Weights that have seen a row mislead its leave-one-out.  So whether they pay is judged by folds, in each of
which they are learned anew without the rows held out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelproba.calibration import CHANCE_GAIN
from kernelproba.estimators.kernel_logistic.exact import KernelFunction
from kernelproba.kernels import Laplacian
from kernelproba.rows.folds import Fold
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits, HeldOutPrediction
from kernelproba.tuning.kernel_logistic.known_scores import KnownScores
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.scaling import has_two_values

#: Rows at which slopes are taken.
SLOPE_ROWS = 300
#: Scores, or random sums of more of them, whose slopes are taken.
COMBINATIONS = 6
#: Rounds in which weights are learned at most.
MAX_ROUNDS = 3
#: Nats on two folds of many rows that leave no doubt of a gain.
DECISIVE_GAIN = 4 * CHANCE_GAIN
#: Least weight of a feature, relative to the mean.
MIN_WEIGHT = 1e-6


class PairedPrediction(NamedTuple):
    """Rows of a fold (r,), their weights, and log-probabilities (r, c) by fits without them, both ways."""

    rows: np.ndarray
    weight: np.ndarray
    unweighed: np.ndarray
    weighed: np.ndarray


@dataclass(frozen=True)
class FeatureRelevance:
    """Weights of features (d,), and the gamma at which they leave the mean squared distance what it was."""

    weights: np.ndarray
    gamma: float

    @classmethod
    def learn(cls, fits: CandidateFits, gamma: float, C: float, rounds: int = 1) -> "FeatureRelevance":
        """Learn from the fit to all rows at a point, then from fits to rows with the weights so far."""
        weighed = WeighedFits.equally(fits, gamma)
        for _ in range(rounds):
            weighed = weighed.learned_again(C)
        return weighed.relevance

    def of(self, fits: CandidateFits, known: KnownScores | None = None) -> CandidateFits:
        """The same fits to weighed rows, which may set out from scores that are known of them."""
        weighed = fits.on(fits.rows.with_rows(self.transform(fits.rows.X)))
        if known is not None:
            weighed.known_scores = known
        return weighed

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Weighed rows, of the type of X."""
        return (X * np.sqrt(self.weights)).astype(X.dtype, copy=False)


class WeighedFits(NamedTuple):
    """Fits to rows without weights, and the gamma they were made with; a relevance, and fits with that."""

    plain: CandidateFits
    gamma: float
    relevance: FeatureRelevance
    weighed: CandidateFits

    @classmethod
    def equally(cls, fits: CandidateFits, gamma: float) -> "WeighedFits":
        """Fits in which all features weigh the same."""
        return cls(fits, gamma, FeatureRelevance(np.ones(fits.rows.X.shape[1]), gamma), fits)

    def on(self, fits: CandidateFits, C: float, scores: np.ndarray) -> "WeighedFits":
        """The same relevance on other rows, of which a fit with C gives such scores (n, k)."""
        known = KnownScores()
        known.add(None, (np.nan, C), scores)
        return self._replace(plain=fits, weighed=self.relevance.of(fits, known))

    def learned_again(self, C: float) -> "WeighedFits":
        """Weights times what the slopes of the fit with these weights say."""
        rows, gamma = self.weighed.rows, self.relevance.gamma
        absolute = isinstance(self.plain.kernel(gamma), Laplacian)
        slopes_of = mean_squared_absolute_slopes if absolute else mean_squared_slopes
        G = slopes_of(rows.X, self.weighed.matrix(gamma), self.weighed.fit(gamma, C), rows.weight)
        weights = self.relevance.weights * np.sqrt(G)
        mean = weights.mean()
        weights = np.maximum(weights / mean, MIN_WEIGHT) if mean > 0 else np.ones_like(weights)
        ratio = _distance_ratio(self.plain.rows.X, weights, absolute=absolute)
        relevance = FeatureRelevance(weights, self.gamma * ratio)
        known = self.weighed.known_scores.reweighed((gamma, C))
        return self._replace(relevance=relevance, weighed=relevance.of(self.plain, known))

    def predict(self, X: np.ndarray, gamma_factor: float, C: float) -> np.ndarray:
        """Log-probabilities (r, c) of rows X (r, d), which are not weighed yet."""
        return self.weighed.predict(self.relevance.transform(X), gamma_factor * self.relevance.gamma, C)


def _distance_ratio(X: np.ndarray, weights: np.ndarray, *, absolute: bool) -> float:
    """Mean distance of rows X (n, d) without weights relative to that with them; squared unless absolute."""
    if absolute:
        spread, factors = np.abs(X - np.median(X, axis=0)).mean(axis=0), np.sqrt(weights)
    else:
        spread, factors = X.var(axis=0, dtype=np.float64), weights
    return float(spread.sum() / (factors @ spread)) if spread.any() else 1.0


class RelevanceCV:
    """Relevance learned anew in each fold, from fits to the observations outside it; each fold once.

    Parameters
    ----------
    fits : CandidateFits
        Fits to all rows.
    point : (gamma, C)
        From whose fits weights are learned.
    folds : sequence of Fold
        What is held out.
    rounds : int
        How often weights are learned, after the first time from fits with the weights so far.
    """

    def __init__(self, fits: CandidateFits, point: tuple[float, float], folds: list[Fold], rounds: int = 1):
        self.fits, self.point, self.folds, self.rounds = fits, point, folds, rounds
        self._learned: dict[tuple[int, int], WeighedFits] = {}
        self._predicted: dict[tuple[int, int], np.ndarray] = {}

    def further(self) -> "RelevanceCV":
        """The same with one more round."""
        other = RelevanceCV(self.fits, self.point, self.folds, self.rounds + 1)
        other._learned, other._predicted = self._learned, self._predicted
        return other

    def comparisons(self) -> Iterator[PairedPrediction]:
        """Predict the rows of each fold by fits to the others, without and with the last round."""
        for number, fold in enumerate(self.folds):
            weight = self.fits.rows.judged_weight[fold.test] * fold.test_share
            both = (self._prediction(number, rounds) for rounds in (self.rounds - 1, self.rounds))
            yield PairedPrediction(fold.test, weight, *both)

    def held_out(
        self, gamma_factor: float, C: float, folds: Sequence[Fold], scores: np.ndarray
    ) -> Iterator[HeldOutPrediction]:
        """Predict the rows of each fold by weighed fits at so many times the gamma of the relevance.

        Parameters
        ----------
        gamma_factor, C : float
            Settings of the fits.
        folds : sequence of Fold
            The own folds; or parts of them, in turn, so that number k has the relevance of own fold k mod
            their number, which has not seen its rows.
        scores : array of shape (m, k)
            Scores of all rows by the fit to all, from which these set out.
        """
        own = len(self.folds)
        for number, fold in enumerate(folds):
            learned = self._fold(number % own, self.rounds)
            if fold != self.folds[number % own]:
                learned = learned.on(self.fits.on(self.fits.rows.train(fold)), C, scores[fold.train])
            log_P = learned.predict(self.fits.rows.X[fold.test], gamma_factor, C)
            converged = learned.weighed.fit(gamma_factor * learned.relevance.gamma, C).solution.converged
            yield HeldOutPrediction(fold.test, log_P, fold.test_share, converged)

    def _prediction(self, number: int, rounds: int) -> np.ndarray:
        """Log-probabilities (r, c) of the rows of a fold after so many rounds."""
        if (number, rounds) not in self._predicted:
            X = self.fits.rows.X[self.folds[number].test]
            self._predicted[number, rounds] = self._fold(number, rounds).predict(X, 1.0, self.point[1])
        return self._predicted[number, rounds]

    def _fold(self, number: int, rounds: int) -> WeighedFits:
        """What the training rows of a fold have taught in so many rounds."""
        if (number, rounds) not in self._learned:
            self._learned[number, rounds] = self._learn(number, rounds)
        return self._learned[number, rounds]

    def _learn(self, number: int, rounds: int) -> WeighedFits:
        gamma, C = self.point
        if rounds > 0:
            return self._fold(number, rounds - 1).learned_again(C)
        return WeighedFits.equally(self.fits.part(self.folds[number], gamma, C), gamma)


class WeighedFeatures(NamedTuple):
    """How features were weighed.

    Attributes
    ----------
    weights : array of shape (d,)
        Their weights.
    gamma_factor : float
        Gamma of the fits relative to that of the relevance.
    cross_validated : RelevanceCV or None
        Its folds; None where rows are so many that what weights know of one of them is little.
    """

    weights: np.ndarray
    gamma_factor: float
    cross_validated: RelevanceCV | None


def paying_relevance(
    fits: CandidateFits, point: tuple[float, float], folds: list[Fold], *, all_folds: bool = True
) -> RelevanceCV | None:
    """As many rounds of weights as pay; None if not even one does.

    Parameters
    ----------
    fits : CandidateFits
        Fits to the rows.
    point : (gamma, C)
        Where weights are learned.
    folds : list of Fold
        By which they are judged.
    all_folds : bool, default=True
        Whether all of them are asked even if the first ones leave no doubt: predictions will need them.
    """
    paying, tried, decisive = None, RelevanceCV(fits, point, folds), np.inf if all_folds else DECISIVE_GAIN
    while tried.rounds <= MAX_ROUNDS and relevance_pays(tried.comparisons(), fits.rows, decisive):
        paying, tried = tried, tried.further()
    return paying


def relevance_pays(parts: Iterable[PairedPrediction], rows: Observations, decisive: float = np.inf) -> bool:
    """Whether weights gain more on held-out rows than chance does.

    Parts are asked for while the gain, were it to go on like this or a standard error better, would be
    worthwhile, and until two of them have gained a decisive number of nats.
    """
    gain, squares, seen, total = 0.0, 0.0, 0.0, float(rows.judged_weight.sum())
    for number, part in enumerate(parts):
        if number >= 2 and gain > decisive:
            break
        own = np.arange(len(part.rows)), rows.y[part.rows]
        gains = part.weight * (part.weighed[own] - part.unweighed[own])
        gain, squares = gain + float(gains.sum()), squares + float(gains @ gains)
        seen += float(part.weight.sum())
        # What the rows that are left may still add, for all that is known: nothing once all have been asked.
        error = np.sqrt(squares * max(1 - seen / total, 0.0))
        if (gain + error) * total <= CHANCE_GAIN * seen:
            return False
    return True


def mean_squared_slopes(
    X: np.ndarray, K: np.ndarray, function: KernelFunction, weight: np.ndarray
) -> np.ndarray:
    """G/4γ² (d,): mean square of the slopes of the scores along each feature, at the first 300 rows.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows in any order, all of them centres.
    K : array of shape (n, n)
        Their RBF kernel matrix.
    function : KernelFunction
        Scores.
    weight : array of shape (n,)
        Weights of the rows.
    """
    at, G = slice(SLOPE_ROWS), np.zeros(X.shape[1])
    for a in _combinations(function.dual).T:
        slopes = X[at] * (K[at] @ a)[:, None] - K[at] @ (a[:, None] * X)
        G += weight[at] @ np.square(slopes)
    return G / weight[at].sum()


def mean_squared_absolute_slopes(
    X: np.ndarray, K: np.ndarray, function: KernelFunction, weight: np.ndarray
) -> np.ndarray:
    """G/γ² (d,): the same of a Laplacian kernel, with the parameters of `mean_squared_slopes`."""
    at, G, two = slice(SLOPE_ROWS), np.zeros(X.shape[1]), has_two_values(X)
    K_at, A = K[at], _combinations(function.dual).astype(K.dtype, copy=False)
    # The sign of a difference of indicators is the difference itself.
    U = (X[:, two] > X[:, two].min(axis=0)).astype(K.dtype)
    for a in A.T:
        G[two] += weight[at] @ np.square(U[at] * (K_at @ a)[:, None] - (K_at * a) @ U)
    for j in np.flatnonzero(~two):
        x = X[:, j].astype(K.dtype, copy=False)
        slopes = (K_at * np.sign(x[at, None] - x)) @ A
        G[j] = weight[at] @ np.square(slopes).sum(axis=1)
    return G / weight[at].sum()


def _combinations(A: np.ndarray) -> np.ndarray:
    """Coefficients (n, k) of scores that are centred over the classes, or of a few random sums of many."""
    if (k := A.shape[1]) > 1:
        A = A - A.mean(axis=1, keepdims=True)
    if k > COMBINATIONS:
        # Σₐ gₐ² is the mean of (Σₐ ±gₐ)² over all signs: a few of them for many classes.
        A = A @ np.random.default_rng(0).choice([-1.0, 1.0], (k, COMBINATIONS)) / np.sqrt(COMBINATIONS)
    return A
