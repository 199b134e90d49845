"""A table on disk: what text and Parquet have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from lzma import LZMAError
from pathlib import Path
from typing import TYPE_CHECKING

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows and cells of a chunk, at most: enough to make the overhead small, few enough to be held many times.
CHUNK_ROWS, CHUNK_CELLS = 32_768, 1 << 21

#: Bytes that are read at once.
BLOCK_BYTES = 4 << 20

Progress = Callable[[float], None]


class TableFile(ABC):
    """A table on disk."""

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; all different."""
        names = self._names()
        for name, count in Counter(names).items():
            if count > 1:
                raise CommandError(
                    f"{self.path.name} has {count} columns named '{name}': give each a name of its own"
                )
        return names

    @abstractmethod
    def _names(self) -> list[str]:
        """Return the names of the columns as they are in the file."""

    @abstractmethod
    def read(self) -> pa.Table:
        """Return the whole table, with types as the values suggest."""

    @abstractmethod
    def batches(self, types: Mapping[str, pa.DataType], progress: Progress) -> Iterator[pa.RecordBatch]:
        """Yield chunks of at most `CHUNK_ROWS` rows and `CHUNK_CELLS` cells of some columns.

        Parameters
        ----------
        types : mapping of str to DataType
            Name → type to read the column as.
        progress : callable
            Called with the share of the file that has been read.
        """

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn Arrow's errors about the content of the file into ours."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, LZMAError, EOFError) as error:
            raise CommandError(f"{self.path.name} cannot be read: {self._explain(str(error))}") from error
        except OSError as error:
            if error.filename is not None:
                raise
            raise CommandError(f"{self.path.name} cannot be read: {error}") from error

    def _explain(self, message: str) -> str:
        return message


def chunk_rows(columns: int) -> int:
    """Return how many rows a chunk of so many columns has."""
    return max(1, min(CHUNK_ROWS, CHUNK_CELLS // max(columns, 1)))
