"""A fit with chosen centres against what the machine could do: kernel values, exponentials, products."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks.large import CENTERS, LENGTH, five_classes
from benchmarks.measure import machine, write
from kernelproba import KernelLogisticRegression
from kernelproba.kernels import RBF
from kernelproba.objective import LinearScores

#: Entries of a block of kernel values, which stays in the cache.
BLOCK = 2**19


@contextmanager
def work() -> Iterator[dict[str, float]]:
    """Count kernel values, multiplications and bytes of products with features, and those of Gram matrices."""
    done = {"values": 0.0, "products": 0.0, "bytes": 0.0, "grams": 0.0}
    against, score, gram = RBF._against, LinearScores.value_and_gradient, LinearScores.gram
    nearly = RBF._nearly_against

    def counted(bind):
        def bound(self, Z):
            fill = bind(self, Z)

            def count(X, out):
                done["values"] += out.size
                fill(X, out)

            return count

        return bound

    def counted_scores(self, Phi, y, w, theta):
        done["products"] += 2 * Phi.size * theta.shape[1]
        done["bytes"] += Phi.nbytes  # read once: a block stays in the cache for the second product
        return score(self, Phi, y, w, theta)

    def counted_gram(self, Phi, v):
        done["grams"] += Phi.size * Phi.shape[1] / 2
        return gram(self, Phi, v)

    RBF._against, RBF._nearly_against = counted(against), counted(nearly)  # type: ignore[method-assign]
    LinearScores.value_and_gradient = counted_scores  # type: ignore[method-assign]
    LinearScores.gram = counted_gram  # type: ignore[method-assign]
    try:
        yield done
    finally:
        RBF._against, RBF._nearly_against = against, nearly  # type: ignore[method-assign]
        LinearScores.value_and_gradient, LinearScores.gram = score, gram  # type: ignore[method-assign]


def exponentials(precision: type, repeats: int = 15) -> float:
    """Exponentials per second of processor time, of a block in the cache."""
    block, spent = np.zeros(BLOCK, dtype=precision), []
    for _ in range(repeats):
        start = time.process_time()
        np.exp(block, out=block)
        block *= 0
        spent.append(time.process_time() - start)
    return BLOCK / float(np.median(spent))


def _seconds(model: KernelLogisticRegression, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Processor time of a fit, and what of it the system took."""
    start, system = time.process_time(), os.times().system
    model.fit(X, y)
    return time.process_time() - start, os.times().system - system


def low_rank(peak: dict[str, float], *sizes: int) -> None:
    """Fits of five classes with uniform centres, beside the least time of what they computed."""
    where, rows = machine(), []
    # Rows, and so kernel values, features and Gram matrices, are in double precision, at half of the speed.
    rate, flops = exponentials(np.float64), peak["flops"] / 2
    for n in sizes or (100_000, 1_000_000):
        X, y, _ = five_classes(n)
        model = KernelLogisticRegression(
            1.0, gamma=1 / (2 * LENGTH**2), n_centers=CENTERS, centers="uniform", random_state=0
        )
        first, _ = _seconds(model, X, y)
        with work() as done:
            seconds, system = _seconds(model, X, y)
        values = done["values"] * (2 * X.shape[1] / flops + 1 / rate)
        products = max(2 * done["products"] / flops, done["bytes"] / peak["bytes"])
        grams = 2 * done["grams"] / flops
        bound = values + products + grams
        rows.append(
            {
                "rows": n,
                "first fit s": first,
                "fit s": seconds,
                "of the system": system,
                "passes of kernel values": done["values"] / n / CENTERS,
            }
            | {"bound of kernel values": values, "of products": products, "of Gram matrices": grams}
            | {"fit / bound": seconds / bound, "own / bound": (seconds - system) / bound}
        )
        print(rows[-1], flush=True)
    text = (
        f"Five classes, 20 features, {CENTERS} uniform centres, arrays in memory. Processor times of one thread. The bound counts "
        f"what the fit has computed, in double precision: kernel values at {flops / 1e9:.0f} GFlop/s and {rate / 1e9:.2f}·10⁹ exponentials a "
        f"second, products with features at the same speed or, where that is slower, {peak['bytes'] / 1e9:.0f} GB/s, and Gram "
        "matrices, of which one triangle is counted. *First fit* is the same fit before: a virtual machine may get "
        "its memory from its host page by page, when it is first written to, which is no work of the fit; what the second one "
        "still takes of the system for it is stated, and ratios are with and without (*own*) that share.\n\nRegenerate: `python -m benchmarks.limit low_rank [rows …]`."
    )
    write("limit_low_rank", "Fits with chosen centres against the limit of the machine", text, rows, where)
