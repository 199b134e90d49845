"""How much memory a fit may take."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

#: Where Linux tells of control groups, by which containers are limited.
PROCESS, CGROUPS = Path("/proc/self"), Path("/sys/fs/cgroup")
#: Share of the machine's memory that a fit takes if nothing else is said.
SHARE = 0.5
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def memory_budget(limit: float | str | None) -> int:
    """Bytes that `limit` stands for: a number of bytes, a text such as "2GB", or None for half the memory.

    See Also
    --------
    ParquetRows : Rows that need not fit.

    Examples
    --------
    >>> from kernelproba.rows import memory_budget
    >>> memory_budget("2GB"), memory_budget(1000)
    (2000000000, 1000)
    """
    if limit is None:
        return int(SHARE * physical_memory())
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?I?B|)\s*", limit.upper())
        if match is None or match[1].count(".") > 1 or match[1] == ".":
            raise ValueError(
                f"memory_limit must be a number of bytes or a text such as '2GB', got {limit!r}."
            )
        limit = float(match[1]) * UNITS[match[2]]
    if not limit > 0:
        raise ValueError(f"memory_limit must be positive, got {limit!r}.")
    return int(limit)


def physical_memory() -> int:
    """Bytes of memory of this machine, or of the container in it; 8 GB where the system does not tell."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        machine = 8 * 10**9
    return min([machine, *_container_limits()])


def _container_limits() -> Iterator[int]:
    """Limits of the control groups that this process is in, where Linux has set any."""
    try:
        lines = (PROCESS / "cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, group = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        root, name = (CGROUPS / "memory", "memory.limit_in_bytes") if kinds else (CGROUPS, "memory.max")
        own = root / group.lstrip("/")
        for folder in (own, *own.parents):
            # Within a container its own group is the root.
            with suppress(OSError, ValueError):  # "max" is no limit
                yield int((folder / name).read_text())
            if folder == root:
                break
