"""Contributions of training rows to the scores, as nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelproba.estimators.base.kernel_expansion import NONE, KernelExpansion
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import kernel_block
from kernelproba.onnx.wrappers import scaled
from kernelproba.page.opened_model import kernel_parts
from kernelproba.tuning.scaling import AfterScaling


@dataclass(frozen=True)
class Contributions:
    """What the centres of one expansion contribute.

    Attributes
    ----------
    values : Tensor of shape (m, s)
        coefⱼₛ k(x, zⱼ).
    rows : list of int
        The training row that each centre is, −1 for none.
    sides : list of pairs
        The classes that each score is for and against, −1 for all others.
    intercept : list of float
        Of each score.
    """

    values: Tensor
    rows: list[int]
    sides: list[list[int]]
    intercept: list[float]

    def facts(self) -> dict[str, object]:
        """Return all but the values, for the script."""
        return {"rows": self.rows, "sides": self.sides, "intercept": self.intercept}


def contributions(expansions: list[KernelExpansion], X: Tensor) -> list[Contributions]:
    """Write the contributions to the scores of rows X, as the core of the model takes them."""
    shared = _SharedCenters(expansions, X)
    return [
        Contributions(
            shared.similarities(each).reshape(-1, 1) * np.ascontiguousarray(each.coef.T),
            each.rows.tolist(),
            each.sides.tolist(),
            each.intercept.tolist(),
        )
        for each in expansions
    ]


class _SharedCenters:
    """Kernel values of expansions, of which those of pairs of classes have most centres in common.

    Parameters
    ----------
    expansions : list of KernelExpansion
        Of one model.
    X : Tensor of shape (n, k)
        Rows.
    """

    def __init__(self, expansions: list[KernelExpansion], X: Tensor):
        self._X, self._place = X, {}
        kernels = {repr(each.kernel) for each in expansions}
        rows = np.concatenate([each.rows for each in expansions]) if expansions else np.empty(0)
        if len(expansions) > 1 and len(kernels) == 1 and (rows != NONE).all():
            first = np.sort(np.unique(rows, return_index=True)[1])  # in the order of the model's own centres
            centers = np.concatenate([each.centers for each in expansions])[first]
            self._place = {int(row): j for j, row in enumerate(rows[first])}
            self._K = kernel_block(expansions[0].kernel, X, centers)

    def similarities(self, expansion: KernelExpansion) -> Tensor:
        """Return k(x, z), (n, m)."""
        if self._place:
            return self._K.columns([self._place[int(row)] for row in expansion.rows])
        parts = []
        for kernel, Z in kernel_parts(expansion.kernel, expansion.centers):
            if isinstance(kernel, AfterScaling):
                parts.append(kernel_block(kernel.kernel, scaled(kernel.scaling, self._X), Z))
            else:
                parts.append(kernel_block(kernel, self._X, Z))
        return self._X.graph.concat(parts)
