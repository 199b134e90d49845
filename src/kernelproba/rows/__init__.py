"""WHERE the data live and how they are walked: the one seam between storage and mathematics.

A store of rows offers ``take(index)``, ``map(fn, *aligned)`` and ``fold(fn, *aligned)``.  Nothing above
this room learns whether the rows are in memory, on disk or on a cluster, and nothing in it knows of
kernels or losses.
"""

from .memory import MemoryRows, as_rows

__all__ = ["MemoryRows", "as_rows"]
