import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold

from kernelproba import LeastSquaresProbabilisticClassifier as LSPC
from kernelproba import LeastSquaresProbabilisticClassifierCV as CV
from kernelproba.calibration import Clipping
from kernelproba.datasets import three_gaussians
from kernelproba.kernels import RBF, median_distance
from kernelproba.rows.folds import content_folds

X, y = three_gaussians(120, random_state=0)
X_new, _ = three_gaussians(40, random_state=1)
RAW = {"calibration": None, "outside": "tails"}
ALPHAS, GAMMAS = [1e-3, 1e-1], [0.1, 0.5, 2.0]
MEASURES = {
    "log_loss": lambda P, y: np.log(P[np.arange(len(y)), y]).mean(),
    "brier": lambda P, y: -np.square(P - np.eye(3)[y]).sum(axis=1).mean(),
    "accuracy": lambda P, y: np.mean(P.argmax(axis=1) == y),
}


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
        Q = left_out_scores(LSPC(ALPHAS[a], gamma=GAMMAS[g], centers=centers, **RAW), X50, y50)
        P = np.maximum(Clipping(np.bincount(y50) / 50).probabilities(Q), 1e-15)
        for name, search in searches.items():
            score = search.cv_results_["score"][g, a]
            assert score == pytest.approx(MEASURES[name](P, y50), abs=1e-3)  # single precision


def test_penalties_too_small_for_single_precision_are_searched_in_double():
    search = CV([1e-9], [0.01], max_rows=1000, scoring="brier", **RAW).fit(X, y)
    model = LSPC(1e-9, gamma=0.01, **RAW).fit(X, y)
    P = Clipping(model.class_prior_).probabilities(model.leave_one_out_scores(X, y))
    assert search.best_score_ == pytest.approx(MEASURES["brier"](P, y), abs=1e-6)


def test_folds_score_what_they_were_not_fitted_on():
    folds = content_folds(X, y, 4)
    search = CV(ALPHAS, GAMMAS, cv=4, **RAW).fit(X, y)
    for (g, a), score in np.ndenumerate(search.cv_results_["score"]):
        Q = np.empty((len(y), 3))
        for k in range(4):
            model = LSPC(ALPHAS[a], gamma=GAMMAS[g], **RAW).fit(X[folds != k], y[folds != k])
            Q[folds == k] = model.raw_scores(X[folds == k])
        P = np.maximum(Clipping(np.bincount(y) / len(y)).probabilities(Q), 1e-15)
        assert score == pytest.approx(MEASURES["log_loss"](P, y), abs=1e-8)


def test_the_best_point_is_fitted_to_all_rows():
    search = CV(ALPHAS, GAMMAS).fit(X, y)
    scores = search.cv_results_["score"]
    assert search.best_score_ == scores.max()
    g, a = np.unravel_index(scores.argmax(), scores.shape)
    assert (search.gamma_, search.alpha_) == (GAMMAS[g], ALPHAS[a])
    model = LSPC(search.alpha_, gamma=search.gamma_).fit(X, y)
    np.testing.assert_array_equal(search.predict_proba(X_new), model.predict_proba(X_new))
    np.testing.assert_array_equal(search.predict(X_new), model.predict(X_new))


def test_the_grid_of_the_paper():
    search = CV("paper", random_state=0).fit(X, y)
    median = median_distance(X, 0)
    widths = np.sqrt(1 / (2 * np.array(search.cv_results_["gamma"]))) / median
    np.testing.assert_allclose(widths, [1 / 10, 1 / 5, 1 / 2, 2 / 3, 1, 3 / 2, 2, 5, 10])
    np.testing.assert_allclose(search.cv_results_["alpha"], 10 ** np.array([-2, -1.5, -1, -0.5, 0]))


def test_a_tie_goes_to_the_smoother_model():
    far_apart = np.concatenate([X[:40], X[:40] + 100])
    labels = np.repeat([0, 1], 40)
    search = CV(ALPHAS, GAMMAS, scoring="accuracy").fit(far_apart, labels)
    assert search.best_score_ == 1
    assert (search.gamma_, search.alpha_) == (0.1, 0.1)


def test_more_rows_than_the_sample_are_compared_on_the_sample():
    rows, labels = three_gaussians(600, random_state=3)
    few, all_ = (CV(ALPHAS, GAMMAS, max_rows=m).fit(rows, labels) for m in (100, 600))
    assert not np.array_equal(few.cv_results_["score"], all_.cv_results_["score"])
    np.testing.assert_allclose(few.cv_results_["score"], all_.cv_results_["score"], atol=0.25)


def test_kernels_without_a_width_are_tried_as_they_are():
    assert CV(ALPHAS, kernel="linear").fit(X, y).gamma_ is None
    assert CV(ALPHAS, kernel=RBF(2.0)).fit(X, y).cv_results_["score"].shape == (1, 2)
    with pytest.raises(ValueError, match="gammas are for kernels with a name"):
        CV(ALPHAS, GAMMAS, kernel=RBF(2.0)).fit(X, y)


@pytest.mark.parametrize("cv", [None, 3])
def test_a_precomputed_kernel_gives_the_same_scores(cv):
    direct = CV(ALPHAS, kernel=RBF(1.0), cv=KFold(3) if cv else None).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    indirect = CV(ALPHAS, kernel="precomputed", cv=KFold(3) if cv else None).fit(K, y)
    # The sample of rows differs, as the rows are others: compare on all 120 of them.
    np.testing.assert_allclose(indirect.cv_results_["score"], direct.cv_results_["score"], atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_sparse_rows_give_the_same_scores(kernel):
    search = CV(ALPHAS, [0.5, 1.0], kernel=kernel)
    dense = search.fit(X, y).cv_results_["score"]
    sparse = clone(search).fit(sp.csr_array(X), y).cv_results_["score"]
    np.testing.assert_allclose(sparse, dense, atol=1e-3)


def test_bad_input_is_refused():
    with pytest.raises(NotFittedError):
        CV().predict(X)
    with pytest.raises(ValueError, match="gammas must be"):
        CV(gammas=[-1.0]).fit(X, y)
    with pytest.raises(ValueError, match="alphas must be"):
        CV(alphas=[]).fit(X, y)
    with pytest.raises(ValueError, match="'scoring'"):
        CV(scoring="auc").fit(X, y)
