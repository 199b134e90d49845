"""Decisions that cost least in expectation, from any classifier's probabilities."""

from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _check_sample_weight

from kernelproba.decision import (
    REJECTED,
    as_loss_matrix,
    as_reject_label,
    coverage_threshold,
    expected_risk,
    label_index,
    label_table,
    minimum_risk,
    realised_cost,
)
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.cross_fit import held_out_posterior
from kernelproba.estimators.base.meta import PosteriorWrapper
from kernelproba.typing import MatrixLike


class MinimumRiskClassifier(PosteriorWrapper):
    """Classifier that decides by least expected loss and may reject rows.

    Of all decisions j it takes the one of least risk Σ_i p(i|x) L_ij.  With the zero-one loss that is
    the most probable class.  A row whose least risk exceeds the cost of rejecting is left undecided.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Fitted on the same rows.  A fitted classifier is kept as it is inside
        ``sklearn.frozen.FrozenEstimator``; with `coverage`, ``fit`` then wants rows that it was not
        fitted on, and learns the threshold alone.
    loss_matrix : array-like of shape (c, c), mapping, frame or None, default=None
        ``loss_matrix[i, j]`` is the cost of deciding j when the truth is i.  Array: in the order of
        ``classes_``.  Mapping ``{(truth, decision): cost}``: every pair of different classes must be
        there; a missing (k, k) costs 0.  pandas frame: index = truths, columns = decisions.  polars
        frame: columns = decisions named ``str(label)``, preceded by one column of truths.  None: the
        zero-one loss.
    reject_cost : float, optional
        The cost of leaving a row undecided.
    coverage : float in (0, 1], optional
        The share of rows to decide on, instead of `reject_cost`.  The cost that keeps this share is
        learnt from cross-validated risks, since risks on the rows of a fit are too small.  They come
        from fits on fewer rows and so tend to be a little large: expect slightly more coverage.
    reject_label : str or number, optional
        The answer for an undecided row: a string among string labels, a number among numbers, and none
        of the classes.  None: ``"reject"`` or ``-1``.
    cv : int, splitter or iterable, optional
        The folds for `coverage`; None: 5 stratified folds.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator.
    classes_ : ndarray of shape (c,)
        The labels, without the reject label.
    loss_matrix_ : ndarray of shape (c, c)
        The costs in the order of ``classes_``.
    reject_cost_ : float or None
        The cost of rejecting, given or learnt (infinite at coverage 1); None when rejecting is no option.
    reject_label_ : str, number or None
        The answer for an undecided row; None when rejecting is no option.
    n_features_in_, feature_names_in_
        Those of ``estimator_``, where it has them.

    See Also
    --------
    kernelproba.decision.minimum_risk : The decisions, from a posterior and costs.
    PriorShiftClassifier : Other class frequencies instead of other costs.
    kernelproba.inspection.RiskCoverageDisplay : What rejecting rows saves.

    Notes
    -----
    Costs per row, shape (n, c, c), go to ``predict``, ``predict_risk`` and ``score``, and to ``fit``
    (where only `coverage` needs them).  Inside a pipeline or a search, enable metadata routing and
    request them: ``.set_predict_request(loss_matrix=True)``, ``.set_score_request(loss_matrix=True)``.
    A search over a pipeline hands them to ``score`` from scikit-learn 1.8 on; before, search over the
    classifier itself, or the folds are scored without costs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> costs = [[0, 1, 1], [1, 0, 1], [1, 20, 0]]  # to miss a 2 is dear if it is taken for a 1
    >>> model = MinimumRiskClassifier(LogisticRegression(max_iter=500), costs, reject_cost=0.4).fit(X, y)
    >>> plain = model.estimator_.predict(X)
    >>> int(((plain == 1) & (y == 2)).sum()), int(((model.predict(X) == 1) & (y == 2)).sum())
    (1, 0)
    """

    def __init__(
        self,
        estimator,
        loss_matrix=None,
        *,
        reject_cost=None,
        coverage=None,
        reject_label=None,
        cv=None,
    ):
        self.estimator = estimator
        self.loss_matrix = loss_matrix
        self.reject_cost = reject_cost
        self.coverage = coverage
        self.reject_label = reject_label
        self.cv = cv

    @atomic_fit
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        loss_matrix: ArrayLike | None = None,
        **params: object,
    ) -> "MinimumRiskClassifier":
        """Fit the estimator, and learn the threshold of rejection if a coverage is asked for.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimator reads
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Handed to the estimator, and counted in the coverage.
        loss_matrix : array-like of shape (n, c, c), optional
            Costs per row, from which `coverage` is learnt if ``predict`` will be given such costs.
        **params : dict
            Further arguments for the ``fit`` of the estimator.
        """
        self._check_rejection()
        X, labels = self._check_targets(X, y)
        fit_params = self._inner_fit_params(sample_weight, params)
        self._fit_estimator(X, labels, fit_params)
        self.loss_matrix_ = as_loss_matrix(self.loss_matrix, self.classes_)
        costs = self._costs(loss_matrix, len(labels))
        self.reject_cost_ = self.reject_cost
        self._cost_is_learnt_ = self.coverage is not None
        if self.coverage is not None:
            weights = None if sample_weight is None else _check_sample_weight(sample_weight, labels)
            risk = minimum_risk(self._held_out_posterior(X, labels, fit_params), costs).risk
            self.reject_cost_ = coverage_threshold(risk, self.coverage, weights)
        self.reject_label_ = None
        if self.reject_cost_ is not None:
            self.reject_label_ = as_reject_label(self.reject_label, self.classes_)
        return self

    def _check_rejection(self) -> None:
        if self.reject_cost is not None and self.coverage is not None:
            raise ValueError("give reject_cost or coverage, not both: either one fixes the other")
        if self.reject_cost is not None and not (
            _is_number(self.reject_cost) and np.isfinite(self.reject_cost)
        ):
            raise ValueError(f"reject_cost must be a finite number or None; got {self.reject_cost!r}")
        if self.coverage is not None and not (_is_number(self.coverage) and 0 < self.coverage <= 1):
            raise ValueError(f"coverage must be in (0, 1] or None; got {self.coverage!r}")

    def _costs(self, loss_matrix: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
        if loss_matrix is None:
            return self.loss_matrix_
        return as_loss_matrix(loss_matrix, self.classes_, n_rows)

    def _held_out_posterior(self, X: MatrixLike, y: NDArray, fit_params: Mapping[str, object]) -> NDArray:
        """Return probabilities (n, c) of rows that the fit behind them has not seen."""
        if isinstance(self.estimator, FrozenEstimator):
            return self.predict_proba(X)
        P = held_out_posterior(self.estimator, X, y, cv=self.cv, fit_params=fit_params)
        # A class whose rows weigh nothing is in y, but not in the estimator.
        return P[:, label_index(self.classes_, np.unique(y))]

    def predict_risk(self, X: MatrixLike, *, loss_matrix: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the expected loss of each decision, (n, c), or (n, c + 1) with rejecting as the last.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        loss_matrix : array-like of shape (n, c, c) or as in the constructor, optional
            Costs for these rows.
        """
        P = self.predict_proba(X)
        risk = expected_risk(P, self._costs(loss_matrix, len(P)))
        if self.reject_cost_ is None:
            return risk
        return np.column_stack([risk, np.full(len(P), self.reject_cost_)])

    def predict(self, X: MatrixLike, *, loss_matrix: ArrayLike | None = None) -> NDArray:
        """Return the decision of least expected loss for each row, (n,).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        loss_matrix : array-like of shape (n, c, c) or as in the constructor, optional
            Costs for these rows.
        """
        P = self.predict_proba(X)
        chosen = minimum_risk(P, self._costs(loss_matrix, len(P)), self.reject_cost_).chosen
        if self.reject_cost_ is None:
            return self.classes_[chosen]
        return label_table(self.classes_, self.reject_label_)[chosen]

    def score(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        loss_matrix: ArrayLike | None = None,
    ) -> float:
        """Return minus the mean realised cost, so that greater is better.

        A rejected row costs `reject_cost`; with `coverage` the mean is over the decided rows (NaN if
        there are none).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows in the mean.
        loss_matrix : array-like of shape (n, c, c) or as in the constructor, optional
            Costs for these rows.
        """
        P = self.predict_proba(X)
        costs, weights = self._costs(loss_matrix, len(P)), _check_sample_weight(sample_weight, P)
        chosen = minimum_risk(P, costs, self.reject_cost_).chosen
        price = np.nan if self.reject_cost_ is None else self.reject_cost_
        cost = realised_cost(label_index(y, self.classes_), chosen, costs, price)
        counted = chosen != REJECTED if self._cost_is_learnt_ else np.ones(len(P), dtype=bool)
        if not weights[counted].any():
            return float("nan")
        return -float(np.average(cost[counted], weights=weights[counted]))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
