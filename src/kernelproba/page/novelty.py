"""How new a row is to the rows of training, as nodes, small enough for a page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator

from kernelproba.estimators.kernel_logistic.kept_rows import NoveltyReference
from kernelproba.estimators.kernel_logistic.uncertainty import (
    Member,
    UncertainProbabilities,
    distance_members,
    far_novelty,
    left_out_novelties,
)
from kernelproba.kernels.stationary import Stationary
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import dense_centers, kernel_block
from kernelproba.onnx.wrappers import scaled
from kernelproba.solvers.posterior.explained import ExplainedRows

#: What may be left out of what is explained.
_SLACK = 1e-5
#: Novelties of training rows to compare with, at most.
_COMPARED = 1000


@dataclass(frozen=True)
class PageNovelty:
    """Novelty of one row, and what to compare it with.

    Attributes
    ----------
    score : Tensor of shape (1, 1)
        Its novelty.
    scores, weight_from : lists of float
        Novelties of training rows in rising order, each left out, and the weight of those from each on.
    total : float
        Weight of all.
    limit : float
        Novelty above which a row is far from all, and no label is ruled out.
    """

    score: Tensor
    scores: list[float]
    weight_from: list[float]
    total: float
    limit: float

    def facts(self) -> dict[str, object]:
        """Return what the script compares with."""
        return {
            "scores": self.scores,
            "weightFrom": self.weight_from,
            "total": self.total,
            "limit": self.limit,
        }


def page_novelty(core: BaseEstimator, X: Tensor, work: int) -> PageNovelty | None:
    """Write the novelty of rows X, as the core takes them; None for models that have none to tell.

    With `work` squared features of all classes together: those of `novelty_score` make a large page.
    """
    if not isinstance(core, UncertainProbabilities):
        return None
    members = distance_members(core._members())
    if not all(isinstance(each.model.kernel_, Stationary) for each in members):
        return None
    try:
        references = [each.model._build_novelty(work) for each in members]
    except ValueError:  # the rows were not kept
        return None
    parts = [_member_score(each, reference, X) for each, reference in zip(members, references, strict=True)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    known = left_out_novelties(members, references)
    chosen = np.unique(np.linspace(0, len(known.scores) - 1, _COMPARED).astype(int))
    return PageNovelty(
        total,
        known.scores[chosen].tolist(),
        known.weight_from[chosen].tolist(),
        float(known.weight_from[0]),
        far_novelty(known),
    )


def _member_score(member: Member, reference: NoveltyReference, X: Tensor) -> Tensor:
    """Return the member's share of the novelty, (n, 1)."""
    rows = scaled(member.scaler, X)
    least = None
    for explained in reference.classes:
        u = _unexplained(reference, explained, rows)
        least = u if least is None else least.at_most(u)
    assert least is not None
    return least.clip(0.0, 1.0) * member.weight


def _unexplained(reference: NoveltyReference, explained: ExplainedRows, X: Tensor) -> Tensor:
    """1 − ‖M L⁻¹ k(Z, x)‖², (n, 1), of a kernel with k(x, x) = 1."""
    L = explained.features.basis.factor
    # No direction explains more than its share; the least of them are not worth their numbers.
    shares = np.square(explained.map).sum(axis=1)
    order = np.argsort(shares)
    kept = np.sort(order[np.cumsum(shares[order]) > _SLACK])
    A = solve_triangular(L, explained.map[kept].T, lower=True, trans=1, check_finite=False)  # L⁻ᵀMᵀ
    told = kernel_block(reference.kernel, X, dense_centers(explained.features.Z)) @ A
    return 1.0 - (told * told).sum()
