"""Rows of a Dask array: chunks stay where they are, results of a pass are summed in a tree.

One pass is one graph.  What all chunks need (centres, coefficients) is a node of the graph of its own, sent
once to each worker that asks for it, and made anew by the scheduler if its worker dies.
"""

import warnings
from collections.abc import Callable
from functools import partial, reduce
from typing import TYPE_CHECKING, TypeGuard
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.rows.columns import check_numeric, text_names
from kernelproba.rows.local import add
from kernelproba.rows.protocol import Place, T, located
from kernelproba.typing import Matrix

if TYPE_CHECKING:
    import dask.array as da
    import dask.dataframe as dd
    from dask.delayed import Delayed

FAN_IN = 8
#: Share of the workers' memory that a fit may keep.
WORKER_SHARE = 0.5


def is_dask(X: object) -> "TypeGuard[da.Array | dd.DataFrame | dd.Series]":
    """Whether X is a collection of Dask, without importing it."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "compute")


class DaskRows:
    """Rows of a two-dimensional Dask array (or data frame), one block per chunk; it has the interface `Rows`.

    Parameters
    ----------
    data : dask.array.Array of shape (n, d), or dask.dataframe.DataFrame
        Chunks of any lengths, some of which may be empty.  Lengths that are not known are counted, once, and
        chunks that do not hold whole rows are put together.
    """

    def __init__(self, data: "da.Array | dd.DataFrame"):
        self.names: list[str] | None = None
        if hasattr(data, "columns"):
            self.names = text_names(data.columns)
            check_numeric({str(name): kind for name, kind in data.dtypes.items()}, "The data frame")
        self.data = _whole_rows(data)

    def __len__(self) -> int:
        return self.data.shape[0]

    @property
    def width(self) -> int:
        return self.data.shape[1]

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return the rows at `index`, in that order; they alone are moved."""
        order = np.argsort(index)
        out = np.empty((len(index), self.width), dtype=self.data.dtype)
        out[order] = self.data[index[order]].compute()
        return out

    def whole(self) -> np.ndarray:
        """Return all rows, in memory."""
        return self.data.compute()

    def pick(self, values: "np.ndarray | da.Array", index: np.ndarray) -> np.ndarray:
        """Entries of aligned values at `index`."""
        order = np.argsort(index)
        chosen = values[index[order]]
        out = np.asarray(chosen.compute() if hasattr(chosen, "compute") else chosen)
        return out[np.argsort(order)]

    def in_blocks(self, block_rows: int) -> "DaskRows":  # noqa: ARG002 — chunks are the blocks
        """Return these rows: chunks are not cut."""
        return self

    def align(self, values: "ArrayLike | da.Array | dd.Series") -> "da.Array":
        """Values (n,) in the chunks of the rows."""
        import dask.array as da

        if not is_dask(values):
            held = np.asarray(values)
            matches = held.ndim == 1 and len(held) == len(self)
            return da.from_array(held, chunks=(self.data.chunks[0],) if matches else -1)
        if hasattr(values, "to_dask_array"):
            # Categories, and texts of Arrow, are labels like any other.
            plain = getattr(values.dtype, "kind", "") in "biuf"
            with warnings.catch_warnings():
                warnings.filterwarnings(
                    "ignore", "Dask currently has limited support for converting pandas ext"
                )
                values = (values if plain else values.astype(object)).to_dask_array()
        values = _counted(values)
        return values.rechunk((self.data.chunks[0],)) if values.shape == (len(self),) else values

    def distinct(self, values: "da.Array") -> np.ndarray:
        """Sorted distinct entries of aligned values, collected chunk by chunk."""
        import dask

        parts = dask.compute(*(dask.delayed(_distinct)(chunk) for chunk in values.to_delayed()))
        return np.unique(np.concatenate([part for part in parts if len(part)]))

    def bearing(self, weights: "da.Array", *aligned: "da.Array") -> "tuple[DaskRows, tuple[da.Array, ...]]":
        """Return all rows: those of a chunk are computed together."""
        return self, (weights, *aligned)

    def selected(self, kept: "da.Array", *aligned: "da.Array") -> "tuple[DaskRows, tuple[da.Array, ...]]":
        """Rows at which aligned truth values are true, as if they were all, and aligned values of them."""
        import dask.array as da

        lengths = tuple(int(length) for length in da.map_blocks(_count, kept, dtype=np.int64).compute())
        take = partial(da.map_blocks, _kept_rows)
        X = take(self.data, kept[:, None], dtype=self.data.dtype, chunks=(lengths, self.data.chunks[1]))
        return DaskRows(X), tuple(take(each, kept, dtype=each.dtype, chunks=(lengths,)) for each in aligned)

    def map_values(self, fn: Callable[..., np.ndarray], *aligned: "da.Array") -> "da.Array":
        """Aligned values ``fn(*aligned)``, kept by the workers."""
        import dask.array as da

        kind = fn(*(a[:1].compute() for a in aligned)).dtype
        return da.map_blocks(fn, *aligned, dtype=kind).persist()

    def map(
        self, fn: Callable[..., np.ndarray], *aligned: "da.Array", shared: tuple[object, ...] = ()
    ) -> "da.Array":
        """Lazy Dask array of ``fn(block, *blocks of aligned, *shared)``."""
        import dask.array as da

        probe = fn(
            np.zeros((1, self.width), self.data.dtype), *(np.zeros(1, a.dtype) for a in aligned), *shared
        )
        blocks = self._results(fn, aligned, shared)
        shapes = [(rows, *probe.shape[1:]) for rows in self.data.chunks[0] if rows]
        arrays = (da.from_delayed(b, s, probe.dtype) for b, s in zip(blocks, shapes, strict=True))
        return da.concatenate(list(arrays))

    def fold(self, fn: Callable[..., T], *aligned: "da.Array", shared: tuple[object, ...] = ()) -> T:
        """Sum ``fn(block, *blocks of aligned, *shared)`` over the chunks, in one graph."""
        import dask

        total = dask.delayed(_sum, pure=False)
        parts = self._results(fn, aligned, shared)
        while len(parts) > 1:
            parts = [total(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
        return parts[0].compute()

    def _results(self, fn: Callable[..., object], aligned: tuple, shared: tuple) -> "list[Delayed]":
        """One node for each chunk that has rows; an error in it names the chunk."""
        import dask

        nodes = [dask.delayed(value, pure=False, traverse=False) for value in shared]
        apply = dask.delayed(_located_result, pure=False)
        token = f"{_task_name(fn)}-{uuid4().hex}"
        columns = [self.data.to_delayed()[:, 0], *(self.align(a).to_delayed() for a in aligned)]
        count = len(self.data.chunks[0])
        chunks = zip(self.data.chunks[0], range(count), zip(*columns, strict=True), strict=True)
        return [
            apply(
                fn,
                Place(f"partition {number} of {count}, counted from 0"),
                *blocks,
                *nodes,
                dask_key_name=(token, number),
            )
            for length, number, blocks in chunks
            if length
        ]

    def features(self, fn: Callable[[Matrix], np.ndarray], width: int, *, budget: int) -> "DaskRows":
        """Rows ``fn(block)``, kept by the workers if they fit into `budget` bytes, else computed anew."""
        probe = fn(np.zeros((1, self.width), self.data.dtype))
        empty = np.empty((0, width), probe.dtype)
        computed = self.data.map_blocks(
            partial(_unless_empty, fn, empty),
            dtype=probe.dtype,
            chunks=(self.data.chunks[0], (width,)),
            meta=probe[:0],
        )
        kept = computed.nbytes <= min(budget, worker_memory())
        return DaskRows(computed.persist() if kept else computed)


def worker_memory() -> float:
    """Bytes that workers may keep for a fit: half of what they have in all; without a cluster any number."""
    try:
        from distributed import default_client

        client = default_client()
    except (ImportError, ValueError):  # nobody is asked but the threads of this process
        return float("inf")
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    return WORKER_SHARE * sum(limits) if all(limits) else float("inf")


def _task_name(fn: Callable[..., object]) -> str:
    """What a dashboard calls the tasks of a function."""
    inner = getattr(fn, "func", fn)
    return getattr(inner, "__name__", type(inner).__name__).strip("_")


def _located_result(fn: Callable[..., T], place: Place, *arguments: object) -> T:
    with located(place):
        return fn(*arguments)


def _sum(parts: list[T]) -> T:
    return reduce(add, parts)


def _distinct(chunk: ArrayLike) -> np.ndarray:
    return np.unique(np.asarray(chunk))


def _count(kept: np.ndarray) -> np.ndarray:
    """How many truth values of a chunk are true, (1,)."""
    return np.array([kept.sum()])


def _kept_rows(block: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Rows of a chunk at which truth values, (b,) or (b, 1), are true."""
    return block[kept.reshape(-1)]


def _unless_empty(fn: Callable[[Matrix], np.ndarray], empty: np.ndarray, block: Matrix) -> np.ndarray:
    return fn(block) if len(block) else empty


def _whole_rows(data: "da.Array | dd.DataFrame") -> "da.Array":
    """Rows in chunks of known lengths that hold all columns."""
    if hasattr(data, "to_dask_array"):
        data = data.to_dask_array()
    if data.ndim != 2:
        raise ValueError(f"Expected a Dask array with two dimensions (rows, features), got {data.ndim}.")
    data = _counted(data)
    if data.numblocks[1] > 1:
        data = data.rechunk({1: -1})
    if data.shape[0] == 0:
        raise ValueError("X has no rows.")
    return _real_numbers(data)


def _real_numbers(data: "da.Array") -> "da.Array":
    """The array as one in memory is taken: in single precision if it is, all other numbers in double.

    What is computed of whole numbers in their own type is cut to whole numbers.
    """
    if data.dtype in (np.float32, np.float64):
        return data
    if data.dtype.kind not in "biufOU":
        raise ValueError(f"X is a Dask array of type {data.dtype}: make real numbers of it first.")
    return data.astype(np.float64)


def _counted(data: "da.Array") -> "da.Array":
    """The array with chunks of known lengths: those that are not known are counted.

    Of the array and not of its data frame, whose partitions Dask may merge where only some columns are read.
    """
    if not any(np.isnan(size) for size in data.shape):
        return data
    counted = data.copy()  # that of the user stays as it is
    counted.compute_chunk_sizes()
    return counted
