"""Fixed basis functions as a transformer."""

import math
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_array,
    check_is_fitted,
)

from kernelproba.basis import expansion as functions
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.feature_names import in_memory, set_features
from kernelproba.estimators.base.numeric_rows import numeric_rows
from kernelproba.typing import MatrixLike

#: Most monomials: beyond, writing out their exponents takes longer than any fit of a kernel.
MOST_MONOMIALS = 10_000


class BasisExpansion(TransformerMixin, BaseEstimator):
    """Replace a row x by basis functions φ(x): Gaussian, sigmoidal or polynomial.

    With centres μⱼ and width s::

        "gaussian"     exp(−½ ‖(x − μⱼ)/s‖²)    one per centre
        "sigmoid"      σ((xₖ − μⱼₖ)/sₖ)         one per feature k and distinct coordinate μⱼₖ
        "polynomial"   x₁^a₁ ··· x_d^a_d        every monomial of degree 1 … `degree`

    A linear model of φ(x) is non-linear in x [1]_.  Gaussians see all features at once and are isotropic
    unless `width` is an array: put features on one scale first.  A sigmoid steps along a single feature, so
    sigmoids add up to an additive model.  There is no constant function: the intercept of the model is one.

    Parameters
    ----------
    basis : {"gaussian", "sigmoid", "polynomial"}, default="gaussian"
        The family of functions.
    centers : {"k-means", "grid", "quantile"} or array-like of shape (m, d), default="k-means"
        Centres of Gaussians and sigmoids: given; cluster centres; or values of each feature, evenly spaced
        between its extremes ("grid") or at evenly spaced quantiles ("quantile"), in all combinations for
        Gaussians and feature by feature for sigmoids.
    n_centers : int, default=10
        Number of clusters, or of values per feature for "grid" and "quantile" (at most ``n_centers**d``
        Gaussians).  Rows or values that coincide count once, so that there may be fewer.
    width : {"median", "nearest"}, float or array-like of shape (d,), default="median"
        s.  "median": the median distance between two centres, smooth functions that overlap widely;
        "nearest": the median distance of a centre to the nearest other one, local functions.  Sigmoids
        apply either rule to each feature.  A single centre takes the root mean square distance of the rows
        to it.
    degree : int, default=3
        Highest degree of the polynomials.
    random_state : int, RandomState or None, default=None
        Starts k-means, and draws 1000 centres for ``width="median"`` if there are more.

    Attributes
    ----------
    centers_ : ndarray of shape (m, d)
        Centres; absent for polynomials.
    width_ : float or ndarray of shape (d,)
        s; absent for polynomials.
    monomials_ : PolynomialFeatures
        The monomials; for polynomials only.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    BasisLogisticRegression : Logistic regression on these functions.

    References
    ----------
    .. [1] F. Corona, "Probabilistic discriminative models", lecture slides, 2016.

    Examples
    --------
    >>> from kernelproba.estimators.basis_logistic.expansion import BasisExpansion
    >>> expansion = BasisExpansion(centers=[[0.0], [1.0]], width=0.5)
    >>> expansion.fit_transform([[0.0], [0.5], [1.0]]).round(2)
    array([[1.  , 0.14],
           [0.61, 0.61],
           [0.14, 1.  ]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "basis": [StrOptions({"gaussian", "sigmoid", "polynomial"})],
        "centers": [StrOptions({"k-means", "grid", "quantile"}), "array-like"],
        "n_centers": [Interval(Integral, 1, None, closed="left")],
        "width": [
            StrOptions({"median", "nearest"}),
            Interval(Real, 0, None, closed="neither"),
            "array-like",
        ],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        basis="gaussian",
        *,
        centers="k-means",
        n_centers=10,
        width="median",
        degree=3,
        random_state=None,
    ):
        self.basis = basis
        self.centers = centers
        self.n_centers = n_centers
        self.width = width
        self.degree = degree
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike | None = None,  # noqa: ARG002
        sample_weight: ArrayLike | None = None,
    ) -> "BasisExpansion":
        """Place the functions.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training rows.
        y : None
            Not used; for pipelines.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights of the rows when centres are placed; a weight of two is a row seen twice.

        Returns
        -------
        self : BasisExpansion
            The fitted transformer.
        """
        given, rows = in_memory(X)
        data = numeric_rows(self, given, dtype=[np.float64, np.float32])
        if rows is not None:
            set_features(self, rows)
        weight = _check_sample_weight(sample_weight, data, dtype=np.float64, ensure_non_negative=True)
        if not weight.any():
            raise ValueError("sample_weight is zero for every row; at least one row needs a positive weight.")
        self._basis_ = self.basis
        if self.basis == "polynomial":
            self._check_number(data.shape[1])
            self.monomials_ = PolynomialFeatures(self.degree, include_bias=False).fit(data)
            return self
        data, weight = data[weight > 0], weight[weight > 0]
        self.centers_ = self._place_centers(data, weight)
        self.width_ = self._choose_width(data, weight)
        return self

    def _check_number(self, d: int) -> None:
        """Refuse more monomials of d features than anyone can fit."""
        number = math.comb(d + self.degree, d) - 1
        if number > MOST_MONOMIALS:
            raise ValueError(
                f"degree={self.degree} makes {number} monomials of the {d} features of X, more than "
                f"{MOST_MONOMIALS}: lower degree, choose fewer features, or use KernelLogisticRegression("
                f'kernel="poly", degree={self.degree}, coef0=1), which fits the same functions without '
                "writing them out."
            )

    def _place_centers(self, X: np.ndarray, weight: np.ndarray) -> np.ndarray:
        if not isinstance(self.centers, str):
            return _check_centers(self.centers, X)
        if self.centers == "k-means":
            return functions.k_means_centers(X, weight, self.n_centers, self.random_state)
        if self.centers == "grid":
            knots = functions.even_knots(X, self.n_centers)
        else:
            knots = functions.quantile_knots(X, weight, self.n_centers)
        # A sigmoid depends on one coordinate of its centre: combinations would only repeat it.
        return knots if self.basis == "sigmoid" else functions.product_grid(knots)

    def _choose_width(self, X: np.ndarray, weight: np.ndarray) -> float | np.ndarray:
        if not isinstance(self.width, str):
            return _check_width(self.width, X.shape[1])
        if self.basis == "gaussian":
            return self._width_between(self.centers_, X, weight)
        columns = range(X.shape[1])
        return np.array([self._width_between(self.centers_[:, [k]], X[:, [k]], weight) for k in columns])

    def _width_between(self, centers: np.ndarray, X: np.ndarray, weight: np.ndarray) -> float:
        if self.width == "median":
            width = functions.median_width(centers, self.random_state)
        else:
            width = functions.nearest_width(centers)
        # Constant rows at their only centre leave no scale at all: any width will do.
        return width or functions.spread(X, weight, centers[0]) or 1.0

    @by_rows
    def transform(self, X: MatrixLike) -> np.ndarray:
        """Evaluate the functions.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.

        Returns
        -------
        Phi : ndarray of shape (n, p)
            φ(x) of each row, float32 if X is.
        """
        check_is_fitted(self)
        data = numeric_rows(self, X, dtype=[np.float64, np.float32], reset=False)
        if self._basis_ == "polynomial":
            return self.monomials_.transform(data)
        function = functions.gaussian if self._basis_ == "gaussian" else functions.sigmoidal
        return function(data, self.centers_.astype(data.dtype, copy=False), self.width_)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Names of the functions: ``gaussian3``, ``sigmoid3_age``, ``age^2 height``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features; default: those seen in `fit`, or x0, x1, ….

        Returns
        -------
        names : ndarray of shape (p,), of str objects
            One name per column of `transform`.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if self._basis_ == "polynomial":
            return self.monomials_.get_feature_names_out(names)
        if self._basis_ == "gaussian":
            return np.array([f"gaussian{j}" for j in range(len(self.centers_))], dtype=object)
        feature, _ = functions.sigmoid_terms(self.centers_)
        number = np.arange(len(feature)) - np.searchsorted(feature, feature)
        return np.array(
            [f"sigmoid{j}_{names[k]}" for j, k in zip(number, feature, strict=True)], dtype=object
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _check_centers(centers: ArrayLike, X: np.ndarray) -> np.ndarray:
    """Return given centres (m, d) in the dtype of X, or say what is wrong with them."""
    if np.ndim(centers) != 2 or np.shape(centers)[1] != X.shape[1]:
        raise ValueError(
            f"centers has shape {np.shape(centers)} but X has {X.shape[1]} feature(s): give an array of "
            f"shape (m, {X.shape[1]}), or one of 'k-means', 'grid', 'quantile'."
        )
    return check_array(centers, dtype=X.dtype, copy=True, input_name="centers")


def _check_width(width: ArrayLike, d: int) -> float | np.ndarray:
    """Return a given width as a float or an array (d,), or say what is wrong with it."""
    widths = np.asarray(width, dtype=np.float64)
    if widths.shape not in ((), (d,)):
        raise ValueError(
            f"width has shape {widths.shape} but X has {d} feature(s): give one number, {d} of them, "
            "'median' or 'nearest'."
        )
    if not ((widths > 0) & np.isfinite(widths)).all():
        raise ValueError(f"width must be positive and finite, got {width!r}.")
    return float(widths) if widths.ndim == 0 else widths.copy()
