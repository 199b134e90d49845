import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import compute_class_weight

from kernelproba import LeastSquaresProbabilisticClassifier as LSPC
from kernelproba.datasets import three_gaussians, three_gaussians_problem
from kernelproba.kernels import RBF

RAW = {"calibration": None, "outside": "tails"}
X, y = three_gaussians(90, random_state=0)
X_new, _ = three_gaussians(40, random_state=1)
GAMMA, ALPHA = 0.5, 1e-2


def naive_scores(X, y, X_new, *, full=False, weight=None):
    """Equations (5) and (7) to (9) of sugiyama2010, word for word."""
    s = np.ones(len(y)) if weight is None else weight
    columns = []
    for label in np.unique(y):
        Z = X if full else X[y == label]
        H = sum(si * np.outer(p, p) for si, p in zip(s, rbf_kernel(X, Z, gamma=GAMMA), strict=True)) / s.sum()
        h = sum(si * p for si, p, yi in zip(s, rbf_kernel(X, Z, gamma=GAMMA), y, strict=True) if yi == label)
        a = np.linalg.solve(H + ALPHA * np.eye(len(Z)), h / s.sum())
        columns.append(rbf_kernel(X_new, Z, gamma=GAMMA) @ a)
    return np.column_stack(columns)


def naive_posterior(Q):
    """Equation (10)."""
    P = np.maximum(0, Q)
    return P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("centers", ["class", "all"])
@pytest.mark.parametrize("solver", ["cholesky", "eigh"])
def test_the_posterior_is_that_of_the_paper(centers, solver):
    model = LSPC(ALPHA, gamma=GAMMA, centers=centers, solver=solver, **RAW).fit(X, y)
    Q = naive_scores(X, y, X_new, full=centers == "all")
    np.testing.assert_allclose(model.raw_scores(X_new), Q, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X_new), naive_posterior(Q), atol=1e-8)


def test_weights_enter_as_in_the_formulas():
    weight = np.random.default_rng(0).random(len(y))
    model = LSPC(ALPHA, gamma=GAMMA, **RAW).fit(X, y, weight)
    np.testing.assert_allclose(model.raw_scores(X_new), naive_scores(X, y, X_new, weight=weight), atol=1e-10)


def test_given_centres_serve_every_class():
    Z = X_new[:15]
    model = LSPC(ALPHA, gamma=GAMMA, centers=Z, **RAW).fit(X, y)
    K = rbf_kernel(X, Z, gamma=GAMMA)
    A = np.linalg.solve(K.T @ K / 90 + ALPHA * np.eye(15), K.T @ np.eye(3)[y] / 90)
    np.testing.assert_allclose(model.dual_coef_, A.T, atol=1e-9)
    np.testing.assert_array_equal(model.support_, np.full(15, -1))


def test_a_number_of_centres_is_per_class_and_n_centers_is_in_all():
    assert LSPC(n_centers=7, random_state=0).fit(X, y).dual_coef_.shape == (3, 21)
    shared = LSPC(centers="all", n_centers=7, random_state=0).fit(X, y)
    assert shared.dual_coef_.shape == (3, 7)
    assert (shared.dual_coef_ != 0).all()


def test_the_path_has_the_solutions_of_all_penalties_by_either_solver():
    alphas = [1e-4, 1e-2, 1.0]
    paths = {
        solver: LSPC(gamma=GAMMA, solver=solver).fit(X, y).path(alphas) for solver in ("cholesky", "eigh")
    }
    np.testing.assert_allclose(paths["cholesky"], paths["eigh"], atol=1e-8)
    for alpha, coef in zip(alphas, paths["cholesky"], strict=True):
        np.testing.assert_allclose(LSPC(alpha, gamma=GAMMA).fit(X, y).dual_coef_, coef, atol=1e-12)


@pytest.mark.parametrize("centers", ["class", "all"])
@pytest.mark.parametrize("solver", ["cholesky", "eigh"])
def test_leave_one_out_scores_are_those_of_models_without_the_row(centers, solver):
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = LSPC(ALPHA, gamma=GAMMA, centers=centers, solver=solver).fit(X, y, weight)
    Q = model.leave_one_out_scores(X, y, weight)
    for i in range(0, len(y), 6):
        rest = weight - (np.arange(len(y)) == i)  # a weight of two is two rows, of which one is left out
        refitted = clone(model).fit(X, y, rest)
        np.testing.assert_allclose(Q[i], refitted.raw_scores(X[i : i + 1])[0], atol=1e-8)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 1.0, 2: 0.1}])
def test_an_observation_is_left_out_with_the_weight_of_its_class(class_weight):
    repeated = np.r_[np.arange(len(y)), :20]
    rows, labels = X[repeated], y[repeated]
    model = LSPC(ALPHA, gamma=GAMMA, class_weight=class_weight).fit(rows, labels)
    factors = compute_class_weight(class_weight, classes=np.arange(3), y=labels)
    Q = model.leave_one_out_scores(rows, labels)
    for i in (0, 7, 50):
        rest = np.delete(np.arange(len(labels)), i)
        refitted = LSPC(ALPHA, gamma=GAMMA).fit(rows[rest], labels[rest], factors[labels[rest]])
        np.testing.assert_allclose(Q[i], refitted.raw_scores(rows[[i]])[0], atol=1e-8)


def test_weights_that_are_no_counts_leave_whole_rows_out():
    weight = 1000 * (np.random.default_rng(0).random(len(y)) + 0.5)
    model = LSPC(ALPHA, gamma=GAMMA).fit(X, y, weight)
    Q = model.leave_one_out_scores(X, y, weight)
    rest = np.arange(len(y)) != 4
    refitted = clone(model).fit(X[rest], y[rest], weight[rest])
    np.testing.assert_allclose(Q[4], refitted.raw_scores(X[[4]])[0], atol=1e-8)


def test_rows_of_no_weight_are_left_out_already():
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    model = LSPC(ALPHA, gamma=GAMMA).fit(X, y, weight)
    Q = model.leave_one_out_scores(X, y, weight)
    np.testing.assert_allclose(Q[weight == 0], model.raw_scores(X[weight == 0]))
    assert not np.allclose(Q[weight > 0], model.raw_scores(X[weight > 0]))


def test_leave_one_out_with_fixed_centres_is_that_of_refits_with_the_same_centres():
    model = LSPC(ALPHA, gamma=GAMMA, centers=X).fit(X, y)
    Q = model.leave_one_out_scores(X, y)
    for i in range(0, len(y), 6):
        rest = np.arange(len(y)) != i
        refitted = clone(model).fit(X[rest], y[rest])
        np.testing.assert_allclose(Q[i], refitted.raw_scores(X[i : i + 1])[0], atol=1e-8)


def test_a_precomputed_kernel_gives_the_same_model():
    direct = LSPC(ALPHA, gamma=GAMMA).fit(X, y)
    indirect = LSPC(ALPHA, kernel="precomputed").fit(rbf_kernel(X, gamma=GAMMA), y)
    P = indirect.predict_proba(rbf_kernel(X_new, X, gamma=GAMMA))
    np.testing.assert_allclose(P, direct.predict_proba(X_new), atol=1e-7)


def test_a_precomputed_kernel_may_have_rows_of_no_weight():
    weight = (np.arange(90) % 4 > 0).astype(float)
    direct = LSPC(ALPHA, gamma=GAMMA).fit(X, y, weight)
    indirect = LSPC(ALPHA, kernel="precomputed").fit(rbf_kernel(X, gamma=GAMMA), y, weight)
    P = indirect.predict_proba(rbf_kernel(X_new, X, gamma=GAMMA))
    np.testing.assert_allclose(P, direct.predict_proba(X_new), atol=1e-7)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", RBF(1.5), "linear"])
def test_sparse_rows_give_the_same_model(kernel):
    model = LSPC(gamma=GAMMA, kernel=kernel)
    dense = model.fit(X, y).predict_proba(X_new)
    sparse = clone(model).fit(sp.csr_array(X), y).predict_proba(sp.csr_array(X_new))
    np.testing.assert_allclose(sparse, dense, atol=1e-8)


def test_single_precision_rows_are_summed_in_double_precision():
    single = LSPC(1e-6, gamma=GAMMA).fit(X.astype(np.float32), y)
    assert single.dual_coef_.dtype == np.float64
    double = LSPC(1e-6, gamma=GAMMA).fit(X.astype(np.float32).astype(float), y)
    np.testing.assert_allclose(single.raw_scores(X_new), double.raw_scores(X_new), atol=0.02)


def test_the_posterior_comes_near_the_true_one():
    problem = three_gaussians_problem()
    X_train, y_train = problem.sample(3000, 0)
    X_test, _ = problem.sample(2000, 1)
    model = LSPC(1e-3, gamma=0.25, n_centers=150, random_state=0).fit(X_train, y_train)
    gap = np.abs(model.predict_proba(X_test) - problem.posterior(X_test))
    assert gap.mean() < 0.025


def test_calibration_improves_the_log_loss_when_classes_are_many():
    rng = np.random.default_rng(0)
    means = rng.standard_normal((20, 3)) * 2
    labels = rng.integers(0, 20, 1200)
    rows = means[labels] + rng.standard_normal((1200, 3))
    losses = {}
    for calibration in (None, "power"):
        model = LSPC(1e-3, gamma=0.2, calibration=calibration).fit(rows[:600], labels[:600])
        P = model.predict_proba(rows[600:])
        losses[calibration] = -np.log(P[np.arange(600), labels[600:]] + 1e-9).mean()
    assert losses["power"] < 0.9 * losses[None]


def test_far_away_the_paper_is_sure_and_the_prior_is_not():
    far = 60.0 * np.array([[1.0, 0.1], [-1.0, 0.2], [0.1, -1.0]])
    tails = LSPC(ALPHA, gamma=0.02, **RAW).fit(X, y)
    assert tails.predict_proba(far).max(axis=1).min() > 0.9
    prior = LSPC(ALPHA, gamma=0.02).fit(X, y)
    np.testing.assert_allclose(prior.predict_proba(far), np.tile(np.bincount(y) / 90, (3, 1)), atol=1e-6)


@pytest.mark.parametrize("options", [RAW, {"outside": "tails"}, {"calibration": None}, {}])
def test_where_every_kernel_value_underflows_the_priors_answer(options):
    model = LSPC(ALPHA, gamma=GAMMA, **options).fit(X, y)
    P = model.predict_proba(np.array([[1e6, 0.0]]))
    if options.get("calibration", "power") is None or options.get("outside") != "tails":
        np.testing.assert_allclose(P[0], model.priors_, atol=1e-12)
    assert np.argmax(P) == np.argmax(model.priors_)
    np.testing.assert_allclose(P.sum(), 1)


def test_class_weights_are_weights():
    weighted = LSPC(ALPHA, gamma=GAMMA, class_weight={0: 2.0, 1: 1.0, 2: 0.5}).fit(X, y)
    same = LSPC(ALPHA, gamma=GAMMA).fit(X, y, np.array([2.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(weighted.predict_proba(X_new), same.predict_proba(X_new))
    balanced = LSPC(ALPHA, gamma=GAMMA, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.priors_, 1 / 3)


def test_sgd_comes_within_a_hundredth_of_the_direct_scores():
    rows, labels = three_gaussians(3000, random_state=0)
    direct = LSPC(ALPHA, gamma=GAMMA, n_centers=40, random_state=0).fit(rows, labels)
    sgd = clone(direct).set_params(solver="sgd").fit(rows, labels)
    gap = sgd.raw_scores(X_new) - direct.raw_scores(X_new)
    assert np.sqrt(np.mean(gap**2)) < 0.003
    assert np.abs(gap).max() < 0.02
    np.testing.assert_allclose(sgd.predict_proba(X_new), direct.predict_proba(X_new), atol=0.03)
    with pytest.raises(ValueError, match="'cholesky' or 'eigh'"):
        sgd.path([0.1])


def test_scores_as_sums_over_centres_are_the_raw_scores():
    model = LSPC(ALPHA, gamma=GAMMA).fit(X, y)
    (expansion,) = model.kernel_expansions()
    F = expansion.similarities(X_new) @ expansion.coef.T + expansion.intercept
    np.testing.assert_allclose(F, model.raw_scores(X_new), atol=1e-12)
    np.testing.assert_array_equal(X[expansion.rows], expansion.centers)


def test_a_model_survives_pickling():
    model = LSPC(n_centers=20, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X_new), model.predict_proba(X_new))
    np.testing.assert_array_equal(again.path([0.1]), model.path([0.1]))


def test_extreme_penalties_give_a_distribution():
    for alpha in (1e-100, 1e-12, 1e12, 1e100):
        P = LSPC(alpha, gamma=GAMMA).fit(X, y).predict_proba(X_new)
        assert np.isfinite(P).all()
        np.testing.assert_allclose(P.sum(axis=1), 1)


def test_bad_input_is_refused_with_the_cure():
    with pytest.raises(NotFittedError):
        LSPC().predict(X)
    with pytest.raises(NotFittedError):
        LSPC().path([1.0])
    with pytest.raises(ValueError, match="alphas must be"):
        LSPC().fit(X, y).path([0.0])
    with pytest.raises(ValueError, match="one class only"):
        LSPC().fit(X, np.zeros(90))
    with pytest.raises(ValueError, match="'alpha'"):
        LSPC(0.0).fit(X, y)
    with pytest.raises(ValueError, match="'centers'"):
        LSPC(centers="every").fit(X, y)
    with pytest.raises(ValueError, match="taken as they are: leave"):
        LSPC(centers=X[:20], n_centers=9).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        LSPC(centers=np.ones((3, 5))).fit(X, y)
    with pytest.raises(ValueError, match=r"overflow.*Scale the features"):
        LSPC(kernel="poly", degree=200, gamma=1.0).fit(1e3 * X, y)
    with pytest.raises(ValueError, match="needs rows"):
        LSPC(kernel="precomputed").fit(X @ X.T, y).leave_one_out_scores(X @ X.T, y)


def test_labels_may_be_text_and_iris_is_easy():
    X_iris, codes = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[codes]
    model = LSPC().fit(X_iris, names)
    assert model.score(X_iris, names) > 0.95
    assert set(model.predict(X_iris)) <= set(names)
