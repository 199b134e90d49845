"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Errors of writing that do not say which file they are about.
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE, errno.EIO)


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary path to write to, which takes the place of `path` once the block has succeeded.

    The temporary file is in the same folder, so that taking its place is one step of the file system: others
    see the old file or the new one.  If the block fails, the temporary file is removed and the old one stays.
    A link is followed: the file that it points to is replaced, and the link stays.  What is no file (a
    device, a named pipe) gets the content once it is complete.

    Parameters
    ----------
    path : path
        The file to be written; its folder must exist.

    Yields
    ------
    temporary : Path
        An empty file.
    """
    check_path(path)
    special = is_special(path)
    target = Path(path) if special else Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with _naming(path), _temporary(target.name, None if special else target.parent) as temporary:
        yield temporary
        if special:
            _copy_into(temporary, target)
        else:
            # mkstemp lets only the owner read; a file that is there keeps its rights, others get the usual.
            temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            temporary.replace(target)


def check_path(path: str | os.PathLike) -> None:
    """Refuse a path that no file can have."""
    if (at := os.fsencode(path).find(b"\0")) >= 0:
        raise ValueError(
            f"path {os.fspath(path)!r} has a zero byte at place {at}, which no name of a file can hold: "
            "check where it was read from"
        )


def is_special(path: str | os.PathLike) -> bool:
    """Whether there is something at a path, or behind the link there, that is neither a file nor a folder."""
    there = Path(path)
    return there.exists() and not there.is_file() and not there.is_dir()


@contextmanager
def _temporary(name: str, folder: Path | None) -> Iterator[Path]:
    """Give an empty file that is gone afterwards, unless it has been moved."""
    handle, path = tempfile.mkstemp(prefix=f".{name[:40]}.", suffix=".part", dir=folder)
    os.close(handle)
    try:
        yield Path(path)
    finally:
        Path(path).unlink(missing_ok=True)


@contextmanager
def _naming(path: str | os.PathLike) -> Iterator[None]:
    """Name the file in errors of writing, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in _WRITE_ERRORS:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _copy_into(source: Path, special: Path) -> None:
    """Write a file into what is there already, and is no file."""
    handle = os.open(special, os.O_WRONLY)  # creates nothing, whatever has become of it
    with source.open("rb") as content, os.fdopen(handle, "wb") as sink:
        shutil.copyfileobj(content, sink)


def _umask() -> int:
    """Return the bits that new files lack; the system tells them only while they are being set."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
