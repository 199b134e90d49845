"""Column and row generation for programmes that sum bounded margins of kernel expansions.

    max Σ_i u_i min(1, min_{k≠y_i} F_{y_i}(x_i) − F_k(x_i)) − costs
    F_j = Σ_{i∈I_j} β_i P_j κ(·, x_i) + z_j B_j

At an optimum most rows are either *met* (their minimum is 1) or *linear* (it is one known difference),
and most weights are either 0 or *full*, at a limit.  The master programme takes that for granted: linear
rows enter the objective, full weights enter one bulk function B_j per class, with coefficient z_j.  What
turns out to be wrong is added explicitly, one column per weight, one slack and one row per margin, until
nothing is wrong; then the optimum of the small programme is that of the whole.

Every added row is a *cut*  F_a(x_i) − F_b(x_i) + e_i ≥ r  with a slack e_i ≥ 0 that costs u_i:

    met row            F_y − F_k + e ≥ 1     a rival k has come closer than 1
    linear row, cap    F_k − F_y + e ≥ −1    its margin to k has passed 1
    linear row, tie    F_k − F_l + e ≥ 0     another rival l has come closer than k
"""

from dataclasses import dataclass, replace

import numpy as np

from kernelproba.basis.gram import Gram
from kernelproba.solvers.lp.highs import FREE, LinearProgramme, Optimum

#: What a row or a weight may be worth, in units of the weight of a row, and still be left out.
TOLERANCE = 1e-9
#: Weights, and rows, added at a time: that many, or this share of the rows if it is more.
BATCH, BATCH_SHARE = 100, 0.02

MET = -1


@dataclass(frozen=True)
class ActiveSet:
    """The active set: what the master programme takes for granted.

    Parameters
    ----------
    full : bool array of shape (n,)
        Weights at their limit; the others are 0.
    rival : int array of shape (n,)
        The rival k of a linear row, or MET.
    gain : array of shape (n,)
        u.
    """

    full: np.ndarray
    rival: np.ndarray
    gain: np.ndarray

    def multipliers(self, y: np.ndarray, n_classes: int) -> np.ndarray:
        """Return U (n, c) with Σ_linear u_i (F_y − F_k)(x_i) = Σ_ij U_ij F_j(x_i)."""
        U = np.zeros((len(y), n_classes))
        linear = np.flatnonzero((self.rival != MET) & (self.gain > 0))
        U[linear, y[linear]] = self.gain[linear]
        U[linear, self.rival[linear]] = -self.gain[linear]
        return U


@dataclass(frozen=True)
class Expansion:
    """The kernel expansions that a master programme works with.

    Parameters
    ----------
    gram : Gram
        Kernel matrix.
    y : int array of shape (n,)
        Class indices.
    factors : array of shape (c,)
        P.
    bulk : array of shape (n, c)
        B_j at the rows.
    slope : array of shape (n,)
        Σ_l U_lj P_j κ(x_l, x_i), j = y_i: what a unit of the weight i earns at the linear rows.
    """

    gram: Gram
    y: np.ndarray
    factors: np.ndarray
    bulk: np.ndarray
    slope: np.ndarray


@dataclass(frozen=True)
class Cuts:
    """F_plus − F_minus + slack ≥ bound at some rows; each array has shape (r,)."""

    row: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    bound: np.ndarray

    def signs(self, classes: np.ndarray) -> np.ndarray:
        """Return the coefficients (r, m) of F_j for classes j (m,)."""
        return (self.plus[:, np.newaxis] == classes) * 1.0 - (self.minus[:, np.newaxis] == classes)

    def extended(self, more: "Cuts") -> "Cuts":
        pairs = zip(vars(self).values(), vars(more).values(), strict=True)
        return Cuts(*(np.concatenate(pair) for pair in pairs))

    def unknown(self, others: "Cuts") -> "Cuts":
        """Return those of the others that are not here; what is here holds as well as HiGHS can make it."""
        known = set(zip(self.row.tolist(), self.minus.tolist(), strict=True))
        pairs = zip(others.row.tolist(), others.minus.tolist(), strict=True)
        new = np.array([pair not in known for pair in pairs], dtype=bool)
        return Cuts(*(values[new] for values in vars(others).values()))


class RestrictedMaster:
    """One master programme, solved to the optimum of the whole.

    Subclasses create the first columns and rows in `_found`, say what a unit of a weight costs in `_cost`
    and what it must earn in `_prices`, and may give the weights limits.

    Parameters
    ----------
    expansion : Expansion
        Kernel expansions that agree with `guess`.
    guess : ActiveSet
        What is taken for granted.
    method : {"primal", "dual"}
        Simplex method.

    Attributes
    ----------
    z : array of shape (c,)
        Coefficients of the bulk functions.
    change : array of shape (n,)
        What the explicit weights differ by from the guess.
    margin : array of shape (n,)
        min_k F_y − F_k.
    profit : array of shape (n,)
        What a unit of each weight earns beyond its price.
    """

    def __init__(self, expansion: Expansion, guess: ActiveSet, method: str = "primal"):
        self.expansion, self.guess, self.programme = expansion, guess, LinearProgramme(method)
        n, none = len(expansion.y), np.empty(0, dtype=int)
        self._columns, self._column_at = none, none
        self._cuts, self._cut_at = Cuts(none, none, none, np.empty(0)), none
        self._slack_at = np.full(n, -1)
        self._z_at = self._found()

    def _found(self) -> np.ndarray:
        """Create the columns of z and what else there is from the start; return the positions of z."""
        raise NotImplementedError

    def _cost(self, index: np.ndarray, sign: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return costs (m,) of weights beside their slope, and their entries in the first rows (r, m)."""
        raise NotImplementedError

    def _z_cost(self) -> np.ndarray:
        """Return the costs (c,) of z, what it earns at the linear rows taken off."""
        raise NotImplementedError

    def _limit(self, index: np.ndarray, at: np.ndarray) -> None:
        """Limit the weights at `index`, whose columns are `at`."""

    def _prices(self, optimum: Optimum) -> np.ndarray:
        """Return what a unit of each weight must earn, shape (n,)."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Number of explicit weights and cuts."""
        return len(self._columns) + len(self._cuts.row)

    def reprice(self, gain: np.ndarray, slope: np.ndarray) -> None:
        """Change u (n,) and the slopes that belong to it; the basis stays."""
        self.guess = replace(self.guess, gain=gain)
        self.expansion = replace(self.expansion, slope=slope)
        sign, slacks = self._sign(self._columns), np.flatnonzero(self._slack_at >= 0)
        cost = self._cost(self._columns, sign)[0] - sign * slope[self._columns]
        self.programme.set_cost(self._z_at, self._z_cost())
        self.programme.set_cost(self._column_at, cost)
        self.programme.set_cost(self._slack_at[slacks], gain[slacks])

    def solve(self) -> None:
        """Add what is wrong until nothing is."""
        while True:
            self._read(self.programme.solve())
            columns, cuts = self._missing_columns(), self._missing_cuts()
            if len(columns) == len(cuts.row) == 0:
                return
            if len(columns):
                self._add_columns(columns)
            if len(cuts.row):
                self._add_cuts(cuts)

    def _read(self, optimum: Optimum) -> None:
        """Translate an optimum of the master programme into weights, fields and multipliers."""
        y, P, rows = self.expansion.y, self.expansion.factors, np.arange(len(self.expansion.y))
        self.z, self.change = optimum.x[self._z_at], np.zeros(len(y))
        self.change[self._columns] = optimum.x[self._column_at] * self._sign(self._columns)
        self._F = self.expansion.bulk * self.z + self._changed_fields()
        self._slack = np.where(self._slack_at >= 0, optimum.x[self._slack_at], 0.0)
        self._moved = self._cuts.signs(np.arange(len(P))) * optimum.dual[self._cut_at][:, np.newaxis]
        self.profit = self.expansion.slope + self._moved_slopes() - self._prices(optimum)
        others = self._F.copy()
        others[rows, y] = -np.inf
        self._closest = others.argmax(axis=1)
        self.margin = self._F[rows, y] - others[rows, self._closest]

    def _changed_fields(self) -> np.ndarray:
        """Return what the explicit weights add to F (n, c); each weight adds to its own class."""
        y, P, fields = self.expansion.y, self.expansion.factors, np.zeros(self.expansion.bulk.shape)
        changed = np.flatnonzero(self.change)
        for j in np.unique(y[changed]):
            members = changed[y[changed] == j]
            fields[:, j] = P[j] * (self.change[members] @ self.expansion.gram.rows(members))
        return fields

    def _moved_slopes(self) -> np.ndarray:
        """Return what the duals of the cuts add to the slopes (n,)."""
        y, P = self.expansion.y, self.expansion.factors
        moved = np.flatnonzero(self._moved.any(axis=1))
        slopes = self.expansion.gram.rows(self._cuts.row[moved]).T @ (self._moved[moved] * P)
        return slopes[np.arange(len(y)), y]

    def multipliers(self) -> np.ndarray:
        """Return the duals U (n, c) of the margins: a cut moves weight from one difference to another."""
        U = self.guess.multipliers(self.expansion.y, len(self.expansion.factors))
        np.add.at(U, self._cuts.row, self._moved)
        return U

    def rivals(self) -> np.ndarray:
        """Return the rivals (n,) of the rows that are linear by now, MET for the others."""
        gain = self.guess.gain
        used = self.multipliers()[np.arange(len(gain)), self.expansion.y]
        # At a margin of exactly 1 the row is both: the larger part of its weight decides.
        met = np.where((gain > 0) & (np.abs(self.margin - 1) < 1e-6), 2 * used < gain, self.margin >= 1)
        return np.where(met, MET, self._closest)

    def _sign(self, index: np.ndarray) -> np.ndarray:
        """A full weight is lowered from its limit, another is raised from 0."""
        return np.where(self.guess.full[index], -1.0, 1.0)

    def _missing_columns(self) -> np.ndarray:
        worth = self.profit * self._sign(np.arange(len(self.profit)))
        worth[self._columns] = 0.0
        return _largest(worth)

    def _missing_cuts(self) -> Cuts:
        """Cuts for the rows whose claimed contribution exceeds the true one."""
        y, rival, rows = self.expansion.y, self.guess.rival, np.arange(len(self.expansion.y))
        met = rival == MET
        claimed = np.where(met, 1.0, self._F[rows, y] - self._F[rows, rival]) - self._slack
        index = _largest((claimed - np.minimum(1.0, self.margin)) * self.guess.gain)
        capped = ~met & (self.margin >= 1)
        plus, minus = np.where(met, y, rival), np.where(capped, y, self._closest)
        bound = np.where(met, 1.0, np.where(capped, -1.0, 0.0))
        return self._cuts.unknown(Cuts(index, plus[index], minus[index], bound[index]))

    def _add_columns(self, index: np.ndarray) -> None:
        y, P = self.expansion.y, self.expansion.factors
        sign, K = self._sign(index), self.expansion.gram.rows(index)
        cost, first = self._cost(index, sign)
        matrix = np.zeros((self.programme.shape[0], len(index)))
        matrix[: len(first)] = first
        entries = self._cuts.signs(y[index]) * (P[y[index]] * sign)
        matrix[self._cut_at] = entries * K[:, self._cuts.row].T
        at = self.programme.add_columns(cost - sign * self.expansion.slope[index], 0.0, FREE, matrix)
        self._columns, self._column_at = np.append(self._columns, index), np.append(self._column_at, at)
        self._limit(index, at)

    def _add_cuts(self, cuts: Cuts) -> None:
        y, P, m = self.expansion.y, self.expansion.factors, len(cuts.row)
        fresh = np.unique(cuts.row[self._slack_at[cuts.row] < 0])
        self._slack_at[fresh] = self.programme.add_columns(self.guess.gain[fresh], 0.0, FREE)
        K, own = self.expansion.gram.rows(cuts.row), y[self._columns]
        matrix = np.zeros((m, self.programme.shape[1]))
        matrix[:, self._z_at] = cuts.signs(np.arange(len(P))) * self.expansion.bulk[cuts.row]
        matrix[:, self._column_at] = (
            cuts.signs(own) * K[:, self._columns] * (P[own] * self._sign(self._columns))
        )
        matrix[np.arange(m), self._slack_at[cuts.row]] = 1.0
        self._cut_at = np.append(self._cut_at, self.programme.add_rows(cuts.bound, FREE, matrix))
        self._cuts = self._cuts.extended(cuts)


def _largest(worth: np.ndarray) -> np.ndarray:
    """Positions of the largest entries above TOLERANCE, a batch of them."""
    index = np.flatnonzero(worth > TOLERANCE)
    batch = max(BATCH, int(BATCH_SHARE * len(worth)))
    return index[np.argsort(-worth[index], kind="stable")[:batch]]
