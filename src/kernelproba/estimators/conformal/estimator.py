"""Sets of labels that hold the true one as often as asked."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from kernelproba.conformal import SCORES, KnownLabels, LabelScore, prediction_sets
from kernelproba.conformal.sets import ROUNDING
from kernelproba.decision import label_index
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.meta import PosteriorWrapper
from kernelproba.estimators.base.validation import check_confidence
from kernelproba.estimators.conformal.calibration import (
    METHODS,
    CalibrationRows,
    calibrate,
    posterior_of,
    posterior_source,
    prior_ratio,
    under_new_priors,
)
from kernelproba.estimators.conformal.inner_answers import InnerAnswers
from kernelproba.estimators.conformal.new_rows import classifier_inside, far_rows
from kernelproba.estimators.prior_shift import PriorShiftClassifier
from kernelproba.typing import Classifier, MatrixLike


class ConformalClassifier(InnerAnswers, PosteriorWrapper):
    """Classifier that also names all labels which it cannot rule out.

    ``predict_set`` returns sets that hold the true label in a share `confidence` of new rows, whatever the
    classifier: a poor one has large sets.  The other methods are those of the estimator.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Fitted on the same rows.  A classifier that was fitted before comes inside
        ``sklearn.frozen.FrozenEstimator``; ``fit`` then wants rows that it has not seen.
    confidence : float in (0, 1), default=0.9
        1 − α, the level of the sets; ``predict_set`` can be asked for any other.
    method : {"auto", "loo", "cv+", "split", "prefit"}, default="auto"
        How labels are judged on rows that a model has not seen; see Notes for what each guarantees.
        "loo": the leave-one-out probabilities that the self-tuning classifiers keep (by folds where their
        ``loo_method_`` says so), with no further fit.
        "cv+": by a fit for each fold, all of which also score new rows; give a frozen estimator, which keeps
        its fit, the rows of that fit.  "split": a part of the rows is set aside and the estimator fitted on
        the rest.  "prefit": the estimator is fitted already, and ``fit`` is given other rows.  "auto":
        "prefit" for a frozen estimator; "loo" for one that keeps ``loo_proba_``, alone or behind steps that
        do not look at labels, if there are 1000 rows or more without weights that count them, or a
        precomputed kernel; else "cv+".
    conformity_score : {"lac", "aps", "raps"}, default="lac"
        What makes a label fit badly.  "lac": a small probability; the smallest sets on average.  "aps": much
        probability on labels before it; larger sets that spread the errors more evenly over easy and hard
        rows.  "raps": the same, with a penalty on long sets.
    conditional : {None, "class"}, default=None
        None: the level holds over all rows.  "class": it holds among the rows of each class by itself, which
        takes about 1/α rows of each.
    cv : int, splitter or iterable, optional
        Folds of "cv+"; None: 5 stratified folds of shuffled rows, the same for the same labels.  Where rows
        belong together, such as those of a patient, give folds of whole groups.
    calibration_size : float in (0, 1), default=0.25
        Share of the rows that "split" sets aside.
    rank_penalty, free_ranks : float, default=0.1, int, default=2
        Of "raps": what each label beyond the first `free_ranks` adds to the score.
    allow_empty : bool, default=False
        An empty set says that even the label that fits best fits worse than a share 1 − α of true labels fit.
        False puts that label into it, which covers more and errs less.  It is the most probable one, but for
        "cv+", where the fits to folds choose it, and for ``conditional="class"``, where a rare class may fit
        better: it is in the sets of all higher levels, too.
    novelty_level : "auto" or float in [0, 1), default="auto"
        Which rows get all labels because probabilities so far from all rows are extrapolated.  "auto": those
        that exceed the ``novelty_limit`` of the estimator, if it has one; hardly any row like those of
        training does.  A number: those that are as new as this share of the training rows, by the p-value of
        the estimator's ``novelty_score``; 0 asks for no novelty.  Coverage only grows by it.
    randomized : bool, default=False
        Whether draws break ties, and enter the sums of "aps" and "raps": the level is then exact rather than
        a lower bound, but sets are not repeatable unless `random_state` is a number.
    random_state : int, RandomState or None, default=None
        Draws the rows of "split", and of `randomized`.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator.
    classes_ : ndarray of shape (c,)
        The labels.
    method_ : {"loo", "cv+", "split", "prefit"}
        What "auto" has become.
    fold_estimators_ : list of classifiers
        The fits of "cv+"; else empty.
    calibration_proba_ : ndarray of shape (m, c)
        Posteriors of the rows that labels are judged by, before any change of priors.
    calibration_index_, calibration_labels_, calibration_weights_, calibration_folds_ : ndarrays of shape (m,)
        Which rows of ``fit`` they are, their labels as positions in ``classes_``, their weights, and which of
        ``fold_estimators_`` has not seen them.
    n_features_in_, feature_names_in_
        Those of ``estimator_``, where it has them.

    See Also
    --------
    KernelLogisticRegressionCV : Has the leave-one-out probabilities that spare further fits.
    kernelproba.inspection.CoverageDisplay : How often sets hold the true label.

    Notes
    -----
    What is proven, if new rows come from where the rows of ``fit`` came from, in any dimension and for any
    model:

    - "split" and "prefit": P(true label in the set) ≥ 1 − α, over draws of the calibration rows and the new
      row [1]_; at most 1/(m + 1) more, up to ties.  With ``conditional="class"`` the same given the class.
    - "cv+": ≥ 1 − 2α, less a term that vanishes with the rows per fold [2]_; about 1 − α or more in practice.
    - "loo": nothing without further assumptions.  If leaving out one row hardly changes the model (as a
      penalty ensures), coverage is close to 1 − α; but the self-tuning classifiers have chosen a few numbers
      by the same probabilities, which costs up to about one point of coverage at 300 rows.  No row is lost
      and no fit is added.  The fits of "cv+" choose anew without the rows that they judge, which is why
      "auto" prefers it while rows are few.

    What ``fit`` does not need may be set anew after it: `confidence`, `conformity_score` and its parameters,
    `conditional`, `allow_empty`, `novelty_level`, `randomized`.

    All of it is about the average new row: among rows that look alike coverage may be lower or higher.

    A weight of two counts as a row seen twice; the sets then refer to the weighted population.  "loo" leaves
    out one observation of several and keeps its copies, so that whole weights which are none (three
    everywhere) make sets that hold the truth far too rarely: "auto" takes "cv+" then.  Around a
    `PriorShiftClassifier` known rows of class y weigh π'_y/π_y as well, so that the level holds under the new
    priors [3]_, also those that ``estimator_.adapt`` finds after the fit.

    References
    ----------
    .. [1] Vovk, Gammerman & Shafer (2005), Algorithmic learning in a random world.
    .. [2] Romano, Sesia & Candès (2020), "Classification with valid and adaptive coverage", NeurIPS.
    .. [3] Podkopaev & Ramdas (2021), "Distribution-free uncertainty quantification for classification under
       label shift", UAI.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import ConformalClassifier, KernelLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(KernelLogisticRegressionCV(), 0.95).fit(X[::2], y[::2])
    >>> sets = model.predict_set(X[1::2])
    >>> sets.shape, bool(sets[range(75), y[1::2]].mean() > 0.9), bool(sets.sum(axis=1).mean() < 1.3)
    ((75, 3), True, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods("fit")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "method": [StrOptions(set(METHODS))],
        "conformity_score": [StrOptions(set(SCORES))],
        "conditional": [StrOptions({"class"}), None],
        "cv": ["cv_object"],
        "calibration_size": [Interval(Real, 0, 1, closed="neither")],
        "rank_penalty": [Interval(Real, 0, None, closed="left")],
        "free_ranks": [Interval(Integral, 0, None, closed="left")],
        "allow_empty": ["boolean"],
        "novelty_level": [Interval(Real, 0, 1, closed="left"), StrOptions({"auto"})],
        "randomized": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator,
        confidence=0.9,
        *,
        method="auto",
        conformity_score="lac",
        conditional=None,
        cv=None,
        calibration_size=0.25,
        rank_penalty=0.1,
        free_ranks=2,
        allow_empty=False,
        novelty_level="auto",
        randomized=False,
        random_state=None,
    ):
        self.estimator = estimator
        self.confidence = confidence
        self.method = method
        self.conformity_score = conformity_score
        self.conditional = conditional
        self.cv = cv
        self.calibration_size = calibration_size
        self.rank_penalty = rank_penalty
        self.free_ranks = free_ranks
        self.allow_empty = allow_empty
        self.novelty_level = novelty_level
        self.randomized = randomized
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: object
    ) -> "ConformalClassifier":
        """Fit the estimator and score the labels of rows that it, or its fits without them, have not seen.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimator reads
            Training rows, or rows to calibrate a fitted estimator by.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Handed to the estimator, and counted among the known rows.
        **params : dict
            Further arguments for the ``fit`` of the estimator.
        """
        self._check_place_of_shift()
        X, labels = self._check_targets(X, y)
        weights = _check_sample_weight(sample_weight, labels, dtype=np.float64, ensure_non_negative=True)
        rows = CalibrationRows(
            X,
            labels,
            np.flatnonzero(weights > 0),
            self._inner_fit_params(sample_weight, params),
            self.cv,
            self.calibration_size,
            self.conditional == "class",
            self.random_state,
        )
        found = calibrate(self.estimator, rows, self.method)
        found = found.at(weights[found.rows] > 0)
        codes = label_index(labels[found.rows], found.estimator.classes_)
        if len(np.unique(codes)) < 2:
            raise ValueError("the rows of positive weight to judge labels by have one class only")
        known = self._known_labels(found.estimator, codes, weights[found.rows])
        _check_attainable(self.confidence, known, found.estimator.classes_)
        self._keep_estimator(found.estimator)
        self.method_, self.fold_estimators_ = found.method, found.fold_estimators
        self.calibration_index_, self.calibration_labels_ = found.rows, codes
        self.calibration_weights_, self.calibration_folds_ = weights[found.rows], found.folds
        self.calibration_proba_ = found.P
        return self

    def _inner_fit_params(
        self, sample_weight: ArrayLike | None, params: Mapping[str, object]
    ) -> dict[str, object]:
        # A frozen estimator takes no weights, but its fits to folds do.
        if isinstance(self.estimator, FrozenEstimator) and self.method == "cv+" and sample_weight is not None:
            return {**params, "sample_weight": sample_weight}
        return super()._inner_fit_params(sample_weight, params)

    def _check_place_of_shift(self) -> None:
        steps = self.estimator.steps if isinstance(self.estimator, Pipeline) else []
        if any(isinstance(step, PriorShiftClassifier) for _, step in steps):
            raise ValueError("put the PriorShiftClassifier around the pipeline, not at its end")

    def _known_labels(self, estimator: Classifier, labels: NDArray, weights: NDArray) -> KnownLabels:
        by_class = self.conditional == "class"
        # Within a class a change of priors weighs all rows alike.
        ratio = np.ones(len(estimator.classes_)) if by_class else prior_ratio(estimator)
        return KnownLabels(labels, weights * ratio[labels], ratio, by_class)

    def predict_set(self, X: MatrixLike, confidence: float | None = None) -> NDArray[np.bool_]:
        """Return the labels that cannot be ruled out, (n, c), columns in the order of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        confidence : float in (0, 1), optional
            The level; None: that of the constructor.
        """
        check_is_fitted(self, "estimator_")
        return self._sets_at(X, [self._level(confidence)])[0]

    def _sets_at(self, X: MatrixLike, levels: list[float]) -> NDArray[np.bool_]:
        """Return the sets (l, n, c) at levels that are attained, from one prediction."""
        posteriors = self._posteriors(X)
        fill = None if self.allow_empty else posteriors[0]
        if self.fold_estimators_ and not self.allow_empty:
            fill = self.predict_proba(X)
        p_values = self._p_values(X, posteriors)
        return np.array([prediction_sets(p_values, level, fill) for level in levels])

    def predict_p_values(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the p-value of every label, (n, c): a label is in the set at all levels above 1 − p.

        Rows that get all labels for being new have p-values of 1.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return self._p_values(X, self._posteriors(X))

    def _are_new(self, X: MatrixLike, n: int) -> NDArray[np.bool_]:
        """Return which of the n rows are too new to rule out any label, (n,)."""
        if self.novelty_level == "auto":
            return far_rows(self.estimator_, X, n)
        if not self.novelty_level:
            return np.zeros(n, dtype=bool)
        model, rows = classifier_inside(self.estimator_, X)
        if not hasattr(model, "novelty_score"):
            raise ValueError(
                f"novelty_level={self.novelty_level:g} needs an estimator with novelty_score, such as "
                "KernelLogisticRegressionCV"
            )
        return model.novelty_score(rows, return_p_value=True)[1] <= self.novelty_level

    def attainable_confidence(self) -> float:
        """Return the highest level of sets that leave anything out."""
        check_is_fitted(self, "estimator_")
        known = self._known_labels(self.estimator_, self.calibration_labels_, self.calibration_weights_)
        return float(known.attainable().min())

    def predict_proba(self, X: MatrixLike, **params: object) -> NDArray:
        """Return the posterior of X, (n, c).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        **params : dict
            Further arguments that the estimator takes, such as ``moderated=True``.
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_proba(X, **params))  # also of lazy ones

    def predict(self, X: MatrixLike) -> NDArray:
        """Return what the estimator predicts, (n,)."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    def _level(self, confidence: float | None) -> float:
        """Return the level asked for, if the known rows attain it."""
        level = check_confidence(self.confidence if confidence is None else confidence)
        known = self._known_labels(self.estimator_, self.calibration_labels_, self.calibration_weights_)
        _check_attainable(level, known, self.classes_)
        return level

    def _posteriors(self, X: MatrixLike) -> list[NDArray]:
        """Return the posterior (n, c) by every model that scores new rows, under the priors in use."""
        check_is_fitted(self, "estimator_")
        models = self.fold_estimators_ or [posterior_source(self.estimator_)]
        return [under_new_priors(posterior_of(model, X, self.classes_), self.estimator_) for model in models]

    def _p_values(self, X: MatrixLike, posteriors: list[NDArray]) -> NDArray[np.float64]:
        """Return p-values (n, c) of rows X from posteriors by each model."""
        self._validate_params()  # what may be set anew after the fit
        labels, n, m = self.calibration_labels_, len(posteriors[0]), len(self.calibration_labels_)
        draw = check_random_state(self.random_state).uniform if self.randomized else _no_draws
        rule = LabelScore(self.conformity_score, self.rank_penalty, self.free_ranks)
        scores = rule(under_new_priors(self.calibration_proba_, self.estimator_), draw(size=m))
        u, v = draw(size=n), draw(size=n)
        known = self._known_labels(self.estimator_, labels, self.calibration_weights_)
        S = [rule(P, u) for P in posteriors]
        found = known.p_values(scores[np.arange(m), labels], self.calibration_folds_, S, v)
        found[self._are_new(X, n)] = 1.0
        return found


def _no_draws(*, size: int) -> None:  # noqa: ARG001  # stands for a generator
    return None


def _check_attainable(confidence: float, known: KnownLabels, classes: NDArray) -> None:
    """Refuse a level at which a label could never be ruled out."""
    attainable = known.attainable()
    short = attainable < confidence - ROUNDING
    if not short.any():
        return
    best = attainable.min()
    if not known.by_class:
        raise ValueError(
            f"confidence={confidence:g} needs more rows to judge labels by: those of weight "
            f"{known.weights.sum():.4g} attain {best:.3g} at most; a weight counts as a number of rows"
        )
    missing = classes[attainable == 0].tolist()
    raise ValueError(
        f"conditional='class' needs more rows of the classes {classes[short].tolist()} for "
        f"confidence={confidence:g}: "
        + (f"there are none of {missing} to judge by" if missing else f"{best:.3g} is attained at most")
    )
