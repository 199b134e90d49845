"""WHERE the data live and how they are walked: the one seam between storage and mathematics.

A store of rows (`Rows`) offers ``take(index)``, ``map(fn, *aligned)``, ``fold(fn, *aligned)`` and
``features(fn)``.
Nothing above this room learns whether the rows are in memory, on disk or on a cluster, and nothing in it
knows of kernels or losses.
"""

from kernelproba.rows.budget import memory_budget
from kernelproba.rows.memory import MemoryRows
from kernelproba.rows.parquet import ParquetRows

__all__ = ["MemoryRows", "ParquetRows", "memory_budget"]
