"""How the time to fit grows with rows n, features d and classes c, on problems made for it.

    X standard normal (n, d),   P(y = k | x) ∝ exp(2 sin(uₖᵀx) + 2 sin(vₖᵀx)),   uₖ, vₖ random unit vectors

On each axis one of the three grows, the others stay.  The exponent a of seconds ∝ nᵃ is the slope of the
least-squares line through the logarithms.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.stats import linregress

from benchmarks.matrix.problems import Bounds, Problem, Split

Shape = tuple[int, int, int]
SHAPES: dict[str, list[Shape]] = {
    "n": [(250, 10, 3), (500, 10, 3), (1000, 10, 3), (2000, 10, 3)],
    "d": [(500, 10, 3), (500, 40, 3), (500, 160, 3), (500, 640, 3)],
    "c": [(1000, 10, 3), (1000, 10, 6), (1000, 10, 12), (1000, 10, 24)],
}
TRIAL_SHAPES: dict[str, list[Shape]] = {
    "n": [(100, 5, 3), (200, 5, 3)],
    "d": [(100, 5, 3), (100, 20, 3)],
    "c": [(100, 5, 3), (100, 5, 6)],
}
ROUNDS, TRIAL_ROUNDS = 3, 1
BOUNDS, TRIAL_BOUNDS = Bounds(10.0, 2.0), Bounds(2.0, 0.5)
TEST_ROWS = 500


def name_of(shape: Shape) -> str:
    return "waves, n = {}, d = {}, c = {}".format(*shape)


def waves(r: int, shape: Shape) -> Split:
    """Training rows of round r and 500 test rows."""
    n, d, c = shape
    directions = np.random.default_rng(0).standard_normal((d, 2, c))
    rng = np.random.default_rng(r + 1)
    X = rng.standard_normal((n + TEST_ROWS, d))
    F = 2 * np.sin(np.tensordot(X, directions / np.linalg.norm(directions, axis=0), 1)).sum(axis=1)
    # Gumbel's noise makes the largest score a draw from the softmax
    y = (F + rng.gumbel(size=F.shape)).argmax(axis=1)
    return X[:n], y[:n], X[n:], y[n:]


def points(shapes: dict[str, list[Shape]], rounds: int, bounds: Bounds) -> list[Problem]:
    """A problem for every shape of the axes, small ones first."""
    order = sorted({shape for axis in shapes.values() for shape in axis})
    return [
        Problem(
            name_of(shape),
            rounds,
            "",
            partial(waves, shape=shape),
            bounds,
            tuple(name_of(other) for other in order if other != shape and not larger(other, shape)),
        )
        for shape in order
    ]


def larger(one: Shape, other: Shape) -> bool:
    """Whether one is larger than the other in some respect."""
    return any(a > b for a, b in zip(one, other, strict=True))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Slope of log seconds over log size, and its standard error; NaN of fewer than two (three) points."""
    if len(sizes) < 2:
        return float("nan"), float("nan")
    line = linregress(np.log(sizes), np.log(seconds))
    return float(line.slope), float(line.stderr) if len(sizes) > 2 else float("nan")
