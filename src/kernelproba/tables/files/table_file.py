"""A table in a file: what all formats have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from lzma import LZMAError
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.tables.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows and cells of a chunk, at most: enough to make the overhead small, few enough to be held many times.
CHUNK_ROWS, CHUNK_CELLS = 32_768, 1 << 21

#: Bytes that are read at once.
BLOCK_BYTES = 4 << 20

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Layout:
    """How a file is laid out, where that is not left to be found out.

    Attributes
    ----------
    delimiter : str or None
        Between the fields of a text file.
    header : bool or None
        Whether the first line of a text file names the columns.
    encoding : str or None
        Of a text file.
    sheet : str or None
        Of a workbook; the first by default.
    """

    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None


class TableFile(ABC):
    """A table in a file.

    Parameters
    ----------
    path : Path
        Where it is.
    name : str, optional
        What to call it, if not by its path.
    """

    def __init__(self, path: Path, name: str | None = None):
        self.path = path
        self.name = name or path.name
        self.copy: object = None  # kept as long as the table is, if the file is a temporary one

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; all different."""
        names = self._names()
        for name, count in Counter(names).items():
            if count > 1:
                raise TableError(
                    f"{self.name} has {count} columns named '{name}': give each a name of its own"
                )
        return names

    @property
    def notes(self) -> list[str]:
        """What the user should know of how the file was read."""
        return []

    @abstractmethod
    def _names(self) -> list[str]:
        """Return the names of the columns as they are in the file."""

    @abstractmethod
    def read(self) -> pa.Table:
        """Return the whole table; columns of files without types are texts."""

    @property
    def exceeds_memory(self) -> bool:
        """Whether the whole table takes more memory than it should; then it knows `column` and `rows`."""
        return False

    def column(self, name: str) -> pa.ChunkedArray:
        """Return one column."""
        return self.read().column(name)

    def rows(self, positions: np.ndarray, columns: Sequence[str], progress: Progress) -> pa.Table:
        """Return some rows of some columns.

        Parameters
        ----------
        positions : ndarray of int
            Of the rows, from 0, in ascending order.
        columns : sequence of str
            Names.
        progress : callable
            Called with the share of the file that has been read.
        """
        import pyarrow as pa

        parts, start = [], 0
        for batch in self.batches(columns, progress):
            here = positions[np.searchsorted(positions, start) :]
            here = here[: np.searchsorted(here, start + batch.num_rows)]
            parts.append(pa.table(batch.take(pa.array(here - start))))
            start += batch.num_rows
        return pa.concat_tables(parts, promote_options="permissive")

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pa.RecordBatch]:
        """Yield chunks of at most `CHUNK_ROWS` rows and `CHUNK_CELLS` cells of some columns.

        Parameters
        ----------
        columns : sequence of str
            Their names.
        progress : callable
            Called with the share of the file that has been read.
        """
        table = self.read().select(list(columns))
        done, rows = 0, max(table.num_rows, 1)
        for batch in table.to_batches(chunk_rows(len(columns))):
            done += batch.num_rows
            progress(done / rows)
            yield batch

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn Arrow's errors about the content of the file into ours."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, LZMAError, EOFError) as error:
            raise TableError(f"{self.name} cannot be read: {self._explain(str(error))}") from error
        except OSError as error:
            if error.filename is not None:
                raise
            raise TableError(f"{self.name} cannot be read: {error}") from error

    def _explain(self, message: str) -> str:
        return message


def chunk_rows(columns: int) -> int:
    """Return how many rows a chunk of so many columns has."""
    return max(1, min(CHUNK_ROWS, CHUNK_CELLS // max(columns, 1)))
