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


def interleaved(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Run every contestant once per round; name → median and range of seconds, and the last result.

    On a machine that does other things ``time.process_time`` is the clock to compare by.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    last = {}
    for _ in range(repeats):
        for name, run in contestants.items():
            start = clock()
            last[name] = run()
            seconds[name].append(clock() - start)
    return {
        name: {
            "seconds": float(np.median(times)),
            "least": min(times),
            "most": max(times),
            "result": last[name],
        }
        for name, times in seconds.items()
    }
