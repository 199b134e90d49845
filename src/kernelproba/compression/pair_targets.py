"""Probabilities of pairs of classes that a smaller model is to keep, where they matter.

A pair i < j counts in a row by what its classes have of the probability together, pᵢ + pⱼ.  Of many classes
few pairs matter to a row: all others are left out.  Once the pairs are near, what they make up together, the
coupled probabilities, can be kept more closely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from kernelproba.compression.coupled_divergence import coupled_slopes
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
    posterior : array of shape (n, c)
        p.
    """

    proba: sp.csr_array
    weight: sp.csr_array
    posterior: np.ndarray

    @classmethod
    def of(cls, model: KernelLogisticRegression, X: np.ndarray) -> PairTargets:
        """Those of a model, for rows X (n, d)."""
        i, j = class_pairs(len(model.classes_)).T
        proba: list[sp.csr_array] = []
        weight: list[sp.csr_array] = []
        posterior = np.empty((len(X), len(model.classes_)), dtype=np.float32)
        for rows in row_blocks(len(X), len(model.support_) + len(i)):
            P, R = model.predict_proba(X[rows]), expit(model.pairwise_decision_function(X[rows]))
            posterior[rows], share = P, P[:, i] + P[:, j]
            row, pair = np.nonzero(share > LEAST_SHARE)
            for parts, values in ((proba, R), (weight, share)):
                own = values[row, pair].astype(np.float32), (row, pair)
                parts.append(sp.csr_array(own, shape=share.shape))
        return cls(sp.csr_array(sp.vstack(proba)), sp.csr_array(sp.vstack(weight)), posterior)

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the two parts of a pair's score are, that of its first class's centres and of its second's.

        Scores of rows have c − 1 columns for the centres of each class, one for every other class.
        """
        c = self.posterior.shape[1]
        i, j = class_pairs(c).T
        return i * (c - 1) + j - 1, j * (c - 1) + i

    def slopes(self, S: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Slopes of the mean divergence of rows (n,) along the parts S (n, c(c − 1)) of their scores."""
        proba, weight = self.proba[rows], self.weight[rows]
        row = np.repeat(np.arange(len(rows)), np.diff(proba.indptr))
        first, second = (row * S.shape[1] + place[proba.indices] for place in self.places)
        F = S.ravel()[first] + S.ravel()[second]
        G = np.zeros(S.size, dtype=S.dtype)
        G[first] = G[second] = weight.data * (expit(F) - proba.data) / len(rows)
        return G.reshape(S.shape)

    def coupled_slopes(self, S: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The same of the coupled probabilities, by Wu, Lin and Weng's method."""
        first, second = self.places
        G = np.zeros_like(S)
        G[:, first] = coupled_slopes(S[:, first] + S[:, second], self.posterior[rows])
        G[:, second] = G[:, first]
        return G
