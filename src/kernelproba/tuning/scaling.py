"""Features brought to one scale, learned from the training rows and kept.

"standard" takes off the mean and divides by the standard deviation; "robust" takes off the median and divides
by the interquartile range over 1.349, which is the standard deviation of normal data, so that a few wild
values do not decide; "squashed" goes on from there to z/√(1 + (z/3)²), between −3 and 3, so that no wild
value is far from all others.

"mixed" and "squashed-mixed" are "standard" and "squashed", but a feature of two values (an indicator, as of
one-hot encoding) spans one unit: then two levels of a category are √2 apart, as far as two rows in a
standardised feature in the mean square, however rare they are.  Which is better depends on the table.

A constant feature is divided by one.  Weights count: a weight of two is a row
seen twice.  Sparse rows are divided but not shifted, which would fill them.
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.sparsefuncs import mean_variance_axis

from kernelproba.estimators.base.training import WeightedMatrix
from kernelproba.kernels import Kernel
from kernelproba.typing import Matrix

#: Interquartile range of the standard normal distribution.
NORMAL_RANGE = 1.3489795003921634
#: Rules that shift or bend features, which would fill a sparse matrix.
DENSE_RULES = ("robust", "squashed", "squashed-mixed")
#: Rules by which features of two values span one unit.
MIXED_RULES = ("mixed", "squashed-mixed")
#: Rules that bend features.
SQUASHED_RULES = ("squashed", "squashed-mixed")
#: What "squashed" features cannot exceed.
REACH = 3.0
#: Farther than this, in units of its scale, no feature goes: single precision ends soon after.
FARTHEST = 2.0**100


class FeatureScaling(TransformerMixin, BaseEstimator):
    """x ↦ (x − center_) / scale_, feature by feature, squashed if the rule says so.

    Parameters
    ----------
    rule : {"standard", "robust", "squashed", "mixed", "squashed-mixed"} or None, default="standard"
        How centre and scale are learned; None leaves features as they are.

    Attributes
    ----------
    center_, scale_ : ndarray of shape (d,)
        What is taken off (zeros for sparse rows), and what is divided by.
    stretch_ : ndarray of shape (d,) or None
        What bent features are multiplied by, where they are weighed.
    components_ : ndarray of shape (d, r) or None
        Directions along which features are seen as well, as r more of them.
    """

    stretch_: np.ndarray | None = None
    components_: np.ndarray | None = None

    def __init__(self, rule="standard"):
        self.rule = rule

    def fit(
        self,
        X: Matrix,
        y: ArrayLike | None = None,  # noqa: ARG002
        *,
        sample_weight: ArrayLike | None = None,
    ) -> "FeatureScaling":
        """Learn centre and scale from checked rows.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, d)
            Training rows.
        y : None
            Ignored; there for pipelines.
        sample_weight : array of shape (n,), optional
            Weights of the rows.
        """
        weight = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if sp.issparse(X) and self.rule in DENSE_RULES:
            raise ValueError(f"scale={self.rule!r} needs dense rows; use scale='standard' for sparse ones.")
        if self.rule is None:
            self.center_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
            return self
        center, deviation = _moments(X, weight)
        scale = deviation
        if self.rule in DENSE_RULES:
            low, center, high = _quartiles(X, weight)
            # A feature that is the same in most rows has no range: its deviation is all there is.
            scale = np.where(high > low, (high - low) / NORMAL_RANGE, deviation)
        # What rounding leaves of a constant feature is no scale.
        constant = scale <= 1e-12 * np.maximum(np.abs(center), np.finfo(float).tiny)
        least, most = _extremes(X)
        indicator = ~constant & has_two_values(X) & (self.rule in MIXED_RULES)
        self.scale_ = np.where(constant, 1.0, np.where(indicator, most - least, scale))
        self.center_ = np.zeros_like(center) if sp.issparse(X) else np.where(indicator, least, center)
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Rows on the common scale, in single precision if X is, else in double.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, d)
            Rows.
        """
        precision = np.float32 if X.dtype == np.float32 else np.float64  # on a scale, whole numbers are none
        if sp.issparse(X):
            Z = sp.csr_array(X @ sp.diags_array(1 / self.scale_))
            np.clip(Z.data, -FARTHEST, FARTHEST, out=Z.data)
            return Z.astype(precision, copy=False)
        with np.errstate(over="ignore"):
            Z = (X - self.center_) / self.scale_
        np.clip(Z, -FARTHEST, FARTHEST, out=Z)
        if self.rule in SQUASHED_RULES:
            Z = REACH * Z / np.hypot(REACH, Z)  # z/√(1 + (z/3)²)
        if self.stretch_ is not None:
            Z = Z * self.stretch_
        if self.components_ is not None:
            Z = np.hstack([Z, Z @ self.components_])
        return Z.astype(precision, copy=False)

    def inverse_transform(self, Z: np.ndarray) -> np.ndarray:
        """Rows as they were before, up to rounding; NaN in features that have no weight.

        Parameters
        ----------
        Z : array of shape (n, d), or (n, d + r) with components
            Rows on the common scale.
        """
        Z = Z[:, : len(self.scale_)]
        if self.stretch_ is not None:
            Z = Z / self.stretch_
        if self.rule in SQUASHED_RULES:
            Z = Z / np.sqrt(np.maximum(1 - np.square(Z / REACH), np.finfo(float).tiny))
        with np.errstate(invalid="ignore"):
            return Z * self.scale_ + self.center_


SomeRows = TypeVar("SomeRows", bound=WeightedMatrix)


@dataclass(frozen=True)
class ScaledView:
    """How rows are looked at: a rule, and what it has learned (None: as they are)."""

    rule: str | None
    scaling: FeatureScaling | None

    @classmethod
    def learn(cls, rule: str | None, training: WeightedMatrix) -> "ScaledView":
        """Learn from training rows, by the weights that users gave them."""
        if rule is None:
            return UNSCALED
        return cls(rule, FeatureScaling(rule).fit(training.X, sample_weight=training.sample_weight))

    def of(self, training: SomeRows) -> SomeRows:
        """The rows as they are seen."""
        if self.scaling is None:
            return training
        return replace(training, X=self.rows(training.X))

    def weighed(self, weights: np.ndarray) -> "ScaledView":
        """The view in which features (d,) have these weights in squared distances."""
        plain = self.scaling or FeatureScaling(None).fit(weights[None])
        scaling = FeatureScaling(self.rule)
        scaling.center_, scaling.scale_, stretch = plain.center_, plain.scale_, np.sqrt(weights)
        if self.rule in SQUASHED_RULES:  # bent first, then weighed
            scaling.stretch_ = stretch if plain.stretch_ is None else plain.stretch_ * stretch
        else:
            scaling.scale_ = plain.scale_ / stretch
        return ScaledView(self.rule, scaling)

    def extended(self, components: np.ndarray) -> "ScaledView":
        """The view with components (d, r) of the features as r more of them."""
        scaling = copy(self.scaling or FeatureScaling(None).fit(components.T))
        scaling.components_ = components
        return ScaledView(self.rule, scaling)

    def width(self, d: int) -> int:
        """Features that rows of d of them are seen with."""
        components = None if self.scaling is None else self.scaling.components_
        return d if components is None else d + components.shape[1]

    def rows(self, X: Matrix) -> Matrix:
        """Rows X (n, d) as they are seen."""
        return X if self.scaling is None else self.scaling.transform(X)


#: Rows as they are.
UNSCALED = ScaledView(None, None)


class AfterScaling(Kernel):
    """k(x, z) = kernel((x − center)/scale, z) for centres z that are on the common scale already.

    Parameters
    ----------
    kernel : Kernel
        Compares scaled rows.
    scaling : FeatureScaling
        Fitted.
    """

    def __init__(self, kernel, scaling):
        self.kernel = kernel
        self.scaling = scaling

    def __call__(self, X, Z):
        return self.kernel(self.scaling.transform(X), Z)

    def affine(self, Z):
        parts = self.kernel.affine(Z)
        bent = self.scaling.rule in SQUASHED_RULES
        if parts is None or bent or self.scaling.components_ is not None:
            return None
        A, a = parts
        A = A @ sp.diags_array(1 / self.scaling.scale_) if sp.issparse(A) else A / self.scaling.scale_
        return A, a - A @ self.scaling.center_


def _extremes(X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of every feature."""
    least, most = X.min(axis=0), X.max(axis=0)
    if sp.issparse(X):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    return least.astype(np.float64), most.astype(np.float64)


def has_two_values(X: Matrix) -> np.ndarray:
    """Whether every entry of a feature is its least or its largest value, and these differ (d,)."""
    least, most = _extremes(X)
    if not sp.issparse(X):
        return ((least == X) | (most == X)).all(axis=0)
    entries = sp.coo_array(X)
    other = (entries.data != least[entries.col]) & (entries.data != most[entries.col]) & (entries.data != 0)
    filled = np.bincount(sp.csr_array(X).nonzero()[1], minlength=X.shape[1])
    zero = (least == 0) | (most == 0) | (filled == X.shape[0])
    return zero & (least < most) & (np.bincount(entries.col[other], minlength=X.shape[1]) == 0)


def _moments(X: Matrix, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean and standard deviation of every feature."""
    if sp.issparse(X):
        mean, variance = mean_variance_axis(sp.csr_matrix(X, dtype=np.float64), axis=0, weights=weight)
        return mean, np.sqrt(variance)
    share = weight / weight.sum()
    mean = share @ X
    return mean, np.sqrt(share @ np.square(X - mean))


def _quartiles(X: np.ndarray, weight: np.ndarray) -> list[np.ndarray]:
    """Weighted quartiles of every feature: the least value that so much of the weight does not exceed."""
    order = np.argsort(X, axis=0)
    mass = np.cumsum(weight[order], axis=0) / weight.sum()
    values = np.take_along_axis(X, order, axis=0)
    # Half of the rounding errors must not decide which side of a step a quartile is on.
    first = [(mass >= q - 1e-9).argmax(axis=0) for q in (0.25, 0.5, 0.75)]
    return [np.take_along_axis(values, row[None], axis=0)[0].astype(np.float64) for row in first]
