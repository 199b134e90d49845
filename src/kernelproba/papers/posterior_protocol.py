"""LSPC, LSPC(full) and kernel logistic regression as sugiyama2010 compares them.

The paper's λ of kernel logistic regression multiplies tr(AᵀKA) = ‖f‖²: it is 1/(2C) here.
"""

from __future__ import annotations

import warnings
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelproba.datasets import load, three_gaussians_problem
from kernelproba.estimators import KernelLogisticRegression, LeastSquaresProbabilisticClassifier
from kernelproba.kernels import median_distance
from kernelproba.papers.plain_klr import PlainKLR
from kernelproba.papers.stopwatch import interleaved
from kernelproba.tuning import LeastSquaresProbabilisticClassifierCV
from kernelproba.tuning.least_squares.search import PAPER_ALPHAS, PAPER_WIDTHS

LSPC, FULL, KLR, PLAIN = "LSPC", "LSPC(full)", "KLR", "KLR, plain L-BFGS"
METHODS = (LSPC, FULL, KLR)
CENTERS = {LSPC: "class", FULL: "all"}
#: The posterior of the paper: clipped and normalised, no more.
RAW: dict[str, object] = {"calibration": None, "outside": "tails"}
TEST_ROWS, TOY_ROWS, TOY_TEST_ROWS = 100, 200, 10_000
#: Of timing, in turn, for the models that take less than a second.
ROUNDS = 5


class Draw(NamedTuple):
    """Standardised training and test rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@lru_cache(maxsize=1)
def _all_rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    return load(name).all_rows()


def draw(name: str, n: int, n_classes: int, seed: int) -> Draw:
    """⌊n/c⌋ training and 100 test rows of each of the first c classes, standardised by the training rows."""
    X, y = _all_rows(name)
    rng = np.random.default_rng(seed)
    train, test = [], []
    for label in np.unique(y)[:n_classes]:
        rows = rng.permutation(np.flatnonzero(y == label))
        train.append(rows[: n // n_classes])
        test.append(rows[-TEST_ROWS:])
    chosen, other = rng.permutation(np.concatenate(train)), np.concatenate(test)
    mean, scale = X[chosen].mean(axis=0), X[chosen].std(axis=0)
    X_train, X_test = ((X[rows] - mean) / np.where(scale > 0, scale, 1) for rows in (chosen, other))
    return Draw(X_train, y[chosen], X_test, y[other])


def choose(method: str, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """λ and gamma from the paper's grid by 2-fold cross-validation."""
    with warnings.catch_warnings():
        # 26 classes among 100 rows leave three of each, and folds that lack some.
        warnings.filterwarnings(
            "ignore", message="The (number of unique|least populated)", category=UserWarning
        )
        if method == KLR:
            return _choose_klr(X, y)
        search = LeastSquaresProbabilisticClassifierCV(
            "paper",
            "paper",
            scale=None,  # `draw` has standardised the rows
            centers=CENTERS[method],
            scoring="accuracy",
            cv=2,
            random_state=0,
            **RAW,
        ).fit(X, y)
        return {"penalty": float(search.alpha_), "gamma": float(search.gamma_)}


def _choose_klr(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Every setting on both halves; the optimum is unique, so that our solver may find it."""
    median = median_distance(X, 0)
    folds = list(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
    best = (-1.0, {"penalty": 1.0, "gamma": 1.0})
    for width in PAPER_WIDTHS:
        for penalty in PAPER_ALPHAS:
            setting = {"penalty": float(penalty), "gamma": float(0.5 / (width * median) ** 2)}
            model = build(KLR, setting)
            hits = sum(model.fit(X[a], y[a]).score(X[b], y[b]) for a, b in folds)
            best = max(best, (hits, setting), key=lambda pair: pair[0])
    return best[1]


def build(method: str, setting: dict[str, float]):
    """A contestant with a chosen setting."""
    penalty, gamma = setting["penalty"], setting["gamma"]
    if method == KLR:
        return KernelLogisticRegression(1 / (2 * penalty), gamma=gamma, fit_intercept=False)
    if method == PLAIN:
        return PlainKLR(np.sqrt(0.5 / gamma), penalty)
    return LeastSquaresProbabilisticClassifier(penalty, gamma=gamma, centers=CENTERS[method], **RAW)


def errors(name: str, n: int, n_classes: int, seed: int) -> dict[str, dict]:
    """Setting and test error of every method on one draw."""
    part = draw(name, n, n_classes, seed)
    return {method: _record(method, part) for method in METHODS}


def _record(method: str, part: Draw) -> dict[str, object]:
    setting = choose(method, part.X, part.y)
    model = build(method, setting).fit(part.X, part.y)
    return {**setting, "error": float(np.mean(model.predict(part.X_test) != part.y_test))}


def times(name: str, n: int, n_classes: int, seed: int, chosen: dict[str, dict]) -> dict[str, dict]:
    """Seconds of a fit with the chosen settings; and the error of the plain solver, which runs once."""
    part = draw(name, n, n_classes, seed)
    models = {method: build(method, chosen[method]) for method in METHODS}
    runs = interleaved({method: partial(m.fit, part.X, part.y) for method, m in models.items()}, ROUNDS)
    plain = build(PLAIN, chosen[KLR])
    runs |= interleaved({PLAIN: partial(plain.fit, part.X, part.y)}, 1)
    found: dict[str, dict] = {method: {"seconds": run["seconds"]} for method, run in runs.items()}
    missed = float(np.mean(plain.predict(part.X_test) != part.y_test))
    found[PLAIN] |= {"error": missed, "iterations": plain.n_iter_}
    return found


def toy(seed: int) -> dict[str, dict]:
    """The illustrative example: settings, test error, and how far the posterior is from the truth."""
    truth = three_gaussians_problem()
    X, y = truth.sample(TOY_ROWS, random_state=seed)
    X_test, y_test = truth.sample(TOY_TEST_ROWS, random_state=10_000 + seed)
    P = truth.posterior(X_test)
    found: dict[str, dict] = {"truth": {"error": float(np.mean(P.argmax(axis=1) != y_test)), "distance": 0.0}}
    for method in METHODS:
        setting = choose(method, X, y)
        Q = build(method, setting).fit(X, y).predict_proba(X_test)
        missed = float(np.mean(Q.argmax(axis=1) != y_test))
        found[method] = {**setting, "error": missed, "distance": float(abs(P - Q).mean())}
    return found
