import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression as KLR
from kernelproba import KernelLogisticRegressionCV as CV
from kernelproba.datasets import three_gaussians, three_gaussians_problem, two_gaussians_problem
from kernelproba.inspection import explain
from kernelproba.kernels import RBF, ChiSquared
from kernelproba.tuning import pattern_search
from kernelproba.tuning.kernel_logistic import selection
from kernelproba.tuning.kernel_logistic.stages import SAMPLE_ROWS
from kernelproba.tuning.scorers import held_out_scorer, smoothed_log_likelihood

X, y = three_gaussians(120, random_state=0)
X_new, _ = three_gaussians(50, random_state=1)
CS, GAMMAS = [1.0, 10.0], [0.05, 0.5]


def refitted(X, y, C, gamma):
    """Log-probabilities of every row by a fit without it."""
    model = KLR(C, gamma=gamma, tol=1e-5)
    rows = range(len(y))
    fits = [model.fit(np.delete(X, i, 0), np.delete(y, i)).predict_log_proba(X[i : i + 1]) for i in rows]
    return np.concatenate(fits)


@pytest.fixture(scope="module")
def model():
    return CV(kernel="rbf").fit(X, y)


def test_scores_are_those_of_refits_without_the_row():
    X40, y40 = StandardScaler().fit_transform(X[:40]), y[:40]
    search = CV(CS, GAMMAS, scale=None, tol=1e-5).fit(X40, y40)
    for C, gamma, score in search.cv_results_.frame()[
        ["param_C", "param_gamma", "mean_test_score"]
    ].to_numpy():
        log_P = refitted(X40, y40, C, gamma)
        assert score == pytest.approx(smoothed_log_likelihood(log_P, y40, np.ones(40), 40), abs=0.03)


def test_left_out_probabilities_are_those_of_refits_without_the_row():
    X40, y40 = X[:40], y[:40]
    search = CV([3.0], [0.2], scale=None).fit(X40, y40)
    assert search.loo_method_ == "leave-one-out"
    P = np.exp(refitted(X40, y40, 3.0, 0.2) / search.temperature_)
    P /= P.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(search.loo_proba_, P, atol=0.05)  # temperatures of nine tenths of the rows
    scores = search.loo_scores_
    assert scores["log_loss"] == pytest.approx(log_loss(y40, search.loo_proba_))
    assert scores["error"] == pytest.approx(np.mean(search.loo_proba_.argmax(axis=1) != y40))


def test_no_neighbour_of_the_chosen_point_is_better_tried_or_not(model):
    scale = model.best_params_["scale"]
    for g, c in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
        C, gamma = model.C_ * 10 ** (c / 2), model.gamma_ * 2.0**g
        # By more than what a step must gain, and the tolerance of fits that start elsewhere.
        assert CV([C], [gamma], scale=scale).fit(X, y).best_score_ <= model.best_score_ * (1 - 5e-3)
    expected = {"kernel": "rbf", "scale": scale, "C": model.C_, "gamma": model.gamma_}
    assert model.best_params_ == expected


def test_the_chosen_points_are_near_the_best_of_grids_by_leave_one_out():
    ratios = []
    for seed in (4, 5, 6):
        rows, labels = three_gaussians(300, random_state=seed)  # more than screening leaves out one by one
        search = CV(kernel="rbf", scale="standard").fit(rows, labels)
        grid = CV(10.0 ** np.arange(-1, 5), search.gamma_ * 4.0 ** np.arange(-2, 3), scale="standard")
        assert len(search.cv_results_["params"]) < 25
        ratios.append(search.best_score_ / grid.fit(rows, labels).best_score_)
    # Losses: a search may end at a point beside a flat optimum, but not often.
    assert np.mean(ratios) <= 1.01
    assert max(ratios) <= 1.02


def test_the_model_is_that_of_the_chosen_point_on_scaled_rows_at_the_temperature():
    search = CV(kernel="rbf", scale="standard", tol=1e-8).fit(X, y)
    scaler = StandardScaler().fit(X)
    np.testing.assert_allclose(search.scaler_.transform(X), scaler.transform(X))
    inner = KLR(search.C_, gamma=search.gamma_, tol=1e-8).fit(scaler.transform(X), y)
    scores = inner.decision_function(scaler.transform(X_new)) / search.temperature_
    np.testing.assert_allclose(search.decision_function(X_new), scores, atol=1e-6)
    P = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    np.testing.assert_allclose(search.predict_proba(X_new), P, atol=1e-6)


def test_the_scale_that_predicts_unseen_rows_better_is_chosen():
    rng = np.random.default_rng(0)
    useless = rng.standard_normal((120, 6)) * 1e-3
    in_one_unit = np.hstack([X, useless])  # as they are, the useless features are harmless
    assert CV(kernel="rbf").fit(in_one_unit, y).scaler_ is None
    in_any_unit = X * [1e-3, 1e3]
    assert CV(kernel="rbf").fit(in_any_unit, y).best_params_["scale"] == "standard"


def test_probabilities_are_near_the_truth_and_so_is_their_estimated_loss():
    problem = three_gaussians_problem()
    rows, labels = problem.sample(300, 5)
    fresh, fresh_labels = problem.sample(4000, 6)
    search = CV().fit(rows, labels)
    linear = LogisticRegression().fit(rows, labels)
    ours, theirs = (
        np.abs(m.predict_proba(fresh) - problem.posterior(fresh)).mean() for m in (search, linear)
    )
    assert ours < theirs / 2
    real = log_loss(fresh_labels, search.predict_proba(fresh))
    assert search.loo_scores_["log_loss"] == pytest.approx(real, abs=0.12)


def test_a_mislabelled_row_is_among_the_improbable_ones():
    wrong = y.copy()
    far_left = int(np.argmin(X[:, 0] + np.abs(X[:, 1])))
    assert y[far_left] == 0
    wrong[far_left] = 1
    search = CV().fit(X, wrong)
    assert search.loo_label_proba_[far_left] < 0.05


@pytest.fixture(scope="module")
def staged():
    rows, labels = three_gaussians(900, random_state=3)
    return CV(kernel="rbf", max_rows=800).fit(rows * [1, 2], labels)  # two scales that differ


def test_more_rows_are_searched_on_a_sample_first_and_then_near_its_best_point(staged):
    sizes = staged.cv_results_["n_rows"]
    assert set(sizes) == {SAMPLE_ROWS, 800}
    assert (sizes[0], sizes[-1]) == (SAMPLE_ROWS, 800)
    assert (np.diff(sizes) < 0).sum() <= 1  # far starts are tried on the sample, too
    assert staged.loo_proba_.shape == (900, 3)


def test_the_better_of_both_scales_by_several_folds_on_all_rows_is_searched_on(staged):
    results = staged.cv_results_
    last = np.flatnonzero(results["n_rows"] == 800)
    compared, scales = last[:2], results["param_scale"].data
    assert set(scales[compared]) == {"standard", None}
    assert (results["std_test_score"][compared] > 0).all()  # which one fold would not have
    better = scales[compared[results["mean_test_score"][compared].argmax()]]
    assert staged.best_params_["scale"] == better
    assert all(scale == better for scale in scales[last[2:]])


def test_no_point_is_tried_twice_on_the_same_rows(model):
    frame = model.cv_results_.frame().round({"param_gamma": 9, "param_C": 9})
    assert not frame.duplicated(["param_scale", "param_gamma", "param_C", "n_rows"]).any()


def test_many_classes_are_judged_by_folds():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(8), 60)
    rows = rng.standard_normal((8, 3))[labels] * 3 + rng.standard_normal((480, 3))
    search = CV([1.0, 30.0], [0.1]).fit(rows, labels)
    assert (search.cv_results_["std_test_score"] > 0).all()
    assert search.loo_scores_["error"] < 0.6


@pytest.mark.parametrize("cv", [KFold(3), StratifiedKFold(4, shuffle=True, random_state=0)])
def test_folds_of_a_splitter_are_fitted_and_judged_one_by_one(cv):
    search = CV(CS, GAMMAS, scale=None, scoring="neg_log_loss", cv=cv, tol=1e-6).fit(X, y)
    for C, gamma, mean, std in search.cv_results_.frame()[
        ["param_C", "param_gamma", "mean_test_score", "std_test_score"]
    ].to_numpy():
        losses = []
        for train, test in cv.split(X, y):
            P = KLR(C, gamma=gamma, tol=1e-6).fit(X[train], y[train]).predict_proba(X[test])
            losses.append(-log_loss(y[test], P, labels=[0, 1, 2]))
        assert mean == pytest.approx(np.mean(losses), abs=0.01)
        assert std == pytest.approx(np.std(losses), abs=0.01)


def test_any_scorer_of_scikit_learn_judges():
    labels = (y == 2).astype(int)
    by_name = CV([1.0], [0.5], scoring="roc_auc", cv=KFold(2), scale=None).fit(X, labels)
    by_function = CV(
        [1.0],
        [0.5],
        scoring=lambda m, X, y: roc_auc_score(y, m.decision_function(X)),
        cv=KFold(2),
        scale=None,
    ).fit(X, labels)
    assert 0.5 < by_name.best_score_ <= 1
    assert by_function.best_score_ == pytest.approx(by_name.best_score_)
    assert CV(CS, GAMMAS, scoring="accuracy").fit(X, y).best_score_ > 0.6


def test_a_score_that_is_zero_everywhere_is_no_obstacle():
    search = CV(scoring=lambda *_: 0.0).fit(X, y)
    assert (search.cv_results_["mean_test_score"] == 0).all()
    assert search.C_ == 10  # where it starts


def test_a_search_that_ends_at_its_limits_says_so(monkeypatch):
    monkeypatch.setattr(pattern_search, "LIMITS", (0, 24))
    with pytest.warns(ConvergenceWarning, match="limits"):
        CV(kernel="rbf", scale="standard").fit(X, y)


def test_one_more_row_of_any_class_keeps_certainty_away():
    sure, careful = (np.log([[1 - p, p], [p, 1 - p]]) for p in (1e-9, 0.02))
    score = held_out_scorer("log_loss", np.array([0, 1]))
    ones = np.ones(2)
    assert score(careful, np.array([0, 1]), ones, 2) > score(sure, np.array([0, 1]), ones, 2)
    with pytest.raises(ValueError, match="scoring"):
        held_out_scorer("no such score", np.array([0, 1]))


def test_rows_of_no_weight_are_predicted_not_left_out():
    weight = np.ones(120)
    weight[:10] = 0
    search = CV().fit(X, y, weight)
    np.testing.assert_allclose(search.loo_proba_[:10], search.predict_proba(X[:10]))
    assert np.isnan(search.loo_label_proba_[:10]).all()
    other = CV().fit(X[10:], y[10:])
    np.testing.assert_allclose(search.predict_proba(X_new), other.predict_proba(X_new), atol=1e-6)


@pytest.mark.parametrize("cv", [None, 3])
def test_copies_are_other_observations_and_a_weight_of_two_is_a_row_seen_twice(cv):
    search = CV([30.0], [2.0], scale=None, cv=cv).fit(np.vstack([X, X[:30]]), np.concatenate([y, y[:30]]))
    weighted = CV([30.0], [2.0], scale=None, cv=cv).fit(X, y, np.where(np.arange(120) < 30, 2.0, 1.0))
    np.testing.assert_allclose(search.loo_proba_[:120], weighted.loo_proba_, atol=1e-6)
    np.testing.assert_array_equal(search.loo_proba_[:30], search.loo_proba_[120:])
    assert search.best_score_ == pytest.approx(weighted.best_score_)
    # A model that still knows a copy predicts the row better than one that does not.
    alone = CV([30.0], [2.0], scale=None).fit(X, y)
    own = np.arange(30), y[:30]
    assert search.loo_proba_[:30][own].mean() > alone.loo_proba_[:30][own].mean()


def test_fourteen_distinct_rows_with_known_probabilities_are_learned():
    rng = np.random.default_rng(0)
    points, truth = rng.standard_normal((14, 3)), rng.uniform(0.05, 0.95, 14)
    rows = rng.integers(14, size=1500)
    labels = (rng.random(1500) < truth[rows]).astype(int)
    search = CV().fit(points[rows], labels)
    P = search.predict_proba(points)[:, 1]
    assert np.abs(P - truth).mean() < 0.04
    entropy = -np.mean(truth[rows] * np.log(truth[rows]) + (1 - truth[rows]) * np.log(1 - truth[rows]))
    expected = -np.mean(truth[rows] * np.log(P[rows]) + (1 - truth[rows]) * np.log(1 - P[rows]))
    assert expected - entropy < 0.01
    assert search.loo_scores_["log_loss"] == pytest.approx(entropy, abs=0.03)


def test_one_observation_of_hundreds_that_are_equal_is_predicted_as_they_are():
    """Who survived the Titanic by class (four columns), age and sex, yes and no: a pool of three kernels."""
    counts = {
        (0, -1, 1): (192, 670), (1, -1, 1): (57, 118), (2, -1, 1): (14, 154), (3, -1, 1): (75, 387),
        (0, -1, -1): (20, 3), (1, -1, -1): (140, 4), (2, -1, -1): (80, 13), (3, -1, -1): (76, 89),
        (1, 1, 1): (5, 0), (2, 1, 1): (11, 0), (3, 1, 1): (13, 35),
        (1, 1, -1): (1, 0), (2, 1, -1): (13, 0), (3, 1, -1): (14, 17),
    }  # fmt: skip
    rows = [[*np.eye(4)[cell[0]], *cell[1:]] for cell in counts for _ in range(sum(counts[cell]))]
    labels = np.concatenate([np.repeat([1, 0], each) for each in counts.values()])
    search = CV().fit(rows, labels)
    fitted = search.predict_proba(rows)
    assert len(search.estimators_) > 1
    often = np.repeat([sum(each) >= 100 for each in counts.values()], [sum(each) for each in counts.values()])
    assert np.abs(search.loo_proba_ - fitted)[often].max() < 0.03
    assert search.loo_scores_["ece"] < 0.03


def test_a_sample_of_copies_does_not_favour_kernels_that_remember_them():
    # Each of 2000 rows was seen four times or so: of its two labels a sample must not show one alone.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 5))[rng.integers(2000, size=8000)]
    y = (X[:, 0] + np.sin(X[:, 1]) + rng.logistic(size=8000) > 0).astype(int)
    model = CV(kernel="rbf", scale=None, feature_weights=None, max_rows=600).fit(X, y)
    fresh = rng.standard_normal((2000, 5))
    truth = 1 / (1 + np.exp(-fresh[:, 0] - np.sin(fresh[:, 1])))
    assert abs(model.predict_proba(fresh)[:, 1] - truth).mean() < 0.05


def test_weights_that_are_no_whole_numbers_are_no_counts():
    heavy = CV([0.01], [2.0], scale=None, tol=1e-6).fit(X, y, np.full(120, 1500.5))
    light = CV([15.005], [2.0], scale=None, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(heavy.loo_proba_, light.loo_proba_, atol=1e-3)


def test_kernels_that_help_form_a_pool_whose_scores_add_up():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((400, 6))
    score = 2 * rows[:, 0] * rows[:, 1] + 2 * np.sign(rows[:, 5]) + rows[:, 2]
    labels = (rng.random(400) < 1 / (1 + np.exp(-score))).astype(int)
    search = CV().fit(rows, labels)
    assert search.weights_.sum() == pytest.approx(1)
    assert len(search.weights_) == len(search.estimators_) == len(search.scalers_) > 1
    scores = [
        v * model.decision_function(rows if scaler is None else scaler.transform(rows))
        for v, scaler, model in zip(search.weights_, search.scalers_, search.estimators_, strict=True)
    ]
    total = np.sum(scores, axis=0) / search.temperature_
    np.testing.assert_allclose(search.decision_function(rows), total, atol=1e-9)
    lines = explain(search, rows[:3], top=2)
    sums = lines.groupby("explained")["contribution"].sum().to_numpy()
    np.testing.assert_allclose(sums, total[:3], atol=1e-6)
    named = lines[lines["term"] == "row"]
    assert not named.duplicated(["explained", "row"]).any()


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(120)
    one, other = CV().fit(X, y), CV().fit(X[order], y[order])
    assert other.best_params_ == one.best_params_
    np.testing.assert_allclose(other.loo_proba_, one.loo_proba_[order], atol=1e-3)


def test_explanations_add_up_to_the_decision_function(model):
    lines = explain(model, X_new[:3], top=2)
    sums = lines.groupby(["explained", "class"])["contribution"].sum().to_numpy().reshape(3, 3)
    np.testing.assert_allclose(sums, model.decision_function(X_new[:3]), atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "laplacian", "matern", RBF(1.0)])
def test_kernels_with_and_without_a_width(kernel):
    search = CV(kernel=kernel).fit(X[:60], y[:60])
    assert (search.gamma_ is None) == (not isinstance(kernel, str) or kernel == "linear")
    assert search.loo_scores_["log_loss"] < 1.0


def test_a_precomputed_kernel_gives_the_same_model():
    Cs = [1.0, 10.0]
    direct = CV(Cs, [0.5], scale=None).fit(X, y)
    indirect = CV(Cs, kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), y)
    assert indirect.C_ == direct.C_
    P = indirect.predict_proba(rbf_kernel(X_new, X, gamma=0.5))
    np.testing.assert_allclose(P, direct.predict_proba(X_new), atol=1e-2)


def test_rows_of_no_weight_stay_columns_of_a_precomputed_kernel():
    weight = np.ones(120)
    weight[:10] = 0
    K, K_new = rbf_kernel(X, gamma=0.5), rbf_kernel(X_new, X, gamma=0.5)
    with_them = CV([1.0], kernel="precomputed").fit(K, y, weight)
    without = CV([1.0], kernel="precomputed").fit(K[10:, 10:], y[10:])
    np.testing.assert_allclose(with_them.predict_proba(K_new), without.predict_proba(K_new[:, 10:]))
    lines = explain(with_them, K_new[:3], top=2)
    sums = lines.groupby(["explained", "class"])["contribution"].sum().to_numpy().reshape(3, 3)
    np.testing.assert_allclose(sums, with_them.decision_function(K_new[:3]), atol=1e-6)


@pytest.mark.parametrize("kernel", ["chi2", ChiSquared(0.5)])
def test_histograms_are_not_standardised(kernel):
    search = CV(CS, kernel=kernel).fit(np.abs(X), y)
    assert search.scaler_ is None


def test_sparse_rows_are_scaled_without_a_shift():
    sparse = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    search = CV(CS, GAMMAS, scale="standard")
    P = search.fit(sparse, y).predict_proba(sparse)
    assert (search.scaler_.center_ == 0).all()
    dense = clone(search).fit(sparse.toarray(), y).predict_proba(sparse.toarray())
    np.testing.assert_allclose(P, dense, atol=1e-3)  # a shift does not change distances


class TestFewRows:
    """Sensible probabilities where there is little evidence."""

    rng = np.random.default_rng(0)

    def test_noise_is_answered_by_the_class_frequencies(self):
        labels, fresh = np.repeat([0, 1, 2], [8, 7, 5]), self.rng.standard_normal((50, 4))
        draws = [CV().fit(self.rng.standard_normal((20, 4)), labels).predict_proba(fresh) for _ in range(6)]
        np.testing.assert_allclose(np.mean(draws, axis=(0, 1)), [0.4, 0.35, 0.25], atol=0.1)
        # Chance finds a pattern now and then, but not as a rule.
        assert np.median([P.max() for P in draws]) < 0.7

    def test_twenty_separable_rows_are_no_evidence_for_certainty(self):
        labels = np.repeat([0, 1, 2], [7, 7, 6])
        P = (
            CV()
            .fit(self.rng.standard_normal((20, 4)) + 6 * labels[:, None], labels)
            .predict_proba(np.zeros((1, 4)))
        )
        assert 0.8 < P[0, 0] < 0.999

    def test_a_class_of_one_row(self):
        labels = np.append(np.repeat([0, 1], 20), 2)
        search = CV().fit(self.rng.standard_normal((41, 2)) + labels[:, None], labels)
        assert np.isfinite(search.loo_proba_).all()
        assert search.predict_proba([[0.0, 0.0]]).max() < 0.99

    @pytest.mark.filterwarnings("ignore:The number of unique classes")
    def test_forty_classes_of_three_rows(self):
        labels = np.repeat(np.arange(40), 3)
        centers = 3 * self.rng.standard_normal((40, 6))
        rows = centers[labels] + 0.5 * self.rng.standard_normal((120, 6))
        search = CV([10.0, 100.0], [0.02, 0.1]).fit(rows, labels)
        assert np.mean(search.predict(centers) == np.arange(40)) > 0.8

    def test_constant_columns_change_nothing(self):
        constant = np.column_stack([X, np.ones(120), np.full(120, 1e9)])
        P = CV(scale="standard").fit(constant, y).predict_proba(constant)
        np.testing.assert_allclose(P, CV(scale="standard").fit(X, y).predict_proba(X), atol=1e-3)

    def test_many_more_columns_than_rows(self):
        labels = np.repeat([0, 1], 20)
        noise = CV().fit(self.rng.standard_normal((40, 5000)), labels)
        fresh = self.rng.standard_normal((100, 5000))
        assert noise.predict_proba(fresh).max() < 0.9
        signal = CV().fit(self.rng.standard_normal((40, 5000)) + 0.2 * labels[:, None], labels)
        assert np.mean(signal.predict(fresh + 0.2) == 1) > 0.8


def test_a_linear_posterior_in_ten_dimensions_is_found():
    problem = two_gaussians_problem(2.0, n_features=10)
    fresh, _ = problem.sample(2000, 1)
    P = CV().fit(*problem.sample(200, 0)).predict_proba(fresh)
    assert np.abs(P - problem.posterior(fresh)).mean() < 0.1


def test_iris_is_predicted_as_well_as_its_left_out_error_says():
    search = CV().fit(*load_iris(return_X_y=True))
    assert search.loo_scores_["error"] <= 0.05
    assert search.loo_scores_["log_loss"] < 0.12


def test_bad_input_is_refused():
    with pytest.raises(NotFittedError):
        CV().predict(X)
    with pytest.raises(ValueError, match="Cs must be"):
        CV(Cs=[-1.0]).fit(X, y)
    with pytest.raises(ValueError, match="gammas must be"):
        CV(gammas=[0.0]).fit(X, y)
    with pytest.raises(ValueError, match="named kernels that have a gamma"):
        CV(gammas=[1.0], kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="'scale'"):
        CV(scale="minmax").fit(X, y)
    with pytest.raises(ValueError, match="dense rows"):
        CV(scale="robust").fit(sp.csr_array(X), y)


def test_a_kernel_matrix_of_low_rank_is_tuned_too():
    search = CV(kernel="precomputed").fit(X @ X.T, y)
    assert search.loo_proba_.shape == (120, 3)
    assert search.loo_scores_["log_loss"] < np.log(3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_weight_far_above_the_others_leaves_leave_one_out_finite():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    weight = np.ones(30)
    weight[0] = 1e30
    model = CV(kernel="rational_quadratic").fit(X, y, weight)
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_folds_of_singleton_classes_alone_are_not_scored():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [5.0, 1.0]]), np.array(["a", "a", "b", "c"])
    model = CV(kernel="rbf", cv=5).fit(X, y)
    assert np.isfinite(model.best_score_)


def test_a_search_finds_narrow_kernels_beyond_a_valley_of_wide_ones():
    # From the median distance a walk raises C a thousandfold before it tries another gamma, and stays there.
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (1500, 2))
    y = (2.5 * np.sign(np.sin(3 * X[:, 0]) + X[:, 1] / 2) + rng.logistic(size=1500) > 0).astype(int)
    model = CV(kernel="rbf", scale=None, feature_weights=None).fit(X[:300], y[:300])
    wide = KLR(1e4, gamma=model.gamma_ / 16).fit(X[:300], y[:300])
    assert model.gamma_ > 0.5
    losses = [log_loss(y[300:], each.predict_proba(X[300:])) for each in (model, wide)]
    assert losses[0] < 0.95 * losses[1]


def test_where_no_kernel_can_be_judged_there_is_a_model_all_the_same():
    X, y = np.random.default_rng(0).normal(size=(3, 6)), [0, 1, 2]
    model = CV(class_weight={0: 1e-30, 1: 1e30}, scale="robust")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        P = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)


def test_all_rows_correct_a_sample_that_has_led_astray(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (2000, 2))
    y = (2.5 * np.sign(np.sin(3 * X[:, 0]) + X[:, 1] / 2) + rng.logistic(size=2000) > 0).astype(int)
    real = selection.screen

    def misled(space, rows, search):
        return [
            each._replace(best=search.evaluate(each.stage, 1e3, 0.01)) for each in real(space, rows, search)
        ]

    monkeypatch.setattr(selection, "screen", misled)
    model = CV(kernel="rbf", scale=None, feature_weights=None).fit(X[:600], y[:600])
    assert model.gamma_ < 100
    assert log_loss(y[600:], model.predict_proba(X[600:])) < 0.5
