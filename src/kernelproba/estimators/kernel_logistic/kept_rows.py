"""What a kernel logistic fit keeps of its rows, and what is built from them when it is asked how firm it is.

The centres are kept anyway.  Where they are all the rows, labels and weights are all that is added; where
they are not, a sample of the rows, of which each stands for several.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.features import CenterFeatures, DirectionFeatures
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.logistic_scores import LogisticScores
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.uncertainty import Member, UncertainProbabilities
from kernelproba.kernels import Kernel, Precomputed
from kernelproba.solvers.posterior.explained import ExplainedRows, explained_rows
from kernelproba.solvers.posterior.laplace import LaplacePosterior, laplace_posterior
from kernelproba.solvers.posterior.spread import believable_share
from kernelproba.typing import Matrix

#: Rows of a sample from which a posterior is built.
SAMPLE_ROWS = 5000
#: Most features of a posterior, and most squared features of all classes together in a novelty score.
POSTERIOR_RANK, NOVELTY_WORK = 1000, 1_000_000
#: Variance of scores, on average, that features of a posterior may leave as the prior has it.
LEFT_VARIANCE = 1e-3
#: Training rows that tell how much of its variance to believe.
JUDGED_ROWS = 500
#: Attributes that are built when they are asked for, and are no part of a model file.
_BUILT = ("_posterior_", "_novelty_")


@dataclass(frozen=True)
class KeptRows:
    """What a fit has kept of its rows.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows, as the kernel compares them.
    y : array of shape (n,)
        Class indices.
    weight, sample_weight : arrays of shape (n,)
        Weights with and without those of the classes.
    share : float
        How many rows each of them stands for.
    """

    X: Matrix
    y: np.ndarray
    weight: np.ndarray
    sample_weight: np.ndarray
    share: float


class UncertainFunction(UncertainProbabilities, LogisticScores, KernelMachine):
    """Kernel logistic function that keeps its rows; `fit` ends with `_keep_rows`."""

    C: float
    fit_intercept: bool
    kernel_: Kernel
    dual_coef_: np.ndarray
    _kept_X_: Matrix | None
    _kept_y_: np.ndarray
    _kept_weights_: np.ndarray
    _kept_share_: float
    _kept_terms_: tuple[float, bool]

    def _keep_rows(self, training: Training | StoredTraining, centers: np.ndarray | None = None) -> None:
        """Keep rows of a fit, and its C and fit_intercept, which may be set anew before they are needed.

        `centers` (m,) says which of the rows are its centres, if they are rows.
        """
        if self._is_precomputed():
            return
        self._kept_terms_ = float(self.C), self.fit_intercept
        n = len(training.y)
        if centers is not None and len(centers) == n and isinstance(training, Training):
            kept, self._kept_X_ = training.at(centers), None
        else:
            kept = _excerpt(training, n)
            self._kept_X_ = kept.X
        self._kept_y_ = kept.y
        self._kept_weights_, self._kept_share_ = np.array([kept.weight, kept.sample_weight]), n / len(kept.y)

    def _kept_rows(self, purpose: str) -> KeptRows:
        check_is_fitted(self)
        if not isinstance(self.kernel_, Precomputed) and not hasattr(self, "_kept_y_"):
            raise ValueError(
                f"{purpose} needs the rows of the fit, which a compressed model has not kept: ask the model "
                "from before"
            )
        if isinstance(self.kernel_, Precomputed) or not self.kernel_.definite:
            raise ValueError(
                f"{purpose} needs k(x, x) and a kernel that is known to be positive definite: neither a "
                "precomputed matrix nor a function serves"
            )
        X = self._centers if self._kept_X_ is None else self._kept_X_
        weight, sample_weight = self._kept_weights_
        return KeptRows(X, self._kept_y_, weight, sample_weight, self._kept_share_)

    def _score_posterior(self) -> tuple[DirectionFeatures, LaplacePosterior]:
        """Coordinates of rows and the posterior of the scores along them, built once."""
        if hasattr(self, "n_support_"):
            raise ValueError("the posterior of multi_class='pairwise' is not known: use 'multinomial'")
        if not hasattr(self, "_posterior_"):
            self._posterior_ = self._build_posterior(self._kept_rows("the posterior of a function"))
        return self._posterior_

    def _build_posterior(self, rows: KeptRows) -> tuple[DirectionFeatures, LaplacePosterior]:
        C, fit_intercept = self._kept_terms_
        whole = np.asarray(self.kernel_.diag(rows.X), dtype=np.float64)
        tol = LEFT_VARIANCE / (C * max(whole.mean(), np.finfo(float).tiny))
        features = CenterFeatures.among(self.kernel_, rows.X, POSTERIOR_RANK, tol)
        Phi, rest = features(rows.X)
        # As the weighted fit had them.
        F = self._expansion().scores(rows.X) + self._score_shift()
        weight = rows.share * rows.weight
        posterior = laplace_posterior(Phi, rest, F, weight, C=C, fit_intercept=fit_intercept)
        judged = np.random.RandomState(0).permutation(len(F))[:JUDGED_ROWS]
        S = posterior.score_covariance(Phi[judged] @ posterior.directions, whole[judged])
        share = believable_share(F[judged], S, posterior.contrasts, rows.y[judged], weight[judged])
        return features.along(posterior.directions), replace(posterior, scale=share * posterior.scale)

    def _novelty_reference(self) -> "NoveltyReference":
        """What the rows of every class explain, built once."""
        check_is_fitted(self)
        if not hasattr(self, "_novelty_"):
            self._novelty_ = self._build_novelty(NOVELTY_WORK)
        return self._novelty_

    def _build_novelty(self, work: int) -> "NoveltyReference":
        """The same with so many squared features of all classes together, at most."""
        rows = self._kept_rows("novelty_score")
        C = float(np.median(getattr(self, "pair_C_", self._kept_terms_[0])))
        found = NoveltyReference.of(self.kernel_, rows, C, work)
        # In the order of the training rows, which functions of a pool share.
        order = np.argsort(self.support_, kind="stable") if self._kept_X_ is None else slice(None)
        return replace(found, left_out=found.left_out[order], weight=found.weight[order])

    def _members(self) -> list[Member]:
        check_is_fitted(self)
        return [Member(1.0, self)]

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in super().__getstate__().items() if name not in _BUILT}


def _excerpt(training: Training | StoredTraining, n: int) -> Training:
    """Some of the rows, in memory."""
    if not isinstance(training, Training):
        return training.excerpt(SAMPLE_ROWS, 0)
    return training if n <= SAMPLE_ROWS else training.at(sampled_rows(n))


def sampled_rows(n: int) -> np.ndarray:
    """Return the numbers of the rows that are kept of n, the same for all functions of a pool."""
    if n <= SAMPLE_ROWS:
        return np.arange(n)
    return np.sort(sample_without_replacement(n, SAMPLE_ROWS, random_state=0))


@dataclass(frozen=True)
class NoveltyReference:
    """What the rows of each class explain, and the novelty of every kept row if it is left out.

    Parameters
    ----------
    kernel : Kernel
        k.
    classes : list of ExplainedRows
        One for each class.
    left_out : array of shape (n,)
        Novelty of each row, one observation of it left out.
    weight : array of shape (n,)
        How many rows each stands for.
    longest : float
        The largest k(z, z) of the kept rows.
    """

    kernel: Kernel
    classes: list[ExplainedRows]
    left_out: np.ndarray
    weight: np.ndarray
    longest: float

    @classmethod
    def of(cls, kernel: Kernel, rows: KeptRows, C: float, work: int) -> "NoveltyReference":
        """Build it from the rows of a fit with this kernel and C, with `work` squared features at most."""
        labels = np.unique(rows.y)
        max_rank = int(np.sqrt(work / len(labels)))
        precision = C * rows.share * rows.weight
        classes, left_out = [], np.empty((len(rows.y), len(labels)))
        for j, label in enumerate(labels):
            own, others = (np.flatnonzero(flags) for flags in (rows.y == label, rows.y != label))
            explained, alone = explained_rows(kernel, rows.X[own], precision[own], max_rank)
            # A row of weight three is three observations, and two of them stay.
            stay = precision[own] * _share_that_stays(rows.sample_weight[own])
            left_out[own, j] = alone / (1 + stay * alone)
            left_out[others, j] = explained.unexplained(rows.X[others])
            classes.append(explained)
        whole = kernel.diag(rows.X)
        novelty = _share(left_out.min(axis=1), whole)
        return cls(kernel, classes, novelty, rows.share * rows.sample_weight, float(np.max(whole)))

    def score(self, X: Matrix) -> np.ndarray:
        """Novelty (n,) of new rows."""
        least = np.min([explained.unexplained(X) for explained in self.classes], axis=0)
        # Of a dot product k(x, x) grows with the row, and what is left of it as fast: far rows would be old.
        return _share(least, np.minimum(self.kernel.diag(X), self.longest))


def _share_that_stays(weight: np.ndarray) -> np.ndarray:
    """(w − 1)/w where a weight is a number of observations; else a row is left out as a whole."""
    counts = (weight >= 2) & (weight == np.round(weight))
    return np.where(counts, 1 - 1 / np.maximum(weight, 1.0), 0.0)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part/whole in [0, 1]; 0 where there is nothing to explain."""
    return np.clip(np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0), 0.0, 1.0)
