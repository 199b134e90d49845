"""How long a search may take: it ends where its time does, with the best that was found."""

import math
import time


class TimeBudget:
    """Seconds from now on, some of which may be kept for what must still come.

    Parameters
    ----------
    seconds : float, optional
        How many; without, there is no end.

    Attributes
    ----------
    reserve : float
        Seconds that the work after the search is expected to take.
    coming : float
        Seconds that the next piece of the search is expected to take.
    ran_out : bool
        Whether something was left undone.
    """

    def __init__(self, seconds: float | None = None):
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self.reserve = self.coming = 0.0
        self.ran_out = False

    @property
    def left(self) -> float:
        """Seconds that are left; negative once they are over."""
        return self._end - time.monotonic()

    def is_over(self) -> bool:
        """Whether no more than the reserve would be left, in which case the caller leaves its work undone."""
        over = self.left - self.coming <= self.reserve
        self.ran_out |= over
        return over

    def affordable(self, n: int, roughly: float = 0.8) -> int:
        """How many of n rows the time that is left suffices for, if the reserve is that for all of them.

        A fit to fewer rows has fewer centres, by the root, so that time falls with n^³⁄₂.  Estimates of time
        are rough: all, if it suffices for such a share of them, or if nothing was left undone.
        """
        if not self.ran_out:
            return n
        share = max(self.left, 0.0) / self.reserve if self.reserve > 0 else 0.0
        return n if share >= roughly else int(share ** (2 / 3) * n)
