"""Rows that are set aside before a fit, so that the model can be judged by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.tables.training_table import TrainingTable


def hold_out(
    table: TrainingTable, share: float, seed: int, *, by_time: bool = False
) -> tuple[TrainingTable, TrainingTable]:
    """Split a table into rows to learn from and rows to judge by.

    Parameters
    ----------
    table : TrainingTable
        If it has a column beside its features, whole groups of equal values are held out, or the latest
        rows; else rows at random, the same share of every class.
    share : float
        Of the rows, to be held out.
    seed : int
        Of what is drawn at random.
    by_time : bool
        Whether the column beside is one of times.
    """
    rng = np.random.default_rng(seed)
    if table.beside is None:
        held = _random(table.y, share, rng)
    else:
        held = _latest(table.beside, share) if by_time else _groups(table.beside, share, rng)
    kept = table.rows(np.flatnonzero(~held))
    if not held.any() or len(np.unique(kept.y)) < 2:
        raise CommandError(
            f"{int(held.sum())} of {len(held)} rows are held out and {len(np.unique(kept.y))} classes remain "
            "to learn from: split by another column, or hold out another --hold-out SHARE"
        )
    return kept, table.rows(np.flatnonzero(held))


def group_folds(
    X: pd.DataFrame, y: np.ndarray, groups: pd.Series, folds: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return pairs of rows to learn from and rows to judge by, rows of the same group together.

    Parameters
    ----------
    X, y : DataFrame of shape (n, d) and ndarray of shape (n,)
        Rows and labels.
    groups : Series of length n
        Names of the groups; rows without one are groups of their own.
    folds : int
        How many pairs.
    seed : int
        Of what is drawn at random.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    codes, size = _group_codes(groups)
    if size < folds:
        raise CommandError(f"--group {groups.name}: {size} groups cannot make {folds} --folds")
    own = np.where(codes < 0, size + np.arange(len(codes)), codes)
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(X, y, own))


def _group_codes(groups: pd.Series) -> tuple[np.ndarray, int]:
    """Return the number of each row's group, −1 for none, and how many groups there are."""
    codes, names = groups.factorize()
    if len(names) < 2:
        raise CommandError(f"--group {groups.name}: it has {len(names)} different values, two are needed")
    return codes, len(names)


def _random(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Mark the same share of every class, rounded down: a class of few rows is learnt from."""
    held = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        held[rows[: int(share * len(rows))]] = True
    return held


def _groups(groups: pd.Series, share: float, rng: np.random.Generator) -> np.ndarray:
    """Mark whole groups until the share is reached; rows without a group are learnt from."""
    codes, size = _group_codes(groups)
    sizes, wanted = np.bincount(codes[codes >= 0]), share * len(codes)
    chosen: list[int] = []
    for code in rng.permutation(size):
        if sizes[[*chosen, code]].sum() <= wanted:
            chosen.append(code)
    return np.isin(codes, chosen or [int(sizes.argmin())])


def _latest(times: pd.Series, share: float) -> np.ndarray:
    """Mark the latest rows; rows of the same time stay together, those without one are learnt from."""
    if times.dtype.kind not in "Mif":
        raise CommandError(f"--time {times.name}: it holds neither dates nor numbers (see --kind)")
    known = times.dropna().sort_values()
    if not len(known):
        raise CommandError(f"--time {times.name}: it is empty")
    cut = known.iloc[max(0, len(known) - 1 - int(share * len(times)))]
    return (times > cut).to_numpy()
