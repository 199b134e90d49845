"""Kernel logistic regression as its users meet it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, rbf_kernel
from sklearn.model_selection import GridSearchCV

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import three_gaussians, three_gaussians_problem
from kernelproba.kernels import RBF, Matern


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y


# -- the model ------------------------------------------------------------------------------------------


def test_dual_coefficients_are_c_times_the_residuals(iris):
    X, y = np.unique(iris[0], axis=0, return_index=True)
    y = iris[1][y]
    model = KernelLogisticRegression(C=3.0, gamma=5.0, tol=1e-10).fit(X, y)
    expected = 3.0 * (np.eye(3)[y] - model.predict_proba(X))
    assert_allclose(model.dual_coef_.T, expected[model.support_], atol=1e-7)


def test_a_weight_of_two_is_a_row_seen_twice(iris):
    X, y = iris
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    weighted = KernelLogisticRegression(class_weight="balanced").fit(X, y, weight)
    repeated = KernelLogisticRegression(class_weight="balanced").fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_far_from_all_data_the_intercept_speaks(iris):
    X, y = iris
    model = KernelLogisticRegression().fit(X, y)
    far = np.exp(model.intercept_) / np.exp(model.intercept_).sum()
    for place in (1e3, 1e8, 1e150, 1e300):
        assert_allclose(model.predict_proba(np.full((1, 4), place))[0], far, atol=1e-12)


def test_the_estimate_approaches_the_true_posterior():
    truth = three_gaussians_problem()
    test, _ = truth.sample(2000, random_state=1)
    errors = []
    for n in (100, 200, 800, 3200):
        X, y = three_gaussians(n, random_state=0)
        P = KernelLogisticRegression(C=1.0, gamma=0.1, tol=1e-3).fit(X, y).predict_proba(test)
        errors.append(np.abs(P - truth.posterior(test)).mean())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.03


def test_predicted_frequencies_occur():
    # Σᵢ (1{yᵢ = k} − pᵢₖ) has variance Σ pᵢₖ(1 − pᵢₖ) where the forecast is right; each class is held to
    # three standard errors, the estimate's own error being added in quadrature.
    truth = three_gaussians_problem()
    X, y = three_gaussians(1500, random_state=3)
    model = KernelLogisticRegression(C=1.0, gamma=0.1, tol=1e-3).fit(X, y)
    test, labels = truth.sample(4000, random_state=4)
    P = model.predict_proba(test)
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.0)):
        inside = (low < P) & (high >= P)
        gap = (np.eye(3)[labels] - P)[inside].sum()
        noise = np.sqrt((P * (1 - P))[inside].sum())
        bias = np.abs((truth.posterior(test) - P)[inside].sum())
        assert abs(gap) <= 3 * noise + bias


@pytest.mark.parametrize("solver", ["irls", "newton-cg"])
def test_a_warm_start_resumes_and_survives_other_data(solver, iris):
    X, index = np.unique(iris[0], axis=0, return_index=True)
    y = iris[1][index]
    model = KernelLogisticRegression(C=100, gamma=0.3, solver=solver, warm_start=True).fit(X, y)
    cold = model.n_iter_
    assert model.fit(X, y).n_iter_ <= 1 < cold
    assert model.set_params(C=110).fit(X, y).n_iter_ < cold
    more = np.vstack([X, X[:5] + 0.01]), np.concatenate([y, y[:5]])
    assert model.fit(*more).n_iter_ < cold
    model.fit(X[y < 2], y[y < 2])  # other classes: a cold start, not an error
    assert len(model.classes_) == 2
    model.fit(X[:, :2], y)  # other features


def test_a_refit_can_change_between_pairwise_and_multinomial(iris):
    X, y = iris
    model = KernelLogisticRegression(multi_class="pairwise").fit(X, y)
    assert model.pairwise_decision_function(X).shape == (150, 3)
    assert model.dual_coef_.shape == (2, 150)
    model.set_params(multi_class="multinomial").fit(X, y)
    assert model.decision_function(X).shape == (150, 3)
    assert not hasattr(model, "pair_C_")


def test_each_pair_may_have_its_own_c(iris):
    X, y = iris
    model = KernelLogisticRegression(gamma=0.3, multi_class="pairwise", pair_Cs=[0.1, 1, 10, 100]).fit(X, y)
    scores = model.pairwise_decision_function(X)
    for column, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        both = np.isin(y, [i, j])
        assert model.pair_C_[column] in (0.1, 1, 10, 100)
        alone = KernelLogisticRegression(model.pair_C_[column], gamma=0.3).fit(X[both], y[both])
        assert_allclose(scores[:, column], -alone.decision_function(X), atol=0.05)


def test_undone_weights_reach_every_pair(iris):
    X, y = iris
    params = {"gamma": 0.3, "multi_class": "pairwise", "class_weight": {0: 1.0, 1: 5.0, 2: 2.0}}
    plain = KernelLogisticRegression(**params).fit(X, y)
    undone = KernelLogisticRegression(undo_weights="class_weight", **params).fit(X, y)
    change = undone.pairwise_decision_function(X) - plain.pairwise_decision_function(X)
    assert_allclose(change, np.tile(np.log([5.0, 2.0, 0.4]), (150, 1)))


@pytest.mark.parametrize("C", [1e4, 1e7])
def test_pairs_with_a_weak_penalty_and_a_wide_kernel_are_fitted_in_double_precision(C):
    # In single precision, which more than 1000 rows have elsewhere, some pairs stop far from their minimum.
    X, y = three_gaussians(1200, random_state=0)
    params = {"C": C, "gamma": 1e-5, "multi_class": "pairwise"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model, exact = (KernelLogisticRegression(**params, tol=tol).fit(X, y) for tol in (1e-2, 1e-5))
    assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=0.02)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"solver": "lbfgs"}, "solved by irls"),
        ({"kernel": "sigmoid"}, "PairwiseCouplingClassifier"),
        ({"pair_Cs": [1.0, -1.0]}, "pair_Cs must be positive"),
    ],
)
def test_pairwise_refuses_what_it_cannot_do(params, words, iris):
    with pytest.raises(ValueError, match=words):
        KernelLogisticRegression(multi_class="pairwise", **params).fit(*iris)


# -- what goes in -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", sorted(PAIRWISE_KERNEL_FUNCTIONS))
def test_every_kernel_name_of_scikit_learn_fits(kernel, iris):
    X, y = iris
    model = KernelLogisticRegression(kernel=kernel, gamma=0.1, max_iter=500).fit(X, y)
    assert model.score(X, y) > 0.75


def test_frames_strings_sparse_float32_and_strides_give_one_answer(iris):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])
    P = KernelLogisticRegression(gamma=0.5).fit(X, y).predict_proba(X)
    read_only = X.copy()
    read_only.flags.writeable = False
    columns = ["a", "b", "c", "d"]
    frame = pd.DataFrame(X, columns=columns)
    for same in (
        frame,
        pl.DataFrame(X, schema=columns),
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        read_only,
        sp.csr_array(X),
        X.tolist(),
        X.astype(object),
    ):
        model = KernelLogisticRegression(gamma=0.5).fit(same, names[y])
        assert_allclose(model.predict_proba(same), P, atol=1e-8)
        assert set(model.predict(same)) <= set(names)
    assert_array_equal(KernelLogisticRegression().fit(frame, y).feature_names_in_, columns)
    single = KernelLogisticRegression(gamma=0.5).fit(X.astype(np.float32), y)
    assert_allclose(single.predict_proba(X.astype(np.float32)), P, atol=1e-4)


def test_kernel_parameters_can_be_searched(iris):
    search = GridSearchCV(
        KernelLogisticRegression(kernel=RBF(1.0)), {"kernel__length_scale": [0.1, 1.0]}, cv=3
    ).fit(*iris)
    assert search.best_params_ == {"kernel__length_scale": 1.0}
    KernelLogisticRegression(kernel=2.0 * Matern(1.0, nu=2.5) + RBF([1.0, 2, 3, 4])).fit(*iris)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.nan}, "NaN"),
        ({"X": np.inf}, "infinity"),
        ({"y": "one"}, "one class only.*at least 2 classes"),
        ({"y": "short"}, "inconsistent numbers of samples"),
        ({"X": "empty"}, "0 sample"),
        ({"sample_weight": "zero"}, "(?i)sample.weight|weights"),
        ({"sample_weight": "negative"}, "(?i)negative"),
        ({"kernel": "rfb"}, "'rbf'"),
        ({"C": -1.0}, "'C'"),
        ({"C": 0}, "'C'"),
        ({"gamma": -1.0}, "'gamma'"),
        ({"gamma": "wide"}, "'gamma'"),
        ({"tol": 0.0}, "'tol'"),
        ({"solver": "sgd"}, "'solver'"),
        ({"class_weight": {0: -1.0}}, "positive"),
        ({"kernel": "precomputed"}, "square matrix"),
        ({"kernel": "precomputed", "X": "asymmetric"}, "symmetric"),
        ({"kernel": "precomputed", "X": "indefinite"}, "not positive semi-definite"),
        ({"kernel": "chi2", "X": "negative"}, "non-negative|negative values"),
    ],
)
def test_bad_input_is_refused_by_name(change, words, iris):
    X, y = iris
    X, weight = X.copy(), None
    params = {k: v for k, v in change.items() if k not in ("X", "y", "sample_weight")}
    match change.get("X"):
        case float() as value:
            X[3, 1] = value
        case "empty":
            X, y = X[:0], y[:0]
        case "asymmetric":
            X = np.triu(rbf_kernel(X))
        case "indefinite":
            X = rbf_kernel(X) - 0.5 * np.eye(len(X))
        case "negative":
            X = -X
    match change.get("y"):
        case "one":
            y = np.zeros_like(y)
        case "short":
            y = y[:-1]
    match change.get("sample_weight"):
        case "zero":
            weight = np.zeros(len(y))
        case "negative":
            weight = np.full(len(y), -1.0)
    with pytest.raises(ValueError, match=words):
        KernelLogisticRegression(**params).fit(X, y, weight)


def test_an_unfitted_model_says_so():
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(KernelLogisticRegression(), method)([[0.0]])


def is_distribution(P):
    return np.isfinite(P).all() and (P >= 0).all() and np.allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda X: np.hstack([X, np.full((len(X), 1), 7.0)]),
        lambda X: np.hstack([X, X]),
        lambda X: np.vstack([X[:75], X[:75]]),
        lambda X: X[:, :1],
        lambda X: X * 1e8,
        lambda X: X * 1e-8,
        lambda X: X * np.array([1e8, 1e-8, 1.0, 1e4]),
        lambda X: X + 1e8,
        lambda X: np.zeros_like(X),
    ],
    ids=["constant", "twins", "duplicates", "one", "huge", "tiny", "mixed", "offset", "zeros"],
)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_awkward_features_give_a_valid_fit(make, kernel, iris):
    X, y = make(iris[0]), np.tile(iris[1][:75], 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelLogisticRegression(kernel=kernel).fit(X, y)
    assert is_distribution(model.predict_proba(X))
    assert np.isfinite(model.dual_coef_).all()


def test_a_class_with_one_row_and_two_rows_in_all():
    model = KernelLogisticRegression().fit([[0.0], [1.0], [1.1], [1.2]], ["a", "b", "b", "c"])
    assert is_distribution(model.predict_proba([[0.0], [5.0]]))
    two = KernelLogisticRegression(C=100).fit([[0.0], [1.0]], [0, 1])
    assert_array_equal(two.predict([[0.0], [1.0]]), [0, 1])


def test_separable_data_converges_and_stays_finite():
    X, y = make_moons(80, noise=0.01, random_state=0)
    model = KernelLogisticRegression(C=1e6).fit(X, y)
    assert is_distribution(model.predict_proba(X))
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_giving_up_early_is_said_with_the_residual_and_the_cure(iris):
    with pytest.warns(ConvergenceWarning, match=r"residual of .* above tol=1e-08.*Raise max_iter"):
        KernelLogisticRegression(C=100, max_iter=2, tol=1e-8, solver="newton-cg").fit(*iris)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_linear_kernel_of_many_features_has_the_same_minimum_by_its_matrix_and_by_features(C, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40)) * 10 ** rng.uniform(-1, 1, 40)
    y = (X[:, :n_classes] + rng.normal(size=(60, n_classes))).argmax(axis=1)
    by_matrix, by_features = (
        KernelLogisticRegression(C, kernel="linear", solver=solver, tol=1e-6).fit(X, y)
        for solver in ("auto", "newton-cg")
    )
    assert by_matrix.objective_ == pytest.approx(by_features.objective_, rel=1e-6)
    np.testing.assert_allclose(by_matrix.predict_proba(X), by_features.predict_proba(X), atol=1e-4)


def test_a_linear_kernel_keeps_few_centres(iris):
    model = KernelLogisticRegression(kernel="linear").fit(*iris)
    assert model.support_vectors_.shape == (4, 4)
    assert_array_equal(model.support_vectors_, iris[0][model.support_])


def test_log_probabilities_are_not_logs_of_zero():
    X = np.vstack([np.zeros((20, 1)), np.ones((20, 1))])
    model = KernelLogisticRegression(C=1e10, kernel="linear", fit_intercept=False).fit(
        X - 0.5, np.repeat([0, 1], 20)
    )
    far = np.array([[1e3]])
    assert model.predict_proba(far)[0, 0] == 0
    assert -np.inf < model.predict_log_proba(far)[0, 0] < -1000


# -- fewer centres than rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["uniform", "k-means++", "k-means", "rpcholesky"])
@pytest.mark.parametrize("solver", ["progressive", "irls", "newton-cg"])
def test_few_centres_come_close_to_all_rows(rule, solver):
    X, y = three_gaussians(600, random_state=0)
    exact = KernelLogisticRegression(gamma=0.1, tol=1e-5).fit(X, y)
    few = KernelLogisticRegression(
        gamma=0.1, n_centers=60, centers=rule, solver=solver, tol=1e-5, random_state=0
    ).fit(X, y)
    assert few.support_vectors_.shape == (60, 2)
    assert exact.objective_ <= few.objective_ * (1 + 1e-6)
    assert few.objective_ <= 1.02 * exact.objective_
    assert np.abs(few.predict_proba(X) - exact.predict_proba(X)).mean() < 0.02


def test_all_rows_as_centres_are_the_exact_fit(iris):
    X, y = iris
    exact = KernelLogisticRegression(gamma=0.3, tol=1e-7).fit(X, y)
    given = KernelLogisticRegression(gamma=0.3, n_centers=150, centers=X, tol=1e-7).fit(X, y)
    assert_allclose(given.predict_proba(X), exact.predict_proba(X), atol=1e-5)


def test_centres_are_rows_where_the_rule_says_so(iris):
    X, y = iris
    model = KernelLogisticRegression(n_centers=20, random_state=0).fit(X, y)
    assert_array_equal(model.support_vectors_, X[model.support_])
    again = KernelLogisticRegression(n_centers=20, random_state=0).fit(X, y)
    assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    means = KernelLogisticRegression(n_centers=20, centers="k-means", random_state=0).fit(X, y)
    assert (means.support_ == -1).all()


def test_centres_need_a_definite_kernel(iris):
    with pytest.raises(ValueError, match="positive definite"):
        KernelLogisticRegression(kernel="sigmoid", n_centers=10).fit(*iris)
    with pytest.raises(ValueError, match="positive definite"):
        KernelLogisticRegression(kernel="sigmoid", multi_class="pairwise", n_centers=10).fit(*iris)


def test_a_kernel_matrix_beyond_the_memory_limit_is_replaced_by_centres():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(600, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(600) > 0).astype(int)
    exact = KernelLogisticRegression(tol=1e-4).fit(X, y)
    assert len(exact.support_) == 600
    small = KernelLogisticRegression(tol=1e-4, memory_limit="1MB", random_state=0).fit(X, y)
    assert len(small.support_) < 112
    assert exact.objective_ - 1e-6 < small.objective_ < 1.02 * exact.objective_
    with pytest.raises(MemoryError, match="n_centers='auto'"):
        KernelLogisticRegression(n_centers=None, memory_limit="1MB").fit(X, y)


def test_given_centres_span_the_function_whatever_n_centers_says(iris):
    X, y = iris
    model = KernelLogisticRegression(centers=X[:30]).fit(X, y)
    assert model.dual_coef_.shape == (3, 30)
    assert (model.support_ == -1).all()


def test_the_progressive_solver_needs_centres(iris):
    with pytest.raises(ValueError, match="set n_centers"):
        KernelLogisticRegression(solver="progressive").fit(*iris)


def test_a_wide_kernel_with_a_weak_penalty_is_fitted_in_double_precision():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 3))
    y = (2 * X[:, 0] * X[:, 1] + rng.logistic(size=1500) > 0).astype(int)
    problem = {"C": 1000.0, "gamma": 0.01, "n_centers": 40, "centers": "uniform", "random_state": 0}
    reference = KernelLogisticRegression(**problem, solver="newton-cg", tol=1e-4, max_iter=1000).fit(X, y)
    model = KernelLogisticRegression(**problem).fit(X, y)
    assert model.objective_ <= (1 + 1e-4) * reference.objective_


def test_a_multinomial_fit_keeps_nothing_of_a_pairwise_one_before():
    X, y = load_iris(return_X_y=True)
    model = KernelLogisticRegression(multi_class="pairwise").fit(X, y)
    model.set_params(multi_class="multinomial").fit(X, y)
    assert vars(model).keys() == vars(KernelLogisticRegression().fit(X, y)).keys()
    assert not hasattr(model, "pair_C_")


def test_a_warm_start_that_fails_leaves_the_model_it_would_have_started_from():
    X, y = make_moons(150, noise=0.3, random_state=0)
    model = KernelLogisticRegression(tol=1e-8, warm_start=True).fit(X, y)
    before, cold = model.predict_proba(X), model.n_iter_
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(150))
    assert_array_equal(model.predict_proba(X), before)
    assert model.fit(X, y).n_iter_ < cold
