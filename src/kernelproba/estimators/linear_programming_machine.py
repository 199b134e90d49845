"""The linear programming machine: a sparse kernel classifier by linear programmes."""

from dataclasses import replace
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.gram import Gram
from kernelproba.calibration import SlopeMap, fit_slope
from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.cross_fit import cross_fit_scores, score_columns
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.kernel_spec import KERNEL_CONSTRAINTS
from kernelproba.estimators.base.linear_function import LinearFunction
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import POSITIVE
from kernelproba.estimators.pairwise_coupling import PairwiseCouplingClassifier
from kernelproba.kernels import Kernel, Precomputed
from kernelproba.solvers.lp.linear_machine import MachineFit, linear_machine_path
from kernelproba.typing import Classifier, MatrixLike

#: Share of a minimum that may be left open without a word.
OPEN_SHARE = 0.01


class LinearProgrammingMachine(LinearFunction, KernelMachine):
    """Kernel classifier with a 1-norm penalty on its weights, a relative of maximum contrast [1]_.

    For two classes, labels σ = ±1, it minimises over β ≥ 0 and b ::

        Σᵢ βᵢ + C Σᵢ sᵢ max(0, 1 − σᵢ f(xᵢ)),        f(x) = Σᵢ σᵢ βᵢ k(x, xᵢ) + b

    a linear programme whose optimum has few non-zero weights.  The kernel need not be positive definite.
    Where one pair of rows alone decides a margin, its two weights can share their sum in any way at the same
    cost; of all intercepts that cost the same the middle one is taken.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the margin violations.  Where rows violate the margin whatever the weights, C beyond about
        1e8 (for kernel values near one) is as good as 1e8, with a warning.
    kernel, gamma, degree, coef0, kernel_params
        As in `KernelLogisticRegression`.
    class_weight : dict or "balanced", optional
        Factors on `sample_weight` per class.
    multi_class : {"ovr", "pairwise"}, default="ovr"
        More than two classes: one machine per class against the rest, or one per pair of classes, whose
        probabilities are coupled.
    calibration_cv : int or None, default=5
        Probabilities are softmax(a · score), with a fitted to the scores of rows held out in so many folds;
        None saves these fits and leaves a = 1.
    random_state : int, RandomState or None, default=None
        Draws the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    support_, support_vectors_
        Numbers of the rows with non-zero weights in the training data, and these rows; the latter are empty
        for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, m) or (c, m)
        σβ of each machine; not there for pairs.
    intercept_ : ndarray of shape (1,) or (c,)
        b; not there for pairs.
    coef_ : ndarray of shape (1, d), (c, d) or (c (c − 1) / 2, d)
        Linear kernel only: coefficients of the features.
    objective_, duality_gap_ : float
        The minimum (summed over the machines) and a bound on its error; not there for pairs.
    pairwise_ : PairwiseCouplingClassifier
        The machines of the pairs, if they were asked for.
    kernel_ : Kernel
        The kernel in use; each pair has its own.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    LinearProgrammingMachineCV : Chooses gamma and C by folds.
    MaximumContrastClassifier : Linear programmes with densities for scores.

    References
    ----------
    .. [1] T. Graepel et al., "Classification on proximity data with LP-machines", ICANN 1999; equation (13)
       of P. Meinicke, T. Twellmann, H. Ritter, "Discriminative densities from maximum contrast estimation",
       NIPS 2002.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = LinearProgrammingMachine(C=10, gamma=2).fit(X, y)
    >>> round(model.score(X, y), 2), len(model.support_) < 30
    (0.97, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [POSITIVE],
        **KERNEL_CONSTRAINTS,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "multi_class": [StrOptions({"ovr", "pairwise"})],
        "calibration_cv": [Interval(Integral, 2, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        class_weight=None,
        multi_class="ovr",
        calibration_cv=5,
        random_state=None,
    ):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.calibration_cv = calibration_cv
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "LinearProgrammingMachine":
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
        self : LinearProgrammingMachine
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight, self.class_weight)
        if self.multi_class == "pairwise" and len(self.classes_) > 2:
            self._fit_pairs(training)
            return self
        self._fit_machines(training, self._resolve_kernel(training), 1 / self.C)
        self._calibrate(training, self)
        return self

    def _fit_machines(self, training: Training, kernel: Kernel, penalty: float) -> None:
        """One machine for two classes, or one for each class against the rest."""
        gram, c = Gram(kernel, training.X), len(self.classes_)
        positive = [1] if c == 2 else list(range(c))
        labels = [(training.y == j).astype(np.intp) for j in positive]
        fits = [fit for y in labels for fit in linear_machine_path(gram, y, training.weight, [penalty])]
        coef = np.stack([(2 * y - 1) * fit.beta for y, fit in zip(labels, fits, strict=True)])
        chosen = np.flatnonzero(coef.any(axis=0))
        self.kernel_ = kernel
        self._store_centers(training.X, chosen, training.index)
        self.dual_coef_, self.intercept_ = coef[:, chosen], np.array([fit.intercept for fit in fits])
        self.objective_ = sum(fit.value for fit in fits) / penalty
        self.duality_gap_ = max(fit.gap for fit in fits) / penalty
        self._doubt(max(fits, key=lambda fit: fit.gap / fit.value))

    def _doubt(self, worst: MachineFit) -> None:
        """Warn of a minimum that the bound by duality leaves open."""
        if worst.gap > OPEN_SHARE * worst.value:
            warn_caller(
                f"A linear programme is solved to within {worst.gap / worst.value:.0%} of its minimum only: "
                f"C={self.C:g} leaves the penalty to rounding. Lower C, bring weights nearer to one another, "
                "or widen the kernel.",
                ConvergenceWarning,
            )

    def _calibrate(self, training: Training, estimator: Classifier) -> None:
        """Fit the map from scores to probabilities by clones of the estimator."""
        self._score_map_ = SlopeMap(1.0)
        if self.calibration_cv is not None:
            self._score_map_ = fit_slope(cross_fit_scores(estimator, self.calibration_cv, training))

    def _fit_pairs(self, training: Training) -> None:
        """One machine for each pair of classes, coupled."""
        machine = clone(self).set_params(class_weight=None, multi_class="ovr")
        self.pairwise_ = PairwiseCouplingClassifier(machine).fit(training.X, training.y, training.weight)
        rows = [np.flatnonzero(np.isin(training.y, pair)) for pair in self.pairwise_.pairs_]
        used = [of_pair[m.support_] for of_pair, m in zip(rows, self.pairwise_.estimators_, strict=True)]
        self._store_centers(training.X, np.unique(np.concatenate(used)), training.index)
        self._pair_support_ = [training.index[of_pair] for of_pair in used]

    @by_rows
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores f(x); log-probabilities if pairs are coupled.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        F : ndarray of shape (n,) or (n, c)
            One score for two classes, positive for `classes_[1]`, else one for each class.
        """
        check_is_fitted(self)
        if hasattr(self, "pairwise_"):
            return self.predict_log_proba(X)
        F = self._expansion().scores(self._check_predict(X))
        return F[:, 0] if F.shape[1] == 1 else F

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities.

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
        if hasattr(self, "pairwise_"):
            return self.pairwise_.predict_log_proba(self._check_predict(X))
        return self._score_map_.log_probabilities(score_columns(self.decision_function(X)))

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores as sums over centres, for `kernelproba.inspection.explain`.

        Returns
        -------
        expansions : list of KernelExpansion
            One for each set of scores with the same centres.
        """
        check_is_fitted(self)
        if not hasattr(self, "pairwise_"):
            return super().kernel_expansions()
        expansions = []
        for (i, j), rows, machine in zip(
            self.pairwise_.pairs_, self._pair_support_, self.pairwise_.estimators_, strict=True
        ):
            (own,) = machine.kernel_expansions()
            centers = rows if isinstance(own.kernel, Precomputed) else own.centers
            expansions.append(replace(own, rows=rows, centers=centers, sides=np.array([[j, i]])))
        return expansions
