"""Kernels that others computed or wrote: matrices, functions, Gaussian-process kernels."""

import numpy as np
from sklearn.gaussian_process import kernels as gp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import Fill
from kernelproba.kernels.operands import check_operands, check_rows
from kernelproba.linalg import densify

# scikit-learn's kernels that are positive semi-definite in any number of features.
_DEFINITE_GP = (
    gp.RBF,
    gp.Matern,
    gp.RationalQuadratic,
    gp.ConstantKernel,
    gp.DotProduct,
    gp.KernelOperator,  # sums and products
)


class Precomputed(Kernel):
    """The kernel matrix itself: X (n, N) holds k(xᵢ, training row j) in column j.

    Centres are column numbers, so `select` returns its index unchanged.  The matrix is taken to be
    definite, as whoever computed it should know; what uses it checks.

    See Also
    --------
    resolve_kernel : Takes it by the name "precomputed".

    Examples
    --------
    >>> from kernelproba.kernels import RBF, Precomputed
    >>> K = RBF()([[0.0], [1.0]], [[0.0], [1.0]])
    >>> Precomputed()(K, [1]).round(3)
    array([[0.607],
           [1.   ]])
    """

    _definite = True

    def __call__(self, X, Z):
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        return np.take(np.asarray(densify(X), dtype=dtype), Z, axis=1)

    def _against(self, Z) -> Fill:  # noqa: ARG002  # reached only as part of another kernel
        raise ValueError(
            "a precomputed kernel does not combine with others: combine the matrices, and pass the result"
        )

    def diag(self, X):
        X = check_rows(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"a precomputed kernel has a diagonal if it is square, got shape {X.shape}")
        return np.array(X.diagonal())

    def select(self, X, index):  # noqa: ARG002  # a column number says it all
        return np.asarray(index)


class _Whole(Kernel):
    """A kernel of which only whole matrices are known: `_matrix(X, Z)`."""

    def _matrix(self, X, Z):
        raise NotImplementedError

    def __call__(self, X, Z):
        X, Z = check_operands(X, Z)
        with np.errstate(all="ignore"):  # what the function makes of large entries is judged below
            K = np.array(densify(self._matrix(X, Z)), dtype=X.dtype, order="C")
        shape = (X.shape[0], Z.shape[0])
        if K.shape != shape:
            raise ValueError(
                f"the kernel function returned shape {K.shape} where X and Z have {shape} rows: "
                f"it must take two matrices and return one of shape {shape}"
            )
        if not np.isfinite(K).all():
            raise ValueError(
                "the kernel function returned NaN or infinity for finite rows: scale X, or mend the function "
                "so that it returns a finite number for every pair of rows"
            )
        return K

    def _against(self, Z) -> Fill:
        def fill(X, out):
            out[...] = self(X, Z)

        return fill


class CallableKernel(_Whole):
    """``k(X, Z) = function(X, Z, **params)``, a matrix of shape (n, m) as in SVC.

    Parameters
    ----------
    function : callable
        Takes X (n, d) and Z (m, d), returns (n, m).
    params : dict, default=None
        Keyword arguments of the function.

    See Also
    --------
    resolve_kernel : Wraps functions in it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import CallableKernel
    >>> overlap = CallableKernel(lambda X, Z, p: np.minimum(X[:, None], Z).sum(axis=2) ** p, {"p": 2})
    >>> overlap(np.array([[1.0, 2.0]]), np.array([[2.0, 1.0], [0.0, 0.0]]))
    array([[4., 0.]])
    """

    def __init__(self, function, params=None):
        self.function = function
        self.params = params

    def _matrix(self, X, Z):
        try:
            return self.function(X, Z, **(self.params or {}))
        except TypeError as error:
            raise TypeError(
                f"the kernel function failed with kernel_params={self.params!r}: {error}"
            ) from error


class GaussianProcessKernel(_Whole):
    """A kernel of `sklearn.gaussian_process.kernels`, at its present hyper-parameters.

    Parameters
    ----------
    kernel : sklearn.gaussian_process.kernels.Kernel
        Without a `WhiteKernel`: noise is no similarity.

    See Also
    --------
    resolve_kernel : Wraps kernels of scikit-learn in it.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import DotProduct
    >>> from kernelproba.kernels import GaussianProcessKernel
    >>> GaussianProcessKernel(DotProduct(sigma_0=1.0))([[1.0]], [[2.0], [3.0]])
    array([[3., 4.]])
    """

    def __init__(self, kernel):
        self.kernel = kernel

    @property
    def definite(self) -> bool:
        return all(isinstance(part, _DEFINITE_GP) for part in self._parts())

    def _matrix(self, X, Z):
        self._refuse_noise()
        return self.kernel(densify(X), densify(Z))

    def diag(self, X):
        self._refuse_noise()
        X = check_rows(X)
        return np.asarray(self.kernel.diag(densify(X)), dtype=X.dtype)

    def _parts(self):
        nested = self.kernel.get_params(deep=True).values()
        return [self.kernel, *(part for part in nested if isinstance(part, gp.Kernel))]

    def _refuse_noise(self):
        if any(isinstance(part, gp.WhiteKernel) for part in self._parts()):
            raise ValueError(
                "kernel contains a WhiteKernel, which is noise and no similarity: "
                "remove it, and set the strength of the penalty instead"
            )
