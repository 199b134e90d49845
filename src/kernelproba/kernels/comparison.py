"""Blocks of rows compared with fixed centres, in a precision chosen beforehand."""

import numpy as np
import scipy.sparse as sp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.stationary import Stationary
from kernelproba.linalg import densify
from kernelproba.typing import Matrix


class Comparison:
    """The function block (b, d) → k(block, Z) (b, m).

    In single precision the operands of a stationary kernel are cast once the median of the centres is taken
    off, so that an offset, such as a date, costs no digits.

    Parameters
    ----------
    kernel : Kernel
        k.
    Z : array or CSR matrix of shape (m, d)
        The centres.
    dtype : numpy.float32 or numpy.float64
        Precision of the result.

    See Also
    --------
    kernel_matrix : All rows with each other.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import RBF, Comparison
    >>> compare = Comparison(RBF(), np.array([[0.0], [1.0]]), np.float32)
    >>> compare(np.array([[0.0]])).round(3)
    array([[1.   , 0.607]], dtype=float32)
    """

    def __init__(self, kernel: Kernel, Z: Matrix, dtype: type):
        self.kernel, self.dtype = kernel, dtype
        shifts = dtype == np.float32 and isinstance(kernel, Stationary) and not sp.issparse(Z)
        self.origin = np.median(Z, axis=0) if shifts else None
        self.Z = self._cast(Z)

    @property
    def runs_in_threads(self) -> bool:
        """Whether several threads may compare blocks at the same time; a user's function is not known to."""
        return self.kernel.comes_in_blocks

    def _cast(self, X: Matrix) -> Matrix:
        return X if self.origin is None or sp.issparse(X) else (X - self.origin).astype(np.float32)

    def __call__(self, block: Matrix) -> np.ndarray:
        if sp.issparse(block) and self.origin is not None:
            block = densify(block)
        return self.kernel(self._cast(block), self.Z).astype(self.dtype, copy=False)
