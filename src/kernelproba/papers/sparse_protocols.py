"""The splits and contestants of shim2007: everything learnt from rows is learnt from training rows.

Genes are chosen and features scaled on the training part of a split; to tune, once more on the training part
of each inner fold.  All contestants see the same splits, folds, genes and kernel widths.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelproba.datasets import load
from kernelproba.estimators import (
    RecursiveFeatureAddition,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)

PLAIN_SETS, MICROARRAYS = ("iris", "new_thyroid", "wine"), ("leukemia", "lymphoma", "brain")
GENES = 20
#: Kernel widths: gamma of exp(−gamma ‖x−z‖²) times the number of features, all of variance one.
WIDTHS = 4.0 ** np.arange(-3, 2)
SVM_CS = 10.0 ** np.arange(4)
#: Strengths of SMKLR for each width, over four decades from where the first kernel enters.
STRENGTHS = 8
#: How SMKLR is tuned: by the log loss of left-out rows, and, for comparison, by their errors.
BY_LOG_LOSS, BY_ERROR = "log loss", "error"


class Part(NamedTuple):
    """Rows to learn from and rows to judge on, genes chosen and features scaled by the former."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    def gammas(self) -> np.ndarray:
        """Coefficients of the kernel widths."""
        return WIDTHS / self.X.shape[1]

    def error(self, model) -> float:
        """Share of rows whose class a fitted model misses."""
        return float(1 - model.score(self.X_test, self.y_test))


class Split(NamedTuple):
    """A split of a data set, and five folds of its training rows."""

    whole: Part
    folds: list[Part]


def draw_split(name: str, seed: int) -> Split:
    """Draw 67 % of the rows for training; classes keep their shares, as brain has one of four rows."""
    X, labels = load(name).all_rows()
    X, y = X.astype(float), np.unique(labels, return_inverse=True)[1]
    train, test = next(StratifiedShuffleSplit(1, test_size=0.33, random_state=seed).split(X, y))
    prepare = partial(_prepare, X, y, genes=name in MICROARRAYS)
    with warnings.catch_warnings():
        # A class of three rows is in three of the five folds: no reason for fewer folds.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        inner = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X[train], y[train]))
    return Split(prepare(train, test), [prepare(train[fit], train[left_out]) for fit, left_out in inner])


def _prepare(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, *, genes: bool) -> Part:
    steps = [RecursiveFeatureAddition(GENES)] if genes else []
    scale = make_pipeline(*steps, StandardScaler()).fit(X[train], y[train])
    return Part(scale.transform(X[train]), y[train], scale.transform(X[test]), y[test])


def smklr(split: Split) -> dict[str, dict[str, float]]:
    """Error and kernels of sparse multinomial kernel logistic regression, tuned in two ways."""
    models = [SparseKernelLogisticRegression(gamma=gamma) for gamma in split.whole.gammas()]
    paths = [model.path(split.whole.X, split.whole.y, STRENGTHS) for model in models]
    losses = np.stack([_fold_losses(m, p.Cs, split) for m, p in zip(models, paths, strict=True)])
    rules = {BY_LOG_LOSS: (losses[..., 0],), BY_ERROR: (losses[..., 1], losses[..., 0])}
    out = {}
    for rule, keys in rules.items():
        width, strength = _least(keys)
        path = paths[width]
        found = path.log_probabilities(split.whole.X_test)[strength].argmax(axis=1)
        out[rule] = {
            "error": float(np.mean(found != split.whole.y_test)),
            "kernels": int(path.n_kernels[strength]),
            "width": float(WIDTHS[width]),
            "C": float(path.Cs[strength]),
        }
    return out


def _fold_losses(model: SparseKernelLogisticRegression, Cs: np.ndarray, split: Split) -> np.ndarray:
    """Log loss and error of each strength, means over the rows left out of the folds, (strengths, 2)."""
    total = np.zeros((len(Cs), 2))
    for fold in split.folds:
        log_P = model.path(fold.X, fold.y, Cs).log_probabilities(fold.X_test)
        total[:, 0] -= log_P[:, np.arange(len(fold.y_test)), fold.y_test].sum(axis=1)
        total[:, 1] += (log_P.argmax(axis=2) != fold.y_test).sum(axis=1)
    return total / len(split.whole.y)


def _least(keys: tuple[np.ndarray, ...]) -> tuple[int, ...]:
    """Position of the least of keys[0], ties decided by keys[1]."""
    order = np.lexsort([key.ravel() for key in reversed(keys)])
    return tuple(int(i) for i in np.unravel_index(order[0], keys[0].shape))


def svm(split: Split) -> dict[str, dict[str, float]]:
    """Error and kernels of one-vs-all support vector machines, tuned by the error."""
    grid = [(float(width), float(C)) for width in WIDTHS for C in SVM_CS]
    errors = [
        sum(part.error(_svm(part, *point)) * len(part.y_test) for part in split.folds) for point in grid
    ]
    width, C = grid[int(np.argmin(errors))]
    model = _svm(split.whole, width, C)
    kept = np.unique(np.concatenate([machine.support_ for machine in model.estimators_]))
    return {BY_ERROR: {"error": split.whole.error(model), "kernels": len(kept), "width": width, "C": C}}


def _svm(part: Part, width: float, C: float) -> OneVsRestClassifier:
    return OneVsRestClassifier(SVC(C=C, gamma=width / part.X.shape[1])).fit(part.X, part.y)


def rvm(split: Split) -> dict[str, dict[str, float]]:
    """Error and kernels of one-vs-all relevance vector machines, their width tuned by the log loss."""
    losses = [sum(_rvm_loss(part, width) for part in split.folds) for width in WIDTHS]
    width = float(WIDTHS[int(np.argmin(losses))])
    model = _rvm(split.whole, width)
    return {BY_LOG_LOSS: {"error": split.whole.error(model), "kernels": model.n_kernels_, "width": width}}


def _rvm(part: Part, width: float) -> RelevanceVectorClassifier:
    return RelevanceVectorClassifier(gamma=width / part.X.shape[1]).fit(part.X, part.y)


def _rvm_loss(part: Part, width: float) -> float:
    model = _rvm(part, width)
    P = model.predict_proba(part.X_test)
    return log_loss(part.y_test, P, labels=model.classes_) * len(part.y_test)


CONTESTANTS = {"SMKLR": smklr, "one-vs-all SVM": svm, "one-vs-all RVM": rvm}
