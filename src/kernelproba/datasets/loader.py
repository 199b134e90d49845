"""Load a benchmark set by name, from a directory, from scikit-learn or from OpenML."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from kernelproba.datasets import openml
from kernelproba.datasets.catalogue import CATALOGUE, Entry
from kernelproba.datasets.digest import file_digest

DATA_VARIABLE = "KERNELPROBA_DATA"

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class DatasetUnavailable(OSError):
    """A data set could be found neither here nor on the network.

    See Also
    --------
    load : Raises it.

    Examples
    --------
    >>> from kernelproba.datasets import DatasetUnavailable, load
    >>> try:
    ...     raise DatasetUnavailable("data set 'brain' is not available")
    ... except OSError as error:
    ...     print(error)
    data set 'brain' is not available
    """


class DatasetCorrupt(DatasetUnavailable):
    """A file was found, but it is not the data set that its name says.

    See Also
    --------
    load : Raises it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from kernelproba.datasets import DatasetCorrupt, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "iris.npz").write_bytes(b"not a data set")
    ...     try:
    ...         load("iris", data_dir=folder)
    ...     except DatasetCorrupt as error:
    ...         print(str(error).split("iris.npz ")[1])
    is damaged or another version: its SHA-256 is not the pinned one; replace it
    """


@dataclass(frozen=True)
class Dataset:
    """One data set.

    Attributes
    ----------
    name, description : str
    X, y : ndarray of shape (n, d), (n,)
        All rows, or the official training rows when `X_test` is there.  `X` is
        float64, or float32 where that is exact or the set is large.
    X_test, y_test : ndarray or None
        Official test rows.
    partitions : tuple of (train, test) index pairs, or None
        Published and further partitions; fits scikit-learn's ``cv=``.
    n_official_partitions : int
        That many of the first partitions are the published ones.
    extras : mapping of str to ndarray
        What else the file holds (gene names, folds).

    See Also
    --------
    load : Loads one by name.

    Examples
    --------
    >>> from kernelproba.datasets import load
    >>> iris = load("iris")
    >>> iris.name, iris.X.shape, len(set(iris.y.tolist()))
    ('iris', (150, 4), 3)
    """

    name: str
    description: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray | None = None
    y_test: np.ndarray | None = None
    partitions: tuple[tuple[np.ndarray, np.ndarray], ...] | None = None
    n_official_partitions: int = 0
    extras: Mapping[str, np.ndarray] = field(default_factory=dict)

    def all_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Training rows followed by the test rows, if any."""
        if self.X_test is None or self.y_test is None:
            return self.X, self.y
        return np.concatenate([self.X, self.X_test]), np.concatenate([self.y, self.y_test])


def names() -> tuple[str, ...]:
    """Names that `load` knows, in alphabetical order.

    See Also
    --------
    load : Loads one of them.

    Examples
    --------
    >>> from kernelproba.datasets import names
    >>> "iris" in names()
    True
    """
    return tuple(sorted(CATALOGUE))


def load(name: str, *, data_dir: str | os.PathLike[str] | None = None, download: bool = True) -> Dataset:
    """Load a data set.

    ``NAME.npz`` is looked for in `data_dir`, then in the directory that the
    environment variable ``KERNELPROBA_DATA`` names.  Failing that, iris and wine
    come from scikit-learn, and the sets that OpenML keeps faithfully are downloaded.
    Files and downloads are compared with pinned checksums.  OpenML has shuffled some
    sets (letter): the rows are then all in `X` and the official split is lost.

    Parameters
    ----------
    name : str
        One of `names`.
    data_dir : path-like, optional
        Directory of ``.npz`` files.
    download : bool, default=True
        Whether OpenML may be asked.

    Raises
    ------
    ValueError
        No set has this name.
    DatasetUnavailable
        The set is not here and cannot be downloaded.
    DatasetCorrupt
        The file is not the pinned one.  No other source is tried, so that a
        damaged file is noticed.

    See Also
    --------
    names : What can be loaded.
    official_split : Training and test rows as published.

    Examples
    --------
    >>> from kernelproba.datasets import load
    >>> wine = load("wine")
    >>> wine.X.shape, wine.X_test is None
    ((178, 13), True)
    """
    entry = _entry(name)
    for directory in (data_dir, os.environ.get(DATA_VARIABLE)):
        if directory and (path := Path(directory) / f"{name}.npz").is_file():
            return _assemble(name, entry, _read(path, entry))
    if entry.in_sklearn:
        return _assemble(name, entry, _from_sklearn(name))
    return _from_openml(name, entry, download=download)


def official_split(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> Split:
    """Return ``X_train, y_train, X_test, y_test`` of a set that has an official split.

    OpenML keeps letter in an order of its own: a copy from there has all the rows
    but not the split, which is an error here.

    See Also
    --------
    load : The rows.

    Examples
    --------
    >>> from kernelproba.datasets import official_split
    >>> try:
    ...     official_split("iris")
    ... except ValueError as error:
    ...     print(error)
    data set 'iris' has no official split: none was published
    """
    data = load(name, data_dir=data_dir)
    if data.X_test is None or data.y_test is None:
        lost = (copy := CATALOGUE[name].openml) is not None and copy.n_train is not None
        reason = "its copy on OpenML has lost it; use the .npz file" if lost else "none was published"
        raise ValueError(f"data set {name!r} has no official split: {reason}")
    return data.X, data.y, data.X_test, data.y_test


def _entry(name: str) -> Entry:
    try:
        return CATALOGUE[name]
    except KeyError:
        raise ValueError(f"no data set is called {name!r}; the names are {', '.join(names())}") from None


def _read(path: Path, entry: Entry) -> dict[str, np.ndarray]:
    """Arrays of a verified file.  Pickles are refused: data must not run code."""
    if file_digest(path) != entry.sha256:
        raise DatasetCorrupt(
            f"{path} is damaged or another version: its SHA-256 is not the pinned one; replace it"
        )
    try:
        with np.load(path, allow_pickle=False) as archive:
            return dict(archive)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DatasetCorrupt(f"{path} cannot be read: {error}") from error


def _from_sklearn(name: str) -> dict[str, np.ndarray]:
    """Get iris and wine as scikit-learn ships them, which is where our files come from."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return {"X": X, "y": y}


def _from_openml(name: str, entry: Entry, *, download: bool) -> Dataset:
    """Download, or say in one line what is missing and what to do."""
    cause: Exception | None = None
    if entry.openml is None:
        reason = entry.why_not_public
    elif not download:
        reason = "downloading was not allowed"
    else:
        try:
            data = _assemble(name, entry, openml.fetch(entry.openml))
            return replace(data, description=f"{data.description} (OpenML {entry.openml.data_id})")
        except (OSError, ValueError) as error:
            cause, reason = error, f"OpenML (id {entry.openml.data_id}) failed: {_one_line(error)}"
    raise DatasetUnavailable(
        f"data set {name!r} is not available: put {name}.npz into a directory and name that in the "
        f"environment variable {DATA_VARIABLE} or the argument data_dir ({reason})"
    ) from cause


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _assemble(name: str, entry: Entry, arrays: dict[str, np.ndarray]) -> Dataset:
    """Give the arrays of a source their meaning and the types that estimators want."""
    rest = dict(arrays)
    X, y = _as_float(rest.pop("X"), entry), rest.pop("y")
    X_test, y_test = rest.pop("X_test", None), rest.pop("y_test", None)
    start = rest.pop("test_start", None)
    if start is not None:
        X, X_test, y, y_test = X[:start], X[start:], y[:start], y[start:]
    n_official = int(rest.pop("n_official_partitions", 0))
    return Dataset(
        name=name,
        description=entry.description,
        X=X,
        y=_as_label(y),
        X_test=None if X_test is None else _as_float(X_test, entry),
        y_test=None if y_test is None else _as_label(y_test),
        partitions=_partitions(rest),
        n_official_partitions=n_official,
        extras=rest,
    )


def _partitions(rest: dict[str, np.ndarray]) -> tuple[tuple[np.ndarray, np.ndarray], ...] | None:
    """Take the index arrays out of `rest`: one (train, test) pair for each of their rows."""
    if "train_idx" not in rest:
        return None
    train, test = rest.pop("train_idx").astype(np.intp), rest.pop("test_idx").astype(np.intp)
    return tuple(zip(train, test, strict=True))


def _as_float(X: np.ndarray, entry: Entry) -> np.ndarray:
    """Stored float32 stays: it is what the file holds.  Small integers must not overflow in arithmetic."""
    return X if X.dtype == np.float32 else X.astype(entry.dtype)


def _as_label(y: np.ndarray) -> np.ndarray:
    """Labels as int64 (differences of uint8 labels wrap around) or text."""
    return y.astype(np.int64) if y.dtype.kind in "iu" else y
