"""Contests of kernel logistic regression and SVM on many classes, as in roth2001: data, choice, times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from sklearn.metrics import log_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from kernelproba.datasets import load
from kernelproba.estimators import KernelLogisticRegression
from kernelproba.inspection import probability_scores
from kernelproba.kernels import median_distance
from kernelproba.papers.stopwatch import interleaved

SETS = ("coil20 images", "coil20 images + edges", "isolet")
#: Of the 72 views of an object, every eighth is for training.
STEP = 8
#: Widths in median distances and penalties that are tried.
WIDTHS = (0.5, 0.7, 1.0, 1.4)
CS = {"kLOGREG": (100.0, 1000.0, 10_000.0), "SVM": (1.0, 10.0, 100.0)}
PAIRS, REST, JOINT = "kLOGREG, pairs", "kLOGREG, one against rest", "KLR, softmax"
SVM_PAIRS, SVM_REST = "SVM, pairs (SVC)", "SVM, one against rest"


class TrainTestSplit(NamedTuple):
    """Training rows with the number of the fold of each, and test rows."""

    X: np.ndarray
    y: np.ndarray
    folds: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def split(name: str, number: int, rows_per_class: int | None = None) -> TrainTestSplit:
    """Return a split of COIL-20 by view angle, or that of Isolet, perhaps with fewer rows.

    Parameters
    ----------
    name : str
        One of `SETS`.
    number : int
        0 … 7: the first view for training; Isolet has number 0 only.
    rows_per_class : int, optional
        Training rows of Isolet.
    """
    if name == "isolet":
        return _isolet(rows_per_class)
    data = load("coil20_16x16")
    X = np.asarray(data.X, dtype=float)
    X = np.hstack([X, edges(X)]) if name.endswith("edges") else X
    view = np.arange(len(X)) % 72
    train = view % STEP == number
    return TrainTestSplit(X[train], data.y[train], (view // STEP % 3)[train], X[~train], data.y[~train])


def _isolet(rows_per_class: int | None) -> TrainTestSplit:
    data = load("isolet")
    assert data.X_test is not None
    assert data.y_test is not None
    # OpenML's copy lacks the numbers of the four parts, but has them one after the other.
    halves = data.extras.get("fold", 1 + 4 * np.arange(len(data.y)) // len(data.y)) > 2
    kept = _spread(data.y, rows_per_class) if rows_per_class else np.arange(len(data.y))
    X, X_test = (np.asarray(A, dtype=float) for A in (data.X[kept], data.X_test))
    return TrainTestSplit(X, data.y[kept], halves[kept], X_test, data.y_test)


def _spread(y: np.ndarray, count: int) -> np.ndarray:
    """Indices of `count` rows of each class, evenly spread over the set."""
    places = [np.flatnonzero(y == label) for label in np.unique(y)]
    return np.concatenate([rows[np.linspace(0, len(rows) - 1, count).astype(int)] for rows in places])


def edges(X: np.ndarray) -> np.ndarray:
    """Absolute differences of neighbouring pixels in four directions, (n, 4 · 256) for images of 16 × 16."""
    images = X.reshape(-1, 16, 16)
    shifts = ((0, 1), (1, 0), (1, 1), (1, -1))
    maps = [abs(images - np.roll(images, shift, axis=(1, 2))) for shift in shifts]
    return np.concatenate([edge.reshape(len(X), -1) for edge in maps], axis=1)


def build(method: str, C: float, gamma: float):
    """One of the two contestants."""
    if method == "kLOGREG":
        return KernelLogisticRegression(C, gamma=gamma, multi_class="pairwise")
    return SVC(C=C, gamma=gamma)


def choose(method: str, part: TrainTestSplit) -> dict[str, float]:
    """C and gamma of least log loss over the folds; of least error where there are no probabilities."""
    median = median_distance(part.X, 0)
    settings = [{"C": C, "gamma": 0.5 / (width * median) ** 2} for width, C in product(WIDTHS, CS[method])]
    losses = [np.mean([*_fold_losses(build(method, **setting), part)]) for setting in settings]
    return settings[int(np.argmin(losses))]


def _fold_losses(model, part: TrainTestSplit) -> Iterator[float]:
    for fold in np.unique(part.folds):
        inside = part.folds != fold
        model.fit(part.X[inside], part.y[inside])
        X, y = part.X[~inside], part.y[~inside]
        has_posterior = hasattr(model, "predict_proba")
        yield (
            log_loss(y, model.predict_proba(X), labels=model.classes_)
            if has_posterior
            else 1 - model.score(X, y)
        )


def contest(name: str, number: int, method: str, rows: int | None) -> dict[str, object]:
    """Choose a setting on the training rows, fit, and read the test rows once."""
    part = split(name, number, rows)
    setting = choose(method, part)
    model = build(method, **setting).fit(part.X, part.y)
    record: dict[str, object] = {
        "setting": setting,
        "error": float(np.mean(model.predict(part.X_test) != part.y_test)),
    }
    if method == "kLOGREG":
        scores = probability_scores(part.y_test, model.predict_proba(part.X_test), classes=model.classes_)
        record |= {"log loss": scores["log_loss"], "ECE": scores["ece"]}
    return record


def times(name: str, rows: int | None, *chosen: dict) -> dict[str, float]:
    """Seconds to fit each contestant with its chosen setting."""
    part = split(name, 0, rows)
    models = {method: build(method, **found["setting"]) for method, found in zip(CS, chosen, strict=True)}
    models[SVM_REST] = OneVsRestClassifier(models["SVM"])
    return _seconds(models, part.X, part.y, repeats=1 if rows else 3)


def class_times(c: int, rows: int) -> dict[str, float]:
    """Seconds to fit the first c letters, with equally many rows each."""
    part = split("isolet", 0, rows)
    keep = part.y <= c
    gamma = 0.5 / median_distance(part.X, 0) ** 2
    pairs, svm = build("kLOGREG", 100.0, gamma), build("SVM", 10.0, gamma)
    binary = KernelLogisticRegression(100.0, gamma=gamma)
    models = {PAIRS: pairs, REST: OneVsRestClassifier(binary), JOINT: binary}
    models |= {SVM_PAIRS: svm, SVM_REST: OneVsRestClassifier(svm)}
    return _seconds(models, part.X[keep], part.y[keep], repeats=3)


def _seconds(models: dict, X: np.ndarray, y: np.ndarray, repeats: int) -> dict[str, float]:
    runs = interleaved({name: partial(model.fit, X, y) for name, model in models.items()}, repeats)
    return {name: run["seconds"] for name, run in runs.items()}
