"""Positive numbers that a user gave, such as penalties to try."""

from typing import Any

import numpy as np


def positive_numbers(values: Any, name: str) -> list[float]:
    """One or more positive numbers as a list, or an error that names the argument."""
    numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if numbers.ndim != 1 or not len(numbers) or not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise ValueError(f"{name} must be one or more positive numbers, got {values!r}.")
    return numbers.tolist()
