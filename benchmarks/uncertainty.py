"""How sure is a probability? Prediction sets, intervals of probabilities, and rows unlike any seen.

    python -m benchmarks.uncertainty coverage [NAME…]   do sets hold the truth as often as they say?
    python -m benchmarks.uncertainty mapie [NAME…]      their size and time against MAPIE's
    python -m benchmarks.uncertainty intervals          do intervals hold the true probability, where it is known?
    python -m benchmarks.uncertainty novelty            is a class that was left out found to be new?

The first two keep every finished run and go on from there (`benchmarks.uncertainty_sets`).
"""

import sys
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from threadpoolctl import threadpool_limits

from benchmarks.measure import machine, write
from benchmarks.rivals_runs import table
from benchmarks.selftuning import FAMILIES
from benchmarks.uncertainty_sets import coverage, mapie
from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.datasets.mixture import Mixture

BOOTSTRAPS, NEW_ROWS = 50, 1000
#: Draws of the training rows by their number.
DRAWS = {200: 8, 1000: 4}

# ---------------------------------------------------------------- intervals


def intervals() -> None:
    """Coverage of the true probability by 90 % intervals, beside a bootstrap of the chosen model."""
    where, rows = machine(), []
    for name, problem in FAMILIES.items():
        for n, draws in DRAWS.items():
            with threadpool_limits(1):
                runs = [_judge_intervals(problem, n, draw) for draw in range(draws)]
            mean = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
            ratio = mean["bootstrap s"] / mean["seconds"]
            rows.append({"problem": name, "rows": n, "draws": draws} | mean | {"time ratio": ratio})
            print(rows[-1], flush=True)
    text = (
        "`KernelLogisticRegressionCV().predict_proba_interval(X, 0.9)` on problems whose posterior is known: share of "
        f"probabilities, over all classes and {NEW_ROWS} new rows, whose true value is in the interval; its mean width; mean width "
        "far away, 20 standard deviations from the rows. Beside it the range between the 5 % and the 95 % quantile of "
        f"{BOOTSTRAPS} refits of the chosen model (its kernels, C, weights and temperature) to bootstrap samples. Seconds of the "
        "processor for all intervals, the posterior built, and for the bootstrap. Means over draws of the training rows.\n\n"
        "Regenerate: `python -m benchmarks.uncertainty intervals`."
    )
    write("uncertainty_intervals", "Do intervals hold the true probability?", text, rows, where)


def _judge_intervals(problem: Mixture, n: int, draw: int) -> dict:
    X, y = problem.sample(n, draw)
    X_new, _ = problem.sample(NEW_ROWS, 1000 + draw)
    model, truth = KernelLogisticRegressionCV(random_state=0).fit(X, y), problem.posterior(X_new)
    start = time.process_time()
    found = model.predict_proba_interval(X_new)
    middle = time.process_time()
    drawn = _bootstrap(model, X, y, X_new, np.random.default_rng(draw))
    end = time.process_time()
    far = X.mean(axis=0) + 20 * X.std(axis=0) * np.sign(
        np.random.default_rng(0).normal(size=(100, X.shape[1]))
    )
    far_intervals = model.predict_proba_interval(far)
    return {
        "holds the truth": _share_held(found, truth),
        "width": float(np.diff(found).mean()),
        "width far away": float(np.diff(far_intervals).mean()),
        "bootstrap holds": _share_held(drawn, truth),
        "bootstrap width": float(np.diff(drawn).mean()),
        "seconds": middle - start,
        "bootstrap s": end - middle,
    }


def _share_held(found: np.ndarray, truth: np.ndarray) -> float:
    return float(((found[..., 0] <= truth) & (truth <= found[..., 1])).mean())


def _bootstrap(model: KernelLogisticRegressionCV, X, y, X_new, rng) -> np.ndarray:
    """Range (n, c, 2) of the probabilities by refits of the models of the pool to bootstrap samples."""
    again, parts = [], list(zip(model.weights_, model.scalers_, model.estimators_, strict=True))
    for _ in range(BOOTSTRAPS):
        rows = rng.integers(0, len(y), len(y))
        scores = 0.0
        for weight, scaler, inner in parts:
            scaled = (lambda Z: Z) if scaler is None else scaler.transform
            refit = clone(inner).fit(scaled(X[rows]), y[rows])
            scores = scores + weight * refit.predict_log_proba(scaled(X_new))
        P = np.exp((scores - scores.max(axis=1, keepdims=True)) / model.temperature_)
        again.append(P / P.sum(axis=1, keepdims=True))
    return np.moveaxis(np.quantile(again, [0.05, 0.95], axis=0), 0, -1)


# ---------------------------------------------------------------- novelty

#: Set → training rows, and every which class is left out in turn.
LEFT_OUT = {"digits": (900, 1), "letter": (8000, 3)}
SEARCH_ROWS = 1000


def novelty() -> None:
    """AUC of rows of a class that was left out of training against rows of the others."""
    where, rows = machine(), []
    for name, (n, step) in LEFT_OUT.items():
        X, y = table(name)
        order = np.random.default_rng(0).permutation(len(y))
        X, y = X[order], np.unique(y, return_inverse=True)[1][order]
        with threadpool_limits(1):
            runs = [_find_class(X, y, n, label) for label in range(0, y.max() + 1, step)]
        means = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
        rows.append({"data": name, "rows": n, "classes left out in turn": len(runs)} | means)
        print(rows[-1], flush=True)
    text = (
        "One class is left out of training, and rows of all classes are new: area under the curve of `novelty_score`, by which rows of "
        "the class should come first, beside scikit-learn's `IsolationForest` and `LocalOutlierFactor` on the same scaled rows, and the "
        "least of the probabilities of the predicted class. *p ≤ 0.05*: share of the rows of known classes, and of the class left "
        f'out, with such a p-value. Kernel, C and scale are chosen by `KernelLogisticRegressionCV(kernel="rbf")` on {SEARCH_ROWS} '
        "of the rows; 2000 new rows; means over the classes left out.\n\nRegenerate: `python -m benchmarks.uncertainty novelty`."
    )
    write("uncertainty_novelty", "Is a class that was left out found to be new?", text, rows, where)


def _find_class(X: np.ndarray, y: np.ndarray, n: int, label: int) -> dict:
    X_new, is_new = X[n : n + 2000], y[n : n + 2000] == label
    X, y = X[:n][y[:n] != label], y[:n][y[:n] != label]
    search = KernelLogisticRegressionCV(kernel="rbf", feature_weights=None, random_state=0)
    search.fit(X[:SEARCH_ROWS], y[:SEARCH_ROWS])
    if search.scaler_ is not None:
        X, X_new = search.scaler_.transform(X), search.scaler_.transform(X_new)
    model = KernelLogisticRegression(search.C_, gamma=search.gamma_).fit(X, y)
    score, p = model.novelty_score(X_new, return_p_value=True)
    rivals = {
        "IsolationForest": -IsolationForest(random_state=0).fit(X).score_samples(X_new),
        "LocalOutlierFactor": -LocalOutlierFactor(novelty=True).fit(X).score_samples(X_new),
        "least sure": -model.predict_proba(X_new).max(axis=1),
    }
    found = {"novelty_score": score} | rivals
    run = {name: float(roc_auc_score(is_new, values)) for name, values in found.items()}
    run |= {
        "p ≤ 0.05, known": float((p[~is_new] <= 0.05).mean()),
        "p ≤ 0.05, left out": float((p[is_new] <= 0.05).mean()),
    }
    print(label, run, flush=True)
    return run


if __name__ == "__main__":
    warnings.filterwarnings("ignore")  # searches that end at their limits, classes of few rows
    commands = (coverage, mapie, intervals, novelty)
    {command.__name__: command for command in commands}[sys.argv[1]](*sys.argv[2:])
