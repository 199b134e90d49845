"""The minimum-risk classifier as its users meet it: alone, in pipelines and in searches."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from unit.estimators.routing import SCORES_ARE_ROUTED

from kernelproba.estimators.minimum_risk import MinimumRiskClassifier

DEAR = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.0]])


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(
        900, 8, n_informative=5, n_classes=3, class_sep=0.8, flip_y=0.05, random_state=0
    )
    return train_test_split(X, y, test_size=0.5, random_state=0)


@pytest.fixture(scope="module")
def inner():
    return LogisticRegression(max_iter=500)


class Posterior(ClassifierMixin, BaseEstimator):
    """A classifier that was told the densities: p(y|x) of unit Gaussians at −2, 0 and 2, equally frequent."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        joint = np.exp(-0.5 * (np.asarray(X)[:, :1] - np.array([-2.0, 0.0, 2.0])) ** 2)
        return joint / joint.sum(axis=1, keepdims=True)


def draw_from_truth(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.normal(2.0 * (y - 1))[:, None], y


def test_the_zero_one_loss_reproduces_predict(rows, inner):
    X, X_test, y, _ = rows
    for costs in (None, 1 - np.eye(3), 7 * (1 - np.eye(3))):
        model = MinimumRiskClassifier(inner, costs).fit(X, y)
        np.testing.assert_array_equal(model.predict(X_test), model.estimator_.predict(X_test))


def test_probabilities_pass_through_and_risks_follow_from_them(rows, inner):
    X, X_test, y, _ = rows
    model = MinimumRiskClassifier(inner, DEAR).fit(X, y)
    P = model.estimator_.predict_proba(X_test)
    np.testing.assert_array_equal(model.predict_proba(X_test), P)
    np.testing.assert_allclose(model.predict_risk(X_test), P @ DEAR, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X_test), (P @ DEAR).argmin(axis=1))
    rejecting = MinimumRiskClassifier(inner, DEAR, reject_cost=0.6).fit(X, y)
    risk = rejecting.predict_risk(X_test)
    assert risk.shape == (len(X_test), 4)
    np.testing.assert_array_equal(rejecting.predict(X_test), np.array([0, 1, 2, -1])[risk.argmin(axis=1)])


def test_costs_by_label_and_by_position_agree(rows, inner):
    X, X_test, y, _ = rows
    names = np.array(["low", "mid", "high"])
    order = np.argsort(names)  # classes_ are sorted: high, low, mid
    expected = MinimumRiskClassifier(inner, DEAR[np.ix_(order, order)]).fit(X, names[y]).predict(X_test)
    frame = pd.DataFrame(DEAR, names, names)
    pairs = {(i, j): frame.loc[i, j] for i in names for j in names if i != j}
    for costs in (frame, pairs):
        model = MinimumRiskClassifier(inner, costs).fit(X, names[y])
        np.testing.assert_array_equal(model.predict(X_test), expected)


def test_the_cost_is_what_the_probabilities_promise_when_they_are_true():
    X, y = draw_from_truth(20_000, seed=0)
    model = MinimumRiskClassifier(Posterior(), DEAR, reject_cost=0.7).fit(X, y)
    promised = model.predict_risk(X).min(axis=1)
    assert model.score(X, y) == pytest.approx(-promised.mean(), abs=2 * DEAR.max() / np.sqrt(len(X)))
    reckless = MinimumRiskClassifier(Posterior()).fit(X, y).predict(X)
    assert -model.score(X, y) < DEAR[y, reckless].mean()


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.95])
def test_rejecting_obeys_its_coverage_on_new_rows(coverage):
    X, y = draw_from_truth(2000, seed=1)
    model = MinimumRiskClassifier(Posterior(), DEAR, coverage=coverage).fit(X, y)
    X_new, _ = draw_from_truth(2000, seed=2)
    kept = (model.predict(X_new) != -1).mean()
    # Both the threshold and the share kept are subject to sampling.
    assert abs(kept - coverage) <= 3 * np.sqrt(2 * coverage * (1 - coverage) / 2000)


def test_coverage_is_learnt_from_rows_that_the_fit_has_not_seen(rows):
    X, X_test, y, _ = rows
    memory = KNeighborsClassifier(1, metric="euclidean")  # certain of every training row
    assert MinimumRiskClassifier(FrozenEstimator(memory.fit(X, y)), coverage=0.5).fit(X, y).reject_cost_ == 0
    model = MinimumRiskClassifier(LogisticRegression(C=1e4, max_iter=5000), coverage=0.7, cv=3).fit(X, y)
    assert abs((model.predict(X_test) != -1).mean() - 0.7) < 0.08


def test_the_folds_are_the_users(rows, inner):
    X, _, y, _ = rows
    first = MinimumRiskClassifier(inner, coverage=0.7, cv=KFold(3, shuffle=True, random_state=0)).fit(X, y)
    again = clone(first).fit(X, y)
    other = MinimumRiskClassifier(inner, coverage=0.7, cv=KFold(3, shuffle=True, random_state=1)).fit(X, y)
    assert first.reject_cost_ == again.reject_cost_ != other.reject_cost_


def test_a_fold_may_lack_a_rare_class(inner):
    X, y = load_iris(return_X_y=True)
    few = np.flatnonzero((y != 2) | (np.arange(150) == 149))
    model = MinimumRiskClassifier(inner, coverage=0.9, cv=KFold(5)).fit(X[few], y[few])
    assert np.isfinite(model.reject_cost_)


def test_a_precomputed_kernel_is_split_on_both_sides():
    X, y = load_iris(return_X_y=True)
    K = rbf_kernel(X, gamma=0.5)

    class KernelPosterior(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.machine_ = SVC(kernel="precomputed").fit(X, y)
            self.classes_ = self.machine_.classes_
            return self

        def predict_proba(self, X):
            odds = np.exp(self.machine_.decision_function(X))
            return odds / odds.sum(axis=1, keepdims=True)

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.pairwise = True
            return tags

    model = MinimumRiskClassifier(KernelPosterior(), coverage=0.8).fit(K, y)
    assert model.__sklearn_tags__().input_tags.pairwise
    assert 0.75 <= (model.predict(K) != -1).mean() <= 0.9


def test_a_weight_of_two_is_a_row_seen_twice_also_for_the_coverage(rows, inner):
    X, X_test, y, _ = rows
    weights = np.random.default_rng(0).integers(1, 3, size=len(y))
    frozen = FrozenEstimator(clone(inner).fit(X, y))
    weighted = MinimumRiskClassifier(frozen, coverage=0.7).fit(X, y, sample_weight=weights)
    repeated = MinimumRiskClassifier(frozen, coverage=0.7).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_array_equal(weighted.predict(X_test), repeated.predict(X_test))


def test_a_frozen_estimator_is_not_fitted_again(rows, inner):
    X, X_test, y, y_test = rows
    fitted = clone(inner).fit(X, y)
    before = fitted.coef_.copy()
    model = MinimumRiskClassifier(FrozenEstimator(fitted), DEAR, coverage=0.8).fit(X_test, y_test)
    np.testing.assert_array_equal(fitted.coef_, before)
    assert (model.predict(X_test) != -1).mean() == pytest.approx(0.8, abs=1 / len(X_test))


def test_a_reject_label_can_be_any_string_among_strings(rows, inner):
    X, X_test, y, _ = rows
    names = np.array(["a", "b", "c"])[y]
    model = MinimumRiskClassifier(inner, reject_cost=0.2, reject_label="ask a doctor").fit(X, names)
    assert set(model.predict(X_test)) == {"a", "b", "c", "ask a doctor"}
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_the_score_counts_rejections_at_their_cost_or_leaves_them_out(rows, inner):
    X, X_test, y, y_test = rows
    priced = MinimumRiskClassifier(inner, DEAR, reject_cost=0.6).fit(X, y)
    answer = priced.predict(X_test)
    costs = np.where(answer == -1, 0.6, DEAR[y_test, answer])
    assert priced.score(X_test, y_test) == pytest.approx(-costs.mean())
    weights = np.arange(len(y_test))
    assert priced.score(X_test, y_test, sample_weight=weights) == pytest.approx(
        -np.average(costs, weights=weights)
    )
    covering = MinimumRiskClassifier(inner, DEAR, coverage=0.6).fit(X, y)
    answer = covering.predict(X_test)
    decided = answer != -1
    assert covering.score(X_test, y_test) == pytest.approx(-DEAR[y_test, answer][decided].mean())
    unsure = np.tile(X_test[covering.predict_risk(X_test)[:, :3].min(axis=1).argmax()], (2, 1))
    assert np.isnan(covering.score(unsure, [0, 1]))


def row_costs(n, seed=0):
    return DEAR * np.random.default_rng(seed).exponential(size=(n, 1, 3))


def test_costs_per_row_are_used_row_by_row(rows, inner):
    X, X_test, y, y_test = rows
    costs = row_costs(len(X_test))
    model = MinimumRiskClassifier(inner, reject_cost=0.5).fit(X, y)
    one_by_one = [
        MinimumRiskClassifier(FrozenEstimator(model.estimator_), L, reject_cost=0.5)
        .fit(X, y)
        .predict(x[None])[0]
        for x, L in zip(X_test[:40], costs[:40], strict=True)
    ]
    np.testing.assert_array_equal(model.predict(X_test, loss_matrix=costs)[:40], one_by_one)
    answer = model.predict(X_test, loss_matrix=costs)
    paid = np.where(answer == -1, 0.5, costs[np.arange(len(y_test)), y_test, answer])
    assert model.score(X_test, y_test, loss_matrix=costs) == pytest.approx(-paid.mean())
    assert model.predict_risk(X_test, loss_matrix=costs).shape == (len(X_test), 4)


def test_coverage_is_learnt_from_costs_per_row_when_fit_is_given_them(rows, inner):
    X, X_test, y, _ = rows
    costs, costs_test = row_costs(len(X)), row_costs(len(X_test), seed=1)
    model = MinimumRiskClassifier(inner, coverage=0.6).fit(X, y, loss_matrix=costs)
    assert abs((model.predict(X_test, loss_matrix=costs_test) != -1).mean() - 0.6) < 0.08


def test_costs_per_row_reach_the_end_of_a_pipeline(rows, inner):
    X, X_test, y, y_test = rows
    costs = row_costs(len(X_test))
    last = MinimumRiskClassifier(inner)
    expected = make_pipeline(StandardScaler(), last).fit(X, y)
    direct = expected[-1].predict(expected[0].transform(X_test), loss_matrix=costs)
    np.testing.assert_array_equal(expected.predict(X_test, loss_matrix=costs), direct)
    with config_context(enable_metadata_routing=True):
        last = clone(last).set_predict_request(loss_matrix=True).set_score_request(loss_matrix=True)
        pipeline = make_pipeline(StandardScaler(), last).fit(X, y)
        np.testing.assert_array_equal(pipeline.predict(X_test, loss_matrix=costs), direct)
        paid = costs[np.arange(len(y_test)), y_test, direct].mean()
        assert pipeline.score(X_test, y_test, loss_matrix=costs) == pytest.approx(-paid)


@pytest.mark.parametrize("in_pipeline", [False, pytest.param(True, marks=SCORES_ARE_ROUTED)])
def test_a_search_scores_every_fold_with_the_costs_of_its_rows(rows, inner, in_pipeline):
    X, _, y, _ = rows
    costs = row_costs(len(X))
    with config_context(enable_metadata_routing=True):
        last = MinimumRiskClassifier(inner).set_score_request(loss_matrix=True)
        last.set_fit_request(loss_matrix=False).set_predict_request(loss_matrix=True)
        model = make_pipeline(StandardScaler(), last) if in_pipeline else last
        (C,) = (name for name in model.get_params() if name.endswith("estimator__C"))
        search = GridSearchCV(model, {C: [1e-3, 1.0]}, cv=KFold(3)).fit(X, y, loss_matrix=costs)
        by_hand = []
        for train, test in KFold(3).split(X):
            fold = clone(model).set_params(**{C: 1.0}).fit(X[train], y[train])
            answer = fold.predict(X[test], loss_matrix=costs[test])
            by_hand.append(-costs[test, y[test], answer].mean())
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(by_hand))


def test_a_search_learns_its_coverage_from_the_costs_of_the_training_rows(rows, inner):
    X, X_test, y, _ = rows
    costs, costs_test = row_costs(len(X)), row_costs(len(X_test), seed=1)
    with config_context(enable_metadata_routing=True):
        last = MinimumRiskClassifier(inner, coverage=0.6).set_fit_request(loss_matrix=True)
        last.set_score_request(loss_matrix=True).set_predict_request(loss_matrix=True)
        pipeline = make_pipeline(StandardScaler(), last)
        grid = {"minimumriskclassifier__coverage": [0.6, 1.0]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(X, y, loss_matrix=costs)
        assert search.best_params_ == {"minimumriskclassifier__coverage": 0.6}
        kept = search.best_estimator_.predict(X_test, loss_matrix=costs_test) != -1
    direct = MinimumRiskClassifier(inner, coverage=0.6)
    direct.fit(StandardScaler().fit_transform(X), y, loss_matrix=costs)
    assert search.best_estimator_[-1].reject_cost_ == pytest.approx(direct.reject_cost_)
    assert abs(kept.mean() - 0.6) < 0.08


def test_weights_are_routed_to_the_estimator_that_asks_for_them(rows, inner):
    X, _, y, _ = rows
    weights = np.random.default_rng(0).exponential(size=len(y))
    expected = clone(inner).fit(X, y, sample_weight=weights).coef_
    np.testing.assert_array_equal(
        MinimumRiskClassifier(inner).fit(X, y, sample_weight=weights).estimator_.coef_, expected
    )
    with config_context(enable_metadata_routing=True):
        asking = clone(inner).set_fit_request(sample_weight=True)
        model = MinimumRiskClassifier(asking, coverage=0.9).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(model.estimator_.coef_, expected)
        deaf = clone(inner).set_fit_request(sample_weight=False)
        model = (
            MinimumRiskClassifier(deaf).set_fit_request(sample_weight=True).fit(X, y, sample_weight=weights)
        )
        np.testing.assert_array_equal(model.estimator_.coef_, clone(inner).fit(X, y).coef_)


def test_a_plain_search_over_costs_and_penalties_runs(rows, inner):
    X, _, y, _ = rows
    model = MinimumRiskClassifier(inner, DEAR)
    search = GridSearchCV(model, {"estimator__C": [0.1, 1.0], "reject_cost": [None, 0.5]}, cv=3).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert np.isfinite(cross_val_score(MinimumRiskClassifier(inner, coverage=0.8), X, y, cv=3)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss_matrix": np.zeros((2, 2))}, r"loss_matrix must have shape \(3, 3\)"),
        ({"loss_matrix": np.zeros((3, 4))}, "loss_matrix must have shape"),
        ({"loss_matrix": np.full((3, 3), np.nan)}, "loss_matrix must be finite"),
        ({"loss_matrix": {(0, 1): 1.0, (1, 0): 2.0}}, "lacks the"),
        ({"reject_cost": np.nan}, "reject_cost must be a finite number"),
        ({"reject_cost": "cheap"}, "reject_cost must be a finite number"),
        ({"coverage": 0.0}, r"coverage must be in \(0, 1\]"),
        ({"coverage": 1.1}, r"coverage must be in \(0, 1\]"),
        ({"coverage": 0.9, "reject_cost": 0.1}, "not both"),
        ({"reject_cost": 0.1, "reject_label": "reject"}, "choose a whole number"),
        ({"reject_cost": 0.1, "reject_label": 2}, "one of the classes"),
        ({"estimator": LinearSVC()}, "has no predict_proba.*CalibratedClassifierCV"),
    ],
)
def test_bad_parameters_are_refused_with_the_cure(rows, inner, options, message):
    X, _, y, _ = rows
    with pytest.raises(ValueError, match=message):
        MinimumRiskClassifier(**{"estimator": inner, **options}).fit(X, y)


def test_bad_costs_per_row_and_unknown_labels_are_refused(rows, inner):
    X, _, y, _ = rows
    model = MinimumRiskClassifier(inner).fit(X, y)
    with pytest.raises(ValueError, match=r"\(3, 3\) or \(5, 3, 3\)"):
        model.predict(X[:5], loss_matrix=np.zeros((4, 3, 3)))
    with pytest.raises(ValueError, match="not among the classes"):
        model.score(X[:2], [0, 8])


def test_weights_that_the_estimator_cannot_take_are_refused(rows):
    X, _, y, _ = rows
    with pytest.raises(ValueError, match="takes no sample_weight"):
        MinimumRiskClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_risk"])
def test_an_unfitted_model_says_so(inner, method):
    with pytest.raises(NotFittedError):
        getattr(MinimumRiskClassifier(inner), method)(np.zeros((1, 2)))


def test_names_of_columns_are_kept(inner):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = MinimumRiskClassifier(inner).fit(X, y)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert model.fit(X.to_numpy(), y).n_features_in_ == 4
    assert not hasattr(model, "feature_names_in_")
