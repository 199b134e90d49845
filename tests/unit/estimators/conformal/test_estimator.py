"""Prediction sets as their users meet them."""

from copy import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from sklearn.svm import LinearSVC

from kernelproba import ConformalClassifier, KernelLogisticRegressionCV, PriorShiftClassifier
from kernelproba.estimators.conformal import calibration
from kernelproba.tables import TableClassifier

MEANS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
OLD, NEW = [0.4, 0.4, 0.2], [0.05, 0.1, 0.85]


def draw(priors, n, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=priors)
    return MEANS[y] + rng.normal(size=(n, 2)), y


def covers(sets, y):
    return sets[np.arange(len(y)), y]


@pytest.fixture(scope="module")
def train():
    return draw(OLD, 400, seed=0)


@pytest.fixture(scope="module")
def new():
    return draw(OLD, 4000, seed=1)


@pytest.fixture(scope="module")
def self_tuning(train):
    return KernelLogisticRegressionCV(kernel="rbf").fit(*train)


def within(share, level, n_known, n_new, slack=4.0):
    """Whether a share is the level, up to what so many known and new rows leave to chance."""
    return abs(share - level) <= slack * np.sqrt(level * (1 - level) * (1 / n_known + 1 / n_new))


@pytest.mark.parametrize("method", ["split", "cv+", "prefit"])
@pytest.mark.parametrize("conformity_score", ["lac", "aps", "raps"])
def test_sets_hold_the_truth_as_often_as_asked(train, new, method, conformity_score):
    inner = GaussianNB().fit(*draw(OLD, 100, seed=2)) if method == "prefit" else GaussianNB()
    model = ConformalClassifier(
        inner,
        method=method,
        conformity_score=conformity_score,
        calibration_size=0.5,
        allow_empty=True,
        randomized=True,
        random_state=0,
    ).fit(*train)
    for level in (0.8, 0.9, 0.95):
        share = covers(model.predict_set(new[0], level), new[1]).mean()
        assert within(share, level, len(model.calibration_labels_), len(new[1]))


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
def test_leave_one_out_probabilities_give_the_level_without_a_further_fit(train, new, self_tuning, level):
    model = ConformalClassifier(FrozenEstimator(self_tuning), level, method="loo", allow_empty=True).fit(
        *train
    )
    assert model.method_ == "loo"
    assert model.estimator_.loo_proba_ is self_tuning.loo_proba_
    assert within(covers(model.predict_set(new[0]), new[1]).mean(), level, 400, 4000)


def test_a_guarantee_per_class_holds_in_every_class(new):
    X, y = draw([0.7, 0.25, 0.05], 2000, seed=3)
    marginal = ConformalClassifier(LogisticRegression(), method="split", random_state=0).fit(X, y)
    by_class = clone(marginal).set_params(conditional="class").fit(X, y)
    rare = new[1] == 2
    assert covers(marginal.predict_set(new[0][rare]), new[1][rare]).mean() < 0.75
    for label in range(3):
        rows = new[1] == label
        share = covers(by_class.predict_set(new[0][rows]), new[1][rows]).mean()
        assert within(share, 0.9, (by_class.calibration_labels_ == label).sum(), rows.sum())


def test_split_coverage_over_many_draws_is_between_the_level_and_one_row_more():
    level, hits, trials, m = 0.8, 0, 800, 20
    X, y = draw(OLD, 20_000, seed=4)
    fitted = FrozenEstimator(LogisticRegression().fit(*draw(OLD, 50, seed=5)))
    model = ConformalClassifier(fitted, level, allow_empty=True)
    n_new = 5
    for t in range(trials):
        rows = np.arange(t * (m + n_new), (t + 1) * (m + n_new))
        model.fit(X[rows[:m]], y[rows[:m]])
        hits += covers(model.predict_set(X[rows[m:]]), y[rows[m:]]).mean()
    exact = np.ceil(level * (m + 1)) / (m + 1)  # of scores without ties
    assert abs(hits / trials - exact) <= 4 * np.sqrt(exact * (1 - exact) / trials)


def test_auto_takes_leave_one_out_probabilities_where_there_are_enough():
    train = draw(OLD, 1000, seed=15)
    narrow = KernelLogisticRegressionCV([1.0], [0.5])
    cases = {
        "loo": [narrow, make_pipeline(StandardScaler(), narrow), PriorShiftClassifier(narrow)],
        "cv+": [
            LogisticRegression(),
            make_pipeline(SelectKBest(k=1), narrow),
            make_pipeline(
                ColumnTransformer([("code", TargetEncoder(target_type="multiclass"), [0])]), narrow
            ),
        ],
        "prefit": [FrozenEstimator(GaussianNB().fit(*draw(OLD, 50, seed=6)))],
    }
    for method, estimators in cases.items():
        for estimator in estimators:
            model = ConformalClassifier(estimator).fit(*train)
            assert model.method_ == method
            assert len(model.fold_estimators_) == (5 if method == "cv+" else 0)


def test_auto_tunes_anew_without_the_rows_it_judges_while_these_are_few(train):
    model = ConformalClassifier(KernelLogisticRegressionCV([1.0], [0.5])).fit(*train)
    assert model.method_ == "cv+"
    assert ConformalClassifier(model.estimator, method="loo").fit(*train).method_ == "loo"


def test_a_frozen_fit_is_kept_and_its_folds_are_fitted_like_it(train, new):
    X, y = train
    weight = np.where(y == 2, 3.0, 1.0)
    fitted = GaussianNB(var_smoothing=0.1).fit(X, y, weight)
    plain = ConformalClassifier(GaussianNB(var_smoothing=0.1), method="cv+").fit(X, y, weight)
    frozen = ConformalClassifier(FrozenEstimator(fitted), method="cv+").fit(X, y, weight)
    assert frozen.estimator_.estimator is fitted
    np.testing.assert_array_equal(frozen.predict_p_values(new[0]), plain.predict_p_values(new[0]))
    # None of them is the fit that has seen all rows.
    assert not any(np.array_equal(fold.theta_, fitted.theta_) for fold in frozen.fold_estimators_)


def test_a_frozen_fit_is_not_divided(train):
    with pytest.raises(ValueError, match="method='split' fits on a part"):
        ConformalClassifier(FrozenEstimator(GaussianNB().fit(*train)), method="split").fit(*train)


def test_rows_in_the_order_of_a_feature_have_sets_as_small_as_others():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(300, 1))
    y = (rng.random(300) < 1 / (1 + np.exp(-4 * np.sin(2 * X[:, 0])))).astype(int)
    order, X_new = np.argsort(X[:, 0]), np.linspace(-3, 3, 500)[:, None]
    nearest = KNeighborsClassifier(15)
    sizes = [
        ConformalClassifier(nearest, 0.8).fit(X[rows], y[rows]).predict_set(X_new).sum(axis=1).mean()
        for rows in (np.arange(300), order)
    ]
    assert abs(sizes[1] - sizes[0]) < 0.1


def test_labels_that_all_differ_leave_no_folds():
    with pytest.raises(ValueError, match="two rows of a class"):
        ConformalClassifier(GaussianNB(var_smoothing=1.0), 0.5).fit(np.arange(8.0)[:, None], np.arange(8))


def test_intervals_and_novelty_are_the_estimators_own(train, new, self_tuning):
    model = ConformalClassifier(FrozenEstimator(self_tuning), method="loo").fit(*train)
    X = new[0][:50]
    np.testing.assert_array_equal(
        model.predict_proba_interval(X, 0.8), self_tuning.predict_proba_interval(X, 0.8)
    )
    np.testing.assert_array_equal(
        model.novelty_score(X, return_p_value=True), self_tuning.novelty_score(X, return_p_value=True)
    )
    assert not hasattr(ConformalClassifier(GaussianNB()), "novelty_score")


def test_sets_of_rows_as_new_as_asked_hold_every_label(train, new, self_tuning):
    model = ConformalClassifier(FrozenEstimator(self_tuning), method="loo", novelty_level=0.02).fit(*train)
    far = np.array([[40.0, 0.0], [-30.0, 30.0]])
    assert model.predict_set(far).all()
    before = clone(model).set_params(novelty_level=0.0).fit(*train).predict_set(new[0])
    after = model.predict_set(new[0])
    p_value = self_tuning.novelty_score(new[0], return_p_value=True)[1]
    np.testing.assert_array_equal(after, before | (p_value <= 0.02)[:, None])
    assert (after.sum(axis=1) > before.sum(axis=1)).mean() < 0.05
    with pytest.raises(ValueError, match=r"novelty_level=0\.02 needs an estimator"):
        ConformalClassifier(GaussianNB(), novelty_level=0.02).fit(*train).predict_set(new[0])


@pytest.mark.parametrize(
    "wrap",
    [
        FrozenEstimator,
        lambda model: make_pipeline(StandardScaler(), clone(model)),
        lambda model: PriorShiftClassifier(clone(model)),
        lambda model: TableClassifier(clone(model)),
    ],
    ids=["frozen", "pipeline", "priors", "table"],
)
def test_sets_hold_every_label_far_from_all_rows(train, new, self_tuning, wrap):
    model = ConformalClassifier(wrap(self_tuning), method="loo").fit(*train)
    far = np.array([[40.0, 0.0], [-30.0, 30.0]])
    assert model.predict_set(far).all()
    assert (model.predict_p_values(far) == 1).all()
    without = copy(model).set_params(novelty_level=0.0)
    assert not without.predict_set(far).all()
    grown = (model.predict_set(new[0]) != without.predict_set(new[0])).any(axis=1)
    assert grown.mean() < 0.005


@pytest.mark.parametrize("distance", [10.0, 30.0])
def test_ten_deviations_away_no_label_is_ruled_out(distance):
    rng = np.random.default_rng(0)
    for d in (2, 10):
        X = rng.standard_normal((300, d))
        y = (X[:, 0] + rng.standard_normal(300) > 0).astype(int)
        model = ConformalClassifier(KernelLogisticRegressionCV(random_state=0), method="loo").fit(X, y)
        directions = rng.standard_normal((100, d))
        far = distance * np.sqrt(d) * directions / np.linalg.norm(directions, axis=1)[:, None]
        assert model.predict_set(far).all(axis=1).mean() > 0.95


def test_sets_do_not_ask_for_novelty_where_no_rows_are_kept(train, new):
    K = [rbf_kernel(X, train[0], gamma=0.5) for X in (train[0], new[0])]
    kernel = ConformalClassifier(KernelLogisticRegressionCV(kernel="precomputed")).fit(K[0], train[1])
    assert kernel.predict_set(K[1]).any(axis=1).all()


def test_probabilities_are_averaged_over_the_posterior_if_asked(train, new, self_tuning):
    model = ConformalClassifier(FrozenEstimator(self_tuning), method="loo").fit(*train)
    moderated = self_tuning.predict_proba(new[0], moderated=True)
    np.testing.assert_array_equal(model.predict_proba(new[0], moderated=True), moderated)


def test_everything_but_sets_is_the_estimators_own(train, new):
    model, plain = ConformalClassifier(GaussianNB()).fit(*train), GaussianNB().fit(*train)
    np.testing.assert_array_equal(model.predict(new[0]), plain.predict(new[0]))
    np.testing.assert_array_equal(model.predict_proba(new[0]), plain.predict_proba(new[0]))
    assert model.score(*new) == plain.score(*new)


def test_sets_grow_with_the_level_and_are_those_of_the_p_values(train, new):
    model = ConformalClassifier(GaussianNB(), allow_empty=True).fit(*train)
    low, high = model.predict_set(new[0], 0.6), model.predict_set(new[0], 0.97)
    assert (low <= high).all()
    assert low.sum() < high.sum()
    p = model.predict_p_values(new[0])
    np.testing.assert_array_equal(high, p > 0.03 + 1e-12)
    assert ((p > 0) & (p <= 1)).all()


@pytest.mark.parametrize("method", ["split", "cv+"])
def test_an_empty_set_gets_the_label_that_fits_best_unless_it_is_wanted(train, new, method):
    model = ConformalClassifier(GaussianNB(), 0.5, method=method, allow_empty=True, random_state=0).fit(
        *train
    )
    bare, p = model.predict_set(new[0]), model.predict_p_values(new[0])
    full = model.set_params(allow_empty=False).predict_set(new[0])
    none = ~bare.any(axis=1)
    assert none.any()
    np.testing.assert_array_equal(full[~none], bare[~none])
    assert (full[none].sum(axis=1) == 1).all()
    np.testing.assert_array_equal(p[none][full[none]], p[none].max(axis=1))
    if method == "split":
        np.testing.assert_array_equal(full[none].argmax(axis=1), model.predict(new[0][none]))


@pytest.mark.parametrize("conditional", [None, "class"])
def test_sets_that_were_filled_grow_with_the_level_too(new, conditional):
    # Fits to so few rows differ in which label is the most probable.
    model = ConformalClassifier(GaussianNB(), 0.5, conditional=conditional).fit(*draw([0.4, 0.3, 0.3], 30, 5))
    sets = np.array([model.predict_set(new[0], level) for level in (0.3, 0.5, 0.6, 0.7, 0.8)])
    assert (sets[:-1] <= sets[1:]).all()


def test_draws_repeat_with_a_number_as_random_state(train, new):
    model = ConformalClassifier(GaussianNB(), randomized=True, random_state=0, conformity_score="aps").fit(
        *train
    )
    np.testing.assert_array_equal(model.predict_set(new[0]), model.predict_set(new[0]))


def test_a_weight_of_two_is_a_row_seen_twice(new):
    X, y = draw(OLD, 60, seed=7)
    twice = np.random.default_rng(8).integers(0, 3, 60)
    fitted = FrozenEstimator(GaussianNB().fit(*draw(OLD, 50, seed=6)))
    one = ConformalClassifier(fitted).fit(X, y, sample_weight=twice)
    other = ConformalClassifier(fitted).fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    np.testing.assert_allclose(one.predict_p_values(new[0]), other.predict_p_values(new[0]))


@pytest.mark.filterwarnings("ignore:.*at the same place as others")  # they are copies
def test_weights_that_count_rows_are_judged_by_fits_without_any_of_the_copies(monkeypatch):
    X, y = draw(OLD, 150, 5)
    self_tuning = KernelLogisticRegressionCV([1.0], [0.5], kernel="rbf")
    monkeypatch.setattr(calibration, "LOO_ROWS", 100)
    counts = np.full(150, 3.0)
    assert ConformalClassifier(self_tuning).fit(X, y).method_ == "loo"
    assert ConformalClassifier(self_tuning).fit(X, y, sample_weight=counts + 0.5).method_ == "loo"
    assert ConformalClassifier(self_tuning).fit(X, y, sample_weight=counts).method_ == "cv+"
    with pytest.warns(UserWarning, match="numbers of observations"):
        ConformalClassifier(self_tuning, method="loo").fit(X, y, sample_weight=counts)


def test_rows_of_weight_zero_are_as_if_absent(train, new):
    X, y = train
    weight = np.r_[np.ones(len(y)), 0.0]
    one = ConformalClassifier(KernelLogisticRegressionCV([1.0], [0.5]), method="loo").fit(*train)
    other = clone(one).fit(np.vstack([X, [[50.0, 50.0]]]), np.append(y, 0), sample_weight=weight)
    np.testing.assert_allclose(one.predict_p_values(new[0]), other.predict_p_values(new[0]), atol=1e-6)


@pytest.mark.parametrize("method", ["cv+", "split"])
def test_rows_of_weight_zero_do_not_divide_the_others_anew(train, new, method):
    X, y = train
    weight = np.random.default_rng(0).integers(0, 2, len(y)).astype(float)
    one, other = (
        ConformalClassifier(LogisticRegression(), method=method, random_state=0).fit(*rows)
        for rows in ((X[weight > 0], y[weight > 0]), (X, y, weight))
    )
    np.testing.assert_allclose(one.predict_p_values(new[0]), other.predict_p_values(new[0]), atol=1e-6)
    np.testing.assert_array_equal(np.flatnonzero(weight)[one.calibration_index_], other.calibration_index_)


def test_leave_one_out_behind_a_step_that_has_seen_the_labels_is_warned_of(train):
    model = make_pipeline(SelectKBest(k=1), KernelLogisticRegressionCV([1.0], [0.5]))
    with pytest.warns(UserWarning, match="method='cv\\+' is right"):
        ConformalClassifier(model, method="loo").fit(*train)


@pytest.mark.parametrize("method", ["cv+", "split"])
def test_under_new_priors_the_level_holds_for_the_new_population(method):
    train, shifted = draw(OLD, 1000, seed=9), draw(NEW, 4000, seed=10)
    inner = PriorShiftClassifier(LogisticRegression(), NEW)
    model = ConformalClassifier(inner, method=method, calibration_size=0.5, random_state=0).fit(*train)
    share = covers(model.predict_set(shifted[0]), shifted[1]).mean()
    # The rows of the frequent new class were few, and weigh much.
    weights = model.calibration_weights_ * np.divide(NEW, OLD)[model.calibration_labels_]
    assert within(share, 0.9, weights.sum() ** 2 / (weights**2).sum(), 4000)
    unaware = ConformalClassifier(LogisticRegression(), method=method, random_state=0).fit(*train)
    assert abs(covers(unaware.predict_set(shifted[0]), shifted[1]).mean() - 0.9) > 0.03


def test_priors_found_after_the_fit_are_those_of_priors_given(train, self_tuning):
    shifted = draw(NEW, 2000, seed=11)[0]
    narrow = KernelLogisticRegressionCV([self_tuning.C_], [self_tuning.gamma_])
    model = ConformalClassifier(PriorShiftClassifier(narrow), method="loo").fit(*train)
    before = model.predict_p_values(shifted)
    model.estimator_.adapt(shifted)
    given = ConformalClassifier(PriorShiftClassifier(narrow, model.estimator_.priors_), method="loo").fit(
        *train
    )
    np.testing.assert_allclose(model.predict_p_values(shifted), given.predict_p_values(shifted), atol=1e-10)
    assert abs(model.predict_p_values(shifted) - before).max() > 0.1


def test_it_can_be_searched_cloned_and_put_into_pipelines(train, new):
    pipeline = make_pipeline(StandardScaler(), ConformalClassifier(LogisticRegression()))
    search = GridSearchCV(pipeline, {"conformalclassifier__estimator__C": [0.1, 1.0]}, cv=3).fit(*train)
    best = search.best_estimator_
    sets = best[-1].predict_set(best[:-1].transform(new[0]))
    assert sets.shape == (4000, 3)


def test_a_precomputed_kernel_is_judged_by_leave_one_out(train):
    X, y = train
    K = rbf_kernel(X, X, gamma=0.5) + 0.1 * np.eye(len(y))
    inner = KernelLogisticRegressionCV([1.0], kernel="precomputed")
    assert ConformalClassifier(inner).fit(K, y).predict_set(K[:7]).shape == (7, 3)
    with pytest.raises(ValueError, match="precomputed kernel"):
        ConformalClassifier(inner, method="cv+").fit(K, y)


def test_a_class_that_a_fold_lacks_has_probability_zero_there():
    X, y = draw([0.5, 0.45, 0.05], 80, seed=12)
    order = np.argsort(y, kind="stable")
    model = ConformalClassifier(GaussianNB(), 0.8, cv=KFold(8)).fit(X[order], y[order])
    assert any(len(fold.classes_) == 2 for fold in model.fold_estimators_)
    assert model.predict_set(X).shape == (80, 3)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 90, "high", None, True])
def test_a_confidence_outside_zero_and_one_is_refused(train, confidence):
    with pytest.raises(ValueError, match="confidence"):
        ConformalClassifier(GaussianNB(), confidence).fit(*train)
    if confidence is not None:
        model = ConformalClassifier(GaussianNB()).fit(*train)
        with pytest.raises(ValueError, match="confidence must be a number in"):
            model.predict_set(train[0], confidence)


@pytest.mark.parametrize(
    "params",
    [{"conditional": "klass"}, {"conformity_score": "LAC"}, {"novelty_level": 2}, {"free_ranks": -1}],
)
def test_what_is_set_anew_after_the_fit_is_checked_too(train, params):
    model = ConformalClassifier(GaussianNB()).fit(*train).set_params(**params)
    with pytest.raises(ValueError, match=next(iter(params))):
        model.predict_set(train[0])
    with pytest.raises(ValueError, match=next(iter(params))):
        model.predict_p_values(train[0])


def test_an_estimator_without_probabilities_is_refused(train):
    with pytest.raises(ValueError, match="no predict_proba"):
        ConformalClassifier(LinearSVC()).fit(*train)


def test_too_few_rows_for_a_level_tell_which_level_they_attain():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[:4, 50:54, 100:104]
    with pytest.raises(ValueError, match=r"weight 12 attain 0.923 at most"):
        ConformalClassifier(GaussianNB(), 0.95, cv=2).fit(X[rows], y[rows])
    model = ConformalClassifier(GaussianNB(), 0.9, cv=2).fit(X[rows], y[rows])
    with pytest.raises(ValueError, match=r"attain 0.923 at most"):
        model.predict_set(X, 0.95)
    with pytest.raises(ValueError, match=r"classes \[0, 1, 2\] for confidence=0.9: 0.8 is attained"):
        ConformalClassifier(GaussianNB(), cv=2, conditional="class").fit(X[rows], y[rows])


def test_a_class_that_is_missing_from_the_calibration_rows_is_named(train):
    X, y = train
    fitted = FrozenEstimator(GaussianNB().fit(X, y))
    known = draw([0.5, 0.5, 0.0], 100, seed=13)
    with pytest.raises(ValueError, match=r"none of \[2\]"):
        ConformalClassifier(fitted, conditional="class").fit(*known)
    assert ConformalClassifier(fitted).fit(*known).predict_set(X).shape == (400, 3)
    with pytest.raises(ValueError, match="one class only"):
        ConformalClassifier(fitted).fit(X[y == 0], y[y == 0])


def test_labels_that_a_fitted_estimator_does_not_know_are_refused(train):
    fitted = FrozenEstimator(GaussianNB().fit(*draw([0.5, 0.5, 0.0], 100, seed=13)))
    with pytest.raises(ValueError, match="not among the classes"):
        ConformalClassifier(fitted).fit(*train)


def test_the_rows_of_its_own_fit_do_not_calibrate_a_frozen_estimator(train, self_tuning):
    with pytest.raises(ValueError, match="method='loo'"):
        ConformalClassifier(FrozenEstimator(self_tuning)).fit(*train)


def test_leave_one_out_needs_its_rows_and_an_estimator_that_keeps_it(train, self_tuning):
    with pytest.raises(ValueError, match="such as KernelLogisticRegressionCV"):
        ConformalClassifier(GaussianNB(), method="loo").fit(*train)
    with pytest.raises(ValueError, match="wants the 400 rows"):
        ConformalClassifier(FrozenEstimator(self_tuning), method="loo").fit(*draw(OLD, 50, seed=14))


def test_leave_one_out_of_rows_in_another_order_is_refused(train, self_tuning):
    X, y = train
    frozen = FrozenEstimator(self_tuning)
    for rows in ((X[::-1], y[::-1]), draw(OLD, 400, seed=15)):
        with pytest.raises(ValueError, match="in their order"):
            ConformalClassifier(frozen, method="loo").fit(*rows)
    table = TableClassifier(clone(self_tuning)).fit(pd.DataFrame(X), y)
    with pytest.raises(ValueError, match="in their order"):
        ConformalClassifier(FrozenEstimator(table), method="loo").fit(pd.DataFrame(X[::-1]), y[::-1])


def test_rows_of_weight_zero_do_not_hide_that_an_estimator_has_seen_the_others(train):
    X, y = train
    weight = np.r_[0.0, np.ones(len(y) - 1)]
    frozen = FrozenEstimator(KernelLogisticRegressionCV([1.0], [0.5]).fit(X, y, sample_weight=weight))
    with pytest.raises(ValueError, match="method='loo'"):
        ConformalClassifier(frozen).fit(X, y)
    ConformalClassifier(frozen, method="loo").fit(X, y)


def test_folds_that_overlap_are_refused(train):
    with pytest.raises(ValueError, match="several test folds"):
        ConformalClassifier(GaussianNB(), cv=RepeatedKFold(n_splits=3, n_repeats=2)).fit(*train)


def test_a_prior_shift_goes_around_the_pipeline(train):
    pipeline = make_pipeline(StandardScaler(), PriorShiftClassifier(GaussianNB()))
    with pytest.raises(ValueError, match="around the pipeline"):
        ConformalClassifier(pipeline).fit(*train)


def test_an_unfitted_model_says_so(train):
    with pytest.raises(NotFittedError):
        ConformalClassifier(GaussianNB()).predict_set(train[0])
    with pytest.raises(NotFittedError, match="FrozenEstimator"):
        ConformalClassifier(GaussianNB(), method="prefit").fit(*train)


def test_a_fit_that_fails_leaves_the_last_one_in_place(train, new):
    model = ConformalClassifier(GaussianNB()).fit(*train)
    before, attributes = model.predict_p_values(new[0]), set(vars(model))
    with pytest.raises(ValueError, match="attain"):
        model.set_params(cv=2).fit(train[0][:8], train[1][:8])
    assert set(vars(model)) == attributes
    np.testing.assert_array_equal(model.predict_p_values(new[0]), before)


def test_scores_and_left_out_rows_are_those_of_the_estimator(train, new, self_tuning):
    inner = self_tuning
    model = ConformalClassifier(FrozenEstimator(inner), method="cv+").fit(*train)
    np.testing.assert_allclose(model.decision_function(new[0]), inner.decision_function(new[0]))
    np.testing.assert_allclose(model.loo_proba_, inner.loo_proba_)
    assert model.loo_scores_ == inner.loo_scores_
    without = ConformalClassifier(GaussianNB()).fit(*train)
    assert not hasattr(without, "loo_scores_")
    assert not hasattr(without, "decision_function")
