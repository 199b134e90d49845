"""The least-squares posterior of all classes from sums over rows, with fixed centres.

One set of `NormalEquations` for each block of centres, whose targets are the indicators of the classes of
the block: G = Σᵢ sᵢφᵢφᵢᵀ, M = Σᵢ sᵢφᵢ 1[yᵢ = class], φ(x) = k(Z, x).  Memory is that of G and of one block of
kernel values, whatever the number of rows.
"""

from collections.abc import Iterator, Sequence
from copy import copy

import numpy as np

from kernelproba.basis.class_centers import ClassCenters
from kernelproba.kernels import Kernel
from kernelproba.rows.sketch import RowSketch
from kernelproba.solvers.least_squares.normal_equations import PATHS, NormalEquations
from kernelproba.solvers.loo.ridge import LeaveOneOut, LeftOutRows
from kernelproba.typing import Matrix

#: Kernel values held at once, unless a thousand rows have more.
BLOCK_VALUES, BLOCK_ROWS = 6_000_000, 1_000


class PosteriorSums:
    """Exact sums over rows.

    Parameters
    ----------
    kernel : Kernel
        k.
    Z : array of shape (m, d)
        Stacked centres, as the kernel takes them.
    centers : ClassCenters
        Which classes they serve, and which rows they go with.
    n_classes : int
        c.

    Attributes
    ----------
    equations : list of NormalEquations
        One for each block of centres.
    class_mass : ndarray of shape (c,)
        Weight of the rows of each class.
    """

    def __init__(self, kernel: Kernel, Z: Matrix, centers: ClassCenters, n_classes: int):
        self.kernel, self.Z, self.centers = kernel, Z, centers
        self.equations = [NormalEquations.empty(len(block), len(block.classes)) for block in centers.blocks]
        self.class_mass = np.zeros(n_classes)

    @property
    def total(self) -> float:
        """S, the weight of all rows."""
        return float(self.class_mass.sum())

    def count(self, X: Matrix, y: np.ndarray, weight: np.ndarray) -> None:
        """Take rows (n, d), their class indices and weights (n,) into the sums."""
        for rows in self._row_blocks(X.shape[0]):
            self._add(self._features(X[rows]), self._indicators(y[rows]), weight[rows])
        self._weigh(y, weight)

    def copy(self) -> "PosteriorSums":
        """Sums over the same rows, to count others into."""
        copied = copy(self)
        copied.equations = [equations.copy() for equations in self.equations]
        copied.class_mass = self.class_mass.copy()
        return copied

    def merged(self, other: "PosteriorSums") -> "PosteriorSums":
        """Sums over the rows of both; they have the same centres."""
        both = PosteriorSums(self.kernel, self.Z, self.centers, len(self.class_mass))
        both.equations = [a + b for a, b in zip(self.equations, other.equations, strict=True)]
        both.class_mass = self.class_mass + other.class_mass
        return both

    def coefficients(self, alphas: Sequence[float], solver: str) -> np.ndarray:
        """Coefficients (len(alphas), c, m) of the scores q = A k(Z, x); zero off the blocks."""
        A = np.zeros((len(alphas), len(self.class_mass), len(self.centers.rows)))
        ridges = [alpha * self.total for alpha in alphas]
        for block, equations in zip(self.centers.blocks, self.equations, strict=True):
            A[:, block.classes, block.columns] = PATHS[solver](equations, ridges).transpose(0, 2, 1)
        return A

    def leave_one_out(self, rows: RowSketch, alpha: float, solver: str) -> np.ndarray:
        """Scores (r, c) of rows in the sums by the models that have not seen them.

        Of a row that stands for several observations one is left out.  A row that is a centre is left out in
        both its parts, if it stands for one alone.
        """
        Q = np.empty((len(rows), len(self.class_mass)))
        left_out = rows.weight / rows.units
        center = np.where(rows.units > 1, -1, self.centers.owned_by(rows.keys))
        for block, equations in zip(self.centers.blocks, self._all_equations(), strict=True):
            models, local = LeaveOneOut(equations, alpha, self.total, solver), block.local(center)
            for part in _row_blocks(len(rows), len(block)):
                Phi = self.kernel(rows.X[part], self.Z[block.columns]).astype(np.float64, copy=False)
                Y = self._indicators(rows.y[part])[:, block.classes]
                Q[part, block.classes] = models.scores(LeftOutRows(Phi, Y, left_out[part], local[part]))
        return Q

    def _all_equations(self) -> list[NormalEquations]:
        """Equations that stand for all rows."""
        return self.equations

    def _row_blocks(self, n: int) -> Iterator[slice]:
        return _row_blocks(n, len(self.centers.rows))

    def _features(self, X: Matrix) -> np.ndarray:
        """Kernel values (n, m), new and in double precision, as sums of squares need it."""
        return self.kernel(X, self.Z).astype(np.float64, copy=False)

    def _indicators(self, y: np.ndarray) -> np.ndarray:
        return (y[:, None] == np.arange(len(self.class_mass))).astype(np.float64)

    def _weigh(self, y: np.ndarray, weight: np.ndarray) -> None:
        self.class_mass += np.bincount(y, weights=weight, minlength=len(self.class_mass))

    def _add(self, K: np.ndarray, Y: np.ndarray, weight: np.ndarray) -> None:
        """Take features K (n, m) and indicators Y (n, c) in; both are overwritten."""
        if (weight != 1).any():
            root = np.sqrt(weight)[:, None]
            K *= root
            Y *= root
        for block, equations in zip(self.centers.blocks, self.equations, strict=True):
            equations.add(K[:, block.columns], Y[:, block.classes])


def _row_blocks(n: int, width: int) -> Iterator[slice]:
    """Blocks of n rows with so many kernel values each."""
    step = max(BLOCK_ROWS, BLOCK_VALUES // width)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
