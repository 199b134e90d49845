"""From scores to log-probabilities, as nodes: softmax, and the maps of `kernelproba.calibration`."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from kernelproba.calibration import Calibrated, Clipping, PowerCalibration, PriorOutside, ScoreMap, SlopeMap
from kernelproba.coupling.hastie_tibshirani import LARGEST_EXPONENT
from kernelproba.number_range import LOG_ZERO, log_probabilities
from kernelproba.onnx.graph import Tensor


def log_softmax(F: Tensor) -> Tensor:
    """Return f − log Σ exp f of scores F (n, c)."""
    return F.graph("LogSoftmax", F, axis=1)


def two_columns(f: Tensor) -> Tensor:
    """Return log (σ(−f), σ(f)) of one score (n, 1)."""
    return log_softmax(f.graph.concat([f * 0.0, f]))


def logistic_probabilities(F: Tensor, n_classes: int) -> Tensor:
    """Return log-probabilities of scores (n, 1) of two classes, or (n, c)."""
    return two_columns(F) if n_classes == 2 else log_softmax(F)


def expit(F: Tensor) -> Tensor:
    """Return σ(f)."""
    return F.graph("Sigmoid", F.clip(-LARGEST_EXPONENT, LARGEST_EXPONENT))  # runtimes overflow beyond


def log_expit(F: Tensor) -> Tensor:
    """Return log σ(f) = min(f, 0) − log(1 + exp(−|f|))."""
    graph = F.graph
    return F.at_most(0.0) - graph("Log", graph("Exp", -graph("Abs", F)) + 1.0)


def finite_log(P: Tensor) -> Tensor:
    """Return log P, −1e300 where P is 0."""
    return P.graph("Log", P).at_least(LOG_ZERO)


def log_add_exp(A: Tensor, B: Tensor) -> Tensor:
    """Return log(exp a + exp b) of finite exponents."""
    graph, highest = A.graph, A.at_least(B)
    return graph("Log", graph("Exp", A - highest) + graph("Exp", B - highest)) + highest


@singledispatch
def mapped(score_map: ScoreMap, Q: Tensor) -> Tensor:
    """Return the log-probabilities (n, c) that a map makes of scores Q (n, c)."""
    raise NotImplementedError(type(score_map))


@mapped.register
def _(score_map: SlopeMap, Q: Tensor) -> Tensor:
    return log_softmax(Q * float(score_map.slope))


@mapped.register
def _(score_map: Clipping, Q: Tensor) -> Tensor:
    return finite_log(_clipped(score_map, Q))


@mapped.register
def _(score_map: Calibrated, Q: Tensor) -> Tensor:
    return _raised(score_map.power, _clipped(score_map.clipping, Q))


@mapped.register
def _(score_map: PriorOutside, Q: Tensor) -> Tensor:
    share = (Q.at_least(0.0).sum() / score_map.threshold).at_most(1.0)
    inside = finite_log(share) + mapped(score_map.inside, Q)
    outside = finite_log(1.0 - share) + log_probabilities(score_map.prior)
    return log_add_exp(inside, outside).at_least(LOG_ZERO)


def _clipped(score_map: Clipping, Q: Tensor) -> Tensor:
    """Return P ∝ max(0, Q), the prior where that is nothing."""
    P, tiny = Q.at_least(0.0), np.finfo(np.float64).tiny
    top = P.max()
    # Scores at the edge of underflow would lose their digits in a sum: scale them up first.
    P = Q.graph.where(top.is_below(tiny), score_map.prior[np.newaxis], P / top.at_least(tiny))
    return P / P.sum()


def _raised(power: PowerCalibration, P: Tensor) -> Tensor:
    return log_softmax(P.graph("Log", P + power.floor) * float(power.exponent))
