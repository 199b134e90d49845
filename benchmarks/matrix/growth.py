"""How the time to fit grows with rows n, features d and classes c, on problems made for it.

    X standard normal (n, d),   P(y = k | x) ∝ exp(2 sin(uₖᵀx) + 2 sin(vₖᵀx)),   uₖ, vₖ random unit vectors

On each axis one of the three grows, the others stay.  The exponent a of seconds ∝ nᵃ is the slope of the
least-squares line through the logarithms.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.stats import linregress

from .field import Contestant
from .problems import Problem, Split
from .record import Record
from .run import Bounds, processes, run_rounds, unfinished
from .worker import Worker

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


def measure_growth(
    shapes: Sequence[Shape], field: Sequence[Contestant], record: Record, bounds: Bounds, rounds: int
) -> None:
    """Fill the cells of all shapes, small ones first; one process per contestant for all of them."""
    points = [Problem(name_of(shape), rounds, "", partial(waves, shape=shape)) for shape in sorted(shapes)]
    with processes(unfinished(points, field, record, bounds), bounds.threads) as workers:
        for shape, point in zip(sorted(shapes), points, strict=True):
            alive = give_up(shape, shapes, workers, record)
            run_rounds(point, alive, record, bounds)


def give_up(
    shape: Shape, shapes: Sequence[Shape], workers: dict[str, Worker], record: Record
) -> dict[str, Worker]:
    """Leave out, and say so, whoever was over the limit on a shape that is larger in no respect."""
    smaller = [s for s in shapes if s != shape and all(a <= b for a, b in zip(s, shape, strict=True))]
    alive = {}
    for name, worker in workers.items():
        ends = [record.cell(name_of(s), name)["outcome"] for s in smaller]
        if any(end.startswith(("over", "not tried")) for end in ends):
            record.cell(name_of(shape), name)["outcome"] = "not tried: over the limit on a smaller problem"
        else:
            alive[name] = worker
    return alive


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Slope of log seconds over log size, and its standard error; NaN of fewer than two (three) points."""
    if len(sizes) < 2:
        return float("nan"), float("nan")
    line = linregress(np.log(sizes), np.log(seconds))
    return float(line.slope), float(line.stderr) if len(sizes) > 2 else float("nan")
