"""A limit on the time of a block of code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTime(BaseException):
    """The time is over; no `Exception`, so that no search takes it for a candidate that failed."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTime` in the block once the time is over.

    Python notices between two of its steps, so that a long call of compiled code ends first.  Where there are
    no alarms (Windows, threads) the block is not interrupted.

    Parameters
    ----------
    seconds : float or None
        None: no limit.
    """
    if seconds is None or not _has_alarms():
        yield
        return
    if seconds <= 0:
        raise OutOfTime

    def ring(_number: int, _frame: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _has_alarms() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
