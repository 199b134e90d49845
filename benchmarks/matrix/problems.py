"""The problems: how the rows of each round are drawn, standardised by the training rows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from kernelproba.datasets import load, official_split

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Bounds:
    """Seconds that one fit with its predictions may take, and above which a fit is not repeated."""

    limit: float
    once_above: float


BOUNDS, TRIAL_BOUNDS = Bounds(40.0, 5.0), Bounds(5.0, 1.0)


@dataclass(frozen=True)
class Problem:
    """How round r draws its training and test rows, and what they may cost.

    `smaller` names problems that are larger in no respect: who was over the limit there does not try.
    """

    name: str
    rounds: int
    rule: str
    draw: Callable[[int], Split]
    bounds: Bounds = BOUNDS
    smaller: tuple[str, ...] = ()

    def split(self, r: int) -> Split:
        """X, y, X_test, y_test of round r, features standardised by the training rows."""
        X, y, X_test, y_test = self.draw(r)
        scaler = StandardScaler().fit(X)
        return scaler.transform(X), y, scaler.transform(X_test), y_test

    def facts(self) -> dict:
        """What the record says of it."""
        X, y, X_test, _ = self.draw(0)
        shape = {"rows": len(X), "features": X.shape[1], "classes": len(np.unique(y))}
        return (
            {"name": self.name}
            | shape
            | {"test rows": len(X_test), "rounds": self.rounds, "split": self.rule}
        )


def halves(r: int, rows: Callable[[], tuple[np.ndarray, np.ndarray]]) -> Split:
    """A random half of each class to train, the other to test."""
    X, y = rows()
    train, test = next(StratifiedShuffleSplit(1, test_size=0.5, random_state=r).split(X, y))
    return X[train], y[train], X[test], y[test]


def partition(r: int, name: str) -> Split:
    """The published partition r."""
    data = load(name)
    assert data.partitions is not None
    train, test = data.partitions[r]
    return data.X[train], data.y[train], data.X[test], data.y[test]


def official(_: int, name: str, n: int | None = None) -> Split:
    """The official split in every round, of the training part n rows drawn once."""
    return _drawn(name, n)


@cache
def _drawn(name: str, n: int | None) -> Split:
    X, y, X_test, y_test = official_split(name)
    kept = np.random.default_rng(0).permutation(len(y))[:n]
    return X[kept].astype(float), y[kept], X_test.astype(float), y_test


def wine() -> tuple[np.ndarray, np.ndarray]:
    return load("wine").all_rows()


def breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    return load_breast_cancer(return_X_y=True)


def problems() -> list[Problem]:
    """The whole matrix, small problems first."""
    random, published = "random halves, another in each round", "published partitions, another in each round"
    return [
        Problem("wine", 10, random, partial(halves, rows=wine)),
        Problem("heart", 10, published, partial(partition, name="raetsch_heart")),
        Problem("breast cancer", 10, random, partial(halves, rows=breast_cancer)),
        Problem("diabetes", 10, published, partial(partition, name="raetsch_diabetes")),
        Problem("usps", 3, "2000 of the official training rows", partial(official, name="usps", n=2000)),
        Problem("letter", 3, "3000 of the official training rows", partial(official, name="letter", n=3000)),
        Problem("satimage", 3, "the official split", partial(official, name="satimage")),
    ]


def trial_problems() -> list[Problem]:
    """A matrix of seconds."""
    few = partial(official, name="satimage", n=300)
    return [
        Problem("wine", 2, "random halves", partial(halves, rows=wine), TRIAL_BOUNDS),
        Problem("satimage", 1, "300 of the official training rows", few, TRIAL_BOUNDS),
    ]
