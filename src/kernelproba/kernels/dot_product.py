"""Kernels of the dot product between rows: k(x, z) = g(x·z).

Products and powers of large entries overflow; then the error names the column and the cure.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import Fill
from kernelproba.kernels.distances import dot_products
from kernelproba.kernels.operands import check_positive, check_rows
from kernelproba.number_range import largest_column, largest_entry

#: Below this a bound on kernel values is taken as proof that none of them overflows.
FINITE = 1e300


class DotProduct(Kernel):
    """A function of x·z, written by subclasses in `_shape`."""

    def _shape(self, S) -> None:
        """Replace a block of dot products by kernel values, in place."""
        raise NotImplementedError

    def _largest(self, bound: float) -> float:
        """Bound |k| where |x·z| ≤ bound; infinite if that cannot be computed."""
        raise NotImplementedError

    def _against(self, Z) -> Fill:
        products, largest = dot_products(Z), largest_entry(Z)

        @np.errstate(over="ignore", invalid="ignore")
        def fill(X, out):
            products(X, out)
            self._shape(out)
            bound = X.shape[1] * largest_entry(X) * largest
            if not self._largest(bound) < FINITE:
                self._check_finite(out, X, Z)

        return fill

    @np.errstate(over="ignore", invalid="ignore")
    def diag(self, X):
        X = check_rows(X)
        squares = row_norms(X, squared=True)
        self._shape(squares)
        self._check_finite(squares, X, X)
        return squares

    def _check_finite(self, values: np.ndarray, X, Z) -> None:
        """Refuse kernel values of X and Z that have overflowed."""
        if np.isfinite(values).all():
            return
        column, entry = max((largest_column(A) for A in (X, Z)), key=lambda found: found[1])
        raise ValueError(
            f"Values of the kernel {type(self).__name__} overflow; X has {entry:.0e} in column {column}. "
            "Scale the features, for instance with StandardScaler, or lower gamma, degree or coef0."
        )


class Linear(DotProduct):
    """k(x, z) = x·z.

    See Also
    --------
    Polynomial : Its powers.
    Cosine : With rows of unit length.

    Examples
    --------
    >>> from kernelproba.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[0.0, 1.0], [3.0, 0.0]])
    array([[2., 3.]])
    """

    _definite = True

    def _shape(self, S):
        pass

    def _largest(self, bound):
        return bound

    def affine(self, Z):
        return Z, np.zeros(Z.shape[0])


class Polynomial(DotProduct):
    """k(x, z) = (γ x·z + c)^degree.

    Parameters
    ----------
    degree : float, default=3
        Must be non-negative; a whole number is faster, and the only definite choice.
    gamma : float, default=1.0
        γ > 0.
    coef0 : float, default=0.0
        c; a negative one makes the kernel indefinite.

    See Also
    --------
    Linear : Degree one.

    Examples
    --------
    >>> from kernelproba.kernels import Polynomial
    >>> Polynomial(degree=2, coef0=1.0)([[1.0, 2.0]], [[0.0, 1.0], [3.0, 0.0]])
    array([[ 9., 16.]])
    """

    def __init__(self, degree=3, gamma=1.0, coef0=0.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def definite(self) -> bool:
        return self.coef0 >= 0 and float(self.degree).is_integer()

    def _shape(self, S):
        if self.degree != 0:
            check_positive(self.degree, "degree")
        S *= check_positive(self.gamma, "gamma")
        S += float(self.coef0)
        if not float(self.degree).is_integer() and S.min(initial=0.0) < 0:
            raise ValueError(
                f"degree={self.degree!r} is no whole number, and γ x·z + coef0 is {S.min():.3g} for some "
                "rows, which has no real power of that kind: choose a whole degree, or a larger coef0."
            )
        _raise(S, self.degree)

    def _largest(self, bound):
        base = float(self.gamma) * bound + abs(float(self.coef0))
        return float(np.exp(np.float64(self.degree) * np.log(max(base, 1.0))))


class Sigmoid(DotProduct):
    """k(x, z) = tanh(γ x·z + c), which is not positive semi-definite.

    Parameters
    ----------
    gamma : float, default=1.0
        γ > 0.
    coef0 : float, default=0.0
        c.

    See Also
    --------
    Polynomial : A kernel of dot products that is positive definite.

    Examples
    --------
    >>> from kernelproba.kernels import Sigmoid
    >>> Sigmoid(gamma=0.5)([[1.0, 2.0]], [[0.0, 1.0], [3.0, 0.0]]).round(3)
    array([[0.762, 0.905]])
    """

    def __init__(self, gamma=1.0, coef0=0.0):
        self.gamma = gamma
        self.coef0 = coef0

    def _shape(self, S):
        S *= check_positive(self.gamma, "gamma")
        S += float(self.coef0)
        np.tanh(S, out=S)

    def _largest(self, bound):
        return bound  # tanh does not overflow, x·z may


class Cosine(Kernel):
    """k(x, z) = x·z / (‖x‖ ‖z‖), and 0 for a row of zeros.

    See Also
    --------
    Linear : Without the normalisation.

    Examples
    --------
    >>> from kernelproba.kernels import Cosine
    >>> Cosine()([[1.0, 1.0]], [[2.0, 2.0], [1.0, 0.0]]).round(3)
    array([[1.   , 0.707]])
    """

    _definite = True

    def _against(self, Z) -> Fill:
        products = dot_products(_unit_rows(Z))
        return lambda X, out: products(_unit_rows(X), out)

    def diag(self, X):
        X = check_rows(X)
        return (_row_maxima(X) > 0).astype(X.dtype)


def _row_maxima(X) -> np.ndarray:
    """Return max |xₖ| of each row, (n,)."""
    highest = abs(X).max(axis=1)
    return (highest.toarray() if sp.issparse(highest) else np.asarray(highest)).ravel()


def _unit_rows(X):
    """Rows of length one, zeros as they are; divided by their largest entry first, so that none overflows."""
    # Powers of two, so that nothing is rounded.
    exponents = np.frexp(_row_maxima(X))[1].astype(int)
    if sp.issparse(X):
        X = X.copy()
        X.data = np.ldexp(X.data, -np.repeat(exponents, np.diff(X.indptr)))
    else:
        X = np.ldexp(X, -exponents[:, None])
    return normalize(X, copy=False)


def _raise(S, degree):
    """Raise S to a power in place; whole powers by squaring, 4 to 60 times as fast as pow."""
    if not float(degree).is_integer():
        np.power(S, degree, out=S)
    elif degree == 0:
        S[...] = 1
    else:
        base = S.copy()
        for bit in bin(int(degree))[3:]:
            S *= S
            if bit == "1":
                S *= base
