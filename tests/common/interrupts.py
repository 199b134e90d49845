"""Fits that are looked at, or interrupted as by Ctrl-C, at chosen lines of the package."""

import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

import kernelproba

PACKAGE = str(Path(kernelproba.__file__).parent)


class LineCounter:
    """Trace function that counts lines run in the package and acts at those of given numbers."""

    def __init__(self, moments=(), action=None):
        self.count, self.moments, self.action = 0, frozenset(moments), action

    def __call__(self, frame, event, arg):  # noqa: ARG002
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            self.count += 1
            if self.count in self.moments:
                self.action()
        return self


def interrupt():
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


@contextmanager
def tracing(counter):
    """Trace what is run inside."""
    previous = sys.gettrace()
    sys.settrace(counter)
    try:
        yield
    finally:
        sys.settrace(previous)


def traced_fit(model, problem, counter):
    """Fit, let the counter act, and return as if an interrupt had been handled."""
    np.random.seed(0)  # noqa: NPY002  # of random_state=None
    with tracing(counter), suppress(KeyboardInterrupt):
        model.fit(problem.X, problem.y)


def random_moments(model, problem, number, seed=0):
    """Numbers of lines of a fit: random ones, and the last two."""
    counter = LineCounter()
    traced_fit(model, problem, counter)
    drawn = np.random.default_rng(seed).integers(1, counter.count + 1, number - 2).tolist()
    return [*drawn, counter.count - 1, counter.count]
