"""Probabilities of pairs of classes that a smaller model is to keep, where they matter.

A pair i < j counts in a row by what its classes have of the probability together, pᵢ + pⱼ.  Of many classes
few pairs matter to a row: all others are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators import KernelLogisticRegression
from kernelproba.kernels.blocks import row_blocks

#: Rows that two classes have a smaller probability of together say nothing of their pair.
LEAST_SHARE = 1e-3


@dataclass(frozen=True)
class PairTargets:
    """Probabilities of pairs, and weights, in the same places of two matrices.

    Attributes
    ----------
    proba, weight : CSR arrays of shape (n, pairs)
        rᵢⱼ and pᵢ + pⱼ.
    n_classes : int
        c.
    """

    proba: sp.csr_array
    weight: sp.csr_array
    n_classes: int

    @classmethod
    def of(cls, model: KernelLogisticRegression, X: np.ndarray) -> PairTargets:
        """Those of a model, for rows X (n, d)."""
        i, j = class_pairs(len(model.classes_)).T
        proba: list[sp.csr_array] = []
        weight: list[sp.csr_array] = []
        for rows in row_blocks(len(X), len(model.support_) + len(i)):
            P, R = model.predict_proba(X[rows]), expit(model.pairwise_decision_function(X[rows]))
            share = P[:, i] + P[:, j]
            row, pair = np.nonzero(share > LEAST_SHARE)
            for parts, values in ((proba, R), (weight, share)):
                own = values[row, pair].astype(np.float32), (row, pair)
                parts.append(sp.csr_array(own, shape=share.shape))
        return cls(sp.csr_array(sp.vstack(proba)), sp.csr_array(sp.vstack(weight)), len(model.classes_))

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the two parts of a pair's score are, that of its first class's centres and of its second's.

        Scores of rows have c − 1 columns for the centres of each class, one for every other class.
        """
        i, j = class_pairs(self.n_classes).T
        return i * (self.n_classes - 1) + j - 1, j * (self.n_classes - 1) + i

    def slopes(self, S: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Slopes of the mean divergence of rows (n,) along the parts S (n, c(c − 1)) of their scores."""
        proba, weight = self.proba[rows], self.weight[rows]
        row = np.repeat(np.arange(len(rows)), np.diff(proba.indptr))
        first, second = (row * S.shape[1] + place[proba.indices] for place in self.places)
        F = S.ravel()[first] + S.ravel()[second]
        G = np.zeros(S.size, dtype=S.dtype)
        G[first] = G[second] = weight.data * (expit(F) - proba.data) / len(rows)
        return G.reshape(S.shape)
