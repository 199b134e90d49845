"""A classifier whose class priors can be replaced after the fit."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _check_sample_weight

from kernelproba.caller_warning import warn_caller
from kernelproba.decision import (
    as_priors,
    cautious_priors,
    class_priors,
    estimate_priors,
    label_index,
    reweight_log_posterior,
    reweight_posterior,
    shift_test,
)
from kernelproba.estimators.base.atomic import atomic_fit, atomic_update
from kernelproba.estimators.base.meta import PosteriorWrapper
from kernelproba.typing import MatrixLike


class PriorShiftClassifier(PosteriorWrapper):
    """Classifier for rows whose class priors are not those of training.

    While the classes themselves look as before, p(x|y) unchanged, the posterior under new priors is
    p'(y|x) ∝ p(y|x) π'_y / π_y.  The new priors are given, or estimated by ``adapt`` from unlabelled
    rows; until then the posterior is that of the estimator.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Its probabilities should be calibrated.  A fitted classifier is kept as it is inside
        ``sklearn.frozen.FrozenEstimator``; ``fit`` then only reads the training priors from y, which
        should be the labels that it was fitted on.
    priors : "uniform", array-like of shape (c,) or mapping {label: prior}, optional
        The new priors, in the order of ``classes_`` or by label; non-negative, with sum one.  None: those of
        training, until ``adapt`` estimates others from unlabelled rows.
    train_priors : "uniform", array-like of shape (c,) or mapping {label: prior}, optional
        The priors that the posterior of `estimator` goes with.  None: the class frequencies in ``fit``,
        weighted as the estimator was.  To be given when the estimator weighs classes on its own:
        uniform for ``class_weight="balanced"``.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator.
    classes_ : ndarray of shape (c,)
        The labels.
    train_priors_ : ndarray of shape (c,)
        The priors of training.
    priors_ : ndarray of shape (c,)
        The priors that ``predict_proba`` uses: those given, those of the last ``adapt``, or those of
        training.  ``adapt`` finds the likeliest priors if c more rows, spread as in training, were seen:
        so no class gets a prior of 0 only because it is rare.
    priors_std_error_ : ndarray of shape (c,)
        Standard errors of the priors found by ``adapt``, with the sampling error of ``n_train_``
        training rows for an estimator that is calibrated; a miscalibrated one errs by more.
    shift_test_ : ShiftTest
        Likelihood-ratio test, after ``adapt``, of "the priors are those of training": ``statistic``,
        ``df`` and ``p_value``.
    n_train_ : float
        How many equally weighted training rows ``fit`` was worth, (Σw)²/Σw².
    n_iter_ : int
        Iterations of the last ``adapt``.
    n_features_in_, feature_names_in_
        Those of ``estimator_``, where it has them.

    See Also
    --------
    kernelproba.decision.estimate_priors : Priors of rows without labels.
    kernelproba.decision.reweight_posterior : The change of a posterior.
    MinimumRiskClassifier : Other costs instead of other class frequencies.

    References
    ----------
    Saerens, Latinne & Decaestecker (2002), "Adjusting the outputs of a classifier to new a priori
    probabilities: a simple procedure", Neural Computation 14.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=2000)
    >>> X = rng.normal(size=(2000, 1)) + 3 * y[:, None]
    >>> rare = rng.random(1000) < 0.1
    >>> X_new = rng.normal(size=(1000, 1)) + 3 * rare[:, None]
    >>> model = PriorShiftClassifier(LogisticRegression()).fit(X, y).adapt(X_new)
    >>> model.priors_.round(1), bool(model.shift_test_.p_value < 0.001)
    (array([0.9, 0.1]), True)
    """

    def __init__(self, estimator, priors=None, *, train_priors=None):
        self.estimator = estimator
        self.priors = priors
        self.train_priors = train_priors

    @atomic_fit
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: object
    ) -> "PriorShiftClassifier":
        """Fit the estimator and note the priors of training; forget what ``adapt`` has found.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimator reads
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Handed to the estimator, and counted in the priors.
        **params : dict
            Further arguments for the ``fit`` of the estimator.
        """
        if isinstance(self.priors, str) and self.priors != "uniform":
            raise ValueError(
                f"priors must be None, 'uniform', one number per class or a mapping from labels to numbers; "
                f"got {self.priors!r}. To have them estimated leave priors=None, and call adapt with "
                "unlabelled rows."
            )
        X, labels = self._check_targets(X, y)
        fit_params = self._inner_fit_params(sample_weight, params)
        self._fit_estimator(X, labels, fit_params)
        # Weights that routing has kept from the estimator have not moved its priors.
        seen = (
            sample_weight if isinstance(self.estimator, FrozenEstimator) else fit_params.get("sample_weight")
        )
        weights = _check_sample_weight(seen, labels)
        self.n_train_ = float(weights.sum() ** 2 / (weights**2).sum())
        self.train_priors_ = self._training_priors(labels, weights)
        if self.train_priors is None:
            self._warn_of_class_weights()
        self.priors_ = self.train_priors_ if self.priors is None else as_priors(self.priors, self.classes_)
        # Fails now, rather than at the first prediction, if a new class has no training rows.
        reweight_posterior(np.ones((1, len(self.priors_))), self.train_priors_, self.priors_)
        return self

    def _training_priors(self, y: NDArray, weights: NDArray) -> NDArray[np.float64]:
        if self.train_priors is not None:
            return as_priors(self.train_priors, self.classes_, "train_priors")
        return class_priors(label_index(y, self.classes_), len(self.classes_), weights)

    def _warn_of_class_weights(self) -> None:
        """Say so if the estimator weighs classes, for its probabilities go with other priors then."""
        inner = self.estimator_
        params = (inner.estimator if isinstance(inner, FrozenEstimator) else inner).get_params()
        for name, value in params.items():
            part, _, own = name.rpartition("__")
            undo = f"{part}__undo_weights" if part else "undo_weights"
            if own == "class_weight" and value is not None and not params.get(undo):
                warn_caller(
                    f"{name}={value!r} of the estimator moves its probabilities away from the class "
                    "frequencies of y: give the priors that they go with as train_priors, 'uniform' for "
                    "'balanced'."
                )

    @atomic_update
    def adapt(self, X: MatrixLike) -> "PriorShiftClassifier":
        """Estimate the priors of unlabelled rows and predict with them from now on.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows of the new population, a random sample of it.
        """
        P = self._posterior(X)
        if self.priors is not None:
            raise ValueError("adapt estimates the priors, but priors were given: set priors=None to use it")
        estimate = estimate_priors(P, self.train_priors_, n_train=self.n_train_)
        if not estimate.converged:
            warn_caller(
                f"the new priors may miss {estimate.gap:.1e} of mean log-likelihood after {estimate.n_iter} "
                "iterations: are the probabilities of the estimator degenerate?",
                ConvergenceWarning,
            )
        self.priors_ = cautious_priors(P, self.train_priors_)
        self.priors_std_error_ = estimate.std_error
        self.shift_test_, self.n_iter_ = shift_test(estimate), estimate.n_iter
        return self

    def predict_proba(self, X: MatrixLike) -> NDArray:
        """Return the posterior of X under ``priors_``, (n, c)."""
        P = self._posterior(X)
        return P if np.array_equal(self.train_priors_, self.priors_) else np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: MatrixLike) -> NDArray:
        """Return the logarithm of ``predict_proba``, (n, c); −1e300 for a class of prior 0."""
        log_P = super().predict_log_proba(X)
        return reweight_log_posterior(log_P, self.train_priors_, self.priors_)

    def predict(self, X: MatrixLike) -> NDArray:
        """Return the most probable class of each row under ``priors_``, (n,)."""
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]
