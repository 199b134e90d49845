"""Pairwise coupling as nodes: from log-odds of pairs of classes to one log-posterior.

ONNX solves no linear systems, but those of both methods are symmetric and positive definite, and elimination
needs no pivots.
"""

from __future__ import annotations

import numpy as np

from kernelproba.coupling.hastie_tibshirani import CLIP, LARGEST_EXPONENT, MAX_ITER
from kernelproba.coupling.pairs import check_pair_weights, class_pairs
from kernelproba.onnx.graph import BOOL, DOUBLE, INT64, Tensor
from kernelproba.onnx.probabilities import expit, finite_log, log_softmax, two_columns

#: Residual of the score equations that Hastie and Tibshirani's coupling leaves.
TOL = 1e-10


def coupled_posterior(F: Tensor, n_classes: int, method: str, pair_weights: np.ndarray | None) -> Tensor:
    """Return log-probabilities (n, c) from the log-odds F (n, pairs) of first against second classes."""
    if n_classes == 2:
        return two_columns(-F)
    R, weights = _square(F, n_classes), check_pair_weights(pair_weights, n_classes)
    if method == "hastie-tibshirani":
        return _hastie_tibshirani(R, weights)
    return _wu_lin_weng(R, weights)


def _square(F: Tensor, c: int) -> Tensor:
    """Return r_ij, (n, c, c), with ½ on the diagonal."""
    graph, pairs = F.graph, class_pairs(c)
    place = np.full((c, c), 2 * len(pairs))
    place[tuple(pairs.T)] = np.arange(len(pairs))
    place[tuple(pairs.T[::-1])] = np.arange(len(pairs)) + len(pairs)
    parts = graph.concat([expit(F), expit(-F), graph.filled(F, np.full(1, 0.5))])
    return parts.columns(place.ravel()).reshape(-1, c, c)


def _wu_lin_weng(R: Tensor, weights: np.ndarray) -> Tensor:
    """Solve (Q + 11ᵀ) p ∝ 1, with Q_ij = −n_ij r_ij r_ji and Q_ii = Σ_s n_si r_si²."""
    c, weighted = len(weights), R * weights
    losses = (weighted * R).sum(axis=1).reshape(-1, c, 1)
    system = 1.0 - weighted * R.transpose(0, 2, 1) + losses * np.eye(c)
    P = _solved(system, R.graph.filled(R, np.ones(c)).reshape(-1, c, 1), c).at_least(0.0)
    return finite_log(P / P.sum())


def _solved(A: Tensor, b: Tensor, c: int) -> Tensor:
    """Return A⁻¹b, (n, c), for positive definite matrices (n, c, c) and vectors (n, c, 1): Gauss–Jordan."""
    M = A.graph.concat([A, b], axis=2)
    for k in range(c):
        row = M.columns([k], axis=1)
        row = row / row.columns([k], axis=2)
        # Row k becomes itself over its pivot, all others lose their entry in column k.
        M = M - (M.columns([k], axis=2) - np.eye(c)[:, [k]]) * row
    return M.columns([c], axis=2).reshape(-1, c)


def _hastie_tibshirani(R: Tensor, weights: np.ndarray) -> Tensor:
    """Solve Σ_j n_ij μ_ij = Σ_j n_ij r_ij by damped Newton steps, as `kernelproba.coupling` does."""
    graph, c = R.graph, len(weights)
    R = R.clip(CLIP, 1.0 - CLIP)
    wins = (R * weights).sum(axis=2).reshape(-1, c)
    theta = graph("Log", R / (1.0 - R)).mean(axis=2).reshape(-1, c)
    body = graph.body()
    step, going, inner_theta, inner_wins = (
        Tensor(body, body.unique_name(name)) for name in ("step", "going", "theta", "wins")
    )
    moved, residual = _newton_step(inner_theta, inner_wins, weights)
    unsolved = body("Abs", residual).reshape(1, -1).max().reshape().exceeds(TOL)
    same = body("Identity", inner_wins)
    proto = body.proto(
        [(step, INT64, 0), (going, BOOL, 0), (inner_theta, DOUBLE, 2), (inner_wins, DOUBLE, 2)],
        [(unsolved, BOOL, 0), (moved, DOUBLE, 2), (same, DOUBLE, 2)],
    )
    found, rest = (Tensor(graph, graph.unique_name(name)) for name in ("theta", "wins"))
    most, start = graph.constant(np.array(MAX_ITER)), graph.constant(np.array(True))
    inputs = [each.name for each in (most, start, theta, wins)]
    graph.write("Loop", inputs, [found.name, rest.name], attributes={"body": proto})
    return log_softmax(found)


def _newton_step(theta: Tensor, wins: Tensor, weights: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return θ after a step, and the residual there."""
    graph, c = theta.graph, len(weights)
    mu, residual = _score(theta, wins, weights)
    edges = mu * mu.transpose(0, 2, 1) * weights
    degrees = edges.sum(axis=2)  # (n, c, 1)
    system = degrees.mean(axis=1) / float(c) - edges + degrees * np.eye(c)
    step = _solved(system, residual.reshape(-1, c, 1), c)
    moved = theta - step
    _, after = _score(moved, wins, weights)
    length = step.max() + (-step).max()
    # The full step where it is safe, else ln(1 + d)/d of it, which always descends.
    unsafe = graph("And", length.exceeds(1.0), (after * step).sum().is_below(0.0))
    fraction = graph("Log", length + 1.0) / length.at_least(1.0)
    chosen = graph.where(unsafe, theta - step * fraction, moved)
    return chosen, _score(chosen, wins, weights)[1]


def _score(theta: Tensor, wins: Tensor, weights: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return μ_ij = 1/(1 + exp(θ_j − θ_i)), (n, c, c), and Σ_j n_ij μ_ij − wins, (n, c)."""
    graph, c = theta.graph, len(weights)
    gaps = (theta.reshape(-1, 1, c) - theta.reshape(-1, c, 1)).at_most(LARGEST_EXPONENT)
    mu = graph.tensor(1.0) / (graph("Exp", gaps) + 1.0)
    return mu, (mu * weights).sum(axis=2).reshape(-1, c) - wins
