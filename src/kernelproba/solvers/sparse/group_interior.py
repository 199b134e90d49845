"""Group lassos of many entries by an interior-point method: a few dozen Newton steps, whatever their size.

    min Σ ω ℓ + Σⱼ tⱼ      with ‖Wⱼ‖ ≤ tⱼ

has duals Vⱼ, ‖Vⱼ‖ ≤ 1; at the minimum Vⱼ = Dⱼ, the slope of the loss, and tⱼ + ⟨Wⱼ, Vⱼ⟩ = 0.  Newton steps
lead towards tⱼ + ⟨Wⱼ, Vⱼ⟩ = μ, all groups inside their cones, in the scaling S of `cones`:

    (∇²ℓ + (S²)_ww⁻¹) dW = −(D − V) + (S²)_ww⁻¹ (S d)_w,      dV = (S²)_ww⁻¹ ((S d)_w − dW)

A step aims at μ = 0 first: it tells how far μ may fall, and what the linearisation neglects [Mehrotra 1992].
No group has to pass zero on the way, which is what makes steps on J itself short where neighbours take each
other's place.

A lasso goes first: on letter (4000 rows) 965 of the 1167 centres are its own.  Of the others the steepest
join at once, and more while μ is large.  When the problem on these is all but solved, centres that are not
needed leave, those that are too steep join, and μ begins anew, smaller.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse.cones import Pair, Scaling
from kernelproba.solvers.sparse.row_system import RowSystem

if TYPE_CHECKING:
    from kernelproba.solvers.sparse.working_set import WorkingState

#: Share of the way to the boundary that is taken, and of the slope that systems leave.
INSIDE, RTOL = 0.99, 1e-2
#: tⱼ − ‖Wⱼ‖ to begin with, in units of the mean norm of the groups in use, and the largest norm of a dual.
FIRST_SLACK, DUAL = 0.3, 0.9
#: Candidates that join to begin with, as a share of those in use, and their least slope.
FIRST_JOINING, STEEP = 0.3, 0.9
#: μ, in units of that norm, down to which others join on the way, and how many, as a share of those in use.
OPEN, JOINING = 5e-3, 0.05
#: Largest μ behind an exchange, in units of that norm, and as a share of what the steepest slope exceeds 1
#: by; the largest norm of the duals of centres that join, and their least slope at the first exchange.
ANEW, ANEW_SHARE, DUAL_ANEW, NEAR = 1e-2, 0.1, 0.95, 0.97
#: Residual of the problem on the centres in use at which the others are looked at, and at which rounds of the
#: working set see to the rest, if the last step was not a long one.
SETTLED, END, LONG = 0.1, 0.01, 0.7
#: Share of idle centres from which on they leave.
CROWDED = 0.2
#: Length of a step that leads nowhere, before the first exchange and behind it, and how many of them in a row
#: are too many.
STUCK, SHORT, SHORT_STEPS = 1e-4, 0.05, 2
#: Curvature of a term up to which systems leave it out, to begin with; its least and largest change, and the
#: power of the ratio of times by which it changes: factors are to take as long as products.
STRAIGHT, CHANGE, SLOWLY = 0.2, (0.6, 4.0), 0.25
#: Halvings of a step that the barrier calls for, at most.
HALVINGS = 12
#: Relative rounding of the barrier, and by what J may rise where idle groups are set to zero at the end.
ROUNDING, NO_WORSE = 1e-9, 1e-6


class Direction(NamedTuple):
    """A step of Θ (m + 1, k), t (m,) and V (m, k)."""

    theta: np.ndarray
    t: np.ndarray
    V: np.ndarray


class InteriorPath:
    """t and V of all candidates along the way.

    Parameters
    ----------
    state : WorkingState
        Where the path begins, and what it moves.
    """

    def __init__(self, state: "WorkingState"):
        self.state, self.steps, self.straight = state, 0, STRAIGHT
        norms = GroupLasso().dual_norm(state.W)
        self.size = float(norms[norms > 0].mean())
        self.t, self.V = np.zeros(len(state.D)), _shortened(state.D, DUAL)
        outside = state.slopes_outside()
        state.join(np.where(outside > STEEP, outside, 0.0), int(FIRST_JOINING * len(norms)))
        self.t[state.index] = GroupLasso().dual_norm(state.W) + FIRST_SLACK * self.size

    def follow(self, tol: float, max_iter: int) -> int:
        """Move until the residual is next to tol or steps lead nowhere; return the steps taken."""
        state, short = self.state, self._approach(max_iter)
        while self.steps < max_iter and short < SHORT_STEPS and len(state.index):
            length = self._step()
            short = 0 if length > SHORT else short + 1
            residual = self._residual()
            goal = tol if length > LONG else max(tol, END)
            settled = residual <= max(SETTLED, tol)
            if not settled and not self._is_crowded():
                continue
            state.accept(state.coef, state.F)
            if not settled:
                self._exchange(1.0, min(ANEW, self._mu() / self.size))
                continue
            excess = float(state.slopes_outside().max(initial=0.0)) - 1
            if excess > max(residual, END, tol):
                self._exchange(1.0, min(ANEW, ANEW_SHARE * excess))
            elif residual <= goal:
                break
        self._end()
        return self.steps

    def _is_crowded(self) -> bool:
        """Whether many centres are idle and J would not rise by more than what is open without them."""
        idle, state = self._idle(), self.state
        if idle.mean() <= CROWDED:
            return False
        without = state.restricted.value(*self._without_idle())[0]
        return bool(without - state.value() <= self._mu() * len(idle))

    def _approach(self, max_iter: int) -> int:
        """Let centres join while μ falls, then exchange them; return the steps that led nowhere at last."""
        stuck = 0
        while self.steps < max_iter and stuck < SHORT_STEPS:
            stuck = 0 if self._step() > STUCK else stuck + 1
            state, mu = self.state, self._mu()
            state.accept(state.coef, state.F)
            if mu <= OPEN * self.size:
                self._exchange(NEAR, ANEW)
                break
            outside = state.slopes_outside()
            self._join(np.where(outside > 1, outside, 0.0), int(JOINING * len(state.index)), ANEW)
        return stuck

    def _end(self) -> None:
        """Set idle groups to zero, if that is all there is to do, and bring intercepts to their minimum."""
        state, value = self.state, self.state.value()
        theta, F = self._without_idle()
        if state.restricted.value(theta, F)[0] > value + NO_WORSE * abs(value):
            theta, F = state.coef, state.F
        state.accept(theta, F, level=True)

    def _mu(self) -> float:
        """Mean of tⱼ + ⟨Wⱼ, Vⱼ⟩."""
        x, V = self._groups()
        return float((x.t + np.einsum("jk,jk->j", x.W, V)).mean())

    def _groups(self) -> tuple[Pair, np.ndarray]:
        """(t, W) and V of the centres in use."""
        index = self.state.index
        return Pair(self.t[index], self.state.W), self.V[index]

    def _slope(self) -> np.ndarray:
        """Gradient of the loss, (m + 1, k)."""
        objective = self.state.restricted
        return objective.gradient(objective.value(self.state.coef, self.state.F)[1])

    def _idle(self) -> np.ndarray:
        """Which of the centres in use are on their way to zero, (m,): t falls while 1 − ‖V‖ does not."""
        x, V = self._groups()
        return x.t < self.size * Pair(np.ones(len(V)), V).det()

    def _without_idle(self) -> tuple[np.ndarray, np.ndarray]:
        """Θ with the idle ones at zero, and the scores there."""
        theta = self.state.coef.copy()
        theta[: len(self.state.index)][self._idle()] = 0.0
        return theta, self.state.restricted.scores(theta)

    def _residual(self) -> float:
        """That of the problem on the centres in use, were the idle ones at zero and the intercepts right."""
        objective, penalty, m = self.state.restricted, GroupLasso(), len(self.state.index)
        theta, F = self._without_idle()
        slope = objective.gradient(objective.value(theta, F)[1])
        return float(penalty.dual_norm(penalty.subgradient(theta[:m], slope[:m])).max())

    def _step(self) -> float:
        """Take one step; return its length."""
        state, m = self.state, len(self.state.index)
        self.steps += 1
        x, V = self._groups()
        scaling, objective = Scaling(x, V), state.restricted
        system = RowSystem(objective, objective.smooth.loss.curvature(state.F), scaling, self.straight)
        if not system.definite:
            return 0.0
        dual, fixed = Pair(np.ones(m), V), np.zeros(m)
        uphill = self._slope()
        uphill[:m] -= V
        # Towards μ = 0: S⁻¹dx + S dz = −λ.
        point = scaling.point
        goal = Pair(-point.t, -point.W)
        rhs = _pull(uphill, scaling, goal)
        solved = system.solve(rhs, RTOL)
        affine = _direction(scaling, goal, solved, m)
        length = min(1.0, x.reach(Pair(affine.t, affine.theta[:m])), dual.reach(Pair(fixed, affine.V)))
        mu = self._mu() * (1 - length) ** 3
        # And to μ, with what the linearisation neglects: λ ∘ d = μ e − λ ∘ λ − (S⁻¹dx) ∘ (S dz).
        square = point.times(point)
        moved = scaling.solve(Pair(affine.t, affine.theta[:m]))
        neglected = moved.times(scaling.apply(Pair(fixed, affine.V)))
        goal = point.solve(Pair(mu - square.t - neglected.t, -square.W - neglected.W))
        other = _pull(uphill, scaling, goal) - rhs
        rest = min(1.0, RTOL * system.size(rhs) / max(system.size(other), np.finfo(float).tiny))
        step = _direction(scaling, goal, solved + system.solve(other, rest), m)
        self.straight *= float(np.clip(system.balance() ** SLOWLY, *CHANGE))
        length = min(x.reach(Pair(step.t, step.theta[:m])), dual.reach(Pair(fixed, step.V)))
        return self._search(step, min(1.0, INSIDE * length), mu)

    def _search(self, step: Direction, length: float, mu: float) -> float:
        """Halve the step until Σ ω ℓ + Σ t − ½ μ Σ log det(t, W) falls; move; return the length."""
        state, objective = self.state, self.state.restricted
        x, _ = self._groups()
        m, moved = len(x.t), objective.scores(step.theta)

        def barrier(length: float) -> float:
            there = x.plus(Pair(step.t, step.theta[:m]), length)
            loss = objective.smooth.loss.value_and_gradient(
                state.F + length * moved, objective.smooth.y, objective.smooth.weights
            )[0]
            inside = np.maximum(there.det(), np.finfo(float).tiny)
            return loss + float(there.t.sum()) - 0.5 * mu * float(np.log(inside).sum())

        highest = barrier(0.0)
        highest += ROUNDING * abs(highest)
        for _ in range(HALVINGS):
            if barrier(length) <= highest:
                break
            length /= 2
        state.coef, state.F = state.coef + length * step.theta, state.F + length * moved
        self.t[state.index] += length * step.t
        self.V[state.index] += length * step.V
        return length

    def _join(self, values: np.ndarray, count: int, mu: float) -> None:
        """Let those of the largest values join, on the path for this μ."""
        state = self.state
        state.join(values, count)
        fresh = state.index[~state.W.any(axis=1)]
        self.V[fresh] = _shortened(state.D[fresh], DUAL_ANEW)
        self.t[fresh] = mu * self.size / Pair(np.ones(len(fresh)), self.V[fresh]).det()

    def _exchange(self, least: float, mu: float) -> None:
        """Let idle centres leave and steeper ones join, and move all others away from the boundary."""
        state = self.state
        state.coef, state.F = self._without_idle()
        outside = GroupLasso().dual_norm(state.D)
        outside[state.index[state.W.any(axis=1)]] = 0.0
        self._join(np.where(outside > least, outside, 0.0), len(state.index), mu)
        used = state.W.any(axis=1)
        index, W = state.index[used], state.W[used]
        self.t[index] = np.hypot(GroupLasso().dual_norm(W), (2 * mu) ** 0.5 * self.size)
        self.V[index] = -W / self.t[index, None]


def _shortened(D: np.ndarray, longest: float) -> np.ndarray:
    """Rows of D, of norms of at most `longest`."""
    norms = np.maximum(GroupLasso().dual_norm(D), np.finfo(float).tiny)
    return D * np.minimum(1, longest / norms)[:, None]


def _pull(uphill: np.ndarray, scaling: Scaling, goal: Pair) -> np.ndarray:
    """−(D − V) + (S²)_ww⁻¹ (S d)_w, and minus the slope of the intercepts."""
    rhs = -uphill
    rhs[: len(goal.t)] += scaling.stiffness(scaling.apply(goal).W)
    return rhs


def _direction(scaling: Scaling, goal: Pair, theta: np.ndarray, m: int) -> Direction:
    """The step of t and V that goes with that of Θ."""
    ahead = scaling.apply(goal)
    V = scaling.stiffness(ahead.W - theta[:m])
    return Direction(theta, ahead.t - scaling.first_of_square(V), V)
