"""Intervals, averages and novelty of kernel logistic regression."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.datasets import chessboard_problem, three_gaussians_problem, two_gaussians_problem
from kernelproba.estimators.kernel_logistic import kept_rows
from kernelproba.kernels import Linear
from kernelproba.rows.store import as_rows
from kernelproba.solvers.posterior.probabilities import probability_intervals

MODELS = {
    "two classes": (chessboard_problem(), KernelLogisticRegression(10, gamma=0.5)),
    "three classes": (three_gaussians_problem(), KernelLogisticRegression(10, gamma=0.1)),
    "centres": (three_gaussians_problem(), KernelLogisticRegression(10, gamma=0.1, n_centers=60)),
    "linear kernel": (two_gaussians_problem(), KernelLogisticRegression(kernel="linear")),
    "self-tuning": (three_gaussians_problem(), KernelLogisticRegressionCV([10.0], [0.2], kernel="rbf")),
}


def width(intervals):
    return intervals[..., 1] - intervals[..., 0]


@pytest.fixture(params=MODELS, name="fitted")
def fitted_model(request):
    problem, model = MODELS[request.param]
    return model.fit(*problem.sample(200, 0)), problem.sample(100, 1)[0]


def test_intervals_hold_the_estimate_and_grow_with_the_level(fitted):
    model, X = fitted
    P, narrow, wide = model.predict_proba(X), *(model.predict_proba_interval(X, g) for g in (0.5, 0.95))
    assert narrow.shape == (*P.shape, 2)
    for intervals in (narrow, wide):
        assert ((intervals >= 0) & (intervals <= 1)).all()
        assert (intervals[..., 0] <= P + 1e-9).all()
        assert (intervals[..., 1] >= P - 1e-9).all()
    assert (width(wide) >= width(narrow) - 1e-9).all()


def test_averages_are_probabilities_inside_the_intervals(fitted):
    model, X = fitted
    P, I = model.predict_proba(X, moderated=True), model.predict_proba_interval(X, 0.99)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert ((I[..., 0] <= P + 1e-9) & (I[..., 1] + 1e-9 >= P)).mean() > 0.99
    # less sure on the whole
    assert P.max(axis=1).mean() < model.predict_proba(X).max(axis=1).mean()


@pytest.mark.parametrize("problem", [three_gaussians_problem(), chessboard_problem()], ids=["three", "two"])
@pytest.mark.parametrize(("n", "draws"), [(200, 6), (1000, 6)])
def test_most_intervals_hold_the_true_probability(problem, n, draws):
    shares = []
    for draw in range(draws):
        X_new = problem.sample(500, 100 + draw)[0]
        model = KernelLogisticRegressionCV(kernel="rbf", scale="standard", feature_weights=None)
        I, truth = model.fit(*problem.sample(n, draw)).predict_proba_interval(X_new), problem.posterior(X_new)
        shares.append(((I[..., 0] <= truth) & (truth <= I[..., 1])).mean())
    assert 0.8 <= np.mean(shares) <= 0.97


def test_a_pool_is_as_firm_as_its_members_are_on_the_whole():
    problem = chessboard_problem()
    model = KernelLogisticRegressionCV().fit(*problem.sample(200, 2))
    X_new = problem.sample(50, 3)[0]
    assert len(model.estimators_) > 1
    alone = [
        width(probability_intervals(model._scores(X_new), S, np.ones((1, 1)), 0.9))
        for S in (
            posterior.score_covariance(*features(member.rows(X_new))) / model.temperature_**2
            for member in model._members()
            for features, posterior in [member.model._score_posterior()]
        )
    ]
    together = width(model.predict_proba_interval(X_new))
    assert (together <= np.max(alone, axis=0) + 1e-9).all()
    assert (together >= np.min(alone, axis=0) / 2).all()
    score, p = model.novelty_score(X_new, return_p_value=True)
    assert ((score >= 0) & (score <= 1) & (p > 0) & (p <= 1)).all()
    assert model.novelty_score(np.full((1, 2), 1e3))[0] > 0.9


@pytest.mark.parametrize("name", ["two classes", "three classes", "self-tuning"])
def test_far_from_all_rows_nothing_is_sure(name):
    problem, model = MODELS[name]
    X, y = problem.sample(200, 0)
    model.fit(X, y)
    far = np.full((1, 2), 60.0)
    assert (width(model.predict_proba_interval(far)) > 0.8).all()
    assert width(model.predict_proba_interval(X)).mean() < 0.3


@pytest.mark.parametrize(
    "problem", [three_gaussians_problem(), two_gaussians_problem(1.5, 5)], ids=["three", "two"]
)
def test_far_from_all_rows_a_line_in_the_pool_is_not_believed(problem):
    X, y = problem.sample(200, 0)
    model = KernelLogisticRegressionCV(random_state=0).fit(X, y)
    assert any(isinstance(each.kernel_, Linear) for each in model.estimators_)
    for distance in (30, 1e3, 1e6):
        far = X.mean(axis=0) + distance * X.std(axis=0) * np.sign(X[:20] - X.mean(axis=0))
        assert width(model.predict_proba_interval(far)).mean() > 0.9
        assert model.predict_proba(far, moderated=True).max(axis=1).mean() < 0.9


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_rows_longer_than_all_others_are_new_to_a_dot_product(kernel):
    problem = two_gaussians_problem()
    X, y = problem.sample(200, 0)
    model = KernelLogisticRegression(kernel=kernel).fit(X, y)
    assert model.novelty_score(problem.sample(200, 1)[0], return_p_value=True)[1].mean() > 0.4
    previous = np.zeros(20)
    for length in (10, 100, 1e6):
        score, p = model.novelty_score(length * X[:20], return_p_value=True)
        assert (score >= previous).all()
        previous = score
    assert (score == 1).all()
    assert (p < 0.01).all()


@pytest.mark.parametrize(
    "model", [KernelLogisticRegression(), KernelLogisticRegressionCV([1.0], kernel="rbf")]
)
def test_rows_of_a_named_table_are_judged_without_complaint(model):
    X, y = three_gaussians_problem().sample(80, 0)
    table = pd.DataFrame(X, columns=["a", "b"])
    assert model.fit(table, y).predict_proba_interval(table).shape == (80, 3, 2)


def test_more_rows_narrow_the_intervals():
    problem = three_gaussians_problem()
    X_new = problem.sample(100, 1)[0]
    widths = [
        width(
            KernelLogisticRegression(10, gamma=0.1).fit(*problem.sample(n, 0)).predict_proba_interval(X_new)
        )
        for n in (100, 400, 1600)
    ]
    assert widths[0].mean() > 1.4 * widths[1].mean() > 1.4**2 * widths[2].mean()


def test_centres_and_all_rows_agree_on_how_firm_they_are():
    problem = three_gaussians_problem()
    X, y = problem.sample(600, 0)
    X_new = problem.sample(100, 1)[0]
    whole = KernelLogisticRegression(10, gamma=0.1).fit(X, y).predict_proba_interval(X_new)
    centres = KernelLogisticRegression(10, gamma=0.1, n_centers=80).fit(X, y).predict_proba_interval(X_new)
    np.testing.assert_allclose(centres, whole, atol=0.02)


def test_a_weight_of_two_is_a_row_seen_twice():
    problem = three_gaussians_problem()
    X, y = problem.sample(120, 0)
    twice = np.random.default_rng(0).integers(0, 3, 120)
    X_new = problem.sample(50, 1)[0]
    model = KernelLogisticRegression(5, gamma=0.2, tol=1e-8)
    one = model.fit(X, y, sample_weight=twice).predict_proba_interval(X_new)
    novel = model.novelty_score(X_new, return_p_value=True)
    model.fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    np.testing.assert_allclose(model.predict_proba_interval(X_new), one, atol=2e-3)
    np.testing.assert_allclose(model.novelty_score(X_new, return_p_value=True), novel, atol=1e-6)


def test_undone_weights_move_the_interval_and_not_its_width_in_log_odds():
    X, y = two_gaussians_problem(1.5).sample(200, 0)
    plain, undone = (
        KernelLogisticRegression(gamma=0.3, class_weight={0: 1, 1: 5}, undo_weights=undo).fit(X, y)
        for undo in (False, True)
    )
    S, T = (
        model._score_posterior()[1].score_covariance(*model._score_posterior()[0](X))
        for model in (plain, undone)
    )
    np.testing.assert_allclose(S, T, rtol=1e-4)


def test_sparse_rows_are_judged_like_dense_ones():
    X, y = three_gaussians_problem().sample(150, 0)
    X = np.where(abs(X) < 0.5, 0.0, X)
    dense, sparse = (
        KernelLogisticRegression(5, gamma=0.2).fit(form(X), y) for form in (np.asarray, sp.csr_array)
    )
    np.testing.assert_allclose(
        sparse.predict_proba_interval(sp.csr_array(X)), dense.predict_proba_interval(X), atol=1e-4
    )
    np.testing.assert_allclose(sparse.novelty_score(sp.csr_array(X)), dense.novelty_score(X), atol=1e-6)


def test_what_was_built_is_not_pickled_and_comes_back_the_same(fitted):
    model, X = fitted
    before = model.predict_proba_interval(X), model.novelty_score(X)
    inner = getattr(model, "best_estimator_", model)
    assert hasattr(inner, "_posterior_")
    again = pickle.loads(pickle.dumps(model))
    assert not hasattr(getattr(again, "best_estimator_", again), "_posterior_")
    np.testing.assert_array_equal(again.predict_proba_interval(X), before[0])
    np.testing.assert_array_equal(again.novelty_score(X), before[1])


def test_parameters_set_after_the_fit_do_not_matter(fitted):
    model, X = fitted
    again = pickle.loads(pickle.dumps(model))
    inner = getattr(again, "best_estimator_", again).set_params(C=1e-3, fit_intercept=False)
    assert inner.C == 1e-3
    np.testing.assert_array_equal(again.predict_proba_interval(X), model.predict_proba_interval(X))
    np.testing.assert_array_equal(again.novelty_score(X), model.novelty_score(X))


def test_a_new_fit_forgets_the_posterior_of_the_last():
    problem = three_gaussians_problem()
    X_new = problem.sample(20, 1)[0]
    model = KernelLogisticRegression(10, gamma=0.1).fit(*problem.sample(100, 0))
    model.predict_proba_interval(X_new), model.novelty_score(X_new)
    model.fit(*problem.sample(400, 2))
    fresh = KernelLogisticRegression(10, gamma=0.1).fit(*problem.sample(400, 2))
    np.testing.assert_array_equal(model.predict_proba_interval(X_new), fresh.predict_proba_interval(X_new))
    np.testing.assert_array_equal(model.novelty_score(X_new), fresh.novelty_score(X_new))


# ------------------------------------------------------------------ novelty


def test_novelty_is_a_share_that_is_one_far_away_and_small_on_training_rows(fitted):
    model, X = fitted
    score, p = model.novelty_score(X, return_p_value=True)
    assert ((score >= 0) & (score <= 1)).all()
    assert ((p > 0) & (p <= 1)).all()
    if getattr(model, "kernel", None) != "linear":
        far, p_far = model.novelty_score(np.full((1, 2), 1e3), return_p_value=True)
        assert far[0] > 0.999
        assert p_far[0] < 0.02


def test_p_values_of_rows_like_those_of_training_are_uniform():
    problem = three_gaussians_problem()
    p = np.concatenate(
        [
            KernelLogisticRegression(10, gamma=0.5)
            .fit(*problem.sample(300, draw))
            .novelty_score(problem.sample(300, 100 + draw)[0], return_p_value=True)[1]
            for draw in range(5)
        ]
    )
    for level in (0.05, 0.1, 0.3, 0.5):
        assert abs((p <= level).mean() - level) < 0.05


def test_p_values_are_uniform_also_after_a_search_and_within_their_error():
    # The p-values of 300 rows have the calibration rows of one fit in common: a share over them has the
    # variance α(1 − α)(1/300 + 1/300), and the mean over five fits a fifth of it.
    problem = chessboard_problem()
    found = []
    for draw in range(5):
        model = KernelLogisticRegressionCV(kernel="rbf", feature_weights=None).fit(*problem.sample(300, draw))
        found.append(model.novelty_score(problem.sample(300, 100 + draw)[0], return_p_value=True)[1])
    for level in (0.05, 0.1, 0.3, 0.5, 0.8):
        error = np.sqrt(level * (1 - level) * 2 / 300 / 5)
        assert abs((np.concatenate(found) <= level).mean() - level) < 3.5 * error


@pytest.mark.parametrize("options", [{}, {"multi_class": "pairwise"}, {"n_centers": 300}])
def test_a_class_that_was_left_out_is_new(options):
    X, y = load_digits(return_X_y=True)
    train, new = np.arange(900), np.arange(900, 1700)
    train = train[y[train] != 4]
    model = KernelLogisticRegression(1000, gamma=5e-4, **options).fit(X[train], y[train])
    assert roc_auc_score(y[new] == 4, model.novelty_score(X[new])) > 0.95


def test_left_out_rows_come_in_the_order_of_training_whatever_the_solver():
    X, y = three_gaussians_problem().sample(60, 0)
    found = [
        KernelLogisticRegression(3.0, gamma=2.0, solver=solver).fit(X, y)._novelty_reference().left_out
        for solver in ("irls", "newton-cg")
    ]
    np.testing.assert_allclose(*found, atol=1e-6)
    others = np.arange(60) != 7
    without = KernelLogisticRegression(3.0, gamma=2.0).fit(X[others], y[others])
    np.testing.assert_allclose(found[0][7], without.novelty_score(X[7:8]), atol=1e-6)


def test_the_rows_of_the_nearest_class_explain_a_row():
    # Formula of the docstring, class by class, dense.
    X, y = three_gaussians_problem().sample(90, 0)
    X_new, C, gamma = three_gaussians_problem().sample(30, 1)[0], 3.0, 0.4
    shares = []
    for label in range(3):
        Z = X[y == label]
        k = rbf_kernel(X_new, Z, gamma)
        inner = np.linalg.solve(rbf_kernel(Z, Z, gamma) + np.eye(len(Z)) / C, k.T)
        shares.append(1 - np.einsum("ij,ji->i", k, inner))
    model = KernelLogisticRegression(C, gamma=gamma).fit(X, y)
    np.testing.assert_allclose(model.novelty_score(X_new), np.min(shares, axis=0), atol=1e-6)


# ------------------------------------------------------------------ bad input


def test_models_without_a_posterior_say_so():
    X, y = three_gaussians_problem().sample(60, 0)
    pairs = KernelLogisticRegression(gamma=0.2, multi_class="pairwise").fit(X, y)
    with pytest.raises(ValueError, match="pairwise"):
        pairs.predict_proba_interval(X)
    K = rbf_kernel(X)
    matrix = KernelLogisticRegression(kernel="precomputed").fit(K, y)
    function = KernelLogisticRegression(kernel=rbf_kernel).fit(X, y)
    for model, rows in ((matrix, K), (function, X)):
        with pytest.raises(ValueError, match="positive definite"):
            model.predict_proba_interval(rows)
        with pytest.raises(ValueError, match="positive definite"):
            model.novelty_score(rows)


def test_levels_rows_and_models_are_checked():
    X, y = three_gaussians_problem().sample(60, 0)
    for model in (KernelLogisticRegression(), KernelLogisticRegressionCV()):
        for ask in (model.predict_proba_interval, model.novelty_score):
            with pytest.raises(NotFittedError):
                ask(X)
    model = KernelLogisticRegression().fit(X, y)
    for level in (0, 1, 2, "high", None):
        with pytest.raises(ValueError, match="confidence"):
            model.predict_proba_interval(X, level)
    with pytest.raises(ValueError, match="features"):
        model.novelty_score(X[:, :1])
    with pytest.raises(ValueError, match="in memory"):
        model.predict_proba_interval(as_rows(X))


def test_a_row_of_zeros_has_an_interval_under_a_dot_product():
    X, y = two_gaussians_problem(1.5).sample(80, 0)
    model = KernelLogisticRegression(kernel="linear").fit(X, y)
    low, high = model.predict_proba_interval(np.zeros((1, X.shape[1])))[0, 1]
    assert 0 < low < high < 1


def test_features_that_stop_early_leave_intervals_as_they_are(monkeypatch):
    X, y = three_gaussians_problem().sample(300, 0)
    found = []
    for left in (0.0, kept_rows.LEFT_VARIANCE):
        monkeypatch.setattr(kept_rows, "LEFT_VARIANCE", left)
        model = KernelLogisticRegression(10, gamma=0.1).fit(X, y)
        found.append(model.predict_proba_interval(X))
        ranks = model._score_posterior()[0].map.shape[0]
    assert ranks < 300
    np.testing.assert_allclose(*map(width, found), atol=2e-3)
