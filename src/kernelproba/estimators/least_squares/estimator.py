"""The least-squares probabilistic classifier: class probabilities from one linear system per class."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.class_centers import KeyedRows, check_centers, choose_class_centers
from kernelproba.estimators.base.atomic import atomic_fit, atomic_update
from kernelproba.estimators.base.kernel_spec import KERNEL_CONSTRAINTS
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import POSITIVE, positive_numbers
from kernelproba.estimators.least_squares.posterior_scores import PosteriorScores
from kernelproba.estimators.least_squares.state import LearntPosterior, PosteriorOptions, learn_block
from kernelproba.estimators.least_squares.streaming import can_stream
from kernelproba.kernels import Kernel
from kernelproba.solvers.least_squares.posterior_sums import PosteriorSums
from kernelproba.solvers.least_squares.stochastic_posterior import StochasticPosterior
from kernelproba.typing import MatrixLike

#: Rows from which the centres of rows that are not in memory are drawn.
SAMPLE_ROWS = 20_000


class LeastSquaresProbabilisticClassifier(PosteriorScores):
    """Class probabilities by a least-squares fit of the posterior, trained by one linear system per class.

    The posterior of class y is modelled as q_y(x) = Σⱼ aⱼ k(x, zⱼ) over centres of that class, and fitted to
    the true posterior in mean square [1]_::

        (H + αI) a = h,      H = Σᵢ sᵢφ(xᵢ)φ(xᵢ)ᵀ/S,   h = Σ_{i: yᵢ = y} sᵢφ(xᵢ)/S,   S = Σᵢ sᵢ

    with φ(x) the kernel values at the centres and s the sample weights.  H and h are averages over rows:
    training is one pass, `partial_fit` is exact, and the scores of rows left out follow in closed form.
    With n rows in c classes of equal size, time grows as n³/c and memory as n²/c.

    Parameters
    ----------
    alpha : float, default=1e-3
        Penalty α (λ in [1]_).  Below about 1e-12 it drowns in rounding and acts like that.
    kernel : str, callable, Kernel or scikit-learn Gaussian-process kernel, default="rbf"
        A name that scikit-learn knows ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
        "additive_chi2"), "precomputed", an object of `kernelproba.kernels`, or ``f(X, Z) -> matrix``.
        The model is meant for kernels that are positive and local.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Coefficient of the named kernels, as in SVC; "median" is 1/(2·median distance²).
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    kernel_params : dict, optional
        Further keyword arguments of a callable kernel.
    centers : {"class", "all"} or array of shape (m, d), default="class"
        "class": each class has its own rows as centres (model (7) of [1]_); "all": all rows serve every
        class (model (5)), which is often more accurate and costs c times as much; an array: these rows, for
        every class.  Rows that occur twice are one centre.
    n_centers : int, optional
        Draw that many rows of each class with ``centers="class"``, or of all rows with ``centers="all"``.  A
        thousand for all classes cost less than the rows of every class for itself once a class has more than
        1000/√c.
    class_weight : dict or "balanced", optional
        Factors on `sample_weight` per class.
    solver : {"cholesky", "eigh", "sgd"}, default="cholesky"
        "cholesky" factorises H + αI; "eigh" decomposes H, which pays for long paths; "sgd" makes averaged
        stochastic gradient steps that cost O(m) per row instead of O(m²), for streams without end.
    calibration : {"power"} or None, default="power"
        "power": p ∝ (max(0, q) + ε)ᵗ with t and ε from leave-one-out scores, see `kernelproba.calibration`;
        None: p ∝ max(0, q) as in (10) of [1]_, which is far from confident enough when classes are many.
    outside : {"prior", "tails"}, default="prior"
        Far from all centres local kernels vanish.  "tails" normalises whatever is left, as [1]_ does: one
        class gets nearly all; "prior" turns to the class priors as the evidence Σ max(0, q) sinks below
        what nearly all training rows have.
    max_iter : int, default=10
        Passes over the rows of `fit` with ``solver="sgd"``.
    random_state : int, RandomState or None, default=None
        Draws centres, the order of rows for "sgd", and the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    priors_ : ndarray of shape (c,)
        Weighted shares of the classes.
    dual_coef_ : ndarray of shape (c, m)
        Coefficients of the centres, zero for the centres of other classes.
    intercept_ : ndarray of shape (c,)
        Zeros: the model has none.
    support_ : ndarray of shape (m,)
        Row numbers of the centres in the (first) training data, −1 for given ones.
    support_vectors_ : ndarray of shape (m, d)
        The centres; empty for a precomputed kernel.
    score_map_ : Clipping, PowerCalibration or PriorOutside
        What turns scores into probabilities.
    kernel_ : Kernel
        The kernel in use, with numbers in place of rules.
    n_iter_ : int
        Passes over the rows.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    LeastSquaresProbabilisticClassifierCV : Chooses gamma and alpha by itself.
    KernelLogisticRegression : Slower to fit, better probabilities.

    Notes
    -----
    If every score of a row is clipped, the answer is the class priors.

    References
    ----------
    .. [1] M. Sugiyama, "Superfast-trainable multi-class probabilistic classifier by least-squares posterior
       fitting", IEICE Transactions on Information and Systems E93-D(10), 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import LeastSquaresProbabilisticClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LeastSquaresProbabilisticClassifier().fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "alpha": [POSITIVE],
        **KERNEL_CONSTRAINTS,
        "centers": [
            StrOptions({"class", "all"}), "array-like", "sparse matrix",
        ],
        "n_centers": [Interval(Integral, 1, None, closed="left"), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "solver": [StrOptions({"cholesky", "eigh", "sgd"})],
        "calibration": [StrOptions({"power"}), None],
        "outside": [StrOptions({"prior", "tails"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }  # fmt: skip

    def __init__(
        self,
        alpha=1e-3,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        centers="class",
        n_centers=None,
        class_weight=None,
        solver="cholesky",
        calibration="power",
        outside="prior",
        max_iter=10,
        random_state=None,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.centers = centers
        self.n_centers = n_centers
        self.class_weight = class_weight
        self.solver = solver
        self.calibration = calibration
        self.outside = outside
        self.max_iter = max_iter
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "LeastSquaresProbabilisticClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows; also a store of `kernelproba.rows` or a Dask array or data frame.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; a weight of two is a row seen twice.

        Returns
        -------
        self : LeastSquaresProbabilisticClassifier
            The fitted model.
        """
        checked = self._check_rows(X, y, sample_weight, self.class_weight)
        if isinstance(checked, StoredTraining):
            self._fit_stored(checked)
            return self
        rows = self._distinct(checked)
        training = rows.training
        learnt = self._start(training, rows.keys, self._resolve_kernel(training))
        learnt.learn(rows.sketch(self._order(len(training.y))))
        self.n_iter_ = self._descend_on(learnt.sums, training)
        learnt.solution()
        self._learnt_ = learnt
        return self

    @available_if(can_stream)
    @atomic_update
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "LeastSquaresProbabilisticClassifier":
        """Learn from one more block of rows.

        The first block decides on the kernel's width and on the centres, unless they are given; it needs
        rows of every class then.  With the same kernel and centres the blocks give exactly what `fit` gives
        on all rows (``solver="sgd"`` aside).  The linear systems are solved when the model is next used.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (c,)
            All labels that will ever occur; needed on the first call.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        self : LeastSquaresProbabilisticClassifier
            The model, with the block learnt.
        """
        self._validate_params()
        training = self._check_block(X, y, classes, sample_weight)
        if len(training.y) == 0:
            return self
        rows = self._distinct(training)
        if self.__sklearn_is_fitted__():
            self._learnt_ = self._learnt_.copy()
        else:
            self._learnt_ = self._start(rows.training, rows.keys, self._resolve_kernel(rows.training))
            self.n_iter_ = 1
        self._learnt_.learn(rows.sketch())
        return self

    def path(self, alphas: ArrayLike) -> np.ndarray:
        """Coefficients for other penalties, from the same sums over rows.

        Parameters
        ----------
        alphas : array-like of shape (r,)
            Penalties, positive.

        Returns
        -------
        coefs : ndarray of shape (r, c, m)
            What `dual_coef_` would be for each.
        """
        check_is_fitted(self)
        return self._learnt_.path(positive_numbers(alphas, "alphas"))

    def leave_one_out_scores(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> np.ndarray:
        """Scores of rows that the model was trained on, by models that were not: each row left out in turn.

        A row that is a centre is left out as a centre as well.  Copies of a row, and what a weight that is a
        whole number has beyond one, are other observations and stay.  With ``solver="sgd"`` an approximation.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training rows, all copies of a row together.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), optional
            Their weights in training.

        Returns
        -------
        Q : ndarray of shape (n, c)
            Scores as of `raw_scores`.
        """
        check_is_fitted(self)
        if self._is_precomputed():
            raise ValueError("leave_one_out_scores needs rows, which kernel='precomputed' does not have.")
        rows, Q = self._check_block(X, y, None, sample_weight), self.raw_scores(X)
        Q[rows.index] = self._left_out_scores(rows)  # others had no part in it
        return Q

    def _fit_stored(self, training: StoredTraining) -> None:
        """One pass over rows that are not in memory, with centres from a sample of them."""
        every = isinstance(self.centers, str) and self.n_centers is None
        if every or self.solver == "sgd":
            raise ValueError(
                "Rows that are not in memory need a number of centres (n_centers=500 per class, or "
                "n_centers=1000 with centers='all') or given ones, and solver='cholesky' or 'eigh'."
            )
        excerpt = self._distinct(training.excerpt(SAMPLE_ROWS, self.random_state))
        start = self._start(excerpt.training, excerpt.keys, self._resolve_kernel(training))
        shared = (start, training.factors)
        self._learnt_ = training.X.fold(learn_block, training.y, training.weight, shared=shared)
        self.n_iter_ = 1

    def _left_out_scores(self, training: Training) -> np.ndarray:
        """Scores (n, c) of rows that have been learnt, each left out in turn; its copies stay."""
        rows = self._distinct(training)
        return self._learnt_.leave_one_out(rows.sketch())[rows.which]

    def _start(self, training: Training, keys: np.ndarray, kernel: Kernel) -> LearntPosterior:
        """Fix kernel and centres."""
        c = len(self.classes_)
        known = not self._is_precomputed()
        given = check_centers(self.centers, self.n_centers, training.X.shape[1], rows_known=known)
        rows = KeyedRows(training.X, training.y, keys)
        centers = choose_class_centers(given, self.n_centers, rows, c, self.random_state)
        centers.refuse_empty(self.classes_)
        if isinstance(given, str):
            Z = kernel.select(training.X, centers.rows)
            self._store_centers(training.X, centers.rows, training.index)
        else:
            Z = self.support_vectors_ = given
            self.support_ = centers.rows
        self.kernel_ = kernel
        self.intercept_ = np.zeros(c)
        options = PosteriorOptions(self.alpha, self.solver, self.calibration, self.outside)
        if self.solver == "sgd":
            return LearntPosterior(StochasticPosterior(kernel, Z, centers, c, self.alpha), options)
        return LearntPosterior(PosteriorSums(kernel, Z, centers, c), options)

    def _order(self, n: int) -> np.ndarray | slice:
        """Rows of `fit` in the order of learning them; exact sums do not mind."""
        return check_random_state(self.random_state).permutation(n) if self.solver == "sgd" else slice(None)

    def _descend_on(self, sums: PosteriorSums, training: Training) -> int:
        """Further passes of a descent over the rows of `fit`; return the number of all passes."""
        if not isinstance(sums, StochasticPosterior):
            return 1
        rng = check_random_state(self.random_state)
        for _ in range(self.max_iter - 1):
            order = rng.permutation(len(training.y))
            sums.descend(training.X[order], training.y[order], training.weight[order])
        return self.max_iter
