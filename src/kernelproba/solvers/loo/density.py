"""Widths and weights of kernel density estimates, chosen by leaving rows out.

The density of class j at a row of its own is estimated without that row, and without rows identical to
it: otherwise duplicates would make a width of 0 the most likely one.  With D the distances, w the weights,

    q_j(x_i; ℓ) = Σ_{l∈I_j, D_il>0} w_l k_ℓ(D_il) / (V_ℓ Σ_{l∈I_j, D_il>0} w_l)

where V_ℓ = ∫k_ℓ, and nothing is left out for rows of other classes.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax
from sklearn.base import clone

from kernelproba.kernels.logarithm import log_of_distance, log_sum_exp, log_volume
from kernelproba.kernels.stationary import Laplacian, Stationary
from kernelproba.number_range import log_probabilities

#: Widths that are tried.
N_WIDTHS = 30


@dataclass(frozen=True)
class WidthTable:
    """Log densities of rows left out, at every width tried.

    Parameters
    ----------
    widths : array of shape (g,)
        ℓ, increasing.
    log_densities : array of shape (g, n, c)
        log q_j(x_i; ℓ); NaN where a class has nothing left.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    priors : array of shape (c,)
        P.
    """

    widths: np.ndarray
    log_densities: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    priors: np.ndarray

    def likelihoods(self) -> np.ndarray:
        """Return the mean log density (g, c) of the rows of each class in their own class."""
        n, c = self.log_densities.shape[1:]
        own = self.log_densities[:, np.arange(n), self.y]
        known = np.isfinite(own).any(axis=0)
        share = np.where((self.y[:, np.newaxis] == np.arange(c)) & known[:, np.newaxis], 1.0, 0.0)
        share *= self.weight[:, np.newaxis]
        own = np.where(known, np.maximum(own, np.finfo(float).min), 0.0)
        return own @ (share / np.maximum(share.sum(axis=0), np.finfo(float).tiny))

    def loss(self, chosen: np.ndarray) -> tuple[float, float]:
        """Return weighted error and log loss of Bayes' rule with the widths number chosen (c,)."""
        n, c = self.log_densities.shape[1:]
        scores = self.log_densities[chosen, :, np.arange(c)].T + log_probabilities(self.priors)
        known = np.isfinite(scores[np.arange(n), self.y])
        log_P = log_softmax(scores[known], axis=1)
        y, w = self.y[known], self.weight[known]
        if len(y) == 0:
            return 0.0, 0.0
        wrong = np.average(log_P.argmax(axis=1) != y, weights=w)
        return float(wrong), float(-np.average(log_P[np.arange(len(y)), y], weights=w))

    def losses_of_class(self, chosen: np.ndarray, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Return `loss` with each width (g,) in the place of that chosen for class j, the others as they are.

        What the other classes say is summed once: log Σ_k e^{s_k} = log(e^{s_j} + Σ_{k≠j} e^{s_k}).
        """
        n, c = self.log_densities.shape[1:]
        shift = log_probabilities(self.priors)
        scores = self.log_densities[chosen, :, np.arange(c)].T + shift
        mine, trial = self.y == j, self.log_densities[:, :, j] + shift[j]
        own = np.where(mine, trial, scores[np.arange(n), self.y])
        scores[:, j] = -np.inf
        rest, likeliest = log_sum_exp(np.nan_to_num(scores, nan=-np.inf)), scores.argmax(axis=1)
        share = np.where(np.isfinite(own), self.weight, 0.0)
        share /= np.maximum(share.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        log_P = np.where(share > 0, own - np.logaddexp(rest, np.nan_to_num(trial, nan=-np.inf)), 0.0)
        # Of equal scores the class that comes first is predicted.
        top = scores[np.arange(n), likeliest]
        wins = (trial > top) | ((trial == top) & (j < likeliest))
        wrong = np.where(mine, ~wins, wins | (likeliest != self.y))
        return (share * wrong).sum(axis=1), -(share * log_P).sum(axis=1)


def tabulate_widths(
    kernel: Stationary, X, y: np.ndarray, weight: np.ndarray, priors: np.ndarray
) -> WidthTable:
    """Compute the densities of all rows at widths from half the distance to the nearest row upwards.

    Parameters
    ----------
    kernel : Stationary
        Kernel, whatever its width.
    X : array of shape (n, d)
        Rows.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    priors : array of shape (c,)
        P.
    """
    D = clone(kernel).set_params(length_scale=1.0).distances(X, X).astype(np.float64, copy=False)
    widths = _widths(kernel, D, weight)
    log_densities = np.full((len(widths), len(y), len(priors)), np.nan)
    for j in range(len(priors)):
        members = np.flatnonzero(y == j)
        left_out = (y == j)[:, np.newaxis] & (D[:, members] == 0)
        share = np.where(left_out, 0.0, weight[members])
        some = share.any(axis=1)
        with np.errstate(divide="ignore"):
            log_share = np.log(share[some]) - np.log(share[some].sum(axis=1, keepdims=True))
        distances = D[np.ix_(some, members)]
        for g, width in enumerate(widths):
            sized = clone(kernel).set_params(length_scale=width)
            exponents = log_of_distance(sized, distances)
            exponents += log_share
            log_densities[g, some, j] = log_sum_exp(exponents) - log_volume(sized, X.shape[1])
    return WidthTable(widths, log_densities, y, weight, priors)


def _widths(kernel: Stationary, D: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """From half the typical distance to the nearest row to the typical distance of any two.

    Rows count by their weights and identical rows not at all, so that a weight of two is a row seen twice.
    """
    lengths = D if isinstance(kernel, Laplacian) else np.sqrt(D)
    nearest = np.where(lengths > 0, lengths, np.inf).min(axis=1)
    known = np.isfinite(nearest)
    if not known.any():
        return np.ones(1)
    low = 0.5 * np.average(nearest[known], weights=weight[known])
    high = weight @ lengths @ weight / (weight @ (lengths > 0) @ weight)
    return np.geomspace(low, max(high, 2 * low), N_WIDTHS)


def choose_widths(table: WidthTable, criterion: str, *, per_class: bool) -> np.ndarray:
    """Return the best width of each class, shape (c,).

    Parameters
    ----------
    table : WidthTable
        What is known of the widths.
    criterion : {"likelihood", "log_loss", "error"}
        The likelihood of the rows in their classes, or the log loss or error of Bayes' rule; equal errors
        are told apart by the log loss.
    per_class : bool
        Whether each class has a width of its own: the most likely one, or a coordinate-wise minimum of
        the loss.
    """
    c = len(table.priors)
    if criterion == "likelihood":
        values = table.likelihoods()
        pooled = int(np.argmax(values @ np.bincount(table.y, weights=table.weight, minlength=c)))
        known = np.ptp(values, axis=0) > 0  # a class of one row has no opinion
        return table.widths[np.where(known & per_class, values.argmax(axis=0), pooled)]

    def rank(chosen):
        error, log_loss = table.loss(np.asarray(chosen))
        return (error, log_loss) if criterion == "error" else (log_loss,)

    numbers = range(len(table.widths))
    best = [min(numbers, key=lambda g: rank([g] * c))] * c
    while per_class:
        before = rank(best)
        for j in range(c):
            error, log_loss = table.losses_of_class(np.asarray(best), j)
            ranks = list(zip(error, log_loss, strict=True)) if criterion == "error" else log_loss.tolist()
            best[j] = min([best[j], *numbers], key=ranks.__getitem__)
        if rank(best) >= before:
            break
    return table.widths[np.asarray(best)]


def likelihood_weights(exponents: np.ndarray, weight: np.ndarray, *, tol: float, max_iter: int) -> np.ndarray:
    """Return the mixing weights β (m,), Σβ = 1, that make the rows left out most likely.

    Maximises the concave Σ_l w_l log Σ_i β_i k_li by expectation–maximisation, β_i ← β_i g_i with the
    gradient g_i = Σ_l (w_l/W) k_li / Σ_r β_r k_lr.  Since βᵀg = 1, the mean log likelihood is within
    max g − 1 of its maximum: stops once that is ≤ tol.

    Parameters
    ----------
    exponents : array of shape (m, m)
        log k_li, −inf where row l is left out of its own density.
    weight : array of shape (m,)
        w, and the start.
    tol : float
        Error allowed in the mean log likelihood.
    max_iter : int
        Most iterations.
    """
    alone = ~np.isfinite(exponents).any(axis=1)
    if alone.all():
        return weight / weight.sum()
    # A factor for each row l cancels in g, so the largest kernel value of a row may be 1.
    K = np.exp(exponents[~alone] - exponents[~alone].max(axis=1, keepdims=True))
    share = weight[~alone] / weight[~alone].sum()
    beta = weight / weight.sum()
    for _ in range(max_iter):
        gradient = (share / np.maximum(K @ beta, np.finfo(float).tiny)) @ K
        if gradient.max() - 1 <= tol:
            break
        beta = beta * gradient
    return beta / beta.sum()
