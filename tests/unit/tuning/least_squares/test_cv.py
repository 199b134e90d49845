import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import accuracy_score, log_loss, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from kernelproba import LeastSquaresProbabilisticClassifier as LSPC
from kernelproba import LeastSquaresProbabilisticClassifierCV as CV
from kernelproba.calibration import Clipping
from kernelproba.datasets import three_gaussians, three_gaussians_problem
from kernelproba.inspection import brier_score, explain, suspects
from kernelproba.kernels import RBF, median_distance
from kernelproba.solvers.least_squares import posterior_sums
from kernelproba.tuning import pattern_search
from kernelproba.tuning.least_squares import cv as least_squares_cv
from kernelproba.tuning.least_squares import loo as least_squares_loo
from kernelproba.tuning.least_squares.search import LAST_GAIN

X, y = three_gaussians(120, random_state=0)
X_new, _ = three_gaussians(40, random_state=1)
RAW = {"calibration": None, "outside": "tails", "scale": None}
PLAIN = {"calibration": None, "outside": "tails"}
ALPHAS, GAMMAS = [1e-3, 1e-1], [0.1, 0.5, 2.0]
MEASURES = {
    "log_loss": lambda P, y: smoothed(np.log(P), y),
    "brier": lambda P, y: -np.square(P - np.eye(3)[y]).sum(axis=1).mean(),
    "accuracy": lambda P, y: np.mean(P.argmax(axis=1) == y),
}


def smoothed(log_P, y):
    """Mean of log p(y) with a quarter of a row more, of which any class is true."""
    return (log_P[np.arange(len(y)), y].sum() + log_P.mean() / 4) / (len(y) + 1 / 4)


def table(search):
    """Scores (g, a) of the points that were tried."""
    frame = search.cv_results_.frame()
    frame["param_gamma"] = frame["param_gamma"].astype(float).fillna(0.0)
    return frame.pivot(index="param_gamma", columns="param_alpha", values="mean_test_score").to_numpy()


def left_out_scores(model, X, y):
    """Scores of every row by a model fitted without it."""
    rows = range(len(y))
    return np.array(
        [model.fit(np.delete(X, i, axis=0), np.delete(y, i)).raw_scores(X[i : i + 1])[0] for i in rows]
    )


@pytest.mark.parametrize("centers", ["class", "all"])
def test_scores_are_those_of_refits_without_the_row(centers):
    X50, y50 = X[:50], y[:50]
    options = {"centers": centers, "max_rows": 1000, **RAW}
    searches = {s: CV(ALPHAS, GAMMAS, scoring=s, **options).fit(X50, y50) for s in MEASURES}
    for g, a in np.ndindex(len(GAMMAS), len(ALPHAS)):
        Q = left_out_scores(LSPC(ALPHAS[a], gamma=GAMMAS[g], centers=centers, **PLAIN), X50, y50)
        P = np.maximum(Clipping(np.bincount(y50) / 50).probabilities(Q), np.finfo(float).eps)
        for name, search in searches.items():
            assert table(search)[g, a] == pytest.approx(MEASURES[name](P, y50), abs=1e-3)  # single precision


def test_penalties_too_small_for_single_precision_are_searched_in_double():
    search = CV([1e-9], [0.01], max_rows=1000, scoring="brier", **RAW).fit(X, y)
    model = LSPC(1e-9, gamma=0.01, **PLAIN).fit(X, y)
    P = Clipping(model.priors_).probabilities(model.leave_one_out_scores(X, y))
    assert search.best_score_ == pytest.approx(MEASURES["brier"](P, y), abs=1e-6)


def test_folds_score_what_they_were_not_fitted_on():
    splits = list(KFold(4).split(X))
    search = CV(ALPHAS, GAMMAS, cv=splits, scoring="brier", **RAW).fit(X, y)
    for (g, a), score in np.ndenumerate(table(search)):
        scores = []
        for train, test in splits:
            model = LSPC(ALPHAS[a], gamma=GAMMAS[g], **PLAIN).fit(X[train], y[train])
            P = Clipping(np.bincount(y) / len(y)).probabilities(model.raw_scores(X[test]))
            scores.append(MEASURES["brier"](P, y[test]))
        assert score == pytest.approx(np.mean(scores), abs=1e-8)


def test_the_best_point_is_fitted_to_all_rows():
    search = CV(ALPHAS, GAMMAS, scale=None).fit(X, y)
    scores = table(search)
    assert search.best_score_ == scores.max()
    g, a = np.unravel_index(scores.argmax(), scores.shape)
    assert (search.gamma_, search.alpha_) == (GAMMAS[g], ALPHAS[a])
    assert search.best_params_ == {"gamma": GAMMAS[g], "alpha": ALPHAS[a], "scale": None}
    model = LSPC(search.alpha_, gamma=search.gamma_).fit(X, y)
    np.testing.assert_array_equal(search.predict_proba(X_new), model.predict_proba(X_new))
    np.testing.assert_array_equal(search.predict(X_new), model.predict(X_new))


def test_the_grid_of_the_paper():
    results = CV("paper", "paper", scale=None, random_state=0).fit(X, y).cv_results_
    assert len(results["params"]) == 45
    widths = np.sqrt(1 / (2 * np.unique(results["param_gamma"])))[::-1] / median_distance(X, 0)
    np.testing.assert_allclose(widths, [1 / 10, 1 / 5, 1 / 2, 2 / 3, 1, 3 / 2, 2, 5, 10])
    np.testing.assert_allclose(np.unique(results["param_alpha"]), 10 ** np.array([-2, -1.5, -1, -0.5, 0]))


def test_a_tie_goes_to_the_smoother_model():
    far_apart = np.concatenate([X[:40], X[:40] + 100])
    labels = np.repeat([0, 1], 40)
    search = CV(ALPHAS, GAMMAS, scoring="accuracy", scale=None).fit(far_apart, labels)
    assert search.best_score_ == 1
    assert (search.gamma_, search.alpha_) == (0.1, 0.1)


def test_more_rows_than_the_sample_are_compared_on_the_sample():
    rows, labels = three_gaussians(600, random_state=3)
    few, all_ = (CV(ALPHAS, GAMMAS, max_rows=m, scale=None).fit(rows, labels) for m in (100, 600))
    assert not np.array_equal(table(few), table(all_))
    np.testing.assert_allclose(table(few), table(all_), atol=0.25)
    assert few.loo_proba_.shape == (600, 3)


def test_blocks_of_rows_change_no_score_of_the_search(monkeypatch):
    search = CV(ALPHAS, GAMMAS, max_rows=50, scale=None)
    whole = table(search.fit(X, y))
    monkeypatch.setattr(least_squares_loo, "_BLOCK_VALUES", 300)
    np.testing.assert_allclose(table(clone(search).fit(X, y)), whole, atol=1e-4)  # single precision


def test_kernels_without_a_width_are_tried_as_they_are():
    assert CV(ALPHAS, kernel="linear").fit(X, y).gamma_ is None
    assert table(CV(ALPHAS, kernel=RBF(2.0), scale=None).fit(X, y)).shape == (1, 2)
    for kernel in (RBF(2.0), "linear"):
        with pytest.raises(ValueError, match="named kernels that have a gamma"):
            CV(ALPHAS, GAMMAS, kernel=kernel).fit(X, y)


@pytest.mark.parametrize("cv", [None, 3])
def test_a_precomputed_kernel_gives_the_same_scores(cv):
    direct = CV(ALPHAS, kernel=RBF(1.0), scale=None, cv=KFold(3) if cv else None).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    indirect = CV(ALPHAS, kernel="precomputed", cv=KFold(3) if cv else None).fit(K, y)
    # The sample of rows differs, as the rows are others: compare on all 120 of them.
    np.testing.assert_allclose(table(indirect), table(direct), atol=1e-3)
    np.testing.assert_allclose(indirect.loo_proba_, direct.loo_proba_, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_sparse_rows_give_the_same_scores(kernel):
    search = CV(ALPHAS, [0.5, 1.0], kernel=kernel, scale=None)
    dense, sparse = search.fit(X, y), clone(search).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(table(sparse), table(dense), atol=1e-3)
    np.testing.assert_allclose(sparse.loo_proba_, dense.loo_proba_, atol=1e-8)


class TestLeftOutProbabilities:
    """`loo_proba_`, and what follows from it."""

    @pytest.mark.parametrize("centers", ["class", "all"])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_they_are_those_of_refits_without_the_row_by_the_same_calibration(self, centers, weighted):
        X50, y50 = X[:50], y[:50]
        weight = np.random.default_rng(0).integers(1, 4, 50) if weighted else np.ones(50)
        search = CV([1e-3], [0.5], centers=centers, scale=None).fit(X50, y50, weight)
        model = LSPC(1e-3, gamma=0.5, centers=centers, **PLAIN)
        for i in range(0, 50, 3):
            rest = weight - (np.arange(50) == i)  # a weight of two is two rows, of which one is left out
            q = model.fit(X50, y50, rest).raw_scores(X50[[i]])
            p = np.exp(search.best_estimator_.score_map_.log_probabilities(q))[0]
            np.testing.assert_allclose(search.loo_proba_[i], p, atol=1e-7)
            assert search.loo_label_proba_[i] == pytest.approx(p[y50[i]], abs=1e-7)

    def test_rows_of_any_weights_are_left_out_exactly(self):
        weight = np.random.default_rng(0).random(50) + 0.1  # fifty different ones
        search = CV([1e-3], [0.5], scale=None).fit(X[:50], y[:50], weight)
        rest = np.arange(50) != 7
        q = LSPC(1e-3, gamma=0.5).fit(X[:50][rest], y[:50][rest], weight[rest]).raw_scores(X[[7]])
        log_p = search.best_estimator_.score_map_.log_probabilities(q)[0]
        np.testing.assert_allclose(search.loo_proba_[7], np.exp(log_p), atol=1e-7)

    def test_a_weight_is_a_repetition_and_copies_are_other_observations(self):
        again = np.arange(30)
        repeated = CV(ALPHAS, GAMMAS).fit(np.vstack([X, X[again]]), np.concatenate([y, y[again]]))
        weighted = CV(ALPHAS, GAMMAS).fit(X, y, np.where(np.arange(120) < 30, 2.0, 1.0))
        np.testing.assert_allclose(repeated.loo_proba_[:120], weighted.loo_proba_, atol=1e-7)
        np.testing.assert_array_equal(repeated.loo_proba_[:30], repeated.loo_proba_[120:])
        assert repeated.loo_scores_ == pytest.approx(weighted.loo_scores_)
        np.testing.assert_allclose(repeated.predict_proba(X_new), weighted.predict_proba(X_new), atol=1e-7)

    def test_rows_of_no_weight_are_predicted_not_left_out(self):
        weight = np.ones(120)
        weight[:10] = 0
        search = CV().fit(X, y, weight)
        np.testing.assert_allclose(search.loo_proba_[:10], search.predict_proba(X[:10]))
        assert np.isnan(search.loo_label_proba_[:10]).all()
        without = CV().fit(X[10:], y[10:])
        np.testing.assert_allclose(search.loo_proba_[10:], without.loo_proba_, atol=1e-8)
        assert search.loo_scores_ == pytest.approx(without.loo_scores_)

    def test_rows_of_no_weight_stay_columns_of_a_precomputed_kernel(self):
        weight = np.ones(120)
        weight[:10] = 0
        K = rbf_kernel(X, gamma=0.5)
        search = CV(ALPHAS, kernel="precomputed").fit(K, y, weight)
        without = CV(ALPHAS, kernel="precomputed").fit(K[10:, 10:], y[10:])
        np.testing.assert_allclose(search.predict_proba(K), without.predict_proba(K[:, 10:]), atol=1e-9)
        np.testing.assert_allclose(search.loo_proba_[10:], without.loo_proba_, atol=1e-9)

    def test_blocks_of_rows_change_nothing(self, monkeypatch):
        whole = CV([1e-3], [0.5], class_weight="balanced").fit(X, y)
        monkeypatch.setattr(posterior_sums, "BLOCK_ROWS", 7)
        monkeypatch.setattr(posterior_sums, "BLOCK_VALUES", 1)
        blocks = CV([1e-3], [0.5], class_weight="balanced").fit(X, y)
        np.testing.assert_allclose(blocks.loo_proba_, whole.loo_proba_, atol=1e-9)

    def test_their_scores_are_those_of_scikit_learn(self):
        weight = np.random.default_rng(0).random(120)
        search = CV(ALPHAS, GAMMAS).fit(X, y, weight)
        P, scores = search.loo_proba_, search.loo_scores_
        assert scores["log_loss"] == pytest.approx(log_loss(y, P, sample_weight=weight))
        assert scores["error"] == pytest.approx(1 - accuracy_score(y, P.argmax(1), sample_weight=weight))

    def test_they_foretell_the_loss_of_new_rows(self):
        problem = three_gaussians_problem()
        fresh, labels = problem.sample(4000, 6)
        search = CV().fit(*problem.sample(400, 5))
        real = log_loss(labels, search.predict_proba(fresh))
        assert search.loo_scores_["log_loss"] == pytest.approx(real, abs=0.1)

    def test_a_mislabelled_row_is_among_the_improbable_ones(self):
        names = np.array(["left", "middle", "right"])[y]
        far_left = int(np.argmin(X[:, 0] + np.abs(X[:, 1])))
        assert names[far_left] == "left"
        names[far_left] = "middle"
        search = CV().fit(X, names)
        assert search.loo_label_proba_[far_left] < 0.1
        assert far_left in suspects(search, X, names, top=5)["row"].to_numpy()


class TestScale:
    """Features are brought to one scale, by the rows of `fit`."""

    def test_the_model_is_that_of_standardised_rows(self):
        search = CV(scale="standard").fit(X, y)
        scaler = StandardScaler().fit(X)
        np.testing.assert_allclose(search.scaler_.transform(X_new), scaler.transform(X_new))
        model = LSPC(search.alpha_, gamma=search.gamma_).fit(scaler.transform(X), y)
        expected = model.predict_proba(scaler.transform(X_new))
        np.testing.assert_allclose(search.predict_proba(X_new), expected, atol=1e-7)
        Q = model.leave_one_out_scores(scaler.transform(X), y)
        P = np.exp(model.score_map_.log_probabilities(Q))
        np.testing.assert_allclose(search.loo_proba_, P, atol=1e-7)

    def test_the_one_that_predicts_unseen_rows_better_is_chosen(self):
        useless = np.random.default_rng(0).standard_normal((120, 6)) * 1e-3
        assert CV().fit(np.hstack([X, useless]), y).scaler_ is None  # harmless as they are
        search = CV().fit(X * [1e-3, 1e3], y)
        assert search.best_params_["scale"] == "standard"
        frame = search.cv_results_.frame()
        assert set(frame["param_scale"].dropna()) == {"standard"}
        assert frame["param_scale"].isna().any()
        top = frame.loc[frame["mean_test_score"].idxmax()]
        assert top["param_scale"] == "standard"
        assert search.best_score_ == pytest.approx(top["mean_test_score"], rel=1e-3)

    @pytest.mark.parametrize("cv", [None, 3])
    def test_given_centres_are_scaled_like_rows(self, cv):
        scaler = StandardScaler().fit(X)
        search = CV(ALPHAS, GAMMAS, centers=X[:20], scale="standard", cv=cv and KFold(3)).fit(X, y)
        centers = scaler.transform(X[:20])
        by_hand = CV(ALPHAS, GAMMAS, centers=centers, scale=None, cv=cv and KFold(3))
        by_hand.fit(scaler.transform(X), y)
        np.testing.assert_allclose(table(search), table(by_hand), atol=1e-4)
        P = by_hand.predict_proba(scaler.transform(X_new))
        np.testing.assert_allclose(search.predict_proba(X_new), P, atol=1e-7)

    def test_sparse_rows_are_divided_not_shifted(self):
        sparse = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0))
        search = CV(ALPHAS, GAMMAS, scale="standard").fit(sparse, y)
        assert (search.scaler_.center_ == 0).all()
        dense = clone(search).fit(sparse.toarray(), y)  # a shift does not change distances
        np.testing.assert_allclose(search.loo_proba_, dense.loo_proba_, atol=1e-7)
        with pytest.raises(ValueError, match="dense rows"):
            CV(scale="robust").fit(sparse, y)

    def test_histograms_are_not_standardised(self):
        assert CV(ALPHAS, kernel="chi2").fit(np.abs(X), y).scaler_ is None

    def test_explanations_add_up_to_the_scores_of_rows_as_they_come(self):
        search = CV(ALPHAS, GAMMAS, scale="robust").fit(X, y)
        lines = explain(search, X_new[:3], top=2)
        sums = lines.groupby(["explained", "class"])["contribution"].sum().to_numpy().reshape(3, 3)
        Q = search.best_estimator_.raw_scores(search.scaler_.transform(X_new[:3]))
        np.testing.assert_allclose(sums, Q, atol=1e-8)


class TestBorders:
    """The default grid goes on where its best point is at its border."""

    def test_the_chosen_point_has_been_compared_with_neighbours_on_all_sides(self):
        rng = np.random.default_rng(0)
        rows = rng.random((300, 1))
        labels = (40 * rows[:, 0]).astype(int) % 2  # finer than the narrowest kernel of the grid
        search = CV(scale=None).fit(rows, labels)
        median = median_distance(rows, None)
        assert search.gamma_ > 1 / (2 * (median / 10) ** 2)
        frame = search.cv_results_.frame()
        for name, other in (("gamma", "alpha"), ("alpha", "gamma")):
            own = search.best_params_[name]
            line = frame[np.isclose(frame[f"param_{other}"], search.best_params_[other])]
            beyond = line[line[f"param_{name}"] > 1.01 * own], line[line[f"param_{name}"] < 0.99 * own]
            assert all(len(side) for side in beyond)
            assert line["mean_test_score"].max() <= search.best_score_ + 1e-3 * abs(search.best_score_)

    def test_the_limits_of_gamma_are_told(self, monkeypatch):
        monkeypatch.setattr(pattern_search, "LIMITS", (8, 24))
        rows = np.random.default_rng(0).random((300, 1))
        labels = (40 * rows[:, 0]).astype(int) % 2
        with pytest.warns(ConvergenceWarning, match="give gammas") as told:
            CV(scale=None).fit(rows, labels)
        assert told[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            CV(gammas="paper", scale=None).fit(rows, labels)

    @pytest.mark.parametrize("factor", [1e-2, 1e3])
    def test_the_penalty_grows_with_the_square_of_the_kernel(self, factor):
        one, other = (CV(kernel=k, scale=None).fit(X, y) for k in (RBF(1.0), factor * RBF(1.0)))
        assert other.alpha_ == pytest.approx(factor**2 * one.alpha_)
        np.testing.assert_allclose(other.loo_proba_, one.loo_proba_, atol=1e-6)


class TestFewRows:
    """Sensible probabilities where there is little evidence."""

    rng = np.random.default_rng(0)

    def test_a_class_of_one_row(self):
        labels = np.append(np.repeat([0, 1], 20), 2)
        search = CV().fit(self.rng.standard_normal((41, 2)) + labels[:, None], labels)
        assert np.isfinite(search.loo_proba_).all()
        assert search.loo_label_proba_[-1] < 0.3  # nobody else has seen that class

    def test_constant_columns_change_nothing(self):
        constant = np.column_stack([X, np.ones(120), np.full(120, 1e9)])
        P = CV(scale="standard").fit(constant, y).loo_proba_
        np.testing.assert_allclose(P, CV(scale="standard").fit(X, y).loo_proba_, atol=1e-6)

    def test_many_more_columns_than_rows(self):
        labels = np.repeat([0, 1], 20)
        fresh = self.rng.standard_normal((100, 5000))
        noise = CV().fit(self.rng.standard_normal((40, 5000)), labels)
        assert noise.predict_proba(fresh).max() < 0.95
        signal = CV().fit(self.rng.standard_normal((40, 5000)) + 0.2 * labels[:, None], labels)
        assert np.mean(signal.predict(fresh + 0.2) == 1) > 0.8


class TestStages:
    """Many rows are searched on a sample first."""

    rows, labels = three_gaussians(900, random_state=3)

    def test_the_best_candidate_is_one_of_all_rows_and_the_best_of_them(self):
        search = CV().fit(self.rows, self.labels)
        frame = search.cv_results_.frame()
        assert sorted(set(frame["n_rows"])) == [least_squares_cv.SAMPLE_SIZES[0], 900]
        last = frame[frame["n_rows"] == 900]
        assert len(last) < 10
        assert search.best_index_ in last.index
        assert search.best_score_ >= last["mean_test_score"].max() * (1 + LAST_GAIN)  # scores are negative
        assert frame["rank_test_score"][search.best_index_] <= len(last)

    def test_a_sample_finds_what_all_rows_would(self, monkeypatch):
        staged = CV().fit(self.rows, self.labels)
        monkeypatch.setattr(least_squares_cv, "SAMPLE_SIZES", (1000, 2000))
        whole = CV().fit(self.rows, self.labels)
        assert staged.loo_scores_["log_loss"] <= 1.03 * whole.loo_scores_["log_loss"]

    def test_after_two_samples_wider_kernels_are_not_tried(self, monkeypatch):
        monkeypatch.setattr(least_squares_cv, "SAMPLE_SIZES", (200, 400))
        search = CV().fit(self.rows, self.labels)
        frame = search.cv_results_.frame()
        assert sorted(set(frame["n_rows"])) == [200, 400, 900]
        last = frame[frame["n_rows"] == 900]
        assert last["param_gamma"].min() == last["param_gamma"].iloc[0]

    def test_folds_judge_the_last_stage(self):
        search = CV(cv=3).fit(self.rows, self.labels)
        last = search.cv_results_.frame().query("n_rows == 900")
        assert np.isfinite(last["split2_test_score"]).all()
        assert search.best_index_ in last.index

    @pytest.mark.parametrize("params", [{"alphas": [1e-3, 1e-1]}, {"gammas": [0.3, 1.0]}])
    def test_what_is_given_is_not_searched(self, params):
        search = CV(scale=None, **params).fit(self.rows, self.labels)
        ((name, values),) = params.items()
        assert set(search.cv_results_[f"param_{name[:-1]}"]) <= set(values)


def test_any_scorer_of_scikit_learn_may_choose():
    scorer = make_scorer(brier_score, greater_is_better=False, response_method="predict_proba")
    by_scorer = CV(ALPHAS, GAMMAS, scoring=scorer, scale=None, cv=3).fit(X, y)
    ours = CV(ALPHAS, GAMMAS, scoring="brier", scale=None, cv=3).fit(X, y)
    np.testing.assert_allclose(table(by_scorer), table(ours), atol=1e-9)


def test_scores_that_are_no_numbers_are_the_worst():
    search = CV(alphas=[1e-100, 1e-3, 1e100], scale=None).fit(X, y)
    assert search.alpha_ == 1e-3
    assert np.isfinite(search.best_score_)


def test_every_candidate_is_told_to_callbacks():
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")
    told = []

    class Listener:
        def setup(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context):  # noqa: ARG002
            told.append(context.task_name)

        def teardown(self, estimator, context): ...

    search = CV().set_callbacks(Listener()).fit(X, y)
    assert told.count("point") == len(search.cv_results_["params"])
    assert told[-2:] == ["fit of all rows", "fit"]


def test_few_distinct_rows_are_many_observations():
    """1500 draws from 14 points with known probabilities: nearly the entropy is reached."""
    rng = np.random.default_rng(0)
    points, p = rng.normal(size=(14, 3)), rng.uniform(0.05, 0.95, 14)
    which = rng.integers(14, size=1500)
    labels = (rng.random(1500) < p[which]).astype(int)
    search = CV().fit(points[which], labels)
    assert np.abs(search.predict_proba(points)[:, 1] - p).mean() < 0.05
    entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))[which].mean()
    assert abs(search.loo_scores_["log_loss"] - entropy) < 0.03


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(120)
    one, other = CV().fit(X, y), CV().fit(X[order], y[order])
    assert other.best_params_ == pytest.approx(one.best_params_)
    np.testing.assert_allclose(other.loo_proba_, one.loo_proba_[order], atol=1e-6)


def test_bad_input_is_refused():
    with pytest.raises(NotFittedError):
        CV().predict(X)
    with pytest.raises(ValueError, match="gammas must be"):
        CV(gammas=[-1.0]).fit(X, y)
    with pytest.raises(ValueError, match="alphas must be"):
        CV(alphas=[]).fit(X, y)
    with pytest.raises(ValueError, match="'scale'"):
        CV(scale="minmax").fit(X, y)
    with pytest.raises(ValueError, match="scoring"):
        CV(scoring="auc").fit(X, y)
