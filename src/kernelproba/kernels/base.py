"""What a kernel is, and the algebra of kernels: sums, products and scalings."""

from collections.abc import Callable
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.kernels.blocks import Fill, fill_rows, map_rows, row_blocks, use_blocks
from kernelproba.kernels.operands import check_operands


class Kernel(BaseEstimator):
    """A similarity k(x, z) of rows, evaluated one dense block at a time.

    A subclass writes `_against` and, where a formula is at hand, `diag`.
    Parameters are those of the constructor, so that ``kernel__length_scale`` can
    be searched; kernels combine by ``+``, ``*`` and multiplication by a number.

    See Also
    --------
    Stationary : Kernels of a distance.
    resolve_kernel : From a name to a kernel.

    Examples
    --------
    >>> from kernelproba.kernels import RBF, Kernel, Linear
    >>> kernel = 2 * RBF(length_scale=1.0) + Linear()
    >>> isinstance(kernel, Kernel), kernel.definite
    (True, True)
    >>> kernel([[0.0]], [[0.0], [1.0]]).round(3)
    array([[2.   , 1.213]])
    >>> sorted(kernel.get_params(deep=True))[:3]
    ['left', 'left__factor', 'left__kernel']
    """

    # ``2.0 * kernel`` with a NumPy scalar must reach __rmul__, not become an array.
    __array_ufunc__ = None

    _definite = False

    @property
    def definite(self) -> bool:
        """Whether k(X, X) is positive semi-definite for every X (False if unknown)."""
        return self._definite

    def __call__(self, X, Z) -> np.ndarray:
        """Return the dense block k(X, Z) of shape (n, m), for X (n, d) and Z (m, d).

        The block is new and C-contiguous: float32 if X and Z are, else float64.
        """
        X, Z = check_operands(X, Z)
        return fill_rows(self._against, X, Z)

    def each_block(self, X, Z, use: Callable[[slice, np.ndarray], None], step: int) -> None:
        """Hand k(X[rows], Z) to `use`, one block of rows after another, in any order.

        Parameters
        ----------
        X, Z : {array, CSR} of shape (n, d) and (m, d)
            Rows and centres.
        use : callable
            Takes a slice of rows and their block (b, m), which the next overwrites.
        step : int
            Rows of a block.
        """
        if self.comes_in_blocks:
            X, Z = check_operands(X, Z)
            use_blocks(self._against, X, Z, use, step)
            return
        values = self(X, Z)
        for rows in row_blocks(X.shape[0], Z.shape[0], step):
            use(rows, values[rows])

    @property
    def comes_in_blocks(self) -> bool:
        """Whether `map` is there; else the kernel knows whole matrices only."""
        return type(self).__call__ is Kernel.__call__

    def map(self, X, Z, fn: Callable[[np.ndarray], np.ndarray], *, widen: bool = True) -> np.ndarray:
        """Stack ``fn(k(block, Z))``, shape (n, …), over blocks of the rows X that stay in the cache.

        Parameters
        ----------
        X : {array, CSR} of shape (n, d)
            Rows, at least one.
        Z : {array, CSR} of shape (m, d)
            Centres.
        fn : callable
            Takes a block (b, m) and returns b rows; it must not keep the block, which the next overwrites.
        widen : bool, default=True
            Whether blocks come in double precision even where X and Z are in single.
        """
        _, Z = check_operands(X[:0], Z)
        return map_rows(self._nearly_against, X, Z, fn, widen)

    def _against(self, Z) -> Fill:
        """Bind the checked centres Z; return ``fill(X, out)`` that writes k(X, Z) into out."""
        raise NotImplementedError

    def _nearly_against(self, Z) -> Fill:
        """Do the same where rounding does no harm, such as a k(x, x) that is not exactly 1."""
        return self._against(Z)

    def diag(self, X) -> np.ndarray:
        """Return k(xᵢ, xᵢ) for each row, shape (n,)."""
        X, _ = check_operands(X, X)
        step = 32  # small squares waste few entries, yet are few calls
        squares = (X[start : start + step] for start in range(0, X.shape[0], step))
        return np.concatenate([self(S, S).diagonal() for S in squares])

    def select(self, X, index):
        """Return the rows of X at `index`, in the form in which they serve as centres Z."""
        return X[index]

    def affine(self, Z) -> tuple[object, np.ndarray] | None:  # noqa: ARG002
        """Return (A, a) with k(x, zⱼ) = x·Aⱼ + aⱼ for centres Z (m, d), None for a kernel that is not affine.

        A (m, d) is dense or sparse as Z is, a has shape (m,).
        """
        return None

    def __add__(self, other):
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, other) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(deep=False), other.get_params(deep=False)
        return all(_same(value, theirs[name]) for name, value in mine.items())

    __hash__ = None  # type: ignore[assignment]  # parameters may change


class _Pair(Kernel):
    """Two kernels evaluated block by block and merged by a ufunc."""

    _merge: np.ufunc

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @property
    def definite(self) -> bool:
        return self.left.definite and self.right.definite

    def _against(self, Z) -> Fill:
        left, right = self.left._against(Z), self.right._against(Z)

        def fill(X, out):
            left(X, out)
            other = np.empty_like(out)
            right(X, other)
            _merged(self._merge, out, other, out=out)

        return fill

    def diag(self, X):
        return _merged(self._merge, self.left.diag(X), self.right.diag(X))


class Sum(_Pair):
    """k(x, z) = left(x, z) + right(x, z).

    See Also
    --------
    Product : Products of kernels.
    Scaled : Multiples of kernels.

    Examples
    --------
    >>> from kernelproba.kernels import RBF, Linear
    >>> (RBF() + Linear())([[1.0]], [[1.0], [2.0]]).round(3)
    array([[2.   , 2.607]])
    """

    _merge = np.add


class Product(_Pair):
    """k(x, z) = left(x, z) · right(x, z); positive semi-definite by Schur's theorem.

    See Also
    --------
    Sum : Sums of kernels.
    Scaled : Multiples of kernels.

    Examples
    --------
    >>> from kernelproba.kernels import RBF, Linear
    >>> (RBF() * Linear())([[1.0]], [[1.0], [2.0]]).round(3)
    array([[1.   , 1.213]])
    """

    _merge = np.multiply


class Scaled(Kernel):
    """k(x, z) = factor · kernel(x, z).

    See Also
    --------
    Sum : Sums of kernels.
    Product : Products of kernels.

    Examples
    --------
    >>> from kernelproba.kernels import RBF
    >>> (3 * RBF())([[1.0]], [[1.0], [2.0]]).round(3)
    array([[3.  , 1.82]])
    """

    def __init__(self, kernel, factor=1.0):
        self.kernel = kernel
        self.factor = factor

    @property
    def definite(self) -> bool:
        return self.kernel.definite and self.factor >= 0

    def _against(self, Z) -> Fill:
        inner = self.kernel._against(Z)

        def fill(X, out):
            inner(X, out)
            _merged(np.multiply, out, self._checked_factor(), out=out)

        return fill

    def diag(self, X):
        return _merged(np.multiply, self.kernel.diag(X), self._checked_factor())

    def affine(self, Z):
        parts = self.kernel.affine(Z)
        return None if parts is None else tuple(self._checked_factor() * part for part in parts)

    def _checked_factor(self) -> float:
        if not np.isfinite(self.factor):
            raise ValueError(f"factor of a scaled kernel must be a finite number, got {self.factor!r}")
        return float(self.factor)


def _merged(ufunc: np.ufunc, A, B, out=None) -> np.ndarray:
    """Sum or product of kernel values, or an error if it overflows."""
    with np.errstate(over="raise", invalid="raise"):
        try:
            return ufunc(A, B, out=out)
        except FloatingPointError as error:
            raise ValueError(
                "sums or products of kernels overflow on these rows of X: scale X, or lower the factors"
            ) from error


def _same(a, b) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)
