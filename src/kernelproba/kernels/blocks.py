"""Row blocks: how every kernel matrix is filled.

A kernel binds its centres once (norms, centring, transposes) and then fills the
matrix one block of rows at a time.  A block is small enough to stay in cache
between the matrix product and the element-wise functions that follow it.

NumPy runs element-wise functions on one thread, so the blocks are shared between
as many threads as BLAS may use at that moment, and BLAS is held to one thread
meanwhile.  Whoever limits BLAS (an environment variable, `threadpoolctl`, a worker
of joblib) thereby limits this too.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from threading import local

import numpy as np

from kernelproba.blas_threads import borrowed_blas_threads
from kernelproba.kernels.operands import check_operands

# fill(X_block, out): write k(X_block, Z) into out, of shape (len(X_block), m).
Fill = Callable[..., None]

# Large enough that a block's matrix product runs at full speed, small enough for the cache.
BLOCK_ENTRIES = 2**19
BLOCK_ROWS = 128


def row_blocks(n: int, m: int, step: int | None = None) -> Iterator[slice]:
    """Cut n rows into slices of `step` rows, by default BLOCK_ROWS, or BLOCK_ENTRIES // m if that is more."""
    step = max(BLOCK_ROWS, BLOCK_ENTRIES // max(m, 1)) if step is None else step
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def fill_rows(bind: Callable[..., Fill], X, Z, out: np.ndarray | None = None) -> np.ndarray:
    """Return the (n, m) matrix, `out` if given, that ``bind(Z)`` fills from the rows of X, block by block."""
    out = np.empty((X.shape[0], Z.shape[0]), dtype=X.dtype) if out is None else out
    if out.size:
        fill = bind(Z)
        for_each_block(lambda rows: fill(X[rows], out[rows]), *out.shape)
    return out


def map_rows(
    bind: Callable[..., Fill], X, Z, fn: Callable[[np.ndarray], np.ndarray], widen: bool
) -> np.ndarray:
    """Stack ``fn(block)`` over the row blocks of the (n, m) matrix, which never exists whole.

    A block, in double precision or, unless it is widened, that of Z, is still in the cache when `fn` gets it,
    and is overwritten by the next: `fn` must not keep it.
    """
    parts = {}

    def use(rows: slice, block: np.ndarray) -> None:
        parts[rows.start] = fn(block)

    use_blocks(bind, X, Z, use, widen=widen)
    return np.concatenate([parts[start] for start in sorted(parts)])


def use_blocks(
    bind: Callable[..., Fill],
    X,
    Z,
    use: Callable[[slice, np.ndarray], None],
    step: int | None = None,
    *,
    widen: bool = False,
) -> None:
    """Call use(rows, block) for the row blocks of the (n, m) matrix that ``bind(Z)`` fills, in any order.

    Blocks have `step` rows, as many as `row_blocks` gives them if that is not given; they are in double
    precision if they are to be widened, else in that of Z, and are overwritten by the next.
    """
    fill, buffers = bind(Z), _Buffers(Z.shape[0], Z.dtype, widen)
    ready = type(X) is type(Z) is np.ndarray and X.dtype == Z.dtype

    def work(rows: slice) -> None:
        block, wide = buffers.of(rows.stop - rows.start)
        fill(X[rows] if ready else check_operands(X[rows], Z)[0], block)
        if wide is not None:
            np.copyto(wide, block)
        use(rows, block if wide is None else wide)

    for_each_block(work, X.shape[0], Z.shape[0], step)


class _Buffers(local):
    """Memory for blocks of m columns, of each thread its own: new memory for each block would cost more."""

    def __init__(self, m: int, dtype: np.dtype, widen: bool):
        self.block, self.wide = np.empty((0, m), dtype=dtype), np.empty((0, m))
        self.widen = widen and dtype != np.float64

    def of(self, size: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Return a block of so many rows, and one in double precision if the first is to be widened."""
        m = self.block.shape[1]
        if len(self.block) < size:
            self.block = np.empty((size, m), dtype=self.block.dtype)
            self.wide = np.empty((size if self.widen else 0, m))
        return self.block[:size], self.wide[:size] if self.widen else None


def for_each_block(work: Callable[[slice], None], n: int, m: int, step: int | None = None) -> None:
    """Call work(rows) for the row blocks of an (n, m) matrix, in parallel if that pays."""
    blocks = list(row_blocks(n, m, step))
    # Starting threads for less than four blocks costs as much as they save.
    with borrowed_blas_threads() if len(blocks) >= 4 else nullcontext(1) as threads:
        if threads == 1:
            for rows in blocks:
                work(rows)
            return
        with ThreadPoolExecutor(threads) as pool:
            # The caller's context holds its np.errstate, which is to apply here too.
            futures = [pool.submit(copy_context().run, work, rows) for rows in blocks]
        for future in futures:
            future.result()
