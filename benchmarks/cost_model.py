"""What a fit of many rows costs: a model with five constants, measured on blocks and one small fit, checked on others, and carried on to 10⁹ rows.

    python -m benchmarks.cost_model

A pass over n rows of d features with m centres and k scores takes about n m (α + β d + γ k) seconds of one core, and reading them ρ n d;
samples and factors take about (20 + k) m³ δ more, once, however many rows there are.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import machine, write
from benchmarks.sizes_runs import peak_memory
from kernelproba import KernelLogisticRegression
from kernelproba.kernels import RBF, Comparison
from kernelproba.losses import loss_for
from kernelproba.objective import LinearScores, Objective
from kernelproba.penalties import FunctionNorm
from kernelproba.rows import MemoryRows, ParquetRows

#: (rows, features, classes, centres) of the fits by which the model is checked.
CHECKED = (
    (100_000, 20, 5, 400),
    (200_000, 20, 5, 400),
    (400_000, 20, 5, 400),
    (200_000, 40, 5, 400),
    (200_000, 20, 2, 400),
    (200_000, 20, 5, 800),
)
#: The same of a fit whose sample has all rows.
SMALLEST = (8_000, 20, 5, 400)
#: The same of fits that are only foretold, and the number of workers.
FORETOLD = tuple(
    (n, 20, 5, 1000, workers) for n, workers in ((10**6, 1), (10**7, 1), (10**8, 10), (10**9, 100))
)
#: Passes of a fit, and fits without folds of a self-tuned one, in units of a fit.
PASSES, SELF_TUNED = 10, 2.0
MEMORY = "300MB"


def cpu(work, repeats: int = 5) -> float:
    """Least processor time of some work."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def constants(b: int = 8192, m: int = 400) -> dict[str, float]:
    """α, β, γ, δ and ρ, in seconds."""
    rng, found = np.random.default_rng(0), []
    for d, c in ((10, 2), (40, 2), (10, 6), (40, 6)):
        X, y = rng.standard_normal((b, d)), rng.integers(0, c, b)
        kernel, Z = RBF(np.sqrt(d)), rng.standard_normal((m, d))
        k = loss_for(c).n_scores(c)
        features = MemoryRows(X, 2048).features(Comparison(kernel, Z, np.float64), m, budget=0)
        objective = Objective(
            features, y, np.ones(b), loss_for(c), FunctionNorm(kernel(Z, Z) + np.eye(m)), k, True
        )
        theta = 0.01 * rng.standard_normal((m + 1, k))
        found.append((1.0, d, k, cpu(lambda run=objective, at=theta: run.value_and_gradient(at)) / (b * m)))
    table = np.array(found)
    alpha, beta, gamma = np.linalg.lstsq(table[:, :3], table[:, 3], rcond=None)[0]
    known = {"α": float(alpha), "β": float(beta), "γ": float(gamma), "δ": 0.0, "ρ": reading()}
    # What a fit of nothing but its samples takes beyond its passes.
    run = apart(*SMALLEST)
    rest = run["seconds"] - foretold(known, *SMALLEST, run["passes"])
    k, m = SMALLEST[2], SMALLEST[3]
    return known | {"δ": max(rest, 0.0) / ((20 + k) * m**3)}


def reading(n: int = 100_000, d: int = 20) -> float:
    """Seconds to read one value of a Parquet file."""
    with tempfile.TemporaryDirectory() as folder:
        pd.DataFrame(np.zeros((n, d)), columns=[f"x{j}" for j in range(d)]).to_parquet(
            Path(folder) / "x.parquet"
        )
        rows = ParquetRows(folder)
        return cpu(lambda: rows.fold(len), 3) / (n * d)


def foretold(known: dict[str, float], n: int, d: int, c: int, m: int, passes: float) -> float:
    """Seconds of one core."""
    k = 1 if c == 2 else c
    each = n * m * (known["α"] + known["β"] * d + known["γ"] * k) + known["ρ"] * n * d
    return passes * each + (20 + k) * m**3 * known["δ"]


def fit(n: int, d: int, c: int, m: int) -> dict[str, float]:
    """One fit of rows on disk, in this process: seconds, passes and memory."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    F = 2 * np.sin(X @ (rng.standard_normal((d, c)) / np.sqrt(d)))
    y = (F + rng.gumbel(size=F.shape)).argmax(axis=1)
    seen, counted = [], LinearScores.value_and_gradient

    def count(self, Phi, *rest):
        seen.append(len(Phi))
        return counted(self, Phi, *rest)

    with tempfile.TemporaryDirectory() as folder:
        names = [f"x{j}" for j in range(d)]
        pd.DataFrame(X, columns=names).to_parquet(Path(folder) / "x.parquet")
        del X, F
        rows = ParquetRows(folder)
        model = KernelLogisticRegression(
            1.0, gamma=0.5 / d, n_centers=m, centers="uniform", memory_limit=MEMORY, random_state=0
        )
        LinearScores.value_and_gradient = count  # type: ignore[method-assign]
        before, start = peak_memory(), time.process_time()
        model.fit(rows, y)
        return {"seconds": time.process_time() - start, "passes": sum(seen) / n, "MB": peak_memory() - before}


def apart(*size: int) -> dict[str, float]:
    """The same in a process of its own, whose peak memory is that of the fit."""
    code = f"from benchmarks import cost_model; import json; print(json.dumps(cost_model.fit(*{size!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    known, rows = constants(), []
    print(known, flush=True)
    for n, d, c, m in CHECKED:
        run = apart(n, d, c, m)
        guess = foretold(known, n, d, c, m, run["passes"])
        rows.append(_row((n, d, c, m, 1), run["passes"], guess, run["seconds"], f"{run['MB']:.0f}"))
        print(rows[-1], flush=True)
    for n, d, c, m, workers in FORETOLD:
        rows.append(
            _row((n, d, c, m, workers), PASSES, foretold(known, n, d, c, m, PASSES) / workers, None, "")
        )
    shown = ", ".join(f"{name} {1e9 * value:.3g} ns" for name, value in known.items())
    ratios = [row["measured / foretold"] for row in rows if row["measured / foretold"] != ""]
    text = (
        "Seconds of one core for `KernelLogisticRegression` on Parquet files, kernel values computed anew at every pass:\n\n"
        "    passes · (n m (α + β d + γ k) + ρ n d) + (20 + k) m³ δ\n\n"
        f"with k = 1 for two classes, else c, and constants from blocks (α, β, γ, ρ) and from one fit of {SMALLEST[0]:,} rows (δ): {shown}. Of {len(ratios)} fits, each with "
        f'`memory_limit="{MEMORY}"` in a process of its own, the measured time was {min(ratios)} to {max(ratios)} of what was foretold; *passes* are '
        "counted, and *memory* is what the process grew by. Lines without a measurement are foretold for ten passes, divided by the workers, "
        f"without what moves between them. A self-tuned fit takes about {SELF_TUNED:g} times as long for each model of its pool (fits without folds), and a "
        "search that does not grow with n. The machine did other work: processor time, rough.\n\nRegenerate: `python -m benchmarks.cost_model`."
    )
    write("cost_model", "What many rows cost", text, rows, machine())


def _row(size: tuple[int, ...], passes: float, guess: float, measured: float | None, memory: str) -> dict:
    n, d, c, m, workers = size
    return {
        "rows": f"{n:,}",
        "features": d,
        "classes": c,
        "centres": m,
        "workers": workers,
        "passes": round(passes, 1),
        "foretold s": float(guess),
        "measured s": "" if measured is None else measured,
        "measured / foretold": "" if measured is None else round(float(measured / guess), 2),
        "memory, MB": memory,
    }


if __name__ == "__main__":
    main()
