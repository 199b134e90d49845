"""Group lassos of many entries: the kink sharpens from step to step while centres join and leave.

The lasso comes near the group lasso in a fraction of its time: on letter (4000 rows) 965 of the 1167 centres
are its own.  From there single Newton steps on the smoothed penalty (`group_smoothing`) lead to ever smaller
μ.  Behind each step centres

*leave* that are next to zero and not steep, where J without them is no higher than J_μ with them;
*join* that are the steepest, once slopes mean anything: behind a short step those of thousands are above 1.

So no problem is solved to its end but the last one.
"""

from typing import TYPE_CHECKING

import numpy as np

from kernelproba.solvers.sparse.group_smoothing import SmoothedGroups, sharpened, smoothed_step
from kernelproba.solvers.sparse.proximal_newton import Point
from kernelproba.solvers.sparse.stall import Stall

if TYPE_CHECKING:
    from kernelproba.solvers.sparse.working_set import WorkingState

#: Last μ in units of the mean norm of the groups in use, and its fall from step to step.
LAST, FALL = 1e-7, 0.3
#: Power of that factor behind each fall: one behind a step too short is its root.
FASTER = 1.25
#: Share of a Newton step from which on μ falls, and below which it rises again.
LONG, SHORT = 0.5, 0.02
#: Slopes outside up to which centres join.
CALM = 2.0
#: Slopes outside up to which μ falls below this many mean norms: where kinks are as sharp steps are short,
#: and centres that join take many.
STEEP, KINKS = 1.2, 6e-3
#: Centres that join at once, as a share of those there are, at least and at most; and in use at most.
JOINING, LEAST_JOINING, MOST_JOINING, MOST = 0.35, 32, 700, 3200
#: Entries up to which systems are factorised: conjugate gradients take few products before μ is small.
DENSE_SIZE = 1000
#: Share of the centres that may leave without a step of their own.
SETTLED = 0.05
#: Steps in which centres join whatever the slopes.
BEGINNING = 5
#: μ in units of that norm from which on J itself may have converged.
SHARP = 5e-4
#: Steps in a row without progress after which there will be none.
STALLED_STEPS = 20


class GroupPath:
    """μ and the duals along the way.

    Parameters
    ----------
    state : WorkingState
        Where the path begins, and what it moves.
    first : float
        μ to begin with, in units of the mean norm of the groups in use.
    """

    def __init__(self, state: "WorkingState", first: float):
        self.state, self.steps, self.fall, self.unsettled = state, 0, FALL, False
        norms = state.objective.penalty.dual_norm(state.W)
        self.size = float(norms[norms > 0].mean())
        self.mu = first * self.size
        self.duals = np.zeros((len(state.objective.columns), state.objective.n_scores))
        self.duals[state.index] = SmoothedGroups.at(state.W, self.mu).U

    def follow(self, tol: float, max_iter: int) -> int:
        """Move until the residual is ≤ tol, μ at its least or J at a halt; return the steps taken."""
        state, stall = self.state, Stall(STALLED_STEPS)
        while self.steps < max_iter and self.mu > LAST * self.size and state.residual > tol:
            groups = SmoothedGroups(self.mu, self.duals[state.index])
            point, groups, t = smoothed_step(state.point(), groups, DENSE_SIZE)
            self.steps += 1
            self.duals[state.index] = groups.U
            self._exchange(point, groups, t)
            if stall.seen(state.value(), state.residual):
                break
        state.accept(state.coef, state.F, level=True)
        return self.steps

    def _exchange(self, point: Point, groups: SmoothedGroups, t: float) -> None:
        """Let centres leave and join behind a step of length t, and choose the next μ."""
        state, W = self.state, point.theta[: point.m]
        highest = point.value - state.objective.penalty.value(W) + float(groups.sizes(W).sum())
        sharp = sharpened(point, self.mu, highest)
        state.accept(point.theta, point.scores)
        outside = state.slopes_outside()
        if self.mu <= SHARP * self.size:
            state.accept(sharp.theta, sharp.scores, level=True)
        else:
            state.coef, state.F = sharp.theta, sharp.scores
        steepest, m = outside.max(initial=0.0), len(W)
        calm = t >= LONG and not self.unsettled and (steepest < CALM or self.steps <= BEGINNING)
        # The others have to make up for many groups that leave before slopes mean anything again.
        left = m - int(state.W.any(axis=1).sum())
        self.unsettled = left > SETTLED * m
        batch = min(max(LEAST_JOINING, int(JOINING * m)), MOST_JOINING)
        state.exchange(outside, min(batch, max(MOST - m + left, 0)) if calm else 0)
        if t < SHORT:
            self.mu, self.fall = self.mu / self.fall, self.fall**0.5
        elif t > LONG and not self.unsettled and (steepest < STEEP or self.mu > KINKS * self.size):
            self.mu, self.fall = self.mu * self.fall, max(FALL, self.fall**FASTER)
