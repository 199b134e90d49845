"""Where the time of an exact fit goes, against what the machine could do.

    python -m benchmarks.limit fits [name …]   softmax and pairs on official splits, beside a bare SVC
    python -m benchmarks.limit small           pairs of few rows: COIL-20 with nine rows of each class
    python -m benchmarks.limit products        products of a matrix with a few columns
    python -m benchmarks.limit low_rank [rows] 1000 centres for many rows

Times are processor times of one BLAS thread, medians of interleaved runs: on a machine that others use they
vary less than times of the clock, though the memory is shared all the same.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.limit_low_rank import low_rank
from benchmarks.logistic import PROBLEMS, load
from benchmarks.measure import machine, write
from kernelproba import KernelLogisticRegression
from kernelproba.datasets import load as load_data
from kernelproba.estimators.kernel_logistic import exact
from kernelproba.kernels.panels import PanelMatrix
from kernelproba.kernels.thin_product import multiplies_in_place, thin_product
from kernelproba.objective import DenseMatrix
from kernelproba.solvers.smooth.growing_subspace import FEWEST_ROWS

#: Tolerance of the fits that count as converged.
CONVERGED = 1e-4


def processor_times(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median processor time of runs that take turns."""
    return {name: spent for name, (spent, _) in with_system_times(runs, repeats).items()}


def with_system_times(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, tuple[float, float]]:
    """Median processor time of runs that take turns, and median of what of it the system took."""
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start, system = time.process_time(), os.times().system
            run()
            spent[name].append((time.process_time() - start, os.times().system - system))
    medians = {name: np.median(times, axis=0) for name, times in spent.items()}
    return {name: (float(total), float(system)) for name, (total, system) in medians.items()}


def peaks() -> dict[str, float]:
    """Operations per second of a matrix product in single precision, and bytes read per second."""
    A, large = np.ones((2000, 2000), dtype=np.float32), np.ones((7000, 7000), dtype=np.float32)
    vector = np.ones(7000, dtype=np.float32)
    seconds = processor_times(
        {"product": lambda: A @ A, "sum": large.sum, "vector": lambda: large @ vector}, 7
    )
    read = min(seconds["sum"], seconds["vector"])
    return {"flops": 2 * 2000**3 / seconds["product"], "bytes": large.nbytes / read}


@contextmanager
def budget() -> Iterator[dict[str, float]]:
    """Processor time of kernel matrices and of products with them, and the number of the latter."""
    spent = {"kernel": 0.0, "products": 0.0, "n_products": 0}

    def timed(name, function, *arguments):
        start = time.process_time()
        result = function(*arguments)
        spent[name] += time.process_time() - start
        return result

    def counted(product):
        def count(self, A):
            spent["n_products"] += 1
            return timed("products", product, self, A)

        return count

    with ExitStack() as patched:
        for kind in (PanelMatrix, DenseMatrix):
            patched.enter_context(patch.object(kind, "product", counted(kind.product)))
        for name in ("kernel_panels", "kernel_matrix"):
            computed = partial(timed, "kernel", getattr(exact, name))
            patched.enter_context(patch.object(exact, name, computed))
        yield spent


def softmax_bound(n: int, d: int, c: int, n_products: int, peak: dict[str, float]) -> dict[str, float]:
    """Least seconds for one triangle of kernel values and for so many products, K in single precision."""
    product = max(4 * n**2 / peak["bytes"], 2 * n**2 * c / peak["flops"])
    return {"kernel": n**2 * d / peak["flops"] + 4 * n**2 / peak["bytes"], "products": n_products * product}


def _own(times: tuple[float, float]) -> float:
    """What of a processor time is not the system's."""
    return times[0] - times[1]


def _excess(model: KernelLogisticRegression, X, y) -> float:
    """Relative distance of the objective from the converged one."""
    converged = KernelLogisticRegression(**model.get_params() | {"tol": CONVERGED}).fit(X, y).objective_
    return (model.objective_ - converged) / converged


def _softmax_row(model: KernelLogisticRegression, X, y, peak: dict[str, float]) -> dict:
    """Parts of one fit, and their bounds."""
    with budget() as spent:
        total, system = with_system_times({"fit": partial(model.fit, X, y)}, 1)["fit"]
    bound = softmax_bound(*X.shape, len(model.classes_), spent["n_products"], peak)
    rest = total - spent["kernel"] - spent["products"]
    return {
        "kernel s": spent["kernel"],
        "bound of kernel": bound["kernel"],
        "products": spent["n_products"],
        "products s": spent["products"],
        "bound of products": bound["products"],
        "curvature and Python s": rest,
        "fit / bound": total / sum(bound.values()),
        "own / bound": (total - system) / sum(bound.values()),
    }


def fits(*names: str, repeats: int = 3) -> None:
    """Exact fits at published settings, with the other cores idle and with one of them busy."""
    where, peak, rows = machine(), peaks(), []
    for other, at_work in (("idle", nullcontext()), ("busy", busy_core())):
        with at_work:
            for row in fit_rows(names or ("satimage", "usps", "isolet", "letter", "mnist"), peak, repeats):
                rows.append({"other core": other} | row)
                print(rows[-1], flush=True)
    _write_fits(rows, peak, where, repeats)


@contextmanager
def busy_core() -> Iterator[None]:
    """Have another process read memory all the time."""
    code = "import numpy as np\nA = np.ones(50_000_000)\nwhile True: A.sum()"
    other = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def fit_rows(names: Sequence[str], peak: dict[str, float], repeats: int) -> Iterator[dict]:
    """One row for each data set and model."""
    for name in names:
        scaled, softmax, pairs, svc = PROBLEMS[name]
        X, y, *_ = load(name, scaled)
        runs = {"SVC": SVC(C=svc[0], gamma=svc[1])}
        if softmax is not None:
            runs["softmax"] = KernelLogisticRegression(C=softmax[0], gamma=softmax[1])
        runs["pairs"] = KernelLogisticRegression(C=pairs[0], gamma=pairs[1], multi_class="pairwise")
        seconds = with_system_times({key: partial(model.fit, X, y) for key, model in runs.items()}, repeats)
        parts = _softmax_row(runs["softmax"], X, y, peak) if "softmax" in runs else {}
        for key in list(runs)[1:]:
            row = {
                "data": name,
                "model": key,
                "fit s": seconds[key][0],
                "of the system": seconds[key][1],
                "fit / SVC": seconds[key][0] / seconds["SVC"][0],
                "own / SVC": _own(seconds[key]) / _own(seconds["SVC"]),
            }
            row |= {"excess of J": _excess(runs[key], X, y)}
            row |= {
                column: parts.get(column, float("nan")) if key == "softmax" else float("nan")
                for column in PARTS
            }
            yield row


def _write_fits(rows: list[dict], peak: dict[str, float], where: dict, repeats: int) -> None:
    text = (
        f"Processor times of one thread, medians of {repeats} interleaved runs; settings and splits of "
        "[logistic_official](logistic_official.md). Where the *other core* is busy it reads memory all the time. *Of the system* are the seconds in which the system "
        "handed out memory: a virtual machine whose host takes freed memory back waits for it, at each fit or at none, so that both "
        "ratios are stated with and without (*own*) that share. *Excess of J* is the relative distance of the objective from that of a fit "
        f"to tol = {CONVERGED:g}. The parts of a softmax fit are those of one more run; its bounds are one triangle of kernel "
        f"values and the products it has asked for, at {peak['flops'] / 1e9:.0f} GFlop/s and {peak['bytes'] / 1e9:.0f} GB/s as "
        "measured before the run (the better of a sum and of a product with one vector), the kernel matrix being read once for "
        "each product.\n\nRegenerate: `python -m benchmarks.limit fits`."
    )
    write("limit_fits", "Exact fits against the limit of the machine", text, rows, where)


PARTS = [
    "kernel s",
    "bound of kernel",
    "products",
    "products s",
    "bound of products",
    "curvature and Python s",
    "fit / bound",
    "own / bound",
]


def small(repeats: int = 9) -> None:
    """Pairs of 18 rows."""
    where, rows = machine(), []
    for name in ("coil20", "coil20_16x16"):
        data = load_data(name)
        X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
        X = X / X.max()
        rng = np.random.default_rng(0)
        index = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:9] for c in np.unique(y)])
        for C in (1, 10, 100):
            runs = {"SVC": SVC(C=C), "pairs": KernelLogisticRegression(C=C, multi_class="pairwise")}
            runs["softmax"] = KernelLogisticRegression(C=C)
            seconds = processor_times(
                {key: partial(model.fit, X[index], y[index]) for key, model in runs.items()}, repeats
            )
            row = {"data": name, "rows": len(index), "features": X.shape[1], "C": C}
            row |= {f"{key} ms": 1e3 * value for key, value in seconds.items()}
            row |= {f"{key} / SVC": seconds[key] / seconds["SVC"] for key in ("pairs", "softmax")}
            row |= {"excess of J, pairs": _excess(runs["pairs"], X[index], y[index])}
            rows.append(row)
            print(row, flush=True)
    text = (
        f"COIL-20, nine rows of each of 20 classes: 190 pairs of 18 rows. Processor times of one thread, medians of {repeats} "
        "interleaved runs, gamma = scale.\n\nRegenerate: `python -m benchmarks.limit small`."
    )
    write("limit_small", "Pairs of few rows", text, rows, where)


def products(repeats: int = 9) -> None:
    """Thin products whole, as `thin_product` cuts them, and with the matrix as a fit keeps it."""
    where, rows = machine(), product_rows(repeats)
    if "avx512f" in _processor():
        # What others have is of interest, too: machines without AVX-512, or told to do without.
        kernels = "Haswell" if multiplies_in_place() else "SkylakeX"
        code = f"import json; from benchmarks import limit; print(json.dumps(limit.product_rows({repeats})))"
        told = os.environ | {"OPENBLAS_CORETYPE": kernels, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code], env=told, capture_output=True, text=True, check=True
        )
        rows += json.loads(done.stdout.splitlines()[-1])
    text = (
        "A symmetric K (n, n) in single precision times k columns: `K @ A`, *thin*, cut into products that BLAS does not copy "
        "or that are done column by column (`kernelproba.kernels.thin_product`), and with K as a fit *keeps* it: above 1000 "
        "rows in panels of 64 columns (`kernelproba.kernels.panels`) where BLAS does small products in place, which the name "
        "of its kernels tells, else whole. On a processor with AVX-512 the rows of the kernels that OpenBLAS has not chosen "
        "are from a process that names them in `OPENBLAS_CORETYPE`. "
        f"Processor times of one thread, medians of {repeats} interleaved runs.\n\n"
        "Regenerate: `python -m benchmarks.limit products`."
    )
    write("limit_products", "Products with a few columns", text, rows, where)


def product_rows(repeats: int) -> list[dict]:
    """Times of products by the kernels of this process."""
    peak, rows = peaks(), []
    for n, k in ((1000, 3), (1000, 26), (4435, 6), (7291, 10), (6238, 26)):
        rng = np.random.default_rng(0)
        K, A = rng.random((n, n), dtype=np.float32), rng.random((n, k), dtype=np.float32)
        K += K.T
        runs = {"whole": partial(np.matmul, K, A), "thin": partial(thin_product, K, A)}
        seconds = processor_times(runs | {"kept": partial(_kept(K).product, A)}, repeats)
        bound = max(K.nbytes / peak["bytes"], 2 * n**2 * k / peak["flops"])
        row = {"kernels": machine()["blas_kernels"], "rows": n, "columns": k}
        row |= {f"{key} ms": 1e3 * value for key, value in seconds.items()}
        row |= {"bound ms": 1e3 * bound, "thin / whole": seconds["thin"] / seconds["whole"]}
        rows.append(row | {"kept / bound": seconds["kept"] / bound})
        print(rows[-1], flush=True)
    return rows


def _processor() -> str:
    """What the system says of the processor; nothing where it has no file for that."""
    file = Path("/proc/cpuinfo")
    return file.read_text() if file.exists() else ""


def _kept(K: np.ndarray) -> PanelMatrix | DenseMatrix:
    """The matrix as the fit of a softmax keeps it."""
    if not multiplies_in_place() or len(K) <= FEWEST_ROWS:
        return DenseMatrix(K)
    panels = PanelMatrix(len(K), K.dtype)
    panels.write(slice(0, len(K)), slice(0, len(K)), K)
    return panels


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        if sys.argv[1] == "low_rank":
            low_rank(peaks(), *map(int, sys.argv[2:]))
        else:
            {"fits": fits, "small": small, "products": products}[sys.argv[1]](*sys.argv[2:])
