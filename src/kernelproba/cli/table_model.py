"""A fitted model together with what it knows of the table it was fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.cli.errors import CommandError
from kernelproba.cli.tables.columns import reading_type, to_frame
from kernelproba.cli.tables.table_file import Progress, TableFile
from kernelproba.cli.tables.training_table import TrainingTable
from kernelproba.persistence.model_file import read_model_file, save_model

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class TableModel:
    """What a model file of the command line holds.

    Attributes
    ----------
    model : Pipeline
        Fitted, takes data frames.
    kinds : dict of str to str
        Name → kind of the columns that it takes.
    target, target_kind : str
        Name of the target and what its labels are.
    method : str
        As the command line calls it.
    rows : list of int
        Number of each training row in its file, from 1.
    labels : list
        Their labels.
    """

    model: Any
    kinds: dict[str, str]
    target: str
    target_kind: str
    method: str
    rows: list[int]
    labels: list

    @classmethod
    def of(cls, model: Any, table: TrainingTable, method: str) -> TableModel:
        """Join a model and the table it was fitted on."""
        rows, labels = table.X.index.tolist(), table.y.tolist()
        return cls(model, table.kinds, table.target, table.target_kind, method, rows, labels)

    @classmethod
    def load(cls, path: Path) -> TableModel:
        """Read a model file."""
        if not path.exists():
            raise CommandError(
                f"there is no file {path}: make a model by 'kernelproba fit DATA --target COLUMN'"
            )
        file = read_model_file(path)
        if "table" not in file.notes:
            raise CommandError(
                f"{path.name} was saved from Python and knows no columns: open it there by "
                "kernelproba.persistence.model_file, or fit a model by 'kernelproba fit'"
            )
        try:
            loaded = cls(file.model, **file.notes["table"])
            for kind in (*loaded.kinds.values(), loaded.target_kind):
                reading_type(kind)
        except (TypeError, KeyError, AttributeError):
            raise CommandError(f"the notes of {path.name} are damaged: fit the model again") from None
        return loaded

    def save(self, path: Path) -> None:
        """Write a model file."""
        notes = {name: value for name, value in vars(self).items() if name != "model"}
        save_model(self.model, path, notes={"table": notes})

    @property
    def classes(self) -> np.ndarray:
        """Labels, of shape (c,)."""
        return self.model.classes_

    @property
    def classifier(self) -> Any:
        """The last step of the pipeline."""
        return self.model[-1]

    def check_columns(self, file: TableFile) -> list[str]:
        """Complain of missing columns; return notes on columns that the model does not use."""
        missing = [name for name in self.kinds if name not in file.names]
        if missing:
            raise CommandError(
                f"{file.path.name} lacks {_listed(missing)}, which the model was trained on: add "
                f"{'it' if len(missing) == 1 else 'them'} (cells may be empty), or check the header"
            )
        extra = [name for name in file.names if name not in self.kinds and name != self.target]
        return [f"the model does not use {_listed(extra)}"] if extra else []

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
        import pandas as pd

        self.check_columns(file)
        X = pd.concat([X for X, _ in self.chunks(file, {}, lambda _share: None)], ignore_index=True)
        if len(X) < max(self.rows):
            raise CommandError(
                f"{file.path.name} has {len(X):,} rows, but the model was fitted on row {max(self.rows):,}: "
                "give the table of the fit as --training"
            )
        return X.iloc[[row - 1 for row in self.rows]].set_axis(self.rows)

    def chunks(
        self, file: TableFile, others: Mapping[str, str], progress: Progress
    ) -> Iterator[tuple[pd.DataFrame, pa.RecordBatch]]:
        """Yield the rows of a table in chunks: features as the model takes them, and the columns as read.

        The next chunk is read while the caller works on one.

        Parameters
        ----------
        file : TableFile
            With the columns of the model.
        others : mapping of str to str
            Name → kind of further columns to read.
        progress : callable
            Called with the share of the file that has been read.
        """
        types = {name: reading_type(kind) for name, kind in {**others, **self.kinds}.items()}
        batches = file.batches(types, progress)
        yield from _ahead((to_frame(batch, self.kinds), batch) for batch in batches)


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
