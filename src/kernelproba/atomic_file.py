"""Files that are either whole or not there."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary path to write to, which takes the place of `path` once the block has succeeded.

    The temporary file is in the same folder, so that taking its place is one step of the file system: others
    see the old file or the new one.  If the block fails, the temporary file is removed and the old one stays.

    Parameters
    ----------
    path : path
        The file to be written; its folder must exist.

    Yields
    ------
    temporary : Path
        An empty file beside it.
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp lets only the owner read; a file that is there keeps its rights, a new one gets the usual.
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """Return the bits that new files lack; the system tells them only while they are being set."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
