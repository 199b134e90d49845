"""Labels and the probabilities stated for them, checked once for all scores and displays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.typing import Classifier, MatrixLike

# Rows written to a text file with five digits still count as summing to one.
SUM_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Event:
    """Something that was given a probability and then happened or not.

    Attributes
    ----------
    name : str
    probability : ndarray of shape (n,)
    outcome : ndarray of shape (n,)
        1.0 where it happened, else 0.0.
    """

    name: str
    probability: np.ndarray
    outcome: np.ndarray


@dataclass(frozen=True)
class Predictions:
    """Checked predictions: true class numbers (n,), P (n, c), classes (c,), weights (n,)."""

    codes: np.ndarray
    P: np.ndarray
    classes: np.ndarray
    weight: np.ndarray

    def top_label(self) -> Event:
        """Event "the most probable class is the right one"."""
        hit = self.P.argmax(axis=1) == self.codes
        return Event("top label", self.P.max(axis=1), hit.astype(float))

    def class_event(self, k: int) -> Event:
        """Event "the class is number k"."""
        return Event(str(self.classes[k]), self.P[:, k], (self.codes == k).astype(float))

    def events(self, kind: str) -> list[Event]:
        """One event for ``kind="top-label"``, one per class for ``"class-wise"``."""
        check_option("kind", kind, ("top-label", "class-wise"))
        return (
            [self.top_label()]
            if kind == "top-label"
            else list(map(self.class_event, range(len(self.classes))))
        )


def check_predictions(
    y: ArrayLike, P: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> Predictions:
    """Check labels against probabilities, and number the labels.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels.
    P : array-like of shape (n, c), or (n,) for two classes
        Probabilities; one dimension means those of the second class.
    classes : array-like of shape (c,), optional
        Labels of the columns of P; the sorted labels in y if not given.
    sample_weight : array-like of shape (n,), optional
        How much each row counts; equally if not given.

    Raises
    ------
    ValueError
        If anything is empty, does not fit together, or is not a probability.
    """
    P = _check_probabilities(P)
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != len(P):
        raise ValueError(f"y must hold one label for each of the {len(P)} rows of P, but has shape {y.shape}")
    labels = _check_classes(y, classes, P.shape[1])
    return Predictions(encode_labels(y, labels), P, labels, _check_weight(sample_weight, len(P)))


def predict_probabilities(estimator: Classifier, X: MatrixLike) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities (n, c) and class labels (c,) from a fitted classifier."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(f"estimator must have predict_proba, but {type(estimator).__name__} has none")
    # Predict first: an unfitted estimator then says so, instead of lacking `classes_`.
    P = estimator.predict_proba(X)
    return np.asarray(P), np.asarray(estimator.classes_)


def check_option(name: str, value: object, options: tuple[str, ...]) -> None:
    """Raise a ValueError unless `value` is one of the options."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, not {value!r}")


def _check_probabilities(P: ArrayLike) -> np.ndarray:
    P = np.asarray(P)
    if P.dtype not in (np.float32, np.float64):
        P = P.astype(float)
    if P.ndim == 1:
        P = np.stack([1 - P, P], axis=1)
    if P.ndim != 2 or P.shape[1] < 2:
        raise ValueError(f"P must have shape (n, c) with c ≥ 2 classes, or (n,) for two, not {P.shape}")
    if not len(P):
        raise ValueError("P has no rows: at least one prediction is needed")
    if not np.isfinite(P).all():
        raise ValueError(
            f"P must not hold NaN or infinity, but does in row {_worst(~np.isfinite(P).all(axis=1))}"
        )
    if (outside := np.maximum(-P, P - 1).max(axis=1)).max() > SUM_TOLERANCE:
        raise ValueError(f"P must hold probabilities between 0 and 1, but row {_worst(outside)} does not")
    if (excess := abs(P.sum(axis=1) - 1)).max() > SUM_TOLERANCE:
        row = _worst(excess)
        raise ValueError(
            f"the rows of P must sum to 1, but row {row} sums to {P[row].sum():.6g}; normalise them"
        )
    return P


def _worst(measure: np.ndarray) -> int:
    return int(np.argmax(measure))


def _check_classes(y: np.ndarray, classes: ArrayLike | None, c: int) -> np.ndarray:
    try:
        labels = np.unique(y) if classes is None else np.asarray(classes)
    except TypeError:
        raise ValueError(
            "y mixes labels that cannot be compared, or has missing ones: make them all text"
        ) from None
    if labels.shape != (c,):
        cure = "pass classes=estimator.classes_" if classes is None else "give one for each column"
        raise ValueError(f"P has {c} columns, but there are {labels.size} classes: {cure}")
    if len(set(labels.tolist())) < c:
        raise ValueError("classes must not repeat a label")
    return labels


def encode_labels(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Column number of every label, of shape (n,); an error names those without a column."""
    if y.dtype.kind == classes.dtype.kind and y.dtype.kind in "biuU":
        order = np.argsort(classes)
        found = order[np.searchsorted(classes, y, sorter=order).clip(max=len(classes) - 1)]
        codes = np.where(classes[found] == y, found, -1)
    else:  # labels of mixed types compare as Python has it: 1 and 1.0 are one label, 1 and "1" are two
        number = {label: k for k, label in enumerate(classes.tolist())}
        codes = np.array([number.get(label, -1) for label in y.tolist()])
    if (codes < 0).any():
        unknown = sorted({str(label) for label in y[codes < 0].tolist()})
        shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        raise ValueError(f"y holds labels that are not among the classes: {shown}")
    return codes


def _check_weight(sample_weight: ArrayLike | None, n: int) -> np.ndarray:
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), not {weight.shape}")
    if not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise ValueError("sample_weight must be finite, not negative, and not all zero")
    return weight
