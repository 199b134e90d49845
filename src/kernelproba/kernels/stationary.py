"""Kernels of the distance between rows: k(x, z) = g(distance((x−z)/ℓ)).

Each is split in two, so that one distance matrix serves many widths::

    D = RBF().distances(X, Z)
    for length_scale in widths:
        K = RBF(length_scale).of_distance(D.copy())

A scalar ℓ enters `of_distance` alone; per-feature ℓ enter `distances` alone.  Distances may be ∞, where
kernels are 0.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import Fill, fill_rows, for_each_block
from kernelproba.kernels.distances import squared_euclidean
from kernelproba.kernels.manhattan import manhattan
from kernelproba.kernels.operands import check_length_scales, check_operands, check_positive, check_rows

#: Largest error of an exponent that is left as it is where a kernel's values are summed at once.
ROUNDING = {np.float32: 1e-4, np.float64: 1e-9}


class Stationary(Kernel):
    """A positive definite function of a distance, 1 at distance 0.

    Subclasses set `_measure` (the distance) and write `_shape` (the function g).

    See Also
    --------
    RBF : The usual one.
    Kernel : Kernels in general.

    Examples
    --------
    >>> from kernelproba.kernels import RBF, Stationary
    >>> isinstance(RBF(), Stationary), RBF().diag([[5.0], [7.0]]).tolist()
    (True, [1.0, 1.0])
    """

    _definite = True
    _measure: Callable[..., Fill] = staticmethod(squared_euclidean)

    def __init__(self, length_scale=1.0):
        self.length_scale = length_scale

    @staticmethod
    def length_scale_of(gamma: float) -> float:
        """Return the ℓ at which the kernel's width is that of RBF: γ = 1/(2ℓ²)."""
        return float((2 * gamma) ** -0.5)

    def distances(self, X, Z) -> np.ndarray:
        """Return the (n, m) distances that `of_distance` takes: see the module's head."""
        X, Z = check_operands(X, Z)
        return fill_rows(self._distances_to, X, Z)

    def of_distance(self, D) -> np.ndarray:
        """Turn distances into kernel values, in place, and return them."""
        width = self._width()
        for_each_block(lambda rows: self._shape(D[rows], width), *D.shape)
        return D

    def _shape(self, D, width: float) -> None:
        """Replace a block of distances by kernel values, in place."""
        raise NotImplementedError

    def _against(self, Z) -> Fill:
        measure, width = self._distances_to(Z), self._width()

        def fill(X, out):
            measure(X, out)
            self._shape(out, width)

        return fill

    def diag(self, X):
        X = check_rows(X)
        return np.ones(X.shape[0], dtype=X.dtype)

    def _distances_to(self, Z, **options) -> Fill:
        """Bind the centres Z to the distance, with options of its own."""
        if np.ndim(self.length_scale) == 0:
            return self._measure(Z, **options)
        scales = check_length_scales(self.length_scale, Z.shape[1])
        measure = self._measure(_divide(Z, scales), **options)
        return lambda X, out: measure(_divide(X, scales), out)

    def _width(self) -> float:
        """Return ℓ if it is one number, and 1 if the distances are in units of ℓ already."""
        return check_positive(self.length_scale, "length_scale") if np.ndim(self.length_scale) == 0 else 1.0


class RBF(Stationary):
    """k(x, z) = exp(−½ ‖(x−z)/ℓ‖²).

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ; an array gives each feature its own.  scikit-learn's ``gamma`` is 1/(2ℓ²).

    See Also
    --------
    Laplacian : Rougher functions.
    Matern : Between the two.

    Examples
    --------
    >>> from kernelproba.kernels import RBF
    >>> RBF(length_scale=2.0)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]).round(3)
    array([[1.   , 0.535]])
    """

    def _nearly_against(self, Z):
        width = self._width()
        if not _has_square(width):
            return self._against(Z)
        exponents = self._distances_to(Z, factor=-0.5 / width / width, tolerance=ROUNDING[Z.dtype.type])

        def fill(X, out):
            exponents(X, out)
            np.exp(out, out=out)

        return fill

    def _shape(self, D, width):
        scale_squares(D, -0.5, width)
        np.exp(D, out=D)


class Laplacian(Stationary):
    """``k(x, z) = exp(−Σₖ |xₖ−zₖ|/ℓₖ)``.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ; an array gives each feature its own.  scikit-learn's ``gamma`` is 1/ℓ.

    See Also
    --------
    RBF : Smooth functions.
    Matern : Between the two.

    Examples
    --------
    >>> from kernelproba.kernels import Laplacian
    >>> Laplacian(length_scale=2.0)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]).round(3)
    array([[1.   , 0.223]])
    """

    _measure = staticmethod(manhattan)

    @staticmethod
    def length_scale_of(gamma: float) -> float:
        """Return ℓ = 1/γ."""
        return 1 / gamma

    def _shape(self, D, width):
        _divide_all(D, -width)
        np.exp(D, out=D)


class Matern(Stationary):
    """Matérn's kernel of smoothness ν, with r = ‖(x−z)/ℓ‖.

    ν = ½: exp(−r); ν = 3/2: (1 + s) exp(−s), s = √3 r; ν = 5/2: (1 + s + s²/3) exp(−s), s = √5 r.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ; an array gives each feature its own.
    nu : {0.5, 1.5, 2.5}, default=1.5
        Smoothness: the functions spanned are ⌈ν⌉ − 1 times differentiable.

    See Also
    --------
    RBF : The limit of large nu.
    RationalQuadratic : A mixture of widths.

    Examples
    --------
    >>> from kernelproba.kernels import Matern
    >>> Matern(length_scale=2.0, nu=2.5)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]).round(3)
    array([[1.   , 0.458]])
    """

    def __init__(self, length_scale=1.0, nu=1.5):
        super().__init__(length_scale)
        self.nu = nu

    def _shape(self, D, width):
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu must be 0.5, 1.5 or 2.5, got {self.nu!r}")
        # s = √(2ν) r
        s = np.sqrt(D, out=D)
        _divide_all(s, width / float(np.sqrt(2 * self.nu)))
        np.minimum(s, 800, out=s)  # exp(−800) is 0, but ∞ exp(−∞) is not
        decay = np.exp(-s)
        if self.nu == 0.5:
            D[...] = decay
            return
        if self.nu == 2.5:
            # s + s²/3 = s (1 + s/3)
            D *= 1 + s / 3
        D += 1
        D *= decay


class RationalQuadratic(Stationary):
    """k(x, z) = (1 + ‖(x−z)/ℓ‖²/(2α))^−α: a mixture of RBF kernels of many widths.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ; an array gives each feature its own.
    alpha : float, default=1.0
        α; the smaller, the wider the mixture.

    See Also
    --------
    RBF : One width.

    Examples
    --------
    >>> from kernelproba.kernels import RationalQuadratic
    >>> RationalQuadratic(length_scale=2.0, alpha=0.5)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]).round(3)
    array([[1.   , 0.667]])
    """

    def __init__(self, length_scale=1.0, alpha=1.0):
        super().__init__(length_scale)
        self.alpha = alpha

    def _shape(self, D, width):
        alpha = check_positive(self.alpha, "alpha")
        # (1 + t)^−α = exp(−α log(1 + t))
        scale_squares(D, 0.5, width)
        _divide_all(D, alpha)
        np.log1p(D, out=D)
        np.minimum(D, 1e3, out=D)  # a tiny α makes little even of an infinite distance
        D *= -alpha
        np.exp(D, out=D)


@np.errstate(over="ignore")
def scale_squares(D, factor: float, width: float) -> None:
    """D·factor/ℓ² in place, also where ℓ² is beyond the numbers of D."""
    if _has_square(width):
        D *= factor / width / width
        return
    np.sqrt(D, out=D)
    _divide_all(D, width)
    D *= D
    D *= factor


def _has_square(width: float) -> bool:
    """Whether ℓ² is a number in every precision."""
    return 1e-15 < width < 1e15


@np.errstate(over="ignore")
def _divide_all(D, width: float) -> None:
    """D/ℓ in place; an ℓ that is 0 in D's precision leaves the distance of a row to itself 0."""
    D /= float(np.copysign(max(abs(width), np.finfo(D.dtype).tiny), width))


def _divide(A, scales):
    """Return A/ℓ, feature by feature, in A's dtype."""
    if sp.issparse(A):
        return (A @ sp.diags_array(1 / scales)).astype(A.dtype)
    return np.divide(A, scales, dtype=A.dtype, casting="same_kind")
