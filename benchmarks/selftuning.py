"""Kernel logistic regression with nothing to tune: is its leave-one-out true, what does it cost, is it any good?

    python -m benchmarks.selftuning loo           approximate leave-one-out against refits
    python -m benchmarks.selftuning cost          the whole search against one fit, by the number of rows
    python -m benchmarks.selftuning rivals [MODEL…]  log loss, Brier score, error and time against today's practice
    python -m benchmarks.selftuning posteriors    distance from the true probabilities, where these are known
    python -m benchmarks.selftuning weights       features weighed or not, with and without columns of noise
    python -m benchmarks.selftuning promises      the log loss that leave-one-out promises, and that of other rows
    python -m benchmarks.selftuning times         KLR-CV, LSPC-CV and a tuned SVC: time and log loss on all sets and tables

`rivals` keeps every finished run and goes on from there (`benchmarks.rivals_runs`).
"""

import sys
import time
import warnings
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from benchmarks.measure import interleaved, machine, write
from benchmarks.rivals import CONTESTANTS, OURS, TUNED, TunedSVC
from benchmarks.rivals_runs import TRAINING_ROWS, run_missing, table
from benchmarks.rivals_table import write_rivals_table
from benchmarks.tables_data import problems
from benchmarks.tables_rivals import prepared
from kernelproba import (
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
)
from kernelproba.datasets import chessboard_problem, three_gaussians_problem, two_gaussians_problem
from kernelproba.datasets.mixture import Gaussian, Mixture
from kernelproba.inspection import probability_scores
from kernelproba.tables import TableClassifier

# ---------------------------------------------------------------- (a) leave-one-out against refits


def loo() -> None:
    """Row log losses of the approximation and of refits without each row; the optimum of both on one grid."""
    where, rows = machine(), []
    for name in ("iris", "wine", "raetsch_heart", "raetsch_breast_cancer"):
        rows.append({"data": name} | _compare_left_out(*table(name)))
        print(rows[-1], flush=True)
    text = (
        "Leave-one-out log losses of every row: from one factorisation, and by refitting without the row (copies of a "
        "row leave with it). First at the point that `KernelLogisticRegressionCV()` chooses; then the mean over a "
        "grid of 5 gammas (factors of 2 around that point) and 5 C (factors of √10): largest difference of the mean "
        "losses of points whose loss is within a tenth of the least, and steps between the two optima.\n\n"
        "Regenerate: `python -m benchmarks.selftuning loo`."
    )
    write("selftuning_loo", "Approximate leave-one-out against refits", text, rows, where)


def _compare_left_out(X, y) -> dict:
    model = KernelLogisticRegressionCV().fit(X, y)
    keep = _first_copies(X, y)
    X, y = _scaled(model, X[keep]), np.unique(y[keep], return_inverse=True)[1]
    point = {"C": model.C_, "gamma": model.gamma_}
    near, true = (_row_losses(f(X, y, **point), y) for f in (_approximate, _refitted))
    Cs = model.C_ * 10 ** (np.arange(-2, 3) / 2)
    gammas = model.gamma_ * 2.0 ** np.arange(-2, 3)
    grids = [
        np.array([[_row_losses(f(X, y, C=C, gamma=g), y).mean() for C in Cs] for g in gammas])
        for f in (_approximate, _refitted)
    ]
    best = [np.array(np.unravel_index(grid.argmin(), grid.shape)) for grid in grids]
    good = grids[1] <= 1.1 * grids[1].min()
    return {
        "rows": len(y),
        "C": model.C_,
        "gamma": model.gamma_,
        "refits": float(true.mean()),
        "approximation": float(near.mean()),
        "mean |difference|": float(np.abs(near - true).mean()),
        "correlation": float(np.corrcoef(near, true)[0, 1]),
        "grid: largest difference": float(np.abs(grids[0] - grids[1])[good].max()),
        "steps apart": int(np.abs(best[0] - best[1]).max()),
    }


def _scaled(model: KernelLogisticRegressionCV, X: np.ndarray) -> np.ndarray:
    """Rows as the chosen model sees them."""
    return X if model.scaler_ is None else model.scaler_.transform(X)


def _first_copies(X, y) -> np.ndarray:
    return np.sort(
        np.unique(np.column_stack([X, np.unique(y, return_inverse=True)[1]]), axis=0, return_index=True)[1]
    )


def _row_losses(log_P, y) -> np.ndarray:
    return -log_P[np.arange(len(y)), y]


def _approximate(X, y, C, gamma) -> np.ndarray:
    model = KernelLogisticRegressionCV([C], [gamma], scale=None).fit(X, y)
    assert model.loo_method_ == "leave-one-out"
    # Without the temperature, which refits do not have.
    log_P = np.log(model.loo_proba_) * model.temperature_
    return log_P - np.log(np.exp(log_P).sum(axis=1, keepdims=True))


def _refitted(X, y, C, gamma) -> np.ndarray:
    model = KernelLogisticRegression(C, gamma=gamma, tol=1e-5)
    rows = range(len(y))
    return np.concatenate(
        [model.fit(np.delete(X, i, 0), np.delete(y, i)).predict_log_proba(X[i : i + 1]) for i in rows]
    )


# ---------------------------------------------------------------- (b) cost


def cost() -> None:
    """Time of the whole search relative to one fit at the chosen point, interleaved."""
    where, rows = machine(), []
    for name, sizes in {
        "three Gaussians": (200, 500, 1000, 2000, 5000),
        "raetsch_diabetes": (200, 500, 768),
        "make_classification": (300, 800, 2000),
        "satimage": (200, 350, 500, 1000, 2000, 5000),
        "coil20": (720, 1440),
        "letter": (1000, 2000, 5000),
    }.items():
        rows += [_cost(name, n, repeats=3 if n <= 2000 else 1) for n in sizes]
    spans = (_span([row[f"{search} / fit"] for row in rows]) for search in ("search", "rbf alone"))
    text = (
        "Processor time of one thread, medians of three interleaved runs (one of 5000 rows): `KernelLogisticRegressionCV().fit`, the same with "
        '`kernel="rbf"`, and `KernelLogisticRegression.fit` of the first model of the pool, at the kernel, C and gamma it '
        "chose, on the same scaled rows. Single fits that a search takes: {}; with one kernel {}.\n\n"
        "Regenerate: `python -m benchmarks.selftuning cost`."
    ).format(*spans)
    write("selftuning_cost", "The cost of choosing", text, rows, where)


def _span(ratios: list[float]) -> str:
    return f"{min(ratios):.0f} to {max(ratios):.0f}, {np.median(ratios):.0f} in the median"


#: Problems of any number of rows; the second has 8 columns that count, 2 sums of these, and 10 of noise.
DRAWN = {
    "three Gaussians": lambda n: three_gaussians_problem().sample(n, 0),
    "make_classification": lambda n: make_classification(n, 20, n_informative=8, random_state=0),
}


def _cost(name: str, n: int, repeats: int) -> dict:
    X, y = DRAWN[name](n) if name in DRAWN else table(name)
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = X[rows], y[rows]
    search, alone = KernelLogisticRegressionCV(), KernelLogisticRegressionCV(kernel="rbf")
    chosen = search.fit(X, y)
    one, scaled = clone(chosen.best_estimator_), _scaled(chosen, X)
    runs = interleaved(
        {
            "search": partial(search.fit, X, y),
            "rbf alone": partial(alone.fit, X, y),
            "fit": partial(one.fit, scaled, y),
        },
        repeats,
        time.process_time,
    )
    seconds = {key: value["seconds"] for key, value in runs.items()}
    row = {
        "data": name,
        "rows": n,
        "classes": len(search.classes_),
        "points": len(search.cv_results_["params"]),
        "kernels in the pool": len(chosen.estimators_),
        "features weighed": "no" if chosen.feature_weights_ is None else "yes",
    }
    row |= {f"{key} s": value for key, value in seconds.items()}
    row |= {f"{key} / fit": seconds[key] / seconds["fit"] for key in ("search", "rbf alone")}
    print(row, flush=True)
    return row


# ---------------------------------------------------------------- (c) rivals


def rivals(*models: str) -> None:
    """Run what has not been run, of all contestants or some, then write the table."""
    run_missing(models or tuple(CONTESTANTS))
    write_rivals_table()


# ---------------------------------------------------------------- (d) known posteriors


def _ring(n_parts: int = 12, radius: float = 3.0) -> Mixture:
    """A round Gaussian and a ring of Gaussians around it."""
    angles = 2 * np.pi * np.arange(n_parts) / n_parts
    ring = [Gaussian(radius * np.array([np.cos(a), np.sin(a)]), np.eye(2)) for a in angles]
    return Mixture([[Gaussian([0, 0], np.eye(2))], ring])


def _five_classes(n_features: int = 5) -> Mixture:
    """Five classes of two round Gaussians each, their means drawn once."""
    means = np.random.default_rng(0).normal(0, 2, (5, 2, n_features))
    return Mixture([[Gaussian(mean, np.eye(n_features)) for mean in pair] for pair in means])


FAMILIES = {
    "three Gaussians": three_gaussians_problem(),
    "chessboard": chessboard_problem(),
    "ring": _ring(),
    "five classes in 5 dimensions": _five_classes(),
    "two Gaussians in 10 dimensions": two_gaussians_problem(2.0, n_features=10, prior=0.3),
}


def posteriors(draws: int = 20, sizes=(100, 400)) -> None:
    """Mean |p − P(y|x)| on new rows, over draws of the training rows."""
    where, rows = machine(), []
    for (name, problem), n in ((item, n) for item in FAMILIES.items() for n in sizes):
        errors = {model: _posterior_errors(CONTESTANTS[model], problem, n, draws) for model in CONTESTANTS}
        row = {"problem": name, "rows": n} | {model: float(e.mean()) for model, e in errors.items()}
        rows.append(row | {"best rival − ours": _lead(errors)})
        print(rows[-1], flush=True)
    text = (
        f"Mean absolute error of the probabilities, over all classes, 5000 new rows and {draws} draws of the training "
        "rows. Last column: the rival with the least error minus ours, with the standard error of this difference "
        "over the draws.\n\nRegenerate: `python -m benchmarks.selftuning posteriors`."
    )
    write("selftuning_posteriors", "Distance from the true probabilities", text, rows, where)


def _posterior_errors(make, problem, n: int, draws: int) -> np.ndarray:
    """Mean |p − P(y|x)| of each draw."""
    X_new, _ = problem.sample(5000, 99)
    truth, samples = problem.posterior(X_new), (problem.sample(n, draw) for draw in range(draws))
    return np.array([np.abs(make().fit(*sample).predict_proba(X_new) - truth).mean() for sample in samples])


def _lead(errors: dict[str, np.ndarray]) -> str:
    rival = min((name for name in errors if name != OURS), key=lambda name: errors[name].mean())
    gap = errors[rival] - errors[OURS]
    return f"{gap.mean():+.4f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.4f} ({rival})"


# ---------------------------------------------------------------- (e) weights of features

#: Sets, and how many columns of noise they are given.
NOISE = {
    "iris": (0, 8),
    "wine": (0, 26),
    "raetsch_heart": (0, 13),
    "raetsch_diabetes": (0, 8),
    "breast_cancer": (0, 30),
    "satimage": (0, 36),
    "digits": (0,),
    "letter": (0, 16),
}


def weights(n_splits: int = 5) -> None:
    """Log loss and time of `feature_weights="auto"` and of None on new splits into halves."""
    where, rows = machine(), []
    for name, columns in ((name, columns) for name, choices in NOISE.items() for columns in choices):
        X, y = table(name)
        X = np.hstack([X, X.std() * np.random.default_rng(0).normal(size=(len(y), columns))])
        size = min(TRAINING_ROWS, len(y) // 2)
        cut = StratifiedShuffleSplit(n_splits, train_size=size, test_size=len(y) // 2, random_state=7)
        runs = [_weigh((X[train], y[train]), (X[test], y[test])) for train, test in cut.split(X, y)]
        losses, seconds, taken = (np.array(part) for part in zip(*runs, strict=True))
        ratios = np.log(losses[:, 1] / losses[:, 0])
        rows.append(
            {
                "data": name,
                "columns of noise": columns,
                "rows": size,
                "log loss, None": float(losses[:, 0].mean()),
                "log loss, auto": float(losses[:, 1].mean()),
                "ratio": f"{np.exp(ratios.mean()):.3f} ± {ratios.std(ddof=1) / np.sqrt(n_splits):.3f}",
                "weighed": f"{int(taken.sum())} of {n_splits}",
                "time auto / None": float(np.median(seconds[:, 1] / seconds[:, 0])),
            }
        )
        print(rows[-1], flush=True)
    text = (
        f'`KernelLogisticRegressionCV(feature_weights=None)` and the default, `"auto"`: {n_splits} random splits into '
        f"halves, at most {TRAINING_ROWS} training rows; ratio of the log losses as geometric mean with the standard error "
        "over the splits; processor time of one thread.\n\nRegenerate: `python -m benchmarks.selftuning weights`."
    )
    write("selftuning_weights", "Features weighed or not", text, rows, where)


def _weigh(train, test) -> tuple[list[float], list[float], bool]:
    """Log losses and seconds without and with weights, and whether features were weighed."""
    losses, seconds = [], []
    for option in (None, "auto"):
        start = time.process_time()
        model = KernelLogisticRegressionCV(feature_weights=option).fit(*train)
        seconds.append(time.process_time() - start)
        losses.append(log_loss(test[1], model.predict_proba(test[0]), labels=model.classes_))
    return losses, seconds, model.feature_weights_ is not None


# ---------------------------------------------------------------- (f) promises


def promises(n_splits: int = 5) -> None:
    """`loo_scores_["log_loss"]` of both self-tuning classifiers, and the log loss of the other half of the rows."""
    where, rows = machine(), []
    for name in ("iris", "wine", "breast_cancer", "raetsch_diabetes", "digits", "satimage"):
        X, y = table(name)
        size = min(TRAINING_ROWS, len(y) // 2)
        cut = StratifiedShuffleSplit(n_splits, train_size=size, test_size=len(y) // 2, random_state=8)
        row: dict = {"data": name, "rows": size}
        for model in (KernelLogisticRegressionCV(), LeastSquaresProbabilisticClassifierCV(random_state=0)):
            runs = [
                _promise(model.fit(X[train], y[train]), X[test], y[test]) for train, test in cut.split(X, y)
            ]
            short = "KLR-CV" if isinstance(model, KernelLogisticRegressionCV) else "LSPC-CV"
            row |= dict(
                zip((f"{short}, promised", f"{short}, other half"), np.mean(runs, axis=0), strict=True)
            )
        rows.append(row)
        print(row, flush=True)
    text = (
        f'Log loss as `loo_scores_["log_loss"]` has it, and of the other half of the rows: means of {n_splits} random splits, '
        f"at most {TRAINING_ROWS} training rows.\n\nRegenerate: `python -m benchmarks.selftuning promises`."
    )
    write("selftuning_promises", "What leave-one-out promises", text, rows, where)


def _promise(model, X, y) -> tuple[float, float]:
    return model.loo_scores_["log_loss"], float(log_loss(y, model.predict_proba(X), labels=model.classes_))


# ---------------------------------------------------------------- (g) times


#: Training rows at most.
TIMED_ROWS = 1000


def times() -> None:
    """Processor time and log loss of the three self-tuning classifiers, one split of every set and table."""
    where, rows, every = machine(), [], problems()
    for problem in every:
        train, test = problem.splits[0]
        (X, y), (X_test, y_test) = problem.rows(train[:TIMED_ROWS]), problem.rows(test)
        row: dict = {"data": problem.name, "rows": len(y), "classes": len(np.unique(y))}
        runs = {name: _timed(make(X), X, y, X_test, y_test) for name, make in SELF_TUNING.items()}
        row |= {f"{name} s": seconds for name, (seconds, _) in runs.items()}
        row |= {f"{name} log loss": loss for name, (_, loss) in runs.items()}
        rows.append(row | {"fastest": min(runs, key=lambda name: runs[name][0])})
        print(rows[-1], flush=True)
        _write_times(rows, len(every), where)


def _write_times(rows: list[dict], n: int, where: dict) -> None:
    won = {name: sum(row["fastest"] == name for row in rows) for name in SELF_TUNING}
    ahead = sum(row["LSPC-CV s"] < row[f"{TUNED} s"] for row in rows)
    text = (
        f"{len(rows)} of the {n} sets and tables of [tables](tables.md), by the work of a fit; their first split, at most "
        f"{TIMED_ROWS} training rows: processor seconds of `fit` on one thread, the three one after the other, and log loss "
        "of the test rows. Tables with texts, dates or gaps by `TableClassifier`; for the SVC, tuned on a 3 × 4 grid and calibrated, they are one-hot.\n\n"
        f"Fastest of {len(rows)}: {', '.join(f'{name} {count}' for name, count in won.items())}. "
        f"LSPC-CV is faster than the tuned SVC on {ahead}.\n\n"
        "Regenerate: `python -m benchmarks.selftuning times`."
    )
    write("selftuning_times", "Three classifiers that tune themselves", text, rows, where)


def _own(make, X):
    """A classifier of ours, of numbers or of tables."""
    return make() if isinstance(X, np.ndarray) else TableClassifier(make())


SELF_TUNING = {
    OURS: partial(_own, KernelLogisticRegressionCV),
    "LSPC-CV": partial(_own, partial(LeastSquaresProbabilisticClassifierCV, random_state=0)),
    TUNED: partial(prepared, partial(TunedSVC, "passthrough"), scale=True),
}


def _timed(model, X, y, X_test, y_test) -> tuple[float, float]:
    """Processor seconds of a fit, and its log loss on other rows."""
    with threadpool_limits(1):
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
        P = model.predict_proba(X_test)
    return seconds, probability_scores(y_test, P, classes=model.classes_)["log_loss"]


if __name__ == "__main__":
    warnings.filterwarnings("ignore")  # rivals that do not converge, or fold a class of two rows
    commands = (loo, cost, rivals, posteriors, weights, promises, times)
    {command.__name__: command for command in commands}[sys.argv[1]](*sys.argv[2:])
