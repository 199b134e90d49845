"""Many rows: against a Newton solver on stored features, against Nystroem and a Gaussian process, in a bounded memory.

    python -m benchmarks.large newton      100k, 400k and 1M rows, two classes, 1000 centres, at equal objectives
    python -m benchmarks.large scale       250k, 500k and 1M rows, five classes, memory_limit=2GB
    python -m benchmarks.large peers       Nystroem + LogisticRegression, GaussianProcessClassifier
    python -m benchmarks.large rank        n_centers against the exact fit (satimage)

Every fit of `newton` and `scale` runs in a process of its own, which reports its peak memory.
"""

import json
import subprocess
import sys
import time
from functools import partial

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import expit, log_expit

from benchmarks.measure import RESULTS, interleaved, machine, write

LENGTH, CENTERS, PENALTY = 4.5, 1000, 1e-8


# ---- two classes, weakly penalised -------------------------------------------------------------------------


def two_classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """X standard normal (n, 20); log-odds 2 Σ sin of four projections on unit vectors."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    directions = rng.standard_normal((20, 4))
    odds = 2 * np.sin(X @ (directions / np.linalg.norm(directions, axis=0))).sum(axis=1)
    return X, (rng.uniform(size=n) < expit(odds)).astype(int)


def plain_newton(X: np.ndarray, y: np.ndarray, Z: np.ndarray, *, goal: float) -> tuple[float, int]:
    """Newton's method on stored float32 features Φ = k(X, Z) L⁻ᵀ, the Hessian by one rank-k update a step.

    Minimises mean loss + ½ PENALTY ‖w‖²; stops once a step promises less than `goal`.
    """
    from kernelproba.kernels import RBF

    kernel, single = RBF(LENGTH), X.astype(np.float32)
    L = cholesky(kernel(Z, Z) + 1e-6 * np.eye(len(Z)), lower=True).astype(np.float32)
    Phi = np.empty((len(X), len(Z)), dtype=np.float32)
    for start in range(0, len(X), 20_000):
        rows = slice(start, start + 20_000)
        Phi[rows] = solve_triangular(L, kernel(single[rows], Z.astype(np.float32)).T, lower=True).T
    sign, w, steps = np.where(y == 1, 1.0, -1.0), np.zeros(len(Z)), 0

    def value(w):
        f = (Phi @ w.astype(np.float32)).astype(np.float64)
        return f, -log_expit(sign * f).mean() + 0.5 * PENALTY * w @ w

    f, J = value(w)
    while True:
        p = expit(f)
        gradient = Phi.T @ ((p - y) / len(y)).astype(np.float32) + PENALTY * w
        hessian = np.zeros((len(Z), len(Z)))
        for start in range(0, len(X), 50_000):
            rows = slice(start, start + 50_000)
            block = Phi[rows] * np.sqrt(p[rows] * (1 - p[rows]) / len(y)).astype(np.float32)[:, None]
            hessian += block.T @ block
        hessian[np.diag_indices_from(hessian)] += PENALTY
        R = cholesky(hessian)
        step = -solve_triangular(R, solve_triangular(R, gradient, trans=1))
        if -0.5 * gradient @ step < goal:
            return J, steps
        t = 1.0
        while (trial := value(w + t * step))[1] > J and t > 1e-4:
            t /= 2
        w, (f, J), steps = w + t * step, trial, steps + 1


def ours(X: np.ndarray, y: np.ndarray, Z: np.ndarray) -> tuple[float, int]:
    """KernelLogisticRegression with the same centres and penalty; mean objective and steps on all rows."""
    from kernelproba import KernelLogisticRegression

    model = KernelLogisticRegression(
        1 / (PENALTY * len(X)),
        gamma=1 / (2 * LENGTH**2),
        centers=Z,
        fit_intercept=False,
        random_state=0,
        memory_limit="6GB",
    ).fit(X, y)
    return model.objective_ * PENALTY, model.n_iter_


def run_newton(n: int, contestant: str) -> dict:
    """One fit, in this process."""
    X, y = two_classes(n)
    Z = X[np.random.default_rng(1).choice(n, CENTERS, replace=False)]
    before, start = _peak_memory(), time.perf_counter()
    fit = ours if contestant == "kernelproba" else partial(plain_newton, goal=1e-5)
    objective, steps = fit(X, y, Z)
    return {
        "seconds": time.perf_counter() - start,
        "objective": float(objective),
        "steps": steps,
        "MB": _peak_memory() - before,
    }


def newton(repeats: int = 3, sizes=(100_000, 400_000, 1_000_000)) -> None:
    """Time to an equal objective, contestants in turn."""
    where, rows = machine(), []
    for n in sizes:
        runs: dict[str, list[dict]] = {"plain Newton": [], "kernelproba": []}
        for _ in range(repeats):
            for name, done in runs.items():
                done.append(_apart("run_newton", n, name))
        seconds = {name: float(np.median([r["seconds"] for r in done])) for name, done in runs.items()}
        for name, done in runs.items():
            rows.append(
                {
                    "rows": n,
                    "solver": name,
                    "seconds": seconds[name],
                    "times faster": seconds["plain Newton"] / seconds[name],
                    "mean objective": f"{done[-1]['objective']:.6f}",
                    "steps on all rows": done[-1]["steps"],
                    "memory above data, MB": int(done[-1]["MB"]),
                }
            )
            print(rows[-1], flush=True)
    text = (
        "Two classes, X standard normal (n, 20), log-odds 2 Σ sin of four projections; Gaussian kernel of length "
        f"{LENGTH}, {CENTERS} uniform centres, penalty {PENALTY:g}/2 ‖f‖² on the mean loss, no intercept. The "
        "yardstick keeps whitened features in single precision and factorises the full Hessian at every step; it "
        f"stops when a step promises less than 1e-5. Medians of {repeats} runs in turn, each in a process of its "
        "own; kernel values included.\n\nRegenerate: `python -m benchmarks.large newton`."
    )
    write("large_newton", "Against a Newton solver on stored features", text, rows, where)


# ---- five classes, bounded memory --------------------------------------------------------------------------


def five_classes(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X standard normal (n, 20), labels, and the posterior (n, 5) they were drawn from."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    directions = rng.standard_normal((20, 10))
    waves = np.sin(X @ (directions / np.linalg.norm(directions, axis=0)))
    F = 2 * (waves[:, :5] + waves[:, 5:])
    P = np.exp(F - F.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return X, (P.cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1).clip(max=4), P


def run_scale(n: int) -> dict:
    """One fit in 2 GB, and the BLAS time of what it computes."""
    from kernelproba import KernelLogisticRegression
    from kernelproba.objective import LinearScores

    X, y, P = five_classes(n + 2000)
    X, X_test, y, P_test = X[:n], X[n:], y[:n], P[n:]
    visits = []
    counted = LinearScores.value_and_gradient

    def count(self, Phi, *rest):
        visits.append(len(Phi))
        return counted(self, Phi, *rest)

    LinearScores.value_and_gradient = count  # type: ignore[method-assign]
    before, start = _peak_memory(), time.perf_counter()
    model = KernelLogisticRegression(
        1.0,
        gamma=1 / (2 * LENGTH**2),
        n_centers=CENTERS,
        centers="uniform",
        memory_limit="2GB",
        random_state=0,
    ).fit(X, y)
    seconds, memory = time.perf_counter() - start, _peak_memory() - before
    passes = sum(visits) / n
    error = np.abs(model.predict_proba(X_test) - P_test).mean()
    blas = _blas_seconds(n, 20, CENTERS, 5, passes)
    return {
        "seconds": seconds,
        "MB": memory,
        "passes": passes,
        "BLAS": blas,
        "error of probabilities": float(error),
    }


def _blas_seconds(n: int, d: int, m: int, k: int, passes: float) -> float:
    """Raw time of one pass of kernel products and a rank-k update, and of the products of the passes."""
    rng = np.random.default_rng(0)
    b = 4000
    X, Z = (rng.standard_normal((rows, d)).astype(np.float32) for rows in (b, m))
    Phi, W, G = (rng.standard_normal(shape).astype(np.float32) for shape in ((b, m), (m, k), (b, k)))

    def seconds(work, repeats=15):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return float(np.median(times))

    kernel = seconds(lambda: X @ Z.T)
    update = seconds(lambda: Phi.T @ Phi)
    products = seconds(lambda: (Phi @ W, Phi.T @ G))
    return n / b * (kernel + update + passes * products)


def scale(sizes=(250_000, 500_000, 1_000_000)) -> None:
    """Time, passes and memory against n."""
    where, rows = machine(), []
    for n in sizes:
        run = _apart("run_scale", n)
        rows.append(
            {
                "rows": n,
                "seconds": run["seconds"],
                "× the size before": run["seconds"] / rows[-1]["seconds"] if rows else float("nan"),
                "passes": round(run["passes"], 1),
                "BLAS seconds": run["BLAS"],
                "seconds / BLAS": run["seconds"] / run["BLAS"],
                "peak memory above data, MB": int(run["MB"]),
                "mean error of probabilities": run["error of probabilities"],
            }
        )
        print(rows[-1], flush=True)
    text = (
        f'Five classes with a known posterior, 20 features, {CENTERS} uniform centres, `memory_limit="2GB"`: kernel '
        "values that do not fit are computed anew at every pass. *Passes* count all rows seen, samples included, in "
        "units of n. *BLAS seconds* is the raw time of the products behind one pass of kernel values, of one rank-k "
        "update over all rows, and of the two products of every pass; it leaves out exponentials.\n\n"
        "Regenerate: `python -m benchmarks.large scale`."
    )
    write("large_scale", "Time and memory against the number of rows", text, rows, where)


# ---- peers ---------------------------------------------------------------------------------------------------


def peers(repeats: int = 1) -> None:
    """Nystroem + LogisticRegression at equal centres and objective; a Gaussian process."""
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from benchmarks.logistic import load
    from kernelproba import KernelLogisticRegression

    where, rows = machine(), []
    X, y, X_test, y_test = load("letter", scaled=True)
    for m in (1000, 2000):
        rival = make_pipeline(
            Nystroem(gamma=2.0, n_components=m, random_state=0),
            LogisticRegression(C=100, tol=3e-6, max_iter=5000),
        )
        own = KernelLogisticRegression(100, gamma=2.0, n_centers=m, centers="uniform", random_state=0)
        rows += _race(
            f"letter, m = {m}",
            {"Nystroem + LogisticRegression": rival, "kernelproba": own},
            (X, y, X_test, y_test),
            repeats,
        )
    X, y, X_test, y_test = load("satimage", scaled=True)
    few = np.isin(y, np.unique(y)[:3])
    few_test = np.isin(y_test, np.unique(y)[:3])
    keep = np.random.default_rng(0).choice(np.flatnonzero(few), 1000, replace=False)
    part = X[keep], y[keep], X_test[few_test], y_test[few_test]
    contestants = {
        "GaussianProcessClassifier": GaussianProcessClassifier(RBF(1.0), random_state=0),
        "kernelproba": KernelLogisticRegression(10, gamma=1.0),
    }
    rows += _race("satimage, 1000 rows, 3 classes", contestants, part, 1)
    text = (
        "One run each. LogisticRegression runs L-BFGS to "
        "tol=3e-6, the largest entry of its mean gradient; the objectives, C Σ loss + ½‖f‖², differ by the "
        "centres drawn and by how close each has come to its minimum.\n\n"
        "Regenerate: `python -m benchmarks.large peers`."
    )
    write("large_peers", "Against Nystroem features and a Gaussian process", text, rows, where)


def _race(problem: str, contestants: dict, data: tuple, repeats: int) -> list[dict]:
    from sklearn.metrics import log_loss

    X, y, X_test, y_test = data
    fits = interleaved({name: partial(m.fit, X, y) for name, m in contestants.items()}, repeats)
    slowest = max(fit["seconds"] for fit in fits.values())
    rows = []
    for name, model in contestants.items():
        P = model.predict_proba(X_test)
        rows.append(
            {
                "problem": problem,
                "model": name,
                "seconds": fits[name]["seconds"],
                "times faster": slowest / fits[name]["seconds"],
                "error": float((model.classes_[P.argmax(axis=1)] != y_test).mean()),
                "log loss": float(log_loss(y_test, P, labels=model.classes_)),
                "objective": _objective(model, X, y),
            }
        )
        print(rows[-1], flush=True)
    return rows


def _objective(model, X: np.ndarray, y: np.ndarray) -> float:
    """C Σ loss + ½‖f‖² of our models and of LogisticRegression on Nystroem features."""
    if hasattr(model, "objective_"):
        return float(model.objective_)
    if not hasattr(model, "steps"):
        return float("nan")
    linear, own = model[-1], np.searchsorted(model.classes_, y)
    loss = -model.predict_log_proba(X)[np.arange(len(y)), own].sum()
    return float(linear.C * loss + 0.5 * (linear.coef_**2).sum())


def rank(counts=(500, 1000, 2000, 3000, None)) -> None:
    """How close chosen centres come to all rows: objective, error and log loss on satimage."""
    from sklearn.metrics import log_loss

    from benchmarks.logistic import load
    from kernelproba import KernelLogisticRegression

    where, rows = machine(), []
    X, y, X_test, y_test = load("satimage", scaled=True)
    exact = KernelLogisticRegression(10, gamma=1.0, n_centers=None).fit(X, y).objective_
    for m in ("auto", *counts):
        for rule in ("rpcholesky", "uniform") if isinstance(m, int) else ("rpcholesky",):
            model = KernelLogisticRegression(10, gamma=1.0, n_centers=m, centers=rule, random_state=0)
            start = time.perf_counter()
            P = model.fit(X, y).predict_proba(X_test)
            rows.append(
                {
                    "n_centers": str(m),
                    "centers": rule if isinstance(m, int) else "all rows",
                    "objective above exact, %": 100 * (model.objective_ / exact - 1),
                    "error": float((model.classes_[P.argmax(axis=1)] != y_test).mean()),
                    "log loss": float(log_loss(y_test, P)),
                    "seconds, predictions included": time.perf_counter() - start,
                }
            )
            print(rows[-1], flush=True)
    text = (
        'satimage, 4435 rows, C 10, gamma 1: a narrow kernel of nearly full rank.  "auto" takes all rows up to '
        "10,000.\n\nRegenerate: `python -m benchmarks.large rank`."
    )
    write("large_rank", "What the number of centres costs in accuracy", text, rows, where)


# ---- processes -------------------------------------------------------------------------------------------------


def _peak_memory() -> float:
    """Peak resident memory of this process so far, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _apart(function: str, *arguments) -> dict:
    """Result of a function of this module, called in a new process."""
    command = [sys.executable, "-m", "benchmarks.large", function, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=RESULTS.parent.parent)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    name, arguments = sys.argv[1], sys.argv[2:]
    if name.startswith("run_"):
        print(json.dumps(globals()[name](int(arguments[0]), *arguments[1:])))
    else:
        {"newton": newton, "scale": scale, "peers": peers, "rank": rank}[name]()
