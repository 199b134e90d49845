"""Kernel logistic regression with nothing to tune."""

import os
from functools import partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.linear_function import TunedLinearFunction
from kernelproba.estimators.base.logistic_scores import LogisticScores
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.number_range import log_probabilities
from kernelproba.rows.duplicates import Duplicates
from kernelproba.rows.store import stored_rows
from kernelproba.tuning.checkpoint import Checkpoint, Stages
from kernelproba.tuning.kernel_logistic.cross_fits import BLOCK_ROWS, held_out_of_all, held_out_probabilities
from kernelproba.tuning.kernel_logistic.growth import follow_sizes
from kernelproba.tuning.kernel_logistic.kept_stages import KeptSelection, selected_of
from kernelproba.tuning.kernel_logistic.many_rows import ManyRows, RowOrder
from kernelproba.tuning.kernel_logistic.pool_fit import ONE_EACH, ONE_IN_SEARCH, PoolFit
from kernelproba.tuning.kernel_logistic.run_identity import run_identity
from kernelproba.tuning.kernel_logistic.search import CandidateSearch
from kernelproba.tuning.kernel_logistic.search_spaces import SHARED, SearchSpaces
from kernelproba.tuning.kernel_logistic.selection import select_models, selected_models
from kernelproba.tuning.kernel_logistic.stages import SearchSpace, SelectedModel
from kernelproba.tuning.loo_classifier import LooProbabilities
from kernelproba.tuning.observations import Observations, find_copies
from kernelproba.tuning.scaled_features import SCALE_CONSTRAINTS
from kernelproba.tuning.scorers import held_out_scorer
from kernelproba.tuning.self_tuning import SelfTuning
from kernelproba.tuning.time_budget import TimeBudget
from kernelproba.typing import MatrixLike


class KernelLogisticRegressionCV(  # type: ignore[override]  # intercept_ follows from the models
    TunedLinearFunction, PoolFit, LogisticScores, SelfTuning, LooProbabilities, SearchSpaces
):
    """Kernel logistic regression that scales the features and chooses kernels, gamma and C by itself.

    ``KernelLogisticRegressionCV().fit(X, y)`` is all there is to do.  Every candidate of an adaptive search
    is judged by the log loss of its leave-one-out probabilities, which follow approximately from one
    factorisation (`kernelproba.solvers.loo`), or of folds; no row is set aside.  The same probabilities then
    tell how much each kernel is to count, whether the model is too sure or too unsure of itself, which one
    temperature corrects, and how good it is on rows it has not seen.

    Parameters
    ----------
    Cs : "auto" or array-like of float, default="auto"
        Values of C to choose from; "auto" searches, from coarse to fine, between 10⁻⁵ and 10⁷.
    gammas : "auto" or array-like of float, default="auto"
        The same for the coefficient of a named kernel; "auto" searches around 1/(2·median distance²), by
        factors of up to 1024.  A kernel that has no gamma, or comes as an object or a function, is taken as
        it is.
    scale : {"auto", "standard", "robust", "squashed", "mixed", "squashed-mixed"} or None, default="auto"
        How features are brought to one scale before they are compared, by what the rows of `fit` say.
        "standard": mean 0, standard deviation 1; "robust": median 0, and the interquartile range of a normal
        distribution; "squashed": the same, bent so that nothing exceeds 3; "mixed" and "squashed-mixed":
        likewise, but features of two values span one unit; None: as they are; "auto": those that suit the
        kernel, chosen by how well held-out rows are predicted.  Sparse rows are divided but not shifted.  A
        precomputed kernel has no features to scale.
    feature_weights : "auto" or None, default="auto"
        Whether each feature may have a length scale of its own.  "auto": features on which the scores hardly
        depend weigh less in the distances, if rows held out are then predicted better beyond chance
        (`feature_relevance`); that pays where columns are noise.  Asked for three dense features
        or more, with the RBF kernel and, up to 200 features of more than two values, the Laplacian one, and
        the defaults of `gammas`, `scoring` and `cv`.  Above 10,000 rows principal components of correlated
        columns may become features, too, on the same terms (`components_` of the scalers).
    kernel : "auto", str, callable or Kernel, default="auto"
        "auto": the RBF kernel, the Laplacian one, which suits steps, wild values and few interactions, and
        the linear one; those that help form a logarithmic pool (`weights_`).  With `gammas`, or of sparse
        rows, it is "rbf"; with 20 columns or more for each row "linear".  Else as `KernelLogisticRegression`.
    degree, coef0, kernel_params, class_weight, fit_intercept
        As in `KernelLogisticRegression`.
    scoring : {"log_loss", "brier", "accuracy"}, str or callable, default="log_loss"
        What is to be best on unseen rows; or any scorer of scikit-learn.  "log_loss" counts a quarter of a
        row more, of which any class is true, so that n rows that are all right do not lead to certainty.
    cv : int, cross-validation splitter, iterable or None, default=None
        None leaves out one observation at a time.  A number makes stratified folds of observations that do
        not depend on the order of the rows.  Identical rows are as many observations, and so is a row whose
        weight is a whole number; other weights say how much an observation matters.  Without cv, copies that
        agree more often than fits without any of them allow count as one, which a warning says.
    max_rows : int, default=2000
        Rows that the search looks at: a random sample of larger data.  From what it finds there, C, gamma and
        the number of centres are followed to larger samples, as long as they move (`growth`): more rows pay
        for rougher functions.
    n_centers : int, "auto" or None, default="auto"
        Centres of the final model.  "auto": all rows up to 25,000 if memory allows, else as many as pay.
    memory_limit : int or str, optional
        Bytes that a fit may take, such as ``"2GB"``; half of the machine's memory by default.  Of many rows
        a sample of fewer than `max_rows` is searched where its kernel matrices would take more; a search
        takes 60 MB at least.
    tol, max_iter : float, default=1e-2, int, default=200
        Of the final fit.
    max_time : float, optional
        Seconds for the search: once they are over, no further candidate is tried, and the best so far is
        fitted, to as many rows as the time that is left is expected to suffice for (10,000 at least).  A
        warning says so, and `stopped_early_`; where time suffices, it changes nothing.
    checkpoint : path, optional
        Folder in which every finished stage is kept (the search, each larger sample, each final fit), so that
        a fit that was killed goes on from there, to the same model.  Needs a whole number as `random_state`;
        a folder of a fit with other rows, parameters or version is refused.  It may be deleted afterwards.
    random_state : int, RandomState or None, default=None
        Draws centres, samples and folds where not all rows are centres.

    Attributes
    ----------
    estimators_ : list of KernelLogisticRegression
        The models of the pool, each fitted to the distinct rows on its own scale; one unless kernel="auto".
    scalers_ : list of FeatureScaling or None
        What was done to the features for each of them, their weights and components included.
    weights_ : ndarray of shape (len(estimators_),)
        Weights of their scores, largest first; they sum to one.
    best_estimator_, scaler_
        The first of each.
    C_, gamma_ : float
        C and gamma of the first; gamma_ is None for a kernel that was taken as it is.
    best_params_ : dict
        The same with kernel and scale: ``{"kernel": …, "scale": …, "C": …, "gamma": …}``, and with
        ``"n_centers"`` where it was found that fewer than all rows of a sample suffice; of more rows it is
        more by the root of their ratio.
    best_score_, best_index_ : float, int
        Score of that candidate in the last stage of its search, the larger the better, and its line in
        `cv_results_`.
    cv_results_ : SearchResults
        All candidates in the layout of GridSearchCV, in the order they were tried, with the columns
        ``n_rows`` and ``weighed``; ``cv_results_.frame()`` is a table of them.
    feature_weights_ : ndarray of shape (d,) or None
        Weights of the features in the squared distances of the first model that has any, of mean 1 (the
        Laplacian kernel takes their roots); None if one length scale serves all.
    temperature_ : float
        T: scores are divided by it.  Above 1 the model was too sure of itself; 1 if no correction lowered the
        leave-one-out log loss by more than chance does.
    loo_proba_ : ndarray of shape (n, c)
        Probabilities of every training row by the model without that observation (its copies are others),
        after pooling and temperature, which for a tenth of the rows at a time are learned from the others.
        Rows of weight zero, which the model has not seen, have those of `predict_proba`.
        A lazy Dask array where the rows were one; it is no part of a saved model.
    loo_method_ : {"leave-one-out", "folds"}
        Where these come from.  With many classes, many rows or a narrow kernel leave-one-out is dearer than
        four fits, each without a quarter of the rows, or ten where a class has few; and weights of features
        would know the row left out.
        Of more than 50,000 rows two fits with the centres of the final model, each to half of the rows, tell
        what to expect of new ones, a little too cautiously.
    loo_label_proba_ : ndarray of shape (n,)
        Of these, the probability of the row's own label; NaN for rows of weight zero.
    loo_scores_ : dict
        ``error``, ``log_loss``, ``brier`` and ``ece`` of `loo_proba_`: what to expect of new rows, up to the
        optimism of having chosen a few numbers by them.
    coef_, intercept_ : ndarrays of shape (k, d) and (k,)
        ``kernel="linear"`` only, without a squashed scale: scores of rows as `predict` takes them are
        ``X @ coef_.T + intercept_``, with k = 1 for two classes and c for more.
    classes_ : ndarray of shape (c,)
        Labels.
    n_iter_ : int
        Iterations of the final fit.
    stopped_early_ : bool
        Whether `max_time` ran out before the search was over.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    KernelLogisticRegression : The model with given parameters.
    kernelproba.inspection.SearchDisplay : What the search has tried.
    ConformalClassifier : Sets of labels from its leave-one-out probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegressionCV().fit(X, y)
    >>> model.predict_proba(X[:2]).round(1)
    array([[1., 0., 0.],
           [1., 0., 0.]])
    >>> model.loo_scores_["error"] < 0.06
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **{name: KernelLogisticRegression._parameter_constraints[name] for name in ("kernel", *SHARED)},
        "Cs": [StrOptions({"auto"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "gammas": [StrOptions({"auto"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "scale": SCALE_CONSTRAINTS,
        "feature_weights": [StrOptions({"auto"}), None],
        "scoring": [str, callable],
        "cv": ["cv_object"],
        "max_rows": [Interval(Integral, 10, None, closed="left")],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "checkpoint": [str, os.PathLike, None],
    }

    def __init__(
        self,
        Cs="auto",
        gammas="auto",
        *,
        scale="auto",
        feature_weights="auto",
        kernel="auto",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        class_weight=None,
        fit_intercept=True,
        scoring="log_loss",
        cv=None,
        max_rows=2000,
        n_centers="auto",
        memory_limit=None,
        tol=1e-2,
        max_iter=200,
        max_time=None,
        checkpoint=None,
        random_state=None,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.scale = scale
        self.feature_weights = feature_weights
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.max_rows = max_rows
        self.n_centers = n_centers
        self.memory_limit = memory_limit
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.checkpoint = checkpoint
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "KernelLogisticRegressionCV":
        """Scale the features, choose gamma and C, fit the model and judge it by leave-one-out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows; also a store of `kernelproba.rows` or a Dask array or data frame, for rows that are
            not in memory: a sample of `max_rows` of them is searched, all are fitted and judged by passes.
        y : array-like of shape (n,)
            Labels; a Dask array where X is one.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; a weight of two is a row seen twice.

        Returns
        -------
        self : KernelLogisticRegressionCV
            The fitted model.
        """
        budget = TimeBudget(self.max_time)
        given = self._given_rows(X, y, sample_weight)
        copies = self._copies(given)
        with self._observed(X, y) as step:
            search = CandidateSearch(held_out_scorer(self.scoring, self.classes_), step, budget)
            if isinstance(given, Training) and copies is not None:
                self._fit_few(X, y, given, copies, search)
            else:
                self._fit_many(X, given, ManyRows.of(given), search)
        self.stopped_early_ = budget.ran_out
        return self

    def _given_rows(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> Training | StoredTraining:
        """Checked rows; those of a store stay there if many of them differ."""
        stored = stored_rows(X)
        if stored is not None and self._is_large(len(stored)):
            given = self._check_rows(X, y, sample_weight, self.class_weight)
            if not (isinstance(given, StoredTraining) and self._repeats_few_rows(given)):
                return given
        return self._check_fit(X, y, sample_weight, self.class_weight)

    def _fit_few(
        self, X: MatrixLike, y: ArrayLike, given: Training, copies: Duplicates, search: CandidateSearch
    ) -> None:
        """Look at all rows, and judge every one of them."""
        rows, spaces = self._observed_spaces(X, y, given, copies)
        search.stages = self._stages(given, given, spaces)
        log_P = self._fit_pool(rows, selected_models("search", spaces, rows, search), search)
        if self._counts_copies(rows, ONE_EACH):
            rows = rows.counted_once()
            search.begin_anew()
            log_P = self._fit_pool(rows, selected_models("search-anew", spaces, rows, search), search)
        self._store_selection(search, len(given.y), len(given.y))
        # The models number the distinct rows.
        self._rows_ = given.index[copies.first]
        self._store_loo(X, given, log_P[copies.which])

    def _fit_many(
        self, X: MatrixLike, given: Training | StoredTraining, many: ManyRows, search: CandidateSearch
    ) -> None:
        """Look at a sample, fit all rows, and judge them by folds."""
        rng = check_random_state(self.random_state)
        searched = self._searched_rows()
        order = RowOrder.draw(many, searched, rng)
        sample = many.at(order.sample(searched))
        copies = find_copies(sample, precomputed=False)
        searched_rows, spaces = self._observed_spaces(sample.X, sample.y, sample, copies)
        search.stages = self._stages(given, sample, spaces)
        selected = self._selected_on(searched_rows, spaces, search)
        search.forget()
        for each in selected:
            each.fits.forget()
        selected = follow_sizes(many, order, selected, self._searched(), self._model, search)
        index = order.part(max(search.budget.affordable(len(many)), self._least_rows()))
        pool, fold = self._fit_large_pool(many, index, selected, rng, search)
        self._store_selection(search, len(many), len(many) if index is None else len(index))
        if isinstance(given, Training):
            rows, numbers = many.rows.in_blocks(BLOCK_ROWS), np.arange(len(many))
            P = rows.map(held_out_probabilities, fold, numbers, shared=(pool,))
            self._rows_ = given.index
            self._store_loo(X, given, log_probabilities(P))
        else:
            every = given.given
            self._rows_ = None if every.kept is None else np.flatnonzero(every.kept)
            self._store_stored_loo(held_out_of_all(every, fold, pool), every.y, every.sample_weight)

    def _selected_on(
        self, rows: Observations, spaces: list[SearchSpace], search: CandidateSearch
    ) -> list[SelectedModel]:
        """Models that a sample of many rows selects for a pool."""
        stage = KeptSelection(search, "search", partial(selected_of, spaces=spaces, rows=rows))
        selected = stage.found()
        if selected is None:
            self._fit_pool(rows, select_models(spaces, rows, search), search, "fit of a sample")
            if self._counts_copies(rows, ONE_IN_SEARCH):
                rows = rows.counted_once()
                search.begin_anew()
                self._fit_pool(rows, select_models(spaces, rows, search), search, "fit of a sample")
            selected = stage.keep(self._selected)
        return selected

    def _stages(
        self, given: Training | StoredTraining, sample: Training, spaces: list[SearchSpace]
    ) -> Stages:
        """Where stages are kept, if they are."""
        if self.checkpoint is None:
            return Stages()
        if not isinstance(self.random_state, Integral):
            raise ValueError(
                "checkpoint needs a whole number as random_state: a fit that goes on must draw the same rows."
            )
        identity = run_identity(self.get_params(deep=False), given, sample, self.classes_, spaces[0].folds)
        return Checkpoint(self.checkpoint, identity)

    def _model(self, selected: SelectedModel) -> KernelLogisticRegression:
        shared = {name: getattr(self, name) for name in SHARED}
        best, is_auto = selected.best, isinstance(self.kernel, str) and self.kernel == "auto"
        kernel = best.view.kernel if is_auto else self._single_kernel()
        gamma = "scale" if best.gamma is None else best.gamma
        if best.n_centers is not None:
            shared["n_centers"] = best.n_centers
        return KernelLogisticRegression(best.C, kernel=kernel, gamma=gamma, **shared)

    def _store_selection(self, search: CandidateSearch, n: int, fitted: int) -> None:
        """Keep what was chosen; the models were fitted to so many of n rows."""
        selected = self.__dict__.pop("_selected")
        first, best = selected[0], selected[0].best
        self.best_estimator_, self.n_iter_ = self.estimators_[0], max(m.n_iter_ for m in self.estimators_)
        self.scalers_ = [each.view.scaling for each in selected]
        self.scaler_ = self.scalers_[0]
        self.C_, self.gamma_ = best.C, best.gamma
        self.feature_weights_ = next((s.weighed.weights for s in selected if s.weighed is not None), None)
        self._store_search(search.builder(), search.record.index(first.best))
        if best.n_centers is not None:
            self.best_params_["n_centers"] = self.best_estimator_.n_centers
        if search.budget.ran_out:
            warn_caller(
                f"max_time={self.max_time:g} s ran out after {len(search.record)} candidates: the model is "
                f"the best of them, fitted to {fitted} of {n} rows. Raise max_time for a better one.",
                ConvergenceWarning,
            )
        if best in search.at_limit:
            warn_caller(
                f"The search ended at its limits, gamma={best.gamma:g}: values beyond may be better. Look at "
                "cv_results_, or give gammas.",
                ConvergenceWarning,
            )
