"""Planes through the feature space, on which a classifier can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Plane(Protocol):
    """Maps rows of X (n, d) to points of the plane (n, 2), and points back to rows."""

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two axes."""
        ...

    def project(self, X: np.ndarray) -> np.ndarray:
        """Points (n, 2) of rows (n, d)."""
        ...

    def embed(self, points: np.ndarray) -> np.ndarray:
        """Rows (m, d) of points (m, 2)."""
        ...


@dataclass(frozen=True)
class FeaturePlane:
    """Two features vary, all others stay at their median."""

    names: tuple[str, str]
    columns: list[int]
    median: np.ndarray

    def project(self, X: np.ndarray) -> np.ndarray:
        """Pick the two features."""
        return X[:, self.columns]

    def embed(self, points: np.ndarray) -> np.ndarray:
        """Fill in the medians."""
        rows = np.tile(self.median, (len(points), 1))
        rows[:, self.columns] = points
        return rows


@dataclass(frozen=True)
class PrincipalPlane:
    """The two leading principal components of the standardised features, through their mean."""

    names: tuple[str, str]
    mean: np.ndarray
    scale: np.ndarray
    components: np.ndarray

    def project(self, X: np.ndarray) -> np.ndarray:
        """Project orthogonally, in standardised features."""
        return (X - self.mean) / self.scale @ self.components.T

    def embed(self, points: np.ndarray) -> np.ndarray:
        """Return to the features; what lies off the plane is lost."""
        return self.mean + points @ self.components * self.scale


def choose_plane(X: np.ndarray, features: Sequence[int | str] | str, names: Sequence[str]) -> Plane:
    """Build a plane.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Data, for medians or components.
    features : pair of column numbers or names, or "pca"
        What spans the plane.
    names : sequence of d str
        Names of the features.
    """
    if X.shape[1] < 2:
        raise ValueError("X has one feature, but a plane needs two")
    if isinstance(features, str):
        if features != "pca":
            raise ValueError(f"features must be two columns or 'pca', not {features!r}")
        return _principal_plane(X)
    columns = [_column(feature, names) for feature in features]
    if len(set(columns)) != 2:
        raise ValueError(f"features must name two different columns, not {features!r}")
    return FeaturePlane((names[columns[0]], names[columns[1]]), columns, np.median(X, axis=0))


def _column(feature: int | str, names: Sequence[str]) -> int:
    if isinstance(feature, str) and feature in names:
        return list(names).index(feature)
    if isinstance(feature, int | np.integer) and -len(names) <= feature < len(names):
        return int(feature) % len(names)
    raise ValueError(f"features must be columns of X, but {feature!r} is none of its {len(names)}")


def _principal_plane(X: np.ndarray) -> PrincipalPlane:
    mean, spread = X.mean(axis=0), X.std(axis=0)
    scale = np.where(spread > 0, spread, 1)
    _, singular, components = np.linalg.svd((X - mean) / scale, full_matrices=False)
    if len(components) < 2:
        raise ValueError("X has one row, but two components need at least two")
    share = singular**2 / max(np.sum(singular**2), np.finfo(float).tiny)
    first, second = (f"component {k + 1} ({share[k]:.0%} of the variance)" for k in range(2))
    return PrincipalPlane((first, second), mean, scale, components[:2])
