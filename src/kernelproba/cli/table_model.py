"""A fitted model together with what it knows of the table it was fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.cli.errors import CommandError
from kernelproba.decision import label_index
from kernelproba.persistence.model_file import ModelFile, read_model_file, save_model
from kernelproba.tables.files.arrow_columns import to_frame, without_texts
from kernelproba.tables.files.table_file import Progress, TableFile
from kernelproba.tables.fingerprints import fingerprints, packed, seen_before, unpacked
from kernelproba.tables.readings import Reading
from kernelproba.tables.training_table import TrainingTable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from sklearn.frozen import FrozenEstimator

    from kernelproba.estimators.conformal import ConformalClassifier


@dataclass(frozen=True)
class TableModel:
    """What a model file of the command line holds.

    Attributes
    ----------
    model : TableClassifier
        Fitted, takes data frames.
    readings : dict of str to Reading
        Name → how to read each column that it takes.
    target, target_kind : str
        Name of the target and what its labels are.
    method : str
        As the command line calls it.
    rows : list of int
        Number of each training row in its file, from 1, without the header.
    labels : list
        Their labels.
    fingerprints : str
        Of their features (`kernelproba.tables.fingerprints`), by which they are known again.
    left_out : dict of str to str
        Columns of the table that cannot be learnt from, and why.
    grouped : bool
        Whether rows belong together, so that leaving out one of them is not enough.
    sets : ConformalClassifier or None
        Around the model, with its fits to folds; the model file then holds it.
    """

    model: BaseEstimator
    readings: dict[str, Reading]
    target: str
    target_kind: str
    method: str
    rows: list[int]
    labels: list
    fingerprints: str
    left_out: dict[str, str] = field(default_factory=dict)
    grouped: bool = False
    sets: ConformalClassifier | None = None

    @classmethod
    def of(
        cls, model: BaseEstimator, table: TrainingTable, method: str, left_out: dict[str, str]
    ) -> TableModel:
        """Join a model and the table it was fitted on."""
        rows, labels = table.X.index.tolist(), table.y.tolist()
        keys = packed(fingerprints(table.X))
        target = table.target, table.target_kind
        return cls(model, table.readings, *target, method, rows, labels, keys, left_out)

    @classmethod
    def load(cls, path: Path) -> TableModel:
        """Read a model file."""
        return cls._of_file(path, _read(path))

    @classmethod
    def _of_file(cls, path: Path, file: ModelFile) -> TableModel:
        if "table" not in file.notes:
            raise CommandError(
                f"{path.name} was saved from Python and knows no columns: open it there by "
                "kernelproba.persistence.model_file, or fit a model by 'kernelproba fit'"
            )
        try:
            notes = dict(file.notes["table"])
            readings = {str(name): Reading(**reading) for name, reading in notes.pop("readings").items()}
            left_out = {str(name): str(why) for name, why in notes.pop("left_out", {}).items()}
            model, sets = _taken_apart(file.model)
            loaded = cls(model, readings, **notes, left_out=left_out, sets=sets)
            for reading in readings.values():
                reading.check()
            unpacked(loaded.fingerprints)
        except (TypeError, KeyError, AttributeError, ValueError):
            raise CommandError(f"the notes of {path.name} are damaged: fit the model again") from None
        return loaded

    def save(self, path: Path) -> None:
        """Write a model file."""
        notes = {name: value for name, value in vars(self).items() if name not in ("model", "sets")}
        notes["readings"] = {name: asdict(reading) for name, reading in self.readings.items()}
        save_model(self.model if self.sets is None else self.sets, path, notes={"table": notes})

    def with_model(self, model: BaseEstimator) -> TableModel:
        """Return the same with another model of the same table, of whose sets nothing is known."""
        return replace(self, model=model, sets=None)

    @property
    def classes(self) -> np.ndarray:
        """Labels, of shape (c,)."""
        return self.model.classes_

    @property
    def class_counts(self) -> np.ndarray:
        """Rows of each class in training, (c,)."""
        return np.bincount(label_index(np.array(self.labels), self.classes), minlength=len(self.classes))

    @property
    def classifier(self) -> BaseEstimator:
        """What learnt from the encoded table."""
        return self.model.estimator_

    def seen(self, X: pd.DataFrame) -> np.ndarray:
        """Return which rows of X (n, d) the model was fitted on, (n,)."""
        return seen_before(fingerprints(X), unpacked(self.fingerprints))

    def check_columns(self, file: TableFile) -> list[str]:
        """Complain of missing columns; return notes on the file and on columns that are not used."""
        missing = [name for name in self.readings if name not in file.names]
        if missing:
            raise CommandError(
                f"{file.name} lacks {_listed(missing)}, which the model was trained on: add "
                f"{'it' if len(missing) == 1 else 'them'} (cells may be empty), or check the header"
            )
        extra = [name for name in file.names if name not in self.readings and name != self.target]
        return file.notes + ([f"the model does not use {_listed(extra)}"] if extra else [])

    def training_frame(self, file: TableFile) -> pd.DataFrame:
        """Return the rows that the model was fitted on, read from their file again.

        Parameters
        ----------
        file : TableFile
            The table of the fit.

        Returns
        -------
        X : DataFrame of shape (n, d)
            Indexed by the numbers of the rows in the file.
        """
        import numpy as np

        self.check_columns(file)
        table = file.read().select(list(self.readings))
        if table.num_rows < max(self.rows):
            raise CommandError(
                f"{file.name} has {table.num_rows:,} rows, but the model was fitted on row "
                f"{max(self.rows):,}: give the table of the fit as --training"
            )
        absent = np.ones(table.num_rows, dtype=bool)
        absent[np.array(self.rows) - 1] = False
        return to_frame(without_texts(table, absent), self.readings).loc[self.rows]

    def chunks(
        self, file: TableFile, others: Sequence[str], progress: Progress
    ) -> Iterator[tuple[pd.DataFrame, pa.RecordBatch]]:
        """Yield the rows of a table in chunks: features as the model takes them, and the columns as read.

        The next chunk is read while the caller works on one.

        Parameters
        ----------
        file : TableFile
            With the columns of the model.
        others : sequence of str
            Names of further columns to read.
        progress : callable
            Called with the share of the file that has been read.

        Yields
        ------
        X : DataFrame of shape (n, d)
            Indexed by the numbers of the rows in the file, from 1.
        batch : RecordBatch
            The same rows as they are in the file.
        """
        names = list(dict.fromkeys([*others, *self.readings]))

        def read() -> Iterator[tuple[pd.DataFrame, pa.RecordBatch]]:
            first = 1
            for batch in file.batches(names, progress):
                yield to_frame(batch, self.readings, first), batch
                first += batch.num_rows

        yield from _ahead(read())


def open_model(path: Path) -> TableModel | BaseEstimator:
    """Read a model file: with its table if a command has written it, the estimator alone if Python has."""
    file = _read(path)
    return TableModel._of_file(path, file) if "table" in file.notes else file.model


def _read(path: Path) -> ModelFile:
    if not path.exists():
        raise CommandError(f"there is no file {path}: make a model by 'kernelproba fit DATA --target COLUMN'")
    return read_model_file(path)


def _taken_apart(model: BaseEstimator) -> tuple[BaseEstimator, ConformalClassifier | None]:
    """Return the model of a file, and what is around it."""
    from kernelproba.estimators.conformal import ConformalClassifier

    if not isinstance(model, ConformalClassifier):
        return model, None
    return cast("FrozenEstimator", model.estimator_).estimator, model


def _ahead(items: Iterator) -> Iterator:
    """Yield the items of an iterator while a thread gets the next one."""
    end = object()
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield item


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"the column{'s' if len(names) > 1 else ''} {shown}{more}"
