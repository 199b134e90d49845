"""Sequential maximisation of the evidence (Tipping & Faul 2003): the relevance vector machine's solver.

With the posterior of the features in the model, every feature φ has a sparsity S = φᵀBφ − φᵀBΦΣΦᵀBφ and a
quality Q = φᵀ(t − π).  For a feature in the model its own part is taken out: s = aS/(a − S), q = aQ/(a − S).
With B fixed the evidence is largest at a = s²/(q² − s) if q² > s and at a = ∞ otherwise, so features join,
change their a, or leave, by the gain that this promises.  B is not fixed, hence an action counts only if
the evidence itself has risen.  Once no action helps, all a are moved together along the exact gradient.
"""

from dataclasses import dataclass, replace

import numpy as np

from kernelproba.number_range import SMALLEST
from kernelproba.solvers.evidence.bfgs import bfgs
from kernelproba.solvers.evidence.laplace import Posterior, laplace

#: Actions tried, in the order of their promised gain, before none is believed to help.
TRIALS = 3
#: Usual curvature of the evidence in log a.
CURVATURE = 0.25
#: Features between 1 over this and this are taken as they are.
USUAL = 1e30


@dataclass(frozen=True)
class EvidenceSolution:
    """Features in the model, their prior precisions, the posterior, iterations and whether it converged."""

    active: np.ndarray
    precision: np.ndarray
    posterior: Posterior
    n_iter: int
    converged: bool

    def sorted(self) -> "EvidenceSolution":
        """Return the same with features in ascending order."""
        order = np.argsort(self.active)
        covariance = self.posterior.covariance[np.ix_(order, order)]
        posterior = replace(self.posterior, mean=self.posterior.mean[order], covariance=covariance)
        return replace(self, active=self.active[order], precision=self.precision[order], posterior=posterior)

    def in_units(self, units: np.ndarray) -> "EvidenceSolution":
        """Return the solution for features units[j] times as large: w/u, Σ/uuᵀ and a u²."""
        unit = units[self.active]
        mean, covariance = self.posterior.mean / unit, self.posterior.covariance / unit / unit[:, None]
        posterior = replace(self.posterior, mean=mean, covariance=covariance)
        return replace(self, precision=self.precision * unit * unit, posterior=posterior)

    def renumbered(self, names: np.ndarray) -> "EvidenceSolution":
        """Return the same with feature j called names[j]."""
        return replace(self, active=names[self.active])

    def found_in(self, pool: np.ndarray) -> "EvidenceSolution":
        """Return the same with features called by their positions in `pool`, which is sorted."""
        return replace(self, active=np.searchsorted(pool, self.active))


def maximise_evidence(
    Phi: np.ndarray, sign: np.ndarray, weight: np.ndarray, *, tol: float, max_iter: int
) -> EvidenceSolution:
    """Maximise the evidence over a; stop once no feature and no joint change raises it by more than tol.

    Parameters
    ----------
    Phi : array of shape (n, p)
        Candidate features.
    sign, weight : arrays of shape (n,)
        ±1 for the two classes, and row weights.
    tol : float
        Smallest rise of the log-evidence that counts.
    max_iter : int
        Most actions.
    """
    return continued(None, Phi, sign, weight, tol=tol, max_iter=max_iter)


def continued(
    start: EvidenceSolution | None,
    Phi: np.ndarray,
    sign: np.ndarray,
    weight: np.ndarray,
    *,
    tol: float,
    max_iter: int,
) -> EvidenceSolution:
    """Maximise the evidence from a solution on these features, or from none."""
    units = _units(Phi)
    search = _Search(Phi / units, sign, weight)
    if start is not None:
        search.restart(start.in_units(1 / units))
    return _climb(search, tol, max_iter).in_units(units)


def _units(Phi: np.ndarray) -> np.ndarray:
    """Divisors (p,) of the features: 1, save for those whose fourth powers are near the ends of numbers.

    Features so small that the variance of their weights would be no number are left as they are, which is 0
    to all that is computed from their squares.
    """
    largest = np.abs(Phi).max(axis=0, initial=0.0)
    return np.where((largest > USUAL) | (largest < 1 / USUAL) & (largest >= SMALLEST), largest, 1.0)


def _climb(search: "_Search", tol: float, max_iter: int) -> EvidenceSolution:
    """Act and polish in turn until neither helps."""
    for n_iter in range(1, max_iter + 1):
        before = search.posterior.evidence
        if search.act(tol):
            continue
        search.polish(tol)
        if search.posterior.evidence <= before + tol:
            return EvidenceSolution(search.active, search.precision, search.posterior, n_iter, True)
    return EvidenceSolution(search.active, search.precision, search.posterior, max_iter, False)


class _Search:
    """The model at hand and the ways to improve it."""

    def __init__(self, Phi: np.ndarray, sign: np.ndarray, weight: np.ndarray):
        self.Phi, self.sign, self.weight = Phi, sign, weight
        self.squares = Phi**2
        # The feature most parallel to the labels, with B = s/4, is the first.
        S, Q = 0.25 * weight @ self.squares, Phi.T @ (0.5 * weight * sign)
        first = int(np.argmax(Q**2 / np.maximum(S, np.finfo(float).tiny)))
        # Where all features vanish, any precision will do.
        start = S[first] ** 2 / max(Q[first] ** 2 - S[first], 0.1 * S[first]) if S[first] > 0 else 1.0
        self._set(np.array([first]), np.array([start]), np.zeros(1))

    def _set(self, active: np.ndarray, precision: np.ndarray, mean: np.ndarray) -> None:
        self.active, self.precision = active, precision
        self.posterior = self._posterior(active, precision, mean)

    def _posterior(self, active, precision, mean) -> Posterior:
        return laplace(self.Phi[:, active], self.sign, self.weight, precision, mean)

    def act(self, tol: float) -> bool:
        """Take the most promising action that raises the evidence; return whether there was one."""
        target, gain = self._targets()
        if self._re_estimate(target, gain, tol):
            return True
        for j in np.argsort(-gain)[:TRIALS]:
            if gain[j] <= tol:
                return False
            if self._change(int(j), target[j], tol):
                return True
        return False

    def restart(self, solution: EvidenceSolution) -> None:
        """Take over the features and precisions of a solution."""
        self._set(solution.active, solution.precision, solution.posterior.mean)

    def _targets(self) -> tuple[np.ndarray, np.ndarray]:
        """For every feature the best a (∞ to leave or stay out) and the gain it promises, (p,)."""
        a = np.full(self.Phi.shape[1], np.inf)
        a[self.active] = self.precision
        return promises(self.Phi, a, self.Phi[:, self.active], self.posterior, self.squares)

    def _re_estimate(self, target: np.ndarray, gain: np.ndarray, tol: float) -> bool:
        """Move the a of all features that stay at once, if they promise more than any other action."""
        stay = np.isfinite(target[self.active])
        promised = gain[self.active][stay].sum()
        others = np.delete(gain, self.active[stay])
        if promised <= tol or promised < others.max(initial=0.0):
            return False
        precision = np.where(stay, target[self.active], self.precision)
        return self._adopt(self.active, precision, self.posterior.mean, tol)

    def _change(self, j: int, target: float, tol: float) -> bool:
        """Add feature j, change its a, or remove it."""
        at = self.active == j
        mean = self.posterior.mean
        if not at.any():
            active, mean = np.append(self.active, j), np.append(mean, 0.0)
            return self._adopt(active, np.append(self.precision, target), mean, tol)
        if np.isfinite(target):
            return self._adopt(self.active, np.where(at, target, self.precision), mean, tol)
        if len(self.active) == 1:
            return False
        # Where the others settle when w_j is held at zero, as far as the posterior is Gaussian.
        Sigma = self.posterior.covariance
        settled = mean[~at] - Sigma[~at][:, at][:, 0] * (mean[at] / Sigma[at][:, at][0])
        return self._adopt(self.active[~at], self.precision[~at], settled, tol)

    def _adopt(self, active: np.ndarray, precision: np.ndarray, mean: np.ndarray, tol: float) -> bool:
        try:
            posterior = self._posterior(active, precision, mean)
        except np.linalg.LinAlgError:
            return False
        if not posterior.evidence > self.posterior.evidence + 0.1 * tol:
            return False
        self.active, self.precision, self.posterior = active, precision, posterior
        return True

    def polish(self, tol: float) -> None:
        """Climb the evidence in log a of the features in the model, by its exact gradient."""
        Phi, latest = self.Phi[:, self.active], self.posterior

        def descend(log_a: np.ndarray) -> tuple[float, np.ndarray]:
            nonlocal latest
            precision = np.exp(log_a)
            latest = laplace(Phi, self.sign, self.weight, precision, latest.mean)
            return -latest.evidence, -latest.gradient(Phi, precision)

        # Steps that gain less than a tenth of what counts are not worth their while.
        start, gtol = np.log(self.precision), 0.1 * np.sqrt(tol)
        log_a = bfgs(descend, start, ftol=0.1 * tol, gtol=gtol, curvature=CURVATURE)
        self._adopt(self.active, np.exp(log_a), latest.mean, 0.0)


def promises(
    Phi: np.ndarray, a: np.ndarray, Phi_a: np.ndarray, posterior: Posterior, squares: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return for features Φ (n, p) the best a (∞ to leave or stay out) and the gain that promises, (p,) each.

    Parameters
    ----------
    Phi : array of shape (n, p)
        Features in question.
    a : array of shape (p,)
        Their present a, ∞ for those that are not in the model.
    Phi_a : array of shape (n, m)
        Features in the model.
    posterior : Posterior
        Of their weights.
    squares : array of shape (n, p), optional
        Φ², if it is at hand.
    """
    cross = Phi.T @ (posterior.curvature[:, None] * Phi_a)
    S = posterior.curvature @ (Phi**2 if squares is None else squares)
    S -= np.einsum("ij,ij->i", cross @ posterior.covariance, cross)
    S, Q = np.maximum(S, np.finfo(float).tiny), Phi.T @ posterior.gap
    within, share = np.isfinite(a), np.ones(len(S))
    share[within] = a[within] / np.maximum(a[within] - S[within], 1e-12 * a[within])
    s, q = share * S, share * Q
    wanted = q**2 > s
    target = np.full(len(S), np.inf)
    target[wanted] = s[wanted] ** 2 / (q[wanted] ** 2 - s[wanted])
    return target, _log_share(target, s, q) - _log_share(a, s, q)


def _log_share(a: np.ndarray, s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What a feature adds to the evidence: ½ (log a − log(a + s) + q²/(a + s)), 0 at a = ∞."""
    with np.errstate(invalid="ignore"):
        share = 0.5 * (-np.log1p(s / a) + q**2 / (a + s))
    return np.where(np.isfinite(a), share, 0.0)
