"""Logistic regression on fixed basis functions, with standard errors."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.validation import _check_feature_names_in, has_fit_parameter

from kernelproba.basis.coordinates import Coordinates, principal_coordinates
from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.logistic_scores import LogisticScores
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import POSITIVE
from kernelproba.estimators.basis_logistic.expansion import BasisExpansion
from kernelproba.estimators.basis_logistic.summary import CoefficientSummary, coefficient_covariance
from kernelproba.linalg import densify
from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows
from kernelproba.solvers import Solution
from kernelproba.solvers.smooth.information import contrasts, observed_information
from kernelproba.solvers.smooth.newton_cholesky import newton_decrement
from kernelproba.solvers.smooth.separation import SeparationError, separated_rows
from kernelproba.typing import Matrix, MatrixLike

#: Features are cut here when predicting: a monomial may overflow, and ∞ − ∞ has no class.
LARGEST_FEATURE = 1e100
#: Most coefficients, over all classes: their covariance is dense, 128 MB of it.
MOST_COEFFICIENTS = 4000


class BasisLogisticRegression(CoefficientSummary, LogisticScores, ProbabilisticClassifier):
    """Logistic regression on basis functions φ(x), by Newton–Raphson, with standard errors.

    Minimises, over coefficients w and free intercepts b::

        C Σᵢ sᵢ ℓ(yᵢ, φ(xᵢ)ᵀw + b) + ½‖w‖²

    with the logistic loss on one score for two classes and softmax on one score per class otherwise.
    ``C=numpy.inf`` is maximum likelihood.  Each step solves with the full Hessian, over all classes at
    once [1]_; hence the model suits up to some thousand coefficients, and the covariance of the
    coefficients comes for free.

    Parameters
    ----------
    C : float or None, default=1.0
        Inverse strength of the ridge.  ``numpy.inf`` or None: no penalty.  The likelihood of data that the
        basis functions separate has no maximum; `fit` finds that out by a linear programme and raises
        `SeparationError` instead of returning whatever large coefficients it had reached.
    expansion : transformer, "passthrough" or None, default=None
        Gives φ(x).  None: ``BasisExpansion(random_state=random_state)``; "passthrough": φ(x) = x, plain
        logistic regression.  Every transformer will do, such as a pipeline that scales first.
        Its `fit` receives the weights of the rows if it takes `sample_weight`.
    class_weight : dict or "balanced", optional
        Factors on `sample_weight` per class.
    undo_weights : bool or "class_weight", default=False
        Whether to take out of the probabilities what the weights have done to the class frequencies:
        True: they refer to the frequencies of the rows counted once each; "class_weight": to those counted
        by `sample_weight`.  The weights then decide only where the model takes care.
    fit_intercept : bool, default=True
        Whether to add free intercepts.
    tol : float, default=1e-6
        Bound on Newton's decrement √(∇ᵀH⁻¹∇): the distance to the optimum in standard errors, of rows that
        weigh one on average.
    max_iter : int, default=100
        Most Newton steps.
    random_state : int, RandomState or None, default=None
        Of the default expansion; one that is given has its own.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    expansion_ : transformer or None
        The fitted expansion; None for "passthrough".
    coef_ : ndarray of shape (1, p) or (c, p)
        w.  Those of several classes sum to zero over the classes: softmax leaves the sum free.
    intercept_ : ndarray of shape (1,) or (c,)
        b, likewise.
    weight_shift_ : ndarray of shape (c,)
        What `undo_weights` has taken off the log-probabilities, as part of `intercept_`; sums to zero.
    covariance_ : ndarray of shape (k q, k q)
        Covariance of the entries of ``numpy.hstack([coef_, intercept_[:, None]])`` (k, q), row by row; the
        intercepts are left out if `fit_intercept` is false.  See Notes.
    standard_errors_ : ndarray of shape (k, q)
        Standard errors of the same entries, infinite for those that the rows do not determine.
    log_likelihood_ : float
        Σᵢ sᵢ log p(yᵢ | xᵢ) on the training rows.
    n_iter_ : int
        Newton steps.
    residual_ : float
        The quantity that `tol` bounds.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    BasisExpansion : The functions that it uses by default.
    KernelLogisticRegression : Functions that the rows themselves provide.

    Notes
    -----
    Without a penalty the covariance is the inverse of the observed information, in the gauge where classes
    sum to zero.  With a ridge it is the inverse of the penalised Hessian of the negative log-likelihood
    ``Σ sᵢ ℓ + ‖w‖²/(2C)``: the covariance of the Gaussian approximation to the posterior under the prior
    w ~ N(0, C I), not that of repeated sampling, and tests lean towards zero as the coefficients do.
    Weights count as repeated rows; weights that are not counts, `class_weight` among them, move the
    coefficients but make the standard errors nominal.

    Without a penalty, basis functions that depend on each other linearly (duplicate columns, a constant
    column beside the intercept) get the coefficients of least norm after the columns are standardised, and
    a warning.  Predictions are unique all the same; `covariance_` is the
    pseudo-inverse that goes with these coefficients, and `standard_errors_` says which are arbitrary.

    References
    ----------
    .. [1] F. Corona, "Probabilistic discriminative models", lecture slides, 2016.

    Examples
    --------
    Two Gaussian basis functions bend the boundary around two groups that no line parts from the rest:

    >>> import numpy as np
    >>> from kernelproba.estimators.basis_logistic.expansion import BasisExpansion
    >>> from kernelproba.estimators.basis_logistic.estimator import BasisLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> centers = np.repeat([[-1.0, -1.0], [1.0, 1.0]], 50, axis=0)
    >>> X = np.vstack([centers + 0.5 * rng.normal(size=(100, 2)), 2 * rng.normal(size=(100, 2))])
    >>> y = np.repeat(["group", "rest"], 100)
    >>> curved = BasisExpansion(centers=[[-1, -1], [1, 1]], width=0.8)
    >>> model = BasisLogisticRegression(C=np.inf, expansion=curved).fit(X, y)
    >>> model.score(X, y), model.set_params(expansion="passthrough").fit(X, y).score(X, y)
    (0.845, 0.53)
    >>> model.set_params(expansion=curved).fit(X, y).summary()[["coef", "std_err", "z"]].round(1)
                     coef  std_err    z
    class term
    rest  gaussian0  -6.9      1.0 -7.2
          gaussian1  -8.4      1.2 -7.1
          intercept   3.7      0.5  6.8
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [POSITIVE, Options(Real, {np.inf}), None],
        "expansion": [StrOptions({"passthrough"}), HasMethods(["fit", "transform"]), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "undo_weights": ["boolean", StrOptions({"class_weight"})],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C=1.0,
        *,
        expansion=None,
        class_weight=None,
        undo_weights=False,
        fit_intercept=True,
        tol=1e-6,
        max_iter=100,
        random_state=None,
    ):
        self.C = C
        self.expansion = expansion
        self.class_weight = class_weight
        self.undo_weights = undo_weights
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "BasisLogisticRegression":
        """Fit the expansion, then the model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; a weight of two is a row seen twice.

        Returns
        -------
        self : BasisLogisticRegression
            The fitted model.

        Raises
        ------
        SeparationError
            If there is no penalty and the basis functions separate the classes, completely or in part.
        """
        training = self._check_fit(X, y, sample_weight, self.class_weight)
        self._fit_expansion(training)
        Phi = self._training_features(training.X)
        self._check_number(Phi.shape[1])
        coordinates = self._coordinates(Phi, training.weight)
        objective = self._objective(coordinates.features(Phi), training)
        solution = newton_decrement(objective, objective.start(), tol=self.tol, max_iter=self.max_iter)
        information = observed_information(objective, solution.coef)
        self._check_solution(objective, solution, information)
        self._store(objective, solution, information, coordinates)
        self._undo_weights(training, self.undo_weights)
        return self

    def _fit_expansion(self, training: Training) -> None:
        if isinstance(self.expansion, str):
            self.expansion_ = None
            return
        expansion = (
            BasisExpansion(random_state=self.random_state) if self.expansion is None else self.expansion
        )
        weights = {"sample_weight": training.weight} if has_fit_parameter(expansion, "sample_weight") else {}
        self.expansion_ = clone(expansion).fit(training.X, self.classes_[training.y], **weights)

    def _features(self, X: Matrix) -> np.ndarray:
        """φ of checked rows, (n, p), dense and in float64; not finite if it overflows."""
        X = X.astype(np.float64, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            Phi = X if self.expansion_ is None else self.expansion_.transform(X)
        return np.asarray(densify(Phi), dtype=np.float64)

    def _training_features(self, X: MatrixLike) -> np.ndarray:
        Phi = self._features(X)
        if not np.abs(Phi).max(initial=0.0) <= LARGEST_FEATURE:
            raise ValueError(
                f"A basis function of X is NaN or beyond ±{LARGEST_FEATURE:g} on the training rows. Scale X, "
                "for instance with expansion=make_pipeline(StandardScaler(), ...), or lower the degree."
            )
        return Phi

    def _check_number(self, p: int) -> None:
        """Refuse more coefficients than a dense covariance of them all is good for."""
        c = len(self.classes_)
        number = loss_for(c).n_scores(c) * (p + self.fit_intercept)
        if number > MOST_COEFFICIENTS:
            raise ValueError(
                f"{p} basis functions of X and {c} classes make {number} coefficients, more than the "
                f"{MOST_COEFFICIENTS} whose covariance is computed: give an expansion with fewer functions "
                "(a lower degree, fewer centers), or use KernelLogisticRegression, which never forms them."
            )

    @property
    def _is_penalised(self) -> bool:
        return self.C is not None and np.isfinite(self.C)

    def _coordinates(self, Phi: np.ndarray, weight: np.ndarray) -> Coordinates:
        """Coordinates of the fit: the ridge is stated in φ, while likelihood leaves the choice to us."""
        if self._is_penalised:
            n, p = Phi.shape
            return Coordinates.of_row_space(Phi) if p > n else Coordinates.unchanged(p)
        coordinates = principal_coordinates(Phi, weight, center=self.fit_intercept)
        p, rank = coordinates.map.shape
        if rank < p:
            warn_caller(
                f"The {p} basis functions depend on each other on the training rows (rank {rank}): of the "
                "equally likely coefficients those of least norm are returned, and undetermined ones have "
                "infinite standard errors. Drop the redundant functions, or set C for a ridge."
            )
        return coordinates

    def _objective(self, features: np.ndarray, training: Training) -> Objective:
        # J/C = Σ sᵢ ℓ + ‖w‖²/(2C): its Hessian is the information, and it has a limit as C → ∞.
        c = len(self.classes_)
        loss, ridge = loss_for(c), Ridge(1 / self.C if self._is_penalised else 0.0)
        return Objective(
            as_rows(features), training.y, training.weight, loss, ridge, loss.n_scores(c), self.fit_intercept
        )

    def _check_solution(self, objective: Objective, solution: Solution, information: np.ndarray) -> None:
        separated = None
        if not self._is_penalised:
            separated = separated_rows(objective, solution, information, tol=self.tol)
        if separated is not None:
            raise SeparationError(
                f"The basis functions separate classes without error ({separated.sum()} of {len(separated)} "
                "rows lie strictly on their side): the likelihood rises as the coefficients grow and has no "
                "maximum. Set C to a number, such as C=1.0, for a ridge, or use fewer basis functions."
            )
        if not solution.converged:
            warn_caller(
                f"Newton's method stopped after {solution.n_iter} iterations with a decrement of "
                f"{solution.residual:.1e}, above tol={self.tol:g}. Raise max_iter or tol, lower C, or scale "
                "the features.",
                ConvergenceWarning,
            )

    def _store(
        self, objective: Objective, solution: Solution, information: np.ndarray, coordinates: Coordinates
    ) -> None:
        T = coordinates.back(intercept=self.fit_intercept)
        q, k = len(T), objective.n_scores
        theta = T @ solution.coef
        p = len(coordinates.map)
        self.coef_ = np.ascontiguousarray(theta[:p].T)
        self.intercept_ = theta[p].copy() if self.fit_intercept else np.zeros(k)
        Q = contrasts(objective)
        self.covariance_ = coefficient_covariance(information, T, Q)
        if self._is_penalised and coordinates.map.shape[1] < p:
            # Off the row space the ridge alone bends J: (1/C) I.
            rest = np.zeros((q, q))
            rest[:p, :p] = self.C * coordinates.rest
            self.covariance_ += np.kron(Q @ Q.T, rest)
        variance = self.covariance_.diagonal().reshape(k, q)
        self.standard_errors_ = np.where(coordinates.identified[:q], np.sqrt(variance), np.inf)
        W, _ = objective.split(solution.coef)
        self.log_likelihood_ = objective.penalty.value(W) - solution.value
        self.n_iter_, self.residual_ = solution.n_iter, solution.residual

    def _terms(self) -> list[str]:
        """Names of the basis functions, (p,)."""
        names = _check_feature_names_in(self)
        if self.expansion_ is None:
            return list(names)
        if hasattr(self.expansion_, "get_feature_names_out"):
            return list(self.expansion_.get_feature_names_out(names))
        return [f"phi{j}" for j in range(self.coef_.shape[1])]

    def _scores(self, X: MatrixLike) -> np.ndarray:
        Phi = self._features(self._check_predict(X))
        Phi = np.nan_to_num(Phi, nan=0.0).clip(-LARGEST_FEATURE, LARGEST_FEATURE)
        return Phi @ self.coef_.T + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.expansion is None:
            tags.input_tags.sparse = False
        elif not isinstance(self.expansion, str):
            tags.input_tags.sparse = get_tags(self.expansion).input_tags.sparse
        return tags
