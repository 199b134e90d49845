"""When iterations of a sparse solver make no progress any more.

Parallel kernel columns and weights far apart leave systems so near to singular that steps only move rounding
errors about.  A bound on the steps alone would be reached in the end, but at the price of all of them.
"""

#: Share of the objective, and of the least residual so far, by which progress is told from rounding.
VALUE_GAIN, RESIDUAL_GAIN = 1e-9, 0.1


class Stall:
    """Counts iterations that improve neither the objective nor the least residual.

    Parameters
    ----------
    patience : int
        So many in a row are a stall.
    value_gain, residual_gain : float
        Share of the objective, and of the least residual so far, that is an improvement.
    """

    def __init__(self, patience: int, value_gain: float = VALUE_GAIN, residual_gain: float = RESIDUAL_GAIN):
        self.patience, self._idle = patience, 0
        self.value_gain, self.residual_gain = value_gain, residual_gain
        self._value, self._residual = float("inf"), float("inf")

    def seen(self, value: float, residual: float) -> bool:
        """Count one iteration; return whether it completes a stall."""
        gains = value < self._value - self.value_gain * abs(value)
        nears = residual < (1 - self.residual_gain) * self._residual
        self._idle = 0 if gains or nears else self._idle + 1
        if gains or nears:
            self._value, self._residual = min(value, self._value), min(residual, self._residual)
        return self._idle >= self.patience
