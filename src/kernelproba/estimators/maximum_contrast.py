"""Maximum contrast classification: sparse discriminative densities, and rows that training switched off."""

from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted

from kernelproba.basis.gram import Gram
from kernelproba.calibration import fit_slope
from kernelproba.caller_warning import warn_caller
from kernelproba.decision import label_index
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.cross_fit import cross_fit_scores, score_columns
from kernelproba.estimators.base.density_classifier import DensityMachine, refuse_negative
from kernelproba.estimators.base.kernel_expansion import KernelExpansion, score_sides
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import POSITIVE
from kernelproba.kernels import GAMMA_RULES, Kernel
from kernelproba.kernels.logarithm import log_mixture
from kernelproba.solvers.lp.contrast_problem import ContrastProblem
from kernelproba.solvers.lp.full_lp import DenseContrast
from kernelproba.solvers.lp.restricted_contrast import RestrictedContrast
from kernelproba.solvers.lp.slpm import ContrastFit, Programme, contrast_path
from kernelproba.typing import Classifier, MatrixLike

PROGRAMMES: dict[str, type[Programme]] = {"restricted": RestrictedContrast, "dense": DenseContrast}


class MaximumContrastClassifier(DensityMachine):
    """Classifier by discriminative densities, trained to maximise their contrast [1]_.

    Each class j has q_j(x) = Σ_{i∈I_j} β_i κ(x, x_i), β ≥ 0, with the same mass s ≥ 1 for all classes.  With
    priors P the margin of a labelled row is d(x, y) = P_y q_y(x) − max_{k≠y} P_k q_k(x), its contrast is
    max(−1, min(1, d)), and training maximises ::

        mean contrast − alpha · 2 Σⱼ [ l1_ratio · s/nⱼ + (1 − l1_ratio) · max β over class j ]

    by a sequence of linear programmes.  A row whose margin falls to −1 no longer counts: it is deactivated,
    the model's own list of outliers and wrong labels.  For a large alpha the weights are equal, which is the
    kernel density classifier; for a small one they gather near the boundary and are sparse.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; inf gives the kernel density classifier.
    l1_ratio : float, default=0.5
        Share of the 1-norm in the penalty, 0 ≤ l1_ratio < 1; the rest is the maximum norm.  Near one the
        weights are sparse: 1 − 1/n for classes of n rows is the plain sum of both norms.
    kernel : str, callable or Kernel, default="rbf"
        A symmetric kernel without negative values: "rbf", "laplacian", "matern", "rational_quadratic",
        "chi2", "precomputed", an object of `kernelproba.kernels`, or ``f(X, Z) -> matrix``.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Width of the named kernels, as in SVC.
    kernel_params : dict, optional
        Further parameters of the kernel.
    priors : None, "uniform", array-like of shape (c,) or dict, default=None
        P, in training and in the posterior; None: the (weighted) class frequencies.  Rows count in the mean
        contrast by their weights alone.
    calibration_cv : int or None, default=None
        None: probabilities by Bayes' rule on P_j q_j(x).  An integer: they are softmax(a · contrast), with a
        fitted to the contrasts of rows held out in so many folds.
    solver : {"restricted", "dense"}, default="restricted"
        Column and row generation, or the whole linear programme; the same optimum.
    tol : float, default=1e-4
        Training ends once the penalised contrast rises by no more than that.
    max_iter : int, default=50
        Most linear programmes.
    random_state : int, RandomState or None, default=None
        Draws the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    priors_ : ndarray of shape (c,)
        P.
    support_, support_vectors_
        Numbers of the rows with positive weights in the training data, and these rows; the latter are empty
        for a precomputed kernel.
    dual_coef_ : ndarray of shape (c, m)
        β_i in the row of its class, 0 elsewhere; each row sums to `mass_`.
    mass_ : float
        s.
    deactivated_ : ndarray of int
        Numbers of the training rows that were switched off.
    margin_ : ndarray of shape (n,)
        d of the training rows, the lowest being the least credible; NaN for rows of weight zero.
    contrast_path_ : ndarray of shape (n_iter_,)
        Penalised mean contrast after each linear programme; it never falls.
    duality_gap_ : float
        Bound on the error of the last linear programme.
    n_iter_ : int
        Linear programmes solved.
    kernel_ : Kernel
        The kernel in use.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    MaximumContrastClassifierCV : Chooses gamma and alpha by folds.
    KernelDensityClassifier : Densities of all rows.
    kernelproba.inspection.ContrastDisplay : Margins and centres on a plane.

    References
    ----------
    .. [1] P. Meinicke, T. Twellmann, H. Ritter, "Discriminative densities from maximum contrast estimation",
       NIPS 2002.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> y[7] = 1 - y[7]
    >>> model = MaximumContrastClassifier(alpha=0.1, gamma=2).fit(X, y)
    >>> round(model.score(X, y), 2), 7 in model.deactivated_
    (0.95, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "alpha": [POSITIVE, Options(Real, {np.inf})],
        "l1_ratio": [Interval(Real, 0, 1, closed="left")],
        "kernel": [str, callable, Kernel],
        "gamma": [StrOptions({*GAMMA_RULES}), POSITIVE],
        "kernel_params": [dict, None],
        "priors": [StrOptions({"uniform"}), "array-like", dict, None],
        "calibration_cv": [Interval(Integral, 2, None, closed="left"), None],
        "solver": [StrOptions({*PROGRAMMES})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        kernel="rbf",
        gamma="scale",
        kernel_params=None,
        priors=None,
        calibration_cv=None,
        solver="restricted",
        tol=1e-4,
        max_iter=50,
        random_state=None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.priors = priors
        self.calibration_cv = calibration_cv
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "MaximumContrastClassifier":
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
        self : MaximumContrastClassifier
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight, None)
        self.margin_ = np.full(_num_samples(y), np.nan)
        self._fit_rows(training, self._resolve_kernel(training), self.alpha)
        self._calibrate(training, self)
        return self

    def _fit_rows(self, training: Training, kernel: Kernel, alpha: float) -> None:
        """Maximise the contrast of the rows and store what comes out."""
        gram = Gram(kernel, training.X)
        refuse_negative(gram.rows(np.arange(min(len(gram), 500))))
        priors = self._check_priors(training)
        problem = ContrastProblem(gram, training.y, training.weight, priors, float(self.l1_ratio))
        programme = PROGRAMMES[self.solver]
        (fit,) = contrast_path(problem, [alpha], programme, tol=self.tol, max_iter=self.max_iter)
        self._store(fit, problem, kernel, training)

    def _store(self, fit: ContrastFit, problem: ContrastProblem, kernel: Kernel, training: Training) -> None:
        if not fit.converged:
            warn_caller(
                f"The contrast still rose after {self.max_iter} linear programmes: raise max_iter or tol.",
                ConvergenceWarning,
            )
        chosen = np.flatnonzero(fit.beta)
        self.kernel_, self.priors_ = kernel, problem.priors
        self._store_centers(training.X, chosen, training.index)
        self.dual_coef_ = np.ascontiguousarray(problem.spread(fit.beta)[chosen].T)
        self.mass_ = float(self.dual_coef_[0].sum())
        self.deactivated_ = training.index[~fit.active]
        self.margin_[training.index] = fit.margin
        self.contrast_path_, self.n_iter_ = fit.history, len(fit.history)
        self.duality_gap_ = fit.gap

    def _calibrate(self, training: Training, estimator: Classifier) -> None:
        """Fit the map from contrasts to probabilities by clones of the estimator."""
        self._score_map_ = None
        if self.calibration_cv is not None:
            rows = cross_fit_scores(estimator, self.calibration_cv, training)
            self._score_map_ = fit_slope(rows._replace(Q=np.clip(rows.Q, -1, 1)))

    @by_rows
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Margins: the contrast before it is bounded to [−1, 1].

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        D : ndarray of shape (n,) or (n, c)
            P₁q₁(x) − P₀q₀(x) for two classes; for more, column j is d(x, j), the margin if x is in class j.
        """
        check_is_fitted(self)
        F = self._fields().scores(self._check_predict(X))
        if F.shape[1] == 2:
            return F[:, 1] - F[:, 0]
        top, second = np.sort(F, axis=1)[:, :-3:-1].T[..., np.newaxis]
        return F - np.where(top == F, second, top)

    def contrast(self, X: MatrixLike, y: ArrayLike | None = None) -> np.ndarray:
        """Contrast of labelled rows, in [−1, 1]: −1 for a confident mistake, 1 for a confident hit.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,), optional
            Their labels; by default the predicted ones, which makes the contrast a measure of confidence.

        Returns
        -------
        C : ndarray of shape (n,)
            max(−1, min(1, d(x, y))).
        """
        C = self._contrasts(X)
        return C.max(axis=1) if y is None else C[np.arange(len(C)), label_index(y, self.classes_)]

    def _contrasts(self, X: MatrixLike) -> np.ndarray:
        """Return the contrast (n, c) that each row has in each class."""
        return np.clip(score_columns(self.decision_function(X)), -1, 1)

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities: Bayes' rule, or the calibrated map.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`, without its underflow.
        """
        check_is_fitted(self)
        if self._score_map_ is None:
            return super().predict_log_proba(X)
        return self._score_map_.log_probabilities(self._contrasts(X))

    def _log_fields(self, X: MatrixLike) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return log_mixture(self.kernel_, X, self._centers, self.dual_coef_.T) + np.log(self.priors_)

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The fields P_j q_j as sums over centres, their difference for two classes.

        Returns
        -------
        expansions : list of one KernelExpansion
            For `kernelproba.inspection.explain`.
        """
        check_is_fitted(self)
        fields = self._fields()
        if len(self.classes_) > 2:
            return [fields]
        difference = fields.coef[1:] - fields.coef[:1]
        return [replace(fields, coef=difference, intercept=np.zeros(1), sides=score_sides(1))]

    def _fields(self) -> KernelExpansion:
        """The fields P_j q_j, one for each class."""
        coef = self.dual_coef_ * self.priors_[:, np.newaxis]
        zero, sides = np.zeros(len(coef)), score_sides(len(coef))
        return KernelExpansion(self.kernel_, self._centers, self.support_, coef, zero, sides)
