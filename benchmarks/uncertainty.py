"""How sure is a probability? Prediction sets, intervals of probabilities, and rows unlike any seen.

    python -m benchmarks.uncertainty coverage [NAME…]   do sets hold the truth as often as they say?
    python -m benchmarks.uncertainty quick_coverage     the same with a quicker search
    python -m benchmarks.uncertainty many_rows          the same with the rows from which on leave-one-out is the default
    python -m benchmarks.uncertainty mapie [NAME…]      their size and time against MAPIE's
    python -m benchmarks.uncertainty mapie_default      the same around the classifier as it is by default
    python -m benchmarks.uncertainty intervals          do intervals hold the true probability, where it is known?
    python -m benchmarks.uncertainty novelty [NAME…]    is a class that was left out found to be new?
    python -m benchmarks.uncertainty far [NAME…]        do sets grow and intervals widen far from all rows?
    python -m benchmarks.uncertainty pages [PAGE…]      write the pages of the runs that are there

All keep every finished run in docs/results/uncertainty_runs and go on from there (`benchmarks.uncertainty_sets`).
"""

import sys
import time
import warnings
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from benchmarks.measure import machine, write
from benchmarks.rivals_runs import table
from benchmarks.selftuning import FAMILIES
from benchmarks.uncertainty_far import FAR_SPLITS, far_page, go_far
from benchmarks.uncertainty_mapie import RIVAL_SPLITS, compare, comparison_page
from benchmarks.uncertainty_sets import (
    MANY_ROWS,
    MANY_SPLITS,
    QUICK,
    RECORD,
    SPLITS,
    cover,
    cover_many,
    coverage_page,
    problems,
    run_missing,
    run_once,
    runs_by_problem,
)
from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.datasets.mixture import Mixture

BOOTSTRAPS, NEW_ROWS = 50, 1000
#: Draws of the training rows by their number.
DRAWS = {200: 8, 1000: 5}
#: Draws with a bootstrap, which takes longer than all the rest.
BOOTSTRAP_DRAWS = {200: 8, 1000: 2}
#: What tells one run from another.
KEYS = ("data", "split")

# ---------------------------------------------------------------- sets


def coverage(*only: str) -> None:
    """Coverage of sets, over all rows and class by class."""
    run_missing("coverage", SPLITS, cover, only)
    write_pages()


def quick_coverage(*only: str) -> None:
    """The same around a classifier with a quicker search."""
    run_missing("quick_coverage", SPLITS, partial(cover, **QUICK), only)
    write_pages()


def many_rows() -> None:
    """The same by leave-one-out from 1000 rows, of problems that have twice as many."""
    large = [problem for problem in problems() if len(problem.y) >= 2 * MANY_ROWS]
    for split in range(MANY_SPLITS):
        for problem in large:
            run_once("many_rows", problem.name, split, partial(cover_many, problem, split))
    write_pages()


def mapie(*only: str) -> None:
    """Sets from leave-one-out probabilities and by CV+ against MAPIE's split and cross methods around the same classifier."""
    run_missing("mapie", RIVAL_SPLITS, partial(compare, **QUICK), only)
    write_pages()


def mapie_default(*only: str) -> None:
    """The same around the classifier as it is by default."""
    run_missing("mapie_default", RIVAL_SPLITS, compare, only)
    write_pages()


# ---------------------------------------------------------------- intervals


def intervals() -> None:
    """Coverage of the true probability by 90 % intervals, beside a bootstrap of the chosen model."""
    for n, draws in DRAWS.items():
        for draw in range(draws):
            for name, problem in FAMILIES.items():
                run_once("intervals", f"{name}, {n}", draw, partial(_judge_intervals, problem, n, draw))
    write_pages()


def intervals_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page, from the runs on record."""
    rows = []
    for name, runs in runs_by_problem("intervals").items():
        problem, n = name.rsplit(", ", 1)
        timed = [run for run in runs if "again s" in run and "bootstrap s" in run]
        beside = [run for run in runs if "bootstrap holds" in run]
        held = [run["holds the truth"] for run in runs]
        mean = _means(runs, ("holds the truth", "width", "width far away"))
        mean["least and most"] = f"{min(held):.2f}, {max(held):.2f}"
        mean |= _means(beside, ("bootstrap holds", "bootstrap width"))
        mean |= _means(timed, ("fit s", "seconds", "again s", "bootstrap s"))
        ratios = {
            "refits / first": mean["bootstrap s"] / mean["seconds"],
            "refits / again": mean["bootstrap s"] / mean["again s"],
            "searches / first": BOOTSTRAPS * mean["fit s"] / mean["seconds"],
        }
        rows.append({"problem": problem, "rows": int(n), "draws": len(runs)} | mean | ratios)
    times = [row["searches / first"] for row in rows]
    text = (
        "`KernelLogisticRegressionCV().predict_proba_interval(X, 0.9)` on problems whose posterior is known: share of "
        f"probabilities, over all classes and {NEW_ROWS} new rows, whose true value is in the interval; its mean width; mean width "
        "far away, 20 standard deviations from the rows; "
        "the least and the most that intervals hold in one draw. Beside it the range between the 5 % and the 95 % quantile of "
        f"{BOOTSTRAPS} refits of the chosen model (its kernels, C, weights and temperature) to bootstrap samples. Seconds of the "
        "processor for one fit; for the first intervals, for which the posterior is built, and those of a second call; for the "
        "bootstrap. Last columns: how many times as long the refits take, and as many fits that search anew would take (their number "
        "times that of one fit). Means over draws of the training rows, those of the bootstrap over at most "
        f"{BOOTSTRAP_DRAWS[1000]} draws of 1000 rows, times over draws of which all four were taken.\n\n"
        f"Of {len(rows)} lines {_within(rows)} hold the truth in 80 to 97 % of the rows. The first intervals take "
        f"1/{min(times):.0f} to 1/{max(times):.0f} of the time of a bootstrap that searches anew; beside refits alone intervals cost "
        "little from the second call on.\n\n"
        "Regenerate: `python -m benchmarks.uncertainty intervals`."
    )
    return "Do intervals hold the true probability?", text, rows


def _within(rows: list[dict]) -> int:
    return sum(0.8 <= row["holds the truth"] <= 0.97 for row in rows)


def _means(runs: list[dict], keys: tuple[str, ...]) -> dict[str, float]:
    return {key: float(np.mean([run[key] for run in runs])) for key in keys}


def _judge_intervals(problem: Mixture, n: int, draw: int) -> dict:
    X, y = problem.sample(n, draw)
    X_new, _ = problem.sample(NEW_ROWS, 1000 + draw)
    truth = problem.posterior(X_new)
    with Stopwatch() as fit:
        model = KernelLogisticRegressionCV(random_state=0).fit(X, y)
    with Stopwatch() as first:
        found = model.predict_proba_interval(X_new)
    with Stopwatch() as again:
        model.predict_proba_interval(X_new)
    far = X.mean(axis=0) + 20 * X.std(axis=0) * np.sign(
        np.random.default_rng(0).normal(size=(100, X.shape[1]))
    )
    far_intervals = model.predict_proba_interval(far)
    run = {
        "holds the truth": _share_held(found, truth),
        "width": float(np.diff(found).mean()),
        "width far away": float(np.diff(far_intervals).mean()),
        "fit s": fit.seconds,
        "seconds": first.seconds,
        "again s": again.seconds,
    }
    if draw >= BOOTSTRAP_DRAWS[n]:
        return run
    with Stopwatch() as bootstrap:
        drawn = _bootstrap(model, X, y, X_new, np.random.default_rng(draw))
    return run | {
        "bootstrap holds": _share_held(drawn, truth),
        "bootstrap width": float(np.diff(drawn).mean()),
        "bootstrap s": bootstrap.seconds,
    }


class Stopwatch:
    """Seconds of the processor inside a ``with`` block."""

    def __enter__(self) -> "Stopwatch":
        self._start = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.process_time() - self._start


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
LEFT_OUT = {"digits": (900, 1), "satimage": (3000, 1), "letter": (4000, 5)}
SEARCH_ROWS = 1000


def novelty(*only: str) -> None:
    """AUC of rows of a class that was left out of training against rows of the others."""
    for name, (n, step) in LEFT_OUT.items():
        if only and name not in only:
            continue
        X, y = table(name)
        order = np.random.default_rng(0).permutation(len(y))
        X, y = X[order], np.unique(y, return_inverse=True)[1][order]
        for label in range(0, y.max() + 1, step):
            run_once("novelty", name, label, partial(_find_class, X, y, n, label))
    write_pages()


def novelty_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page, from the runs on record."""
    rows = []
    for name, runs in runs_by_problem("novelty").items():
        means = {key: float(np.mean([run[key] for run in runs])) for key in runs[0] if key not in KEYS}
        row = {"data": name, "rows": LEFT_OUT[name][0], "classes left out in turn": len(runs)} | means
        rows.append(row | {"novelty_score, worst class": min(run["novelty_score"] for run in runs)})
    text = (
        "One class is left out of training, and rows of all classes are new: area under the curve of `novelty_score`, by which rows of "
        "the class should come first, beside scikit-learn's `IsolationForest` and `LocalOutlierFactor` on the same scaled rows, and the "
        "least of the probabilities of the predicted class. *p ≤ 0.05*: share of the rows of known classes, and of the class left "
        f'out, with such a p-value. Kernel, C and scale are chosen by `KernelLogisticRegressionCV(kernel="rbf")` on {SEARCH_ROWS} '
        "of the rows; 2000 new rows at most; means over the classes left out. In satimage damp grey soil lies between grey and very "
        "damp grey soil, and none of the scores finds it: narrower kernels, other penalties and scores relative to each class were "
        "tried and change the mean by less than two points, to the loss of digits.\n\n"
        "Regenerate: `python -m benchmarks.uncertainty novelty`."
    )
    return "Is a class that was left out found to be new?", text, rows


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
    return run


def far(*only: str) -> None:
    """Sets and intervals of rows far from all rows of training."""
    run_missing("far", FAR_SPLITS, go_far, only)
    write_pages("far")


# ---------------------------------------------------------------- pages

PAGES = {
    "coverage": coverage_page,
    "quick_coverage": partial(coverage_page, "quick_coverage"),
    "many_rows": partial(coverage_page, "many_rows"),
    "mapie": comparison_page,
    "mapie_default": partial(comparison_page, "mapie_default"),
    "intervals": intervals_page,
    "novelty": novelty_page,
    "far": far_page,
}


def write_pages(*only: str) -> None:
    """Write the pages of the runs on record, some or all."""
    for name, page in PAGES.items():
        if RECORD.runs(name) and (not only or name in only):
            write(f"uncertainty_{name}", *page(), machine())


if __name__ == "__main__":
    warnings.filterwarnings("ignore")  # searches that end at their limits, classes of few rows
    tasks = (coverage, quick_coverage, many_rows, mapie, mapie_default, intervals, novelty, far)
    commands = {task.__name__: task for task in tasks} | {"pages": write_pages}
    commands[sys.argv[1]](*sys.argv[2:])
