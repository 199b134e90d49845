"""Classification by Bayes' rule on kernel density estimates."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.density_classifier import DensityMachine, refuse_negative
from kernelproba.estimators.base.kernel_expansion import NONE, KernelExpansion
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import POSITIVE
from kernelproba.kernels import GAMMA_RULES, Kernel, Stationary, resolve_gamma
from kernelproba.kernels.logarithm import log_kernel, log_mixture, log_volume
from kernelproba.solvers.loo.density import choose_widths, likelihood_weights, tabulate_widths
from kernelproba.typing import Matrix, MatrixLike

CRITERIA = ("likelihood", "log_loss", "error")
#: Of more rows than that, so many are drawn to choose widths and weights by leaving out.
SEARCHED_ROWS = 2000


class KernelDensityClassifier(DensityMachine):
    """Kernel density classifier: p(j|x) ∝ P_j Σ_{i∈I_j} β_i κ_j(x, x_i), all in the log domain.

    It tunes itself: width, and weights if asked for, are chosen by leaving out each row, without folds and
    without `cv_results_`.  With equal weights and one width it is the limit of `MaximumContrastClassifier` as
    its alpha grows.  Far from all data the nearest rows decide; there is no 0/0.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        A kernel without negative values: "rbf", "laplacian", "matern", "rational_quadratic", "chi2",
        "precomputed", an object of `kernelproba.kernels`, or ``f(X, Z) -> matrix``.
    gamma : str, float or array-like of shape (c,), default="log_loss"
        Width of "rbf", "laplacian", "matern" and "rational_quadratic".  "likelihood", "log_loss" and "error"
        choose it by leaving out each row (and rows identical to it): by the likelihood of the rows in their
        classes, or by the log loss or the error of the classifier.  "scale", "auto" and "median" are the
        rules of the other classifiers.  An array gives each class its own.  Objects, callables and matrices
        have their own width.
    class_widths : bool, default=True
        Whether the chosen width may differ between classes.
    weights : {"uniform", "likelihood"}, default="uniform"
        β: equal within a class, or those that make the rows left out most likely.
    normalize : {"auto"} or bool, default="auto"
        Whether each density integrates to one, which matters where widths differ and in `log_density`.
        "auto": yes where the integral of the kernel is known.
    priors : None, "uniform", array-like of shape (c,) or dict, default=None
        P; None: the (weighted) class frequencies.
    kernel_params : dict, optional
        Further parameters of the kernel.
    random_state : int, RandomState or None, default=None
        Draws the rows on which widths and weights are chosen if there are more than 2000.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    priors_ : ndarray of shape (c,)
        P.
    kernels_ : list of c Kernels
        κ_j.
    support_, support_vectors_
        Numbers of the centres in the training data (all rows with weight) and the centres; the latter are
        empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (c, m)
        β_i in the row of its class, 0 elsewhere; each row sums to one.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    MaximumContrastClassifier : Densities with few centres, fitted for their contrast.
    LeastSquaresProbabilisticClassifier : Fits the posterior itself, as fast.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelDensityClassifier().fit(X, y)
    >>> round(model.score(X, y), 2), model.predict([[1e6] * 4])
    (1.0, array([2]))
    """

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [str, callable, Kernel],
        "gamma": [
            StrOptions({*GAMMA_RULES, *CRITERIA}),
            POSITIVE,
            "array-like",
        ],
        "class_widths": ["boolean"],
        "weights": [StrOptions({"uniform", "likelihood"})],
        "normalize": [StrOptions({"auto"}), "boolean"],
        "priors": [StrOptions({"uniform"}), "array-like", dict, None],
        "kernel_params": [dict, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma="log_loss",
        class_widths=True,
        weights="uniform",
        normalize="auto",
        priors=None,
        kernel_params=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.class_widths = class_widths
        self.weights = weights
        self.normalize = normalize
        self.priors = priors
        self.kernel_params = kernel_params
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "KernelDensityClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; a weight of two is a row seen twice.

        Returns
        -------
        self : KernelDensityClassifier
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight, None)
        self.priors_ = self._check_priors(training)
        searched = self._searched_rows(len(training.y))
        self.kernels_ = self._choose_kernels(training, searched)
        refuse_negative(self._gram(self.kernels_[0], training.X, searched))
        self._log_scale_ = np.array([self._log_normaliser(kernel) for kernel in self.kernels_])
        self._store_centers(training.X, np.arange(len(training.y)), training.index)
        self.dual_coef_ = self._mixing_weights(training)
        return self

    def _searched_rows(self, n: int) -> np.ndarray:
        if n <= SEARCHED_ROWS:
            return np.arange(n)
        return np.sort(check_random_state(self.random_state).choice(n, SEARCHED_ROWS, replace=False))

    def _choose_kernels(self, training: Training, rows: np.ndarray) -> list[Kernel]:
        """Return the kernel of each class."""
        c = len(self.classes_)
        searched = isinstance(self.gamma, str) and self.gamma in CRITERIA
        if np.ndim(self.gamma) == 1:
            if np.shape(self.gamma) != (c,):
                raise ValueError(f"gamma must hold one number for each of {c} classes, got {self.gamma!r}")
            numbers = [resolve_gamma(gamma, training.X) for gamma in np.asarray(self.gamma).tolist()]
            return [self._resolve_kernel(training, gamma) for gamma in numbers]
        kernel = self._resolve_kernel(training, 1.0 if searched else self.gamma)
        if not (searched and isinstance(self.kernel, str) and isinstance(kernel, Stationary)):
            return [kernel] * c
        X, y, weight = training.X[rows], training.y[rows], training.weight[rows]
        table = tabulate_widths(kernel, X, y, weight, self.priors_)
        widths = choose_widths(table, self.gamma, per_class=self.class_widths)
        return [clone(kernel).set_params(length_scale=width) for width in widths]

    def _gram(self, kernel: Kernel, X: Matrix, rows: np.ndarray) -> np.ndarray:
        return kernel(X[rows], kernel.select(X, rows))

    def _log_normaliser(self, kernel: Kernel) -> float:
        if self.normalize is False:
            return 0.0
        try:
            return -log_volume(kernel, self.n_features_in_)
        except ValueError:
            if self.normalize == "auto":
                return 0.0
            raise

    def _mixing_weights(self, training: Training) -> np.ndarray:
        coef = np.zeros((len(self.classes_), len(training.y)))
        for j, kernel in enumerate(self.kernels_):
            members = np.flatnonzero(training.y == j)
            weight = training.weight[members]
            coef[j, members] = weight / weight.sum()
            if self.weights == "likelihood" and len(members) > 1:
                members = members[self._searched_rows(len(members))]
                Z = kernel.select(training.X, members)
                exponents = log_kernel(kernel, training.X[members], Z)
                alike = exponents >= np.maximum.outer(*[exponents.diagonal()] * 2)
                exponents[alike] = -np.inf
                coef[j] = 0.0
                coef[j, members] = likelihood_weights(
                    exponents, training.weight[members], tol=1e-3, max_iter=1000
                )
        return coef

    def _log_fields(self, X: MatrixLike) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return self._class_log_densities(X) + np.log(self.priors_)

    def _class_log_densities(self, X: Matrix) -> np.ndarray:
        """Return log q_j(x) (n, c) of checked rows."""
        log_q = np.empty((X.shape[0], len(self.classes_)))
        for j, kernel in enumerate(self.kernels_):
            used = np.flatnonzero(self.dual_coef_[j])
            mixture = log_mixture(kernel, X, self._centers[used], self.dual_coef_[j, used][:, np.newaxis])
            log_q[:, j] = mixture[:, 0] + self._log_scale_[j]
        return log_q

    @by_rows
    def log_density(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class densities, before priors.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.

        Returns
        -------
        log_q : ndarray of shape (n, c)
            log q_j(x); densities that integrate to one if normalised.
        """
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            return self._all_log_fields(X, len(self.support_)) - np.log(self.priors_)

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The fields P_j q_j(x) as sums over centres, each with the kernel of its class.

        Returns
        -------
        expansions : list of c KernelExpansions
            For `kernelproba.inspection.explain`.
        """
        check_is_fitted(self)
        fields = self.priors_ * np.exp(self._log_scale_)
        expansions = []
        for j, kernel in enumerate(self.kernels_):
            used = np.flatnonzero(self.dual_coef_[j])
            coef = fields[j] * self.dual_coef_[j, used][np.newaxis]
            side = np.array([[j, NONE]])
            centers, rows = self._centers[used], self.support_[used]
            expansions.append(KernelExpansion(kernel, centers, rows, coef, np.zeros(1), side))
        return expansions
