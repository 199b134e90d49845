"""Fixed basis functions of a row, and where to put them (corona2016).

With centres μⱼ (m, d) and width s, a number or one per feature::

    Gaussian   φⱼ(x)  = exp(−½ ‖(x − μⱼ)/s‖²)
    sigmoidal  φₖⱼ(x) = σ((xₖ − μⱼₖ)/sₖ)      for each feature k and each distinct μⱼₖ

A Gaussian is local in all features at once.  A sigmoid steps along one feature, so sigmoids of several
features add up to an additive model; centres that agree in a coordinate share its sigmoid.

Centres and widths see the rows as a weighted set: their order does not matter, and a weight of two is a
row seen twice.
"""

import numpy as np
from scipy.special import expit
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from kernelproba.kernels import RBF, median_distance
from kernelproba.rows.duplicates import Duplicates

#: A grid with more nodes than this is a mistake rather than a basis.
MOST_CENTERS = 10_000


def gaussian(X: np.ndarray, centers: np.ndarray, width) -> np.ndarray:
    """Gaussian basis functions of X (n, d) around centers (m, d): (n, m), in the dtype of both."""
    return RBF(width)(X, centers)


def sigmoidal(X: np.ndarray, centers: np.ndarray, width) -> np.ndarray:
    """Sigmoidal basis functions of X (n, d), (n, p), ordered as `sigmoid_terms` does."""
    feature, knot = sigmoid_terms(centers)
    s = np.broadcast_to(np.asarray(width, dtype=X.dtype), X.shape[1:])
    return expit((X[:, feature] - knot.astype(X.dtype, copy=False)) / s[feature])


def sigmoid_terms(centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Feature k and threshold μ of every sigmoid, both (p,): the distinct coordinates of centers (m, d)."""
    knots = [np.unique(column) for column in centers.T]
    return np.repeat(np.arange(len(knots)), [len(k) for k in knots]), np.concatenate(knots)


def k_means_centers(X: np.ndarray, weight: np.ndarray, n_centers: int, random_state) -> np.ndarray:
    """Cluster centres of X (n, d); the distinct rows themselves if there are no more than `n_centers`."""
    copies = Duplicates.of(X, np.zeros(len(X), dtype=np.intp))
    if len(copies) <= n_centers:
        return np.unique(X, axis=0)
    rows, total = X[copies.first], copies.totals(weight)
    # In an order that depends neither on that of the rows or columns nor on the unit of the features.
    squares = np.square(rows - np.average(rows, axis=0, weights=total)).sum(axis=1)
    order = np.argsort(np.round(squares / squares.max(), 9), kind="stable")
    means = KMeans(n_centers, random_state=random_state).fit(rows[order], sample_weight=total[order])
    return means.cluster_centers_


def even_knots(X: np.ndarray, n_knots: int) -> np.ndarray:
    """Evenly spaced values (n_knots, d) from the least to the greatest of each feature."""
    if n_knots == 1:
        return (X.min(axis=0, keepdims=True) + X.max(axis=0, keepdims=True)) / 2
    return np.linspace(X.min(axis=0), X.max(axis=0), n_knots, dtype=X.dtype)


def quantile_knots(X: np.ndarray, weight: np.ndarray, n_knots: int) -> np.ndarray:
    """Values (n_knots, d) that split the weight of each feature evenly: its (j + ½)/n_knots quantiles."""
    order = np.argsort(X, axis=0, kind="stable")
    below = np.cumsum(weight[order], axis=0)
    level = (np.arange(n_knots) + 0.5) / n_knots * below[-1, 0]
    picked = [np.searchsorted(column, level).clip(max=len(X) - 1) for column in below.T]
    return np.take_along_axis(X, np.take_along_axis(order, np.stack(picked, axis=1), axis=0), axis=0)


def product_grid(knots: np.ndarray) -> np.ndarray:
    """All combinations (m, d) of the distinct values in the columns of knots."""
    axes = [np.unique(column) for column in knots.T]
    n_nodes = np.prod([float(len(axis)) for axis in axes])
    if n_nodes > MOST_CENTERS:
        raise ValueError(
            f"A grid over {len(axes)} features would have {n_nodes:.3g} centres, more than {MOST_CENTERS}. "
            "Lower n_centers, the number per feature, or use centers='k-means'."
        )
    return np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)


def median_width(centers: np.ndarray, random_state) -> float:
    """Median distance between two centres; 0 if all coincide."""
    return median_distance(centers, random_state) if (centers != centers[0]).any() else 0.0


def nearest_width(centers: np.ndarray) -> float:
    """Median over the centres of the distance to the nearest other one; 0 if all coincide."""
    # Coinciding centres have no spacing of their own.
    distinct = np.unique(centers, axis=0)
    if len(distinct) == 1:
        return 0.0
    return float(np.median(NearestNeighbors(n_neighbors=1).fit(distinct).kneighbors()[0]))


def spread(X: np.ndarray, weight: np.ndarray, center: np.ndarray) -> float:
    """Root mean square distance of the rows to a centre (d,)."""
    return float(np.sqrt(np.average(((X - center) ** 2).sum(axis=1), weights=weight)))
