"""The linear programming machine: a kernel machine with a 1-norm penalty, sparse by construction.

Two classes, labels σ_i = ±1, row weights w:

    min λ Σ_i β_i + Σ_i w_i max(0, 1 − σ_i f(x_i)),    f = Σ_i σ_i β_i κ(·, x_i) + b,    β ≥ 0

which is the programme of `restricted_master` with F_0 = Σ_{σ=−1} β_i κ(·, x_i) and
F_1 = Σ_{σ=+1} β_i κ(·, x_i) + b: no limits, no masses, and the constant as the bulk function of class 1.
"""

import math
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from kernelproba.basis.gram import Gram
from kernelproba.solvers.lp.column_generation import MET, ActiveSet, Cuts, Expansion, RestrictedMaster
from kernelproba.solvers.lp.highs import FREE, LinearProgramme, Optimum, ProgrammeFailed
from kernelproba.solvers.lp.restricted_contrast import STEP

#: From this λ down the programme is written out, up to DIRECT_ROWS rows: generation takes many times as long
#: and leaves gaps of 5 %.  Above it is not, because its vertices depend on how often a row is written.
WRITTEN_OUT = 1e-5
#: The least λ.  Σβ grows as 1/λ, and with it the rounding of the margins.
LEAST_PENALTY = 1e-8
#: Up to so many rows it is written out where generation fails.
MOST_FULL_ROWS = 2000
#: Share of the penalty below which the losses of all rows together are rounding.
MET_SHARE = 1e-9
#: Up to so many rows the next λ is reached at once: steps between them cost more than they save.
DIRECT_ROWS = 1000
#: With more rows, and more steps ahead than a few, a machine of every so-manyth row says where to begin.
SAMPLED_ROWS, FEW_STEPS, SAMPLED_EVERY = 2000, 3, 4
#: Margins next to 1 that are explicit from there on: that many, or this share of the rows if it is more.
EXPLICIT, EXPLICIT_SHARE = 100, 0.03


@dataclass(frozen=True)
class MachineFit:
    """Weights and intercept of a linear programming machine.

    Parameters
    ----------
    beta : array of shape (n,)
        β.
    intercept : float
        b.
    value : float
        The minimum.
    gap : float
        Bound on the error of the minimum, by weak duality.
    """

    beta: np.ndarray
    intercept: float
    value: float
    gap: float


def linear_machine_path(
    gram: Gram, y: np.ndarray, weight: np.ndarray, penalties: Iterable[float]
) -> Iterator[MachineFit]:
    """Minimise λ Σβ + Σ w max(0, 1 − σ f) for each λ, from the largest down, each starting from the last.

    The programme is solved for κ of size one and weights of mean one, which HiGHS's absolute tolerances suit:
    κ/s, sβ and λ/s are the same problem.  A λ below LEAST_PENALTY in these units is taken as that; unless no
    row loses anything, the gap says what that leaves open.

    Parameters
    ----------
    gram : Gram
        Kernel matrix.
    y : array of shape (n,)
        Classes 0 and 1.
    weight : array of shape (n,)
        w > 0.
    penalties : iterable of float
        Values of λ > 0.
    """
    size, scale = gram.largest(), len(y) / weight.sum()
    order = sorted(penalties, reverse=True)
    with np.errstate(over="ignore"):
        # Beyond Σw times the largest κ, which is n in these units, every λ leaves β = 0.
        scaled = np.clip(np.array(order) * scale / size, LEAST_PENALTY, 10.0 * len(y)).tolist()
    last, fit = 0.0, None
    # Closed here and not by the garbage collector, which would swallow an interrupt.
    with closing(_vertices(gram.scaled(1 / size), y, weight * scale, scaled)) as vertices:
        for penalty in order:
            if fit is not None and fit.value <= (1 + MET_SHARE) * last * fit.beta.sum():
                # No row loses anything, and Σβ is the least that serves them all: also at every smaller λ.
                fit = replace(fit, value=fit.value * penalty / last, gap=fit.gap * penalty / last)
            else:
                fit = _finish(next(vertices), 2 * y - 1, weight, penalty, (size, scale))
            last = penalty
            yield fit


@dataclass(frozen=True)
class _Vertex:
    """Weights β, scores f − b, duals u of the rows, and the largest σⱼ Σᵢ uᵢσᵢκ(xᵢ, xⱼ), in our units."""

    beta: np.ndarray
    scores: np.ndarray
    dual: np.ndarray
    earned: float


def _vertices(
    gram: Gram, y: np.ndarray, weight: np.ndarray, penalties: list[float]
) -> Generator[_Vertex, None, None]:
    """By generation as far as that leads, and written out from there on."""
    n_generated = sum(penalty > WRITTEN_OUT or len(y) > DIRECT_ROWS for penalty in penalties)
    yield from _restricted_or_full_path(gram, y, weight, penalties[:n_generated])
    yield from _full_path(gram, y, weight, penalties[n_generated:])


def _full_path(
    gram: Gram, y: np.ndarray, weight: np.ndarray, penalties: list[float]
) -> Generator[_Vertex, None, None]:
    """The programme written out: fewer and larger steps than by generation, for few rows the quicker way."""
    n, sign, K = len(y), 2.0 * y - 1, gram.rows(np.arange(len(y)))
    programme = LinearProgramme("primal")
    beta_at = programme.add_columns(np.zeros(n), 0.0, FREE)
    programme.add_columns(np.zeros(1), -FREE, FREE)  # b
    slack_at = programme.add_columns(weight, 0.0, FREE)  # max(0, 1 − σ f)
    programme.add_rows(np.ones(n), FREE, np.hstack([np.outer(sign, sign) * K, sign[:, None], np.eye(n)]))
    for penalty in penalties:
        # Both kinds of costs as near to one as their ratio allows: tolerances are absolute.
        unit = math.sqrt(min(penalty, 1.0))
        programme.set_cost(beta_at, np.full(n, penalty / unit))
        programme.set_cost(slack_at, weight / unit)
        optimum = programme.solve()
        beta, dual = np.maximum(optimum.x[beta_at], 0.0), np.clip(optimum.dual * unit, 0.0, weight)
        yield _Vertex(beta, K @ (sign * beta), dual, float((sign * (K @ (sign * dual))).max()))


def _restricted_or_full_path(
    gram: Gram, y: np.ndarray, weight: np.ndarray, penalties: list[float]
) -> Generator[_Vertex, None, None]:
    """By generation, and written out from where that fails: its programmes are the less well posed."""
    done = 0
    try:
        for vertex in _restricted_path(gram, y, weight, penalties):
            yield vertex
            done += 1
    except ProgrammeFailed:
        if len(y) > MOST_FULL_ROWS:
            raise
        yield from _full_path(gram, y, weight, penalties[done:])


def _restricted_path(
    gram: Gram, y: np.ndarray, weight: np.ndarray, penalties: list[float]
) -> Generator[_Vertex, None, None]:
    """The same by column and row generation."""
    n, descent = len(y), _Descent(gram, y, weight)
    last = float(np.abs(descent.slopes).max())  # from there on β = 0
    for penalty in penalties:
        steps = math.ceil(math.log(max(last / penalty, 1.0)) * math.sqrt(n) / STEP) if n > DIRECT_ROWS else 1
        jumped = descent.jump(penalty) if n > SAMPLED_ROWS and steps > FEW_STEPS else None
        yield jumped or descent.walk(last, penalty, max(steps, 1))
        last = penalty


class _Descent:
    """What is taken for granted on the way from a λ that leaves β = 0 to smaller ones."""

    def __init__(self, gram: Gram, y: np.ndarray, weight: np.ndarray):
        self.gram, self.y, self.guess = gram, y, _majority(y, weight)
        self.slopes = gram.product(self.guess.multipliers(y, 2))

    def solve(self, penalty: float, start: "_Start | None" = None) -> _Vertex:
        """Find the vertex at λ, from the present guess or from what a sample suggests."""
        if start is not None:
            self._settle(start.guess)
        n = len(self.y)
        expansion = Expansion(
            self.gram, self.y, np.ones(2), np.ones((n, 2)), self.slopes[np.arange(n), self.y]
        )
        # Many cuts at once leave a basis that is optimal but infeasible, which suits the dual simplex method.
        master = _MachineMaster(expansion, self.guess, penalty, "primal" if start is None else "dual")
        if start is not None:
            master.assume(start.columns, start.rows)
        master.solve()
        self._settle(replace(self.guess, rival=master.rivals()))
        return master.vertex()

    def walk(self, last: float, penalty: float, steps: int) -> _Vertex:
        """Find the vertex at λ in so many steps from the last one."""
        *between, end = np.geomspace(max(last, penalty), penalty, steps + 1)[1:]
        for step in between:
            self.solve(step)
        return self.solve(end)

    def jump(self, penalty: float) -> _Vertex | None:
        """Find the vertex at λ from that of a sample; None where that fails, and small steps may not."""
        before = self.guess, self.slopes
        try:
            return self.solve(penalty, _from_sample(self.gram, self.y, self.guess.gain, penalty))
        except ProgrammeFailed:
            self.guess, self.slopes = before
            return None

    def _settle(self, guess: ActiveSet) -> None:
        moved = guess.multipliers(self.y, 2) - self.guess.multipliers(self.y, 2)
        self.slopes, self.guess = self.slopes + self.gram.product(moved), guess


@dataclass(frozen=True)
class _Start:
    """What a machine of a sample suggests: which rows are met, which weights and margins will be explicit."""

    guess: ActiveSet
    columns: np.ndarray
    rows: np.ndarray


def _from_sample(gram: Gram, y: np.ndarray, weight: np.ndarray, penalty: float) -> _Start:
    """Fit every so-manyth row of each class, with the weight of those it stands for, and look at all rows."""
    n, by_class = len(y), np.argsort(y, kind="stable")
    chosen = np.sort(by_class[::SAMPLED_EVERY])
    sample = Gram.of_matrix(gram.rows(chosen)[:, chosen])
    share = weight[chosen] * (weight.sum() / weight[chosen].sum())
    with closing(_restricted_path(sample, y[chosen], share, [penalty])) as path:
        vertex = next(path)
    sign, used = 2 * y - 1, np.flatnonzero(vertex.beta)
    scores = (sign[chosen[used]] * vertex.beta[used]) @ gram.rows(chosen[used])
    margin = sign * (scores + central_intercept(scores, sign, weight))
    nearest = np.argsort(np.abs(margin - 1), kind="stable")[: max(EXPLICIT, int(EXPLICIT_SHARE * n))]
    return _Start(
        ActiveSet(np.zeros(n, dtype=bool), np.where(margin >= 1, MET, 1 - y), weight), chosen[used], nearest
    )


def _majority(y: np.ndarray, gain: np.ndarray) -> ActiveSet:
    """With β = 0 the larger class is met by the intercept alone."""
    larger = int(gain @ y > gain @ (1 - y))
    rival = np.where(y == larger, MET, 1 - y)
    return ActiveSet(np.zeros(len(y), dtype=bool), rival, gain)


def _finish(
    vertex: _Vertex, sign: np.ndarray, weight: np.ndarray, penalty: float, units: tuple[float, float]
) -> MachineFit:
    """Evaluate the minimum and a bound from below: Σ u_i for any 0 ≤ u ≤ w with Σ σu = 0, |slopes| ≤ λ."""
    size, scale = units
    beta = vertex.beta / size
    beta[beta < 1e-10 * beta.max()] = 0.0  # rounding
    intercept = central_intercept(vertex.scores, sign, weight)
    losses = np.maximum(0.0, 1 - sign * (vertex.scores + intercept))
    value = penalty * float(beta.sum()) + float(weight @ losses)
    earned = vertex.earned * size / scale
    shrunk = vertex.dual / scale * (penalty / max(earned, penalty))
    return MachineFit(beta, intercept, value, value - float(shrunk.sum()))


def central_intercept(scores: np.ndarray, sign: np.ndarray, weight: np.ndarray) -> float:
    """Return the middle of the intercepts b that minimise Σ w max(0, 1 − σ (f + b)), which may be many.

    Parameters
    ----------
    scores, sign, weight : arrays of shape (n,)
        f, σ = ±1 and w.
    """
    # The slope in b grows by w at each kink b = σ − f, from −Σ_{σ=1} w on.
    order = np.argsort(sign - scores)
    kinks = (sign - scores)[order]
    slopes = np.cumsum(weight[order]) - weight @ (sign > 0)
    flat = 1e-9 * weight.sum()
    first = int(np.argmax(slopes >= -flat))
    last = int(np.argmax(slopes > flat))
    return float(0.5 * (kinks[first] + kinks[last]))


class _MachineMaster(RestrictedMaster):
    """Master programme at one λ; z = (0, b)."""

    def __init__(self, expansion: Expansion, guess: ActiveSet, penalty: float, method: str):
        self.penalty = penalty
        super().__init__(expansion, guess, method)

    def _found(self) -> np.ndarray:
        # β = 0, b = 0 costs Σw, so no optimum has a larger λ Σβ.
        self._most = float(self.guess.gain.sum()) / self.penalty
        largest = 1.0 + self._most * float(np.abs(self.expansion.gram.rows(np.arange(1))).max(initial=1.0))
        return self.programme.add_columns(self._z_cost(), np.array([0.0, -largest]), np.array([0.0, largest]))

    def _z_cost(self) -> np.ndarray:
        return -self.guess.multipliers(self.expansion.y, 2).sum(axis=0)

    def _cost(self, index: np.ndarray, sign: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.penalty * sign, np.empty((0, len(index)))

    def _limit(self, index: np.ndarray, at: np.ndarray) -> None:
        self.programme.set_bounds(at, np.zeros(len(index)), np.full(len(index), self._most))

    def _prices(self, optimum: Optimum) -> np.ndarray:  # noqa: ARG002  # every weight costs the same
        return np.full(len(self.expansion.y), self.penalty)

    def assume(self, columns: np.ndarray, rows: np.ndarray) -> None:
        """Make these weights, and the margins of these rows, explicit before the first solution."""
        y, met = self.expansion.y[rows], self.guess.rival[rows] == MET
        self._add_columns(columns)
        self._add_cuts(Cuts(rows, np.where(met, y, 1 - y), np.where(met, 1 - y, y), np.where(met, 1.0, -1.0)))

    def vertex(self) -> _Vertex:
        """Return what was found."""
        y = self.expansion.y
        dual = self.multipliers()[np.arange(len(y)), y]
        scores = (2 * y - 1) * self.margin - self.z[1]
        return _Vertex(np.maximum(self.change, 0.0), scores, dual, float((self.profit + self.penalty).max()))
