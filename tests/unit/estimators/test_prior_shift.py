"""The prior-shift classifier as its users meet it."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from unit.estimators.routing import SCORES_ARE_ROUTED

from kernelproba import KernelLogisticRegression
from kernelproba.decision import mean_class_weights, undo_weights
from kernelproba.estimators import prior_shift
from kernelproba.estimators.prior_shift import PriorShiftClassifier

MEANS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
OLD, NEW = [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]


def draw(priors, n, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=priors)
    return MEANS[y] + rng.normal(size=(n, 2)), y


@pytest.fixture(scope="module")
def train():
    return draw(OLD, 3000, seed=0)


@pytest.fixture(scope="module")
def shifted():
    return draw(NEW, 3000, seed=1)


def test_before_it_is_adapted_the_posterior_is_the_estimators_own(train, shifted):
    model = PriorShiftClassifier(LogisticRegression()).fit(*train)
    np.testing.assert_array_equal(
        model.predict_proba(shifted[0]), LogisticRegression().fit(*train).predict_proba(shifted[0])
    )
    np.testing.assert_array_equal(model.priors_, model.train_priors_)
    np.testing.assert_allclose(model.train_priors_, np.bincount(train[1]) / 3000)
    assert not hasattr(model, "shift_test_")


@pytest.mark.parametrize("priors", [NEW, {2: 0.7, 0: 0.1, 1: 0.2}], ids=["array", "mapping"])
def test_known_priors_move_the_posterior_to_that_of_a_fit_under_them(train, shifted, priors):
    model = PriorShiftClassifier(GaussianNB(), priors).fit(*train)
    train_share = np.bincount(train[1]) / 3000
    rival = GaussianNB(priors=NEW).fit(*train)  # its densities do not depend on the priors
    np.testing.assert_allclose(model.train_priors_, train_share)
    np.testing.assert_allclose(model.predict_proba(shifted[0]), rival.predict_proba(shifted[0]), atol=1e-10)
    np.testing.assert_array_equal(model.predict(shifted[0]), rival.predict(shifted[0]))


def test_adapting_finds_the_priors_and_improves_the_log_loss(train, shifted):
    X, y = shifted
    model = PriorShiftClassifier(LogisticRegression()).fit(*train)
    before = log_loss(y, model.predict_proba(X))
    assert model.adapt(X) is model
    assert (abs(model.priors_ - NEW) <= 3 * model.priors_std_error_).all()
    assert model.shift_test_.p_value < 1e-6
    assert log_loss(y, model.predict_proba(X)) < before - 0.1
    known = PriorShiftClassifier(LogisticRegression(), NEW).fit(*train)
    assert log_loss(y, model.predict_proba(X)) < log_loss(y, known.predict_proba(X)) + 0.01


def test_the_errors_of_a_model_fitted_on_few_rows_are_counted():
    rng = np.random.default_rng(0)
    model, within, rejected, trials = PriorShiftClassifier(LogisticRegression(C=100)), [], 0, 150
    for _ in range(trials):
        model.fit(*draw(OLD, 400, rng))
        model.adapt(draw(NEW, 400, rng)[0])
        within.append(abs(model.priors_ - NEW) <= 2 * model.priors_std_error_)
        rejected += model.adapt(draw(OLD, 400, rng)[0]).shift_test_.p_value < 0.05
    assert np.mean(within) >= 0.92
    # Were the posterior taken for known, about one test in five would reject.
    assert binom.ppf(0.005, trials, 0.05) <= rejected <= binom.ppf(0.995, trials, 0.05)


def test_without_a_shift_the_test_stays_silent(train):
    model = PriorShiftClassifier(LogisticRegression()).fit(*train)
    assert model.adapt(draw(OLD, 1000, seed=5)[0]).shift_test_.p_value > 0.05


def test_a_class_too_rare_to_be_noticed_stays_possible(train):
    model = (
        PriorShiftClassifier(LogisticRegression()).fit(*train).adapt(draw([0.5, 0.5, 0.0], 200, seed=6)[0])
    )
    assert 0 < model.priors_[2] < 0.02
    assert model.predict_proba(train[0]).min() > 0


def test_a_new_fit_forgets_the_adaptation(train, shifted):
    model = PriorShiftClassifier(LogisticRegression()).fit(*train).adapt(shifted[0]).fit(*train)
    np.testing.assert_array_equal(model.priors_, model.train_priors_)
    assert not hasattr(model, "priors_std_error_")


def test_adapting_twice_is_adapting_to_the_last_rows(train, shifted):
    model = PriorShiftClassifier(LogisticRegression()).fit(*train)
    once = model.adapt(shifted[0]).priors_
    np.testing.assert_array_equal(model.adapt(train[0]).adapt(shifted[0]).priors_, once)


def test_training_priors_are_weighted_as_the_estimator_was(train):
    X, y = train
    weights = np.where(y == 2, 4.0, 1.0)
    expected = np.bincount(y, weights) / weights.sum()
    model = PriorShiftClassifier(LogisticRegression()).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.train_priors_, expected)
    with config_context(enable_metadata_routing=True):
        for asked, priors in ((True, expected), (False, np.bincount(y) / len(y))):
            inner = LogisticRegression().set_fit_request(sample_weight=asked)
            model = PriorShiftClassifier(inner).set_fit_request(sample_weight=True)
            np.testing.assert_allclose(model.fit(X, y, sample_weight=weights).train_priors_, priors)


def test_a_balanced_estimator_is_brought_back_by_its_uniform_training_priors(train, shifted):
    X, y = train
    share = np.bincount(y) / len(y)
    balanced = LogisticRegression(class_weight="balanced")
    model = PriorShiftClassifier(balanced, share, train_priors=np.full(3, 1 / 3)).fit(X, y)
    undone = undo_weights(model.estimator_.predict_proba(shifted[0]), 1 / share)
    np.testing.assert_allclose(model.predict_proba(shifted[0]), undone, atol=1e-12)


def test_an_estimator_that_weighs_classes_is_told_of_unless_its_priors_are_given(train):
    X, y = train
    weighted = LogisticRegression(class_weight="balanced")
    for estimator in (
        weighted,
        make_pipeline(StandardScaler(), weighted),
        FrozenEstimator(clone(weighted).fit(X, y)),
    ):
        with pytest.warns(
            UserWarning, match=r"class_weight='balanced' of the estimator moves .* train_priors"
        ):
            PriorShiftClassifier(estimator).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PriorShiftClassifier(weighted, train_priors="uniform").fit(X, y)
        undone = KernelLogisticRegression(class_weight="balanced", undo_weights=True)
        PriorShiftClassifier(undone).fit(X[:200], y[:200])


@pytest.mark.parametrize("weighing", ["class_weight", "sample_weight"])
def test_undoing_the_weights_of_a_fit_gives_back_the_unweighted_log_loss(weighing):
    X, y = draw([0.85, 0.1, 0.05], 3000, seed=3)
    X_test, y_test = draw([0.85, 0.1, 0.05], 3000, seed=4)
    balanced = (len(y) / (3 * np.bincount(y)))[y]
    if weighing == "class_weight":
        weighted = LogisticRegression(class_weight="balanced").fit(X, y)
    else:
        weighted = LogisticRegression().fit(X, y, sample_weight=balanced)
    raw = weighted.predict_proba(X_test)
    plain = log_loss(y_test, LogisticRegression().fit(X, y).predict_proba(X_test))
    undone = log_loss(y_test, undo_weights(raw, mean_class_weights(y, 3, balanced)))
    assert undone <= 1.02 * plain
    assert log_loss(y_test, raw) > 1.3 * plain


def test_a_frozen_estimator_reads_its_training_priors_from_the_labels(train, shifted):
    fitted = LogisticRegression().fit(*train)
    model = PriorShiftClassifier(FrozenEstimator(fitted)).fit(*train)
    fresh = PriorShiftClassifier(LogisticRegression()).fit(*train)
    np.testing.assert_allclose(model.adapt(shifted[0]).priors_, fresh.adapt(shifted[0]).priors_)


def test_known_priors_can_be_searched_in_a_grid(train):
    X, y = train
    search = GridSearchCV(
        PriorShiftClassifier(LogisticRegression()), {"priors": [None, NEW]}, scoring="neg_log_loss", cv=3
    ).fit(X, y)
    assert search.best_params_ == {"priors": None}


@pytest.mark.parametrize("in_pipeline", [False, pytest.param(True, marks=SCORES_ARE_ROUTED)])
def test_a_search_with_weights_learns_the_priors_of_the_weighted_rows(train, in_pipeline):
    X, y = train
    weights = np.where(y == 2, 4.0, 1.0)
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        model = PriorShiftClassifier(inner).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        placed = make_pipeline(scaler, model) if in_pipeline else model
        (C,) = (name for name in placed.get_params() if name.endswith("estimator__C"))
        search = GridSearchCV(placed, {C: [0.1, 1.0]}, cv=3).fit(X, y, sample_weight=weights)
    best = search.best_estimator_[-1] if in_pipeline else search.best_estimator_
    np.testing.assert_allclose(best.train_priors_, np.bincount(y, weights) / weights.sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priors": [0.5, 0.2, 0.2]}, "priors must be non-negative and sum to one"),
        ({"priors": [0.5, 0.5]}, "each of the 3 classes"),
        ({"priors": {0: 0.5, 1: 0.3, "other": 0.2}}, r"unknown: \['other'\], missing: \[2\]"),
        ({"train_priors": [0.5, 0.2, 0.2]}, "train_priors must be non-negative and sum to one"),
        ({"train_priors": [0.5, 0.5, 0.0], "priors": NEW}, r"old prior 0 \(positions \[2\]\)"),
        ({"estimator": LinearSVC()}, "has no predict_proba.*CalibratedClassifierCV"),
    ],
)
def test_bad_parameters_are_refused_with_the_cure(train, options, message):
    with pytest.raises(ValueError, match=message):
        PriorShiftClassifier(**{"estimator": LogisticRegression(), **options}).fit(*train)


def test_known_priors_are_not_overwritten_by_adapting(train, shifted):
    model = PriorShiftClassifier(LogisticRegression(), NEW).fit(*train)
    with pytest.raises(ValueError, match="set priors=None"):
        model.adapt(shifted[0])


def test_weights_that_the_estimator_cannot_take_are_refused(train):
    with pytest.raises(ValueError, match="takes no sample_weight"):
        PriorShiftClassifier(KNeighborsClassifier()).fit(*train, sample_weight=np.ones(3000))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "adapt"])
def test_an_unfitted_model_says_so(method):
    for priors in (None, NEW):
        with pytest.raises(NotFittedError):
            getattr(PriorShiftClassifier(LogisticRegression(), priors), method)(np.zeros((1, 2)))


def test_an_estimate_that_has_not_converged_warns(train, shifted, monkeypatch):
    hasty = partial(prior_shift.estimate_priors, max_iter=1)
    monkeypatch.setattr(prior_shift, "estimate_priors", hasty)
    model = PriorShiftClassifier(LogisticRegression()).fit(*train)
    with pytest.warns(ConvergenceWarning, match="mean log-likelihood after 1 iterations"):
        model.adapt(shifted[0])


def test_an_unknown_word_for_the_priors_gets_the_words_that_are_known():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"priors must be None, 'uniform'.*got 'em'.*call adapt"):
        PriorShiftClassifier(LogisticRegression(max_iter=500), priors="em").fit(X, y)
    with pytest.raises(ValueError, match="train_priors must be 'uniform', one number"):
        PriorShiftClassifier(LogisticRegression(max_iter=500), train_priors="balanced").fit(X, y)


def test_uniform_priors_are_the_same_for_all_classes():
    X, y = load_iris(return_X_y=True)
    model = PriorShiftClassifier(LogisticRegression(max_iter=500), priors="uniform").fit(X[20:], y[20:])
    np.testing.assert_array_equal(model.priors_, np.full(3, 1 / 3))


def test_an_estimate_of_priors_that_fails_leaves_the_model_as_it_was():
    X, y = load_iris(return_X_y=True)
    model = PriorShiftClassifier(LogisticRegression(max_iter=500)).fit(X, y).adapt(X[:80])
    before = model.predict_proba(X)
    with pytest.raises(ValueError):
        model.adapt(np.full((4, 4), np.nan))
    np.testing.assert_array_equal(model.predict_proba(X), before)
