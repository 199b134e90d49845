"""What can go wrong on the command line, as one line and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

#: Set it to see where an error came from.
DEBUG_VARIABLE = "KERNELPROBA_DEBUG"

UNEXPECTED, USAGE, INTERRUPTED = 1, 2, 130

#: A full disk; where it is not the standard output's, the error names the file.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class CommandError(Exception):
    """Something that the user can put right: the message says what is wrong and what to do."""


class Stopped(CommandError):
    """The user stopped a command that keeps what it has done."""


def described(error: BaseException) -> tuple[str, int]:
    """Return the line to print for an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; nothing was written", INTERRUPTED
    if isinstance(error, Stopped):
        return _one_line(error), INTERRUPTED
    if isinstance(error, MemoryError):
        return "not enough memory: give fewer rows by --max-rows, or fewer columns by --exclude", UNEXPECTED
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or 'cannot be used').lower()}", USAGE
    if isinstance(error, OSError) and error.errno in _FULL:
        drop_output()
        return f"the standard output cannot be written to: {os.strerror(error.errno).lower()}", USAGE
    if isinstance(error, CommandError | ValueError):
        return _one_line(error), USAGE
    return (
        f"unexpected {type(error).__name__}: {_one_line(error)} "
        f"(set {DEBUG_VARIABLE}=1 to see where, and please report it)",
        UNEXPECTED,
    )


def drop_output() -> None:
    """Let what is still to be printed go nowhere: Python would try again, and complain, as it ends."""
    with contextlib.suppress(OSError, ValueError):  # there may be no such stream
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


def is_debugging() -> bool:
    """Tell whether tracebacks are wanted."""
    return bool(os.environ.get(DEBUG_VARIABLE))


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
