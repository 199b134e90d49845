"""Centres for scores of classes: each class its own, or one set that all classes share.

Centres are stacked, so that one kernel block k(X, Z) serves all classes; a *block* of columns of it is
what one set of equations sees.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from sklearn.utils import check_array, check_random_state

from kernelproba.rows.duplicates import first_occurrences
from kernelproba.rows.row_hash import row_keys
from kernelproba.typing import Matrix, MatrixLike, RandomState

#: Key of a centre that goes with no row; keys of rows are random, so no row has it but by a freak.
NO_OWNER = np.uint64(0)

#: "class", "all", a number per class, or the centres themselves.
CentersLike: TypeAlias = str | int | MatrixLike


@dataclass(frozen=True)
class CenterBlock:
    """Columns of the stacked centres, and the indices of the classes whose scores they span."""

    columns: slice
    classes: np.ndarray

    def __len__(self) -> int:
        return self.columns.stop - self.columns.start

    def local(self, center: np.ndarray) -> np.ndarray:
        """Numbers of stacked centres (r,) as numbers within the block, −1 for those outside."""
        start, stop = self.columns.start, self.columns.stop
        return np.where((center >= start) & (center < stop), center - start, -1)


@dataclass(frozen=True)
class ClassCenters:
    """Which training rows are centres, and for which classes.

    Parameters
    ----------
    rows : array of shape (m,)
        Numbers of the training rows, −1 for centres that are none.
    owners : array of shape (m,)
        Key of the labelled row without which the centre would not be there, NO_OWNER for none.
    blocks : tuple of CenterBlock
        One per class, or one for all.
    """

    rows: np.ndarray
    owners: np.ndarray
    blocks: tuple[CenterBlock, ...]

    def owned_by(self, keys: np.ndarray) -> np.ndarray:
        """Number of the centre that each labelled row owns, −1 for none; keys (r,)."""
        order = np.argsort(self.owners)
        place = np.minimum(np.searchsorted(self.owners, keys, sorter=order), len(order) - 1)
        found = order[place]
        return np.where((self.owners[found] == keys) & (keys != NO_OWNER), found, -1)

    def refuse_empty(self, labels: np.ndarray) -> None:
        """Raise if a class has no centres; labels (c,) name the classes."""
        empty = [labels[block.classes].tolist()[0] for block in self.blocks if len(block) == 0]
        if empty:
            raise ValueError(
                f"the first block has no rows, and so no centres, of the classes {empty}: begin with a block "
                "that has rows of every class, or pass `centers` as an array."
            )


def check_centers(
    centers: CentersLike, n_centers: int | None, n_features: int, *, rows_known: bool
) -> str | Matrix:
    """The parameter `centers`, checked if it is an array; a precomputed kernel knows no rows."""
    if isinstance(centers, str):
        return centers
    if n_centers is not None:
        raise ValueError(
            f"n_centers={n_centers} draws so many rows, with centers='class' or 'all'; given centers are "
            "taken as they are: leave it out."
        )
    if not rows_known:
        raise ValueError(
            "centers cannot be an array with kernel='precomputed': pass 'class' or 'all', with n_centers."
        )
    given = check_array(centers, accept_sparse="csr", dtype=[np.float64, np.float32])
    if given.shape[1] != n_features:
        raise ValueError(
            f"centers has {given.shape[1]} features but X has {n_features}: give rows with the same ones."
        )
    return given


class KeyedRows(NamedTuple):
    """Rows (n, d), none with a twin of its own class, their class indices and keys as labelled rows (n,)."""

    X: Matrix
    y: np.ndarray
    keys: np.ndarray


def choose_class_centers(
    centers: str | Matrix,
    n_centers: int | None,
    rows: KeyedRows,
    n_classes: int,
    random_state: RandomState,
) -> ClassCenters:
    """Centres among distinct labelled rows.

    Parameters
    ----------
    centers : {"class", "all"} or array of shape (m, d)
        Each class's own rows; rows of all classes, for all classes; or the given ones for all classes.
    n_centers : int or None
        That many rows drawn from each class, or from all rows; None takes all.
    rows : KeyedRows
        The rows.
    n_classes : int
        c.
    random_state : int, RandomState or None
        Draws rows.
    """
    rng = check_random_state(random_state)
    if isinstance(centers, str) and centers == "all":
        return _shared(rows, n_centers, n_classes, rng)
    if not isinstance(centers, str):
        m = centers.shape[0]
        return ClassCenters(np.full(m, -1), np.full(m, NO_OWNER), (_whole(m, n_classes),))
    groups = [_draw(np.flatnonzero(rows.y == j), n_centers, rng) for j in range(n_classes)]
    stops = np.cumsum([len(group) for group in groups]).tolist()
    blocks = tuple(
        CenterBlock(slice(stop - len(group), stop), np.array([j]))
        for j, (group, stop) in enumerate(zip(groups, stops, strict=True))
    )
    chosen = np.concatenate(groups)
    return ClassCenters(chosen, rows.keys[chosen], blocks)


def _shared(rows: KeyedRows, number: int | None, n_classes: int, rng: np.random.RandomState) -> ClassCenters:
    """Distinct rows; one that bears two labels stays when either row is left out, so nobody owns it."""
    first, which = first_occurrences(row_keys(rows.X))
    chosen = _draw(np.arange(len(first)), number, rng)
    owners = np.where(np.bincount(which)[chosen] == 1, rows.keys[first[chosen]], NO_OWNER)
    return ClassCenters(first[chosen], owners, (_whole(len(chosen), n_classes),))


def _draw(items: np.ndarray, number: int | None, rng: np.random.RandomState) -> np.ndarray:
    """So many of the items, or all if there are no more."""
    if number is None or number >= len(items):
        return items
    return np.sort(rng.choice(items, number, replace=False))


def _whole(m: int, n_classes: int) -> CenterBlock:
    return CenterBlock(slice(0, m), np.arange(n_classes))
