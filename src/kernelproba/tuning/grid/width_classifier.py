"""Classifiers that choose the width of a kernel beside a strength."""

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.kernels import Kernel
from kernelproba.kernels.resolve import KernelLike
from kernelproba.tuning.grid.grid_classifier import GridTunedClassifier
from kernelproba.tuning.grid.widths import WidthGrid, grid_gammas
from kernelproba.tuning.observations import Observations
from kernelproba.typing import RandomState


class WidthTunedClassifier(GridTunedClassifier):
    """Classifier whose grid is made of widths and of strengths."""

    kernel: KernelLike
    gammas: ArrayLike | None
    random_state: RandomState

    def _width_grid(self, rows: Observations, name: str, strengths: np.ndarray) -> WidthGrid:
        """Grid of the widths to try and of named strengths, in the order in which a path follows them."""

        def kernel_of(gamma: float | None) -> Kernel:
            return self._estimator(gamma=gamma)._resolve_kernel(rows)

        gammas = grid_gammas(self.gammas, self.kernel, kernel_of(1.0), rows.X, self.random_state)
        return WidthGrid.of(rows, gammas, kernel_of, (name, strengths))
