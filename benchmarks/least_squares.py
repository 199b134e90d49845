"""The least-squares probabilistic classifier: the paper's figures, and what this package adds to them.

    python -m benchmarks.least_squares speed         time and error at n = 500, 1000, 2000 on four sets
    python -m benchmarks.least_squares grid          what a 9 × 5 grid costs, in single fits
    python -m benchmarks.least_squares stream        a million rows by partial_fit: memory and time
    python -m benchmarks.least_squares calibration   raw and recalibrated posteriors on official splits
    python -m benchmarks.least_squares outside       behaviour far from the data, as a picture
    python -m benchmarks.least_squares all           everything; --quick shrinks it to a trial

The curves of Figures 7 and 8 are those of `kernelproba papers sugiyama2010`.
Each writes its part of docs/results/least_squares.json, and all render least_squares.md and its pictures anew.
"""

import sys
import time
import warnings
from functools import cache, partial

import numpy as np

from benchmarks.least_squares_page import record, render
from benchmarks.measure import interleaved
from kernelproba import (
    KernelLogisticRegression,
    LeastSquaresProbabilisticClassifier,
    LeastSquaresProbabilisticClassifierCV,
)
from kernelproba.datasets import official_split
from kernelproba.inspection import probability_scores
from kernelproba.kernels import median_distance
from kernelproba.papers.plain_klr import PlainKLR
from kernelproba.papers.posterior_protocol import RAW, draw
from kernelproba.papers.sugiyama2010 import SETS
from kernelproba.tuning.least_squares.search import PAPER_ALPHAS, PAPER_WIDTHS


def lspc(X, y, centers: str) -> LeastSquaresProbabilisticClassifier:
    """LSPC with width and penalty from the paper's grid by 2-fold cross-validation, as in the paper."""
    search = LeastSquaresProbabilisticClassifierCV(
        "paper", "paper", scale=None, centers=centers, scoring="accuracy", cv=2, random_state=0, **RAW
    )
    return search.fit(X, y).best_estimator_


def shared_lspc(X, y) -> LeastSquaresProbabilisticClassifier:
    """A thousand rows as centres of all classes, and smaller penalties, by closed-form leave-one-out."""
    search = LeastSquaresProbabilisticClassifierCV(
        "wide", "paper", scale=None, centers="all", n_centers=1000, scoring="accuracy", random_state=0, **RAW
    )
    return search.fit(X, y).best_estimator_


@cache
def klr_parameters(name: str, n_classes: int) -> tuple[float, float]:
    """Width (in median distances) and λ of KLR from the same grid by 2-fold cross-validation on 500 rows.

    The optimum is unique, so our solver may find it.
    """
    X, y, *_ = draw(name, 500, n_classes, 99)
    median, half = median_distance(X, 0), np.arange(len(X)) % 2 == 0
    best = (-1.0, 1.0, 1.0)
    for width in PAPER_WIDTHS:
        for penalty in PAPER_ALPHAS:
            model = own_klr(width * median, penalty)
            hits = sum(model.fit(X[part], y[part]).score(X[~part], y[~part]) for part in (half, ~half))
            best = max(best, (hits, width, penalty))
    return best[1], best[2]


def own_klr(width: float, penalty: float) -> KernelLogisticRegression:
    """The same model by the best solver of this package: λ tr(AᵀKA) = ½‖f‖²/C."""
    return KernelLogisticRegression(1 / (2 * penalty), gamma=1 / (2 * width**2), fit_intercept=False)


def point(name: str, n: int, n_classes: int, seed: int) -> dict[str, dict]:
    """Time and error of every contestant on one draw: one interleaved round."""
    X, y, X_test, y_test = draw(name, n, n_classes, seed)
    width, penalty = klr_parameters(name, n_classes)
    width *= median_distance(X, 0)
    own = lspc(X, y, "class")
    contestants = {
        "LSPC": own,
        "LSPC calibrated": LeastSquaresProbabilisticClassifier(own.alpha, gamma=own.gamma),
        "LSPC(full)": lspc(X, y, "all"),
        "LSPC, 1000 shared centres": shared_lspc(X, y),
        "KLR, plain L-BFGS": PlainKLR(width, penalty),
        "KernelLogisticRegression": own_klr(width, penalty),
    }
    fits = interleaved({key: partial(model.fit, X, y) for key, model in contestants.items()}, 1)
    return {
        key: {"seconds": fits[key]["seconds"], "error": float(np.mean(model.predict(X_test) != y_test))}
        for key, model in contestants.items()
    }


def sweep(points, draws: int) -> list[dict]:
    """Median time and mean error over draws for every (set, n, c)."""
    rows = []
    for name, n, c in points:
        runs = [point(name, n, c, seed) for seed in range(draws)]
        for key in runs[0]:
            seconds, errors = ([run[key][part] for run in runs] for part in ("seconds", "error"))
            row = {"data": name, "n": n, "c": c, "model": key}
            rows.append(row | {"seconds": float(np.median(seconds)), "error": float(np.mean(errors))})
        shown = {r["model"]: (round(r["seconds"], 3), round(r["error"], 3)) for r in rows[-len(runs[0]) :]}
        print(name, n, c, shown, flush=True)
    return rows


def speed(quick: bool = False) -> None:
    sizes = (200, 500) if quick else (500, 1000, 2000)
    record("speed", sweep([(name, n, c) for name, c in SETS.items() for n in sizes], 1 if quick else 3))


def grid(quick: bool = False) -> None:
    """A 9 × 5 grid by leave-one-out, the final fit included, against one fit with the same options."""
    rows = []
    for name, c in SETS.items():
        X, y, *_ = draw(name, 500 if quick else 2000, c, 0)
        gamma = 1 / (2 * (0.5 * median_distance(X, 0)) ** 2)
        fixed = {"gammas": "paper", "scale": None}
        cases = {
            ("paper", "raw"): fixed | RAW,
            ("paper", "calibrated"): fixed,
            ("wide", "calibrated"): fixed,
            ("auto", "calibrated"): {},
        }
        contestants = {
            ("fit", "raw"): LeastSquaresProbabilisticClassifier(1e-2, gamma=gamma, **RAW),
            ("fit", "calibrated"): LeastSquaresProbabilisticClassifier(1e-2, gamma=gamma),
        } | {
            (alphas, kind): LeastSquaresProbabilisticClassifierCV(alphas, random_state=0, **options)
            for (alphas, kind), options in cases.items()
        }
        fits = {key: partial(model.fit, X, y) for key, model in contestants.items()}
        runs = interleaved(fits, 1 if quick else 5, time.process_time)
        seconds = {key: run["seconds"] for key, run in runs.items()}
        for alphas, kind in cases:
            one, all_ = seconds["fit", kind], seconds[alphas, kind]
            row = {"data": name, "penalties": alphas, "posterior": kind, "one fit": one, "grid": all_}
            rows.append(row | {"fits": all_ / one})
            print(rows[-1], flush=True)
    record("grid", rows)


def stream(quick: bool = False) -> None:
    """A million rows in blocks of 20,000, beside the bare BLAS calls on blocks of the same shapes."""
    n, block, d, c, b = 100_000 if quick else 1_000_000, 20_000, 20, 5, 500
    rng = np.random.default_rng(0)
    means = 1.5 * rng.standard_normal((c, d))
    slices, left = 2400, rng.standard_normal((2400, d + 2))
    right, product = rng.standard_normal((d + 2, c * b)), np.empty((2400, c * b))
    phi = rng.random((2400, b))
    model = LeastSquaresProbabilisticClassifier(1e-3, gamma=0.02, n_centers=b, random_state=0)
    start, ours, blas = _resident_mb(), 0.0, 0.0
    for _ in range(n // block):
        y = rng.integers(0, c, block)
        X = means[y] + rng.standard_normal((block, d))
        clock = time.perf_counter()
        model.partial_fit(X, y, classes=np.arange(c))
        ours += time.perf_counter() - clock
        clock = time.perf_counter()
        for _ in range(block // slices):
            np.matmul(left, right, out=product)
            for _ in range(c):
                phi.T @ phi
        blas += (time.perf_counter() - clock) * block / (slices * (block // slices))
    clock = time.perf_counter()
    model.dual_coef_  # noqa: B018  # solves and calibrates
    ours += (solve := time.perf_counter() - clock)
    y = rng.integers(0, c, block)
    error = float(np.mean(model.predict(means[y] + rng.standard_normal((block, d))) != y))
    row = {"rows": n, "seconds": ours, "of which solving": solve, "BLAS seconds": blas, "ratio": ours / blas}
    record("stream", [row | {"memory above start, MB": _peak_mb() - start, "error": error}])


def calibration(quick: bool = False) -> None:
    """Raw and recalibrated posteriors on the official splits, width and penalty by leave-one-out."""
    rows, drawn = [], []
    for name in ("satimage",) if quick else ("satimage", "letter"):
        X, y, X_test, y_test = official_split(name)
        low, high = X.min(axis=0), X.max(axis=0)
        X, X_test = (2 * (A - low) / np.where(high > low, high - low, 1) - 1 for A in (X, X_test))
        # The narrow half of the paper's widths: leave-one-out prefers the narrowest two on both sets.
        gammas = [1 / (2 * (width * median_distance(X, 0)) ** 2) for width in PAPER_WIDTHS[:4]]
        model = LeastSquaresProbabilisticClassifierCV(
            [1e-6, 1e-5, 1e-4], gammas, scale=None, random_state=0
        ).fit(X, y)
        raw = LeastSquaresProbabilisticClassifier(model.alpha_, gamma=model.gamma_, **RAW).fit(X, y)
        for kind, fitted in (("raw", raw), ("calibrated", model)):
            P = fitted.predict_proba(X_test)
            scores = probability_scores(y_test, P, classes=fitted.classes_)
            row = {"data": name, "posterior": kind, "gamma": model.gamma_, "alpha": model.alpha_}
            row["error"] = float(np.mean(fitted.predict(X_test) != y_test))
            rows.append(
                row | {"log loss": scores["log_loss"], "Brier": scores["brier"], "ECE": scores["ece"]}
            )
            drawn.append((f"{name}, {kind}", y_test, P, fitted.classes_))
            print(rows[-1], flush=True)
    from benchmarks.least_squares_page import draw_reliability

    draw_reliability(drawn)
    record("calibration", rows)


def outside(quick: bool = False) -> None:  # noqa: ARG001  # a picture is quick
    from benchmarks.least_squares_page import draw_outside

    draw_outside()


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def _peak_mb() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


COMMANDS = {
    "stream": stream,  # first: it measures the peak of memory of this process
    "speed": speed,
    "grid": grid,
    "calibration": calibration,
    "outside": outside,
}

if __name__ == "__main__":
    # 26 classes among 50 rows of a fold are no regression problem.
    warnings.filterwarnings("ignore", message="The number of unique classes")
    names = [name for name in sys.argv[1:] if name != "--quick"]
    for command in COMMANDS if names == ["all"] else names:
        print("==", command, flush=True)
        COMMANDS[command]("--quick" in sys.argv)
    render()
