import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import euclidean_distances, laplacian_kernel, rbf_kernel

from kernelproba import KernelLogisticRegression as KLR
from kernelproba import KernelLogisticRegressionCV as CV
from kernelproba.datasets import three_gaussians, three_gaussians_problem
from kernelproba.estimators.kernel_logistic.exact import KernelFunction, Options
from kernelproba.inspection import explain
from kernelproba.kernels import RBF, Laplacian
from kernelproba.rows.folds import Fold
from kernelproba.rows.row_hash import row_keys
from kernelproba.tuning.kernel_logistic import feature_relevance
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits
from kernelproba.tuning.kernel_logistic.feature_relevance import (
    MAX_ROUNDS,
    FeatureRelevance,
    PairedPrediction,
    RelevanceCV,
    mean_squared_absolute_slopes,
    mean_squared_slopes,
    paying_relevance,
    relevance_pays,
)
from kernelproba.tuning.observations import Observations

GAMMA, C = 0.2, 3.0


def noisy(n, random_state, n_noise=6):
    """Rows of three Gaussians with columns that say nothing."""
    X, y = three_gaussians(n, random_state=random_state)
    noise = np.random.default_rng(random_state).standard_normal((n, n_noise))
    return np.column_stack([X / X.std(axis=0), noise]), y


def observations(X, y):
    ones = np.ones(len(y))
    return Observations(X, y, ones, ones, np.ones(len(y), dtype=int), row_keys(X, y))


def fits_to(X, y):
    options = Options("irls", 1e-8, 200, True)
    return CandidateFits(observations(X, y), lambda gamma: RBF(RBF.length_scale_of(gamma)), options)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_slopes_are_those_of_finite_differences(n_classes):
    X, y = noisy(40, 0, n_noise=1)
    y = np.minimum(y, n_classes - 1)
    model = KLR(C, gamma=GAMMA, tol=1e-8).fit(X, y)
    function = KernelFunction(model.support_, model.dual_coef_.T, model.intercept_)

    def scores(rows):
        F = model.decision_function(rows).reshape(len(rows), -1)
        return F - F.mean(axis=1, keepdims=True) if n_classes > 2 else F

    step = 1e-5
    slopes = [(scores(X + step * e) - scores(X - step * e)) / (2 * step) for e in np.eye(3)]
    weight = np.linspace(1, 2, 40)
    G = [np.average(np.square(slope).sum(axis=1), weights=weight) for slope in slopes]
    found = (2 * GAMMA) ** 2 * mean_squared_slopes(X, rbf_kernel(X, gamma=GAMMA), function, weight)
    np.testing.assert_allclose(found, G, rtol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_slopes_of_a_laplacian_kernel_are_those_of_finite_differences(n_classes):
    X, y = noisy(40, 0, n_noise=1)
    y = np.minimum(y, n_classes - 1)
    model = KLR(C, kernel="laplacian", gamma=GAMMA, tol=1e-8).fit(X, y)
    function = KernelFunction(model.support_, model.dual_coef_.T, model.intercept_)

    def scores(rows):
        F = model.decision_function(rows).reshape(len(rows), -1)
        return F - F.mean(axis=1, keepdims=True) if n_classes > 2 else F

    step = 1e-6
    slopes = [(scores(X + step * e) - scores(X - step * e)) / (2 * step) for e in np.eye(3)]
    weight = np.linspace(1, 2, 40)
    G = [np.average(np.square(slope).sum(axis=1), weights=weight) for slope in slopes]
    K = laplacian_kernel(X, gamma=GAMMA)
    found = GAMMA**2 * mean_squared_absolute_slopes(X, K, function, weight)
    np.testing.assert_allclose(found, G, rtol=1e-4)


def test_indicators_are_weighed_by_a_product_as_by_their_signs(monkeypatch):
    X, _ = noisy(60, 0)
    X[:, 3:] = np.where(X[:, 3:] > 0, 0.7, -0.2)
    K, weight = laplacian_kernel(X, gamma=GAMMA), np.ones(60)
    function = KernelFunction(np.arange(60), np.random.default_rng(0).normal(size=(60, 3)), np.zeros(3))
    found = mean_squared_absolute_slopes(X, K, function, weight)
    monkeypatch.setattr(feature_relevance, "has_two_values", lambda X: np.zeros(X.shape[1], dtype=bool))
    np.testing.assert_allclose(found, mean_squared_absolute_slopes(X, K, function, weight))


def test_weights_of_a_laplacian_kernel_tell_noise_from_signal_and_keep_the_mean_distance():
    X, y = noisy(200, 0)
    options = Options("irls", 1e-6, 200, True)
    fits = CandidateFits(
        observations(X, y), lambda gamma: Laplacian(Laplacian.length_scale_of(gamma)), options
    )
    relevance = FeatureRelevance.learn(fits, GAMMA, C)
    assert relevance.weights[:2].min() > 2 * relevance.weights[2:].max()
    spread = np.abs(X - np.median(X, axis=0)).mean(axis=0)
    weighed = relevance.gamma * (np.sqrt(relevance.weights) @ spread)
    assert weighed == pytest.approx(GAMMA * spread.sum())


def test_weights_have_mean_one_keep_the_mean_distance_and_favour_what_counts():
    X, y = noisy(150, 1)
    relevance = FeatureRelevance.learn(fits_to(X, y), GAMMA, C)
    assert relevance.weights.mean() == pytest.approx(1)
    assert relevance.weights[:2].min() > 1.5 * relevance.weights[2:].max()
    before, after = (euclidean_distances(rows, squared=True).mean() for rows in (X, relevance.transform(X)))
    assert relevance.gamma * after == pytest.approx(GAMMA * before)


def test_weights_of_a_fold_have_not_seen_the_rows_held_out():
    X, y = noisy(60, 2)
    train, test = np.arange(15, 60), np.arange(15)
    fold = Fold(train, test, np.ones(len(train)), np.ones(len(test)))
    cross_validated = RelevanceCV(fits_to(X, y), (GAMMA, C), [fold])
    (part,) = cross_validated.comparisons()
    relevance = FeatureRelevance.learn(fits_to(X[train], y[train]), GAMMA, C)
    root = np.sqrt(relevance.weights)

    def refitted(C, gamma, scale):
        model = KLR(C, gamma=gamma, tol=1e-8).fit(X[train] * scale, y[train])
        return model.predict_log_proba(X[test] * scale)

    np.testing.assert_allclose(part.unweighed, refitted(C, GAMMA, 1.0), atol=1e-5)
    np.testing.assert_allclose(part.weighed, refitted(C, relevance.gamma, root), atol=1e-5)
    other = refitted(10.0, 2 * relevance.gamma, root)
    (held_out,) = cross_validated.held_out(2.0, 10.0, [fold], np.zeros((60, 1)))
    np.testing.assert_allclose(held_out.log_P, other, atol=1e-5)


def test_a_further_round_learns_from_fits_with_the_weights_so_far_and_sharpens_them():
    X, y = noisy(150, 1)
    once, twice = (FeatureRelevance.learn(fits_to(X, y), GAMMA, C, rounds) for rounds in (1, 2))
    again = FeatureRelevance.learn(fits_to(once.transform(X), y), once.gamma, C)
    product = once.weights * again.weights
    np.testing.assert_allclose(twice.weights, product / product.mean(), rtol=1e-6)
    assert twice.gamma * (twice.weights @ X.var(axis=0)) == pytest.approx(GAMMA * X.var(axis=0).sum())
    assert twice.weights[2:].mean() < 0.8 * once.weights[2:].mean()


def test_a_fold_compares_each_round_with_the_one_before():
    X, y = noisy(60, 2)
    train, test = np.arange(15, 60), np.arange(15)
    fold = Fold(train, test, np.ones(len(train)), np.ones(len(test)))
    first = RelevanceCV(fits_to(X, y), (GAMMA, C), [fold])
    second = first.further()
    ((one,), (two,)) = list(first.comparisons()), list(second.comparisons())
    np.testing.assert_array_equal(two.unweighed, one.weighed)
    relevance = FeatureRelevance.learn(fits_to(X[train], y[train]), GAMMA, C, 2)
    model = KLR(C, gamma=relevance.gamma, tol=1e-8).fit(relevance.transform(X[train]), y[train])
    np.testing.assert_allclose(two.weighed, model.predict_log_proba(relevance.transform(X[test])), atol=1e-5)


def test_a_part_of_a_fold_is_predicted_with_weights_that_have_not_seen_the_fold_by_a_fit_without_the_part():
    X, y = noisy(60, 2)
    quarter, part = (Fold(np.arange(k, 60), np.arange(k), np.ones(60 - k), np.ones(k)) for k in (15, 5))
    cross_validated = RelevanceCV(fits_to(X, y), (GAMMA, C), [quarter])
    (held_out,) = cross_validated.held_out(2.0, 10.0, [part], np.where(y == 1, 1.0, -1.0)[:, None])
    relevance = FeatureRelevance.learn(fits_to(X[15:], y[15:]), GAMMA, C)
    model = KLR(10.0, gamma=2 * relevance.gamma, tol=1e-8).fit(relevance.transform(X[5:]), y[5:])
    expected = model.predict_log_proba(relevance.transform(X[:5]))
    np.testing.assert_allclose(held_out.log_P, expected, atol=1e-5)
    np.testing.assert_array_equal(held_out.rows, part.test)


def test_number_k_of_twelve_folds_tests_a_part_of_what_quarter_k_mod_4_tests():
    rows = fits_to(*noisy(60, 2)).rows
    quarters = rows.folds(4)
    for k, fold in enumerate(rows.folds(12)):
        assert set(fold.test) <= set(quarters[k % 4].test)


@pytest.mark.parametrize("paying", [0, 1, 2, 9])
def test_weights_are_learned_in_as_many_rounds_as_pay_but_no_more_than_a_few(monkeypatch, paying):
    asked = []
    monkeypatch.setattr(RelevanceCV, "comparisons", lambda self: asked.append(self.rounds))
    monkeypatch.setattr(feature_relevance, "relevance_pays", lambda *_: len(asked) <= paying)
    X, y = noisy(60, 2)
    found = paying_relevance(fits_to(X, y), (GAMMA, C), [])
    assert (0 if found is None else found.rounds) == min(paying, MAX_ROUNDS)
    assert asked == list(range(1, min(paying + 1, MAX_ROUNDS) + 1))


@pytest.mark.parametrize(("gain", "worthwhile"), [(0.15, False), (0.25, True), (-1.0, False)])
def test_two_nats_are_worthwhile(gain, worthwhile):
    plain = np.log(np.full((10, 2), 0.5))
    part = PairedPrediction(np.arange(10), np.ones(10), plain, plain + gain)
    assert relevance_pays([part], observations(np.eye(10), np.zeros(10, dtype=int))) == worthwhile


def test_no_more_folds_are_fitted_once_weights_lose():
    plain = np.zeros((5, 2))

    def parts():
        yield PairedPrediction(np.arange(5), np.ones(5), plain, plain - 0.1)
        pytest.fail("a second fold was asked for")

    assert not relevance_pays(parts(), observations(np.eye(10), np.zeros(10, dtype=int)))


@pytest.fixture(scope="module")
def weighed():
    return CV(kernel="rbf").fit(*noisy(200, 3, n_noise=10))


def test_columns_of_noise_are_found_and_probabilities_come_nearer_to_the_truth(weighed):
    assert weighed.feature_weights_[:2].min() > 1.5 * weighed.feature_weights_[2:].mean()
    assert weighed.cv_results_["weighed"].any()
    X_new, _ = noisy(2000, 4, n_noise=10)
    plane, _ = three_gaussians(2000, random_state=4)
    truth = three_gaussians_problem().posterior(plane)
    plain = CV(kernel="rbf", feature_weights=None).fit(*noisy(200, 3, n_noise=10))
    assert plain.feature_weights_ is None
    errors = [np.abs(model.predict_proba(X_new) - truth).mean() for model in (weighed, plain)]
    assert errors[0] < 0.9 * errors[1]


def test_the_model_is_that_of_rows_on_the_weighed_scale(weighed):
    X, y = noisy(200, 3, n_noise=10)
    deviation = X.std(axis=0) if weighed.best_params_["scale"] == "standard" else np.ones(12)
    np.testing.assert_allclose(weighed.scaler_.scale_, deviation / np.sqrt(weighed.feature_weights_))
    inner = KLR(weighed.C_, gamma=weighed.gamma_).fit(weighed.scaler_.transform(X), y)
    F = inner.decision_function(weighed.scaler_.transform(X[:9])) / weighed.temperature_
    np.testing.assert_allclose(weighed.decision_function(X[:9]), F, atol=0.05 * np.abs(F).max())
    lines = explain(weighed, X[:3], top=2)
    sums = lines.groupby(["explained", "class"])["contribution"].sum().to_numpy().reshape(3, 3)
    np.testing.assert_allclose(sums, weighed.decision_function(X[:3]), atol=1e-6)


def test_the_expected_loss_is_not_flattered_by_weights_that_have_seen_the_row(weighed):
    X_new, y_new = noisy(4000, 5, n_noise=10)
    loss = -np.log(weighed.predict_proba(X_new)[np.arange(4000), y_new]).mean()
    assert weighed.loo_method_ == "folds"
    assert weighed.loo_scores_["log_loss"] == pytest.approx(loss, rel=0.25)


@pytest.mark.parametrize(
    "options", [{"kernel": "poly"}, {"cv": 3}, {"gammas": [0.1]}, {"scoring": "accuracy"}]
)
def test_features_are_not_weighed_where_that_cannot_be_told(options):
    model = CV(**options).fit(*noisy(60, 6))
    assert model.feature_weights_ is None
    assert not model.cv_results_["weighed"].any()


def test_classes_that_are_intervals_of_one_column_among_many_are_found_by_a_weighed_laplacian_kernel():
    X = np.random.default_rng(0).random((1500, 11))
    y = np.floor(6 * X[:, 0]).astype(int)
    model = CV(kernel="laplacian").fit(X[:500], y[:500])
    assert model.feature_weights_[0] > 5 * model.feature_weights_[1:].max()
    plain = CV(kernel="laplacian", feature_weights=None).fit(X[:500], y[:500])
    losses = [log_loss(y[500:], each.predict_proba(X[500:])) for each in (model, plain)]
    assert losses[0] < 0.5 * losses[1]
    assert model.loo_scores_["log_loss"] == pytest.approx(losses[0], abs=0.05)


def test_constant_columns_leave_nothing_to_weigh():
    model = CV().fit(np.ones((20, 4)), np.arange(20) % 2)
    assert model.feature_weights_ is None
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 4))), 0.5, atol=1e-6)


def test_sparse_rows_are_not_weighed():
    X, y = noisy(60, 6)
    assert CV().fit(sp.csr_array(X), y).feature_weights_ is None


@pytest.mark.parametrize("scale", ["standard", "squashed"])
def test_rows_to_predict_are_weighed_like_the_rows_that_were_learned_from(scale):
    X, y = noisy(300, 3)
    X[::9] *= 30  # far enough to be bent
    model = CV(kernel="rbf", scale=scale).fit(X, y)
    assert model.feature_weights_ is not None
    centers = model.best_estimator_.support_
    np.testing.assert_allclose(
        model.scaler_.transform(X)[model._rows_[centers]], model.best_estimator_.support_vectors_, atol=1e-12
    )
