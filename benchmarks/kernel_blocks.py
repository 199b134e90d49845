"""How much an RBF block costs beside the bare matrix product X Zᵀ of the same shape.

Run ``python benchmarks/kernel_blocks.py`` on an idle machine.  Both times are the
best of several interleaved repeats in one process, so their ratio is fair.
"""

from time import perf_counter

import numpy as np

from kernelproba.kernels import RBF


def seconds(function) -> float:
    start = perf_counter()
    function()
    return perf_counter() - start


def ratio(n: int, m: int, d: int, dtype, repeats: int = 15) -> tuple[float, float]:
    """Return the best times of X Zᵀ and of RBF()(X, Z)."""
    rng = np.random.default_rng(0)
    X, Z = (rng.standard_normal((rows, d)).astype(dtype) for rows in (n, m))
    kernel = RBF(np.sqrt(d))
    times = [(seconds(lambda: X @ Z.T), seconds(lambda: kernel(X, Z))) for _ in range(repeats)]
    gemm, block = np.min(times, axis=0)
    return gemm, block


def main(n: int = 4000, m: int = 2000) -> None:
    print(f"n = {n}, m = {m}; times in milliseconds")
    print(f"{'dtype':>8} {'d':>4} {'X Zᵀ':>8} {'RBF':>8} {'ratio':>6}")
    for dtype in ("float32", "float64"):
        for d in (16, 256):
            gemm, block = ratio(n, m, d, dtype)
            print(f"{dtype:>8} {d:4d} {1e3 * gemm:8.1f} {1e3 * block:8.1f} {block / gemm:6.2f}")


if __name__ == "__main__":
    main()
