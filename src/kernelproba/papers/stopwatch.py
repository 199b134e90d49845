"""Times of contestants that run in turn.

Machines are noisy: every contestant runs once per round, and medians are compared within one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypedDict

import numpy as np


class Timing(TypedDict):
    """Median and range of the seconds of a contestant, and its last result."""

    seconds: float
    least: float
    most: float
    result: object


def interleaved(contestants: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, Timing]:
    """Run every contestant once per round; name → median and range of seconds, and the last result."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    last = {}
    for _ in range(repeats):
        for name, run in contestants.items():
            start = time.perf_counter()
            last[name] = run()
            seconds[name].append(time.perf_counter() - start)
    return {
        name: {
            "seconds": float(np.median(times)),
            "least": min(times),
            "most": max(times),
            "result": last[name],
        }
        for name, times in seconds.items()
    }
