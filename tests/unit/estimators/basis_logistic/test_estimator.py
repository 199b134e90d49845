"""Logistic regression on basis functions: checks, statistics, separation, rank, and bad input."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelproba.basis.coordinates import Coordinates
from kernelproba.estimators.basis_logistic.estimator import BasisLogisticRegression
from kernelproba.estimators.basis_logistic.expansion import BasisExpansion
from kernelproba.solvers.smooth.separation import SeparationError


def plain(C=np.inf, **parameters):
    """Logistic regression on the features themselves."""
    return BasisLogisticRegression(C, expansion="passthrough", **parameters)


def draw(c, n=200, seed=0):
    """Rows, labels that overlap, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X @ rng.normal(size=(3, c)) + rng.gumbel(size=(n, c))).argmax(axis=1)
    return X, y, rng.integers(1, 4, size=n)


# -- the model ------------------------------------------------------------------------------------------


def test_two_gaussians_with_given_centres_curve_the_boundary():
    rng = np.random.default_rng(0)
    centers = np.array([[-1.0, -1.0], [1.0, 1.0]])
    X = np.vstack([np.repeat(centers, 100, axis=0), np.repeat([[1.0, -1.0], [-1.0, 1.0]], 100, axis=0)])
    X = X + 0.4 * rng.normal(size=X.shape)
    y = np.repeat([1, 0], 200)
    curved = BasisLogisticRegression(expansion=BasisExpansion(centers=centers, width=1.0)).fit(X, y)
    assert curved.score(X, y) > 0.9
    assert plain().fit(X, y).score(X, y) < 0.6
    # No line labels the corners of a square like this.
    assert_array_equal(curved.predict([[-1, -1], [1, 1], [-1, 1], [1, -1]]), [1, 1, 0, 0])


@pytest.mark.parametrize("c", [2, 3])
def test_the_score_equations_hold_at_the_maximum(c):
    X, y, weight = draw(c)
    model = plain(tol=1e-9).fit(X, y, sample_weight=weight)
    error = weight[:, None] * (model.predict_proba(X) - np.eye(c)[y])
    assert_allclose(np.column_stack([X, np.ones(len(X))]).T @ error, 0, atol=1e-8)


@pytest.mark.parametrize("c", [2, 3])
def test_the_gradient_of_the_ridge_objective_vanishes(c):
    X, y, _ = draw(c)
    model = plain(C=0.5, tol=1e-9).fit(X, y)
    error = model.predict_proba(X) - np.eye(c)[y]
    gradient = 0.5 * X.T @ error
    # With one score for two classes, only the second column is a parameter.
    assert_allclose(gradient[:, -len(model.coef_) :] + model.coef_.T, 0, atol=1e-8)
    assert_allclose(error.sum(axis=0), 0, atol=1e-8)


def test_classes_sum_to_zero():
    X, y, _ = draw(4)
    for C in (1.0, np.inf):
        model = plain(C).fit(X, y)
        assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-10)
        assert model.intercept_.sum() == pytest.approx(0, abs=1e-10)


def test_none_and_infinity_mean_no_penalty_and_a_large_C_tends_to_it():
    X, y, _ = draw(3)
    free = plain(np.inf).fit(X, y)
    assert_array_equal(plain(None).fit(X, y).coef_, free.coef_)
    assert_allclose(plain(1e9).fit(X, y).coef_, free.coef_, atol=1e-6)


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("expansion", ["passthrough", BasisExpansion(n_centers=4, random_state=0)])
def test_a_weight_of_two_is_a_row_seen_twice(C, expansion):
    X, y, weight = draw(3)
    model = BasisLogisticRegression(C, expansion=expansion)
    weighted = model.fit(X, y, sample_weight=weight)
    P, errors = weighted.predict_proba(X), weighted.standard_errors_
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(repeated.predict_proba(X), P, rtol=1e-5)
    assert_allclose(repeated.standard_errors_, errors, rtol=1e-5)


def test_balanced_classes_have_equal_mean_probabilities():
    """The score equation of the intercept: the weighted mean of p_k is the weight of class k."""
    X, y, _ = draw(3)
    y[:100] = 0
    model = plain(class_weight="balanced").fit(X, y)
    weight = (len(y) / (3 * np.bincount(y)))[y]
    assert_allclose(weight @ model.predict_proba(X) / weight.sum(), np.ones(3) / 3, atol=1e-7)


@pytest.mark.parametrize("basis", ["gaussian", "sigmoid", "polynomial"])
def test_predictions_are_finite_and_consistent_wherever_they_are_asked(basis):
    X, y, _ = draw(3)
    model = BasisLogisticRegression(expansion=BasisExpansion(basis, random_state=0)).fit(X, y)
    far = np.array([[v, -v, w] for v in (1e3, 1e30, 1e200, 1.7e308) for w in (0.0, v)])
    for rows in (X, far, -far, far[:2].astype(np.float32)):
        P = model.predict_proba(rows)
        assert np.isfinite(P).all()
        assert_allclose(P.sum(axis=1), 1)
        assert_array_equal(model.predict(rows), model.classes_[P.argmax(axis=1)])
        assert np.isfinite(model.predict_log_proba(rows)).all()


def test_far_from_the_centres_gaussians_leave_the_intercept():
    X, y, _ = draw(3)
    model = BasisLogisticRegression(random_state=0).fit(X, y)
    expected = np.exp(model.intercept_) / np.exp(model.intercept_).sum()
    assert_allclose(model.predict_proba([[1e6, 0, 0]])[0], expected)


# -- the expansion --------------------------------------------------------------------------------------


def test_parameters_of_the_expansion_can_be_searched():
    X, y = make_moons(200, noise=0.2, random_state=0)
    search = GridSearchCV(
        BasisLogisticRegression(expansion=BasisExpansion(random_state=0)),
        {"C": [1.0, 100.0], "expansion__n_centers": [2, 20]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_["expansion__n_centers"] == 20
    assert search.best_score_ > 0.9


def test_the_given_expansion_is_left_unfitted():
    X, y, _ = draw(2)
    expansion = BasisExpansion(random_state=0)
    BasisLogisticRegression(expansion=expansion).fit(X, y)
    assert not hasattr(expansion, "centers_")


@pytest.mark.parametrize(
    "expansion",
    [
        make_pipeline(StandardScaler(), BasisExpansion("polynomial", degree=2)),
        RBFSampler(random_state=0),
        BasisExpansion(random_state=0).set_output(transform="pandas"),
        OneHotEncoder(handle_unknown="ignore"),
    ],
    ids=["pipeline", "other transformer", "frame", "sparse"],
)
def test_any_transformer_will_do(expansion):
    X, y, _ = draw(3)
    X = X.round()
    model = BasisLogisticRegression(expansion=expansion).fit(X, y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert len(model.summary()) == 3 * (model.coef_.shape[1] + 1)


def test_sparse_rows_are_read_when_the_expansion_reads_them():
    X, y, _ = draw(2)
    X = np.where(np.abs(X) > 1, X, 0.0)
    assert_allclose(plain().fit(csr_array(X), y).coef_, plain().fit(X, y).coef_)
    with pytest.raises(TypeError, match=r"(?i)sparse"):
        BasisLogisticRegression().fit(csr_array(X), y)


def test_columns_of_a_frame_name_the_terms():
    X, y, _ = draw(2)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert list(plain().fit(frame, y).summary().loc[1].index) == ["a", "b", "c", "intercept"]
    model = BasisLogisticRegression(1.0, expansion=BasisExpansion("polynomial", degree=2)).fit(frame, y)
    assert "a b" in model.summary().loc[1].index


# -- standard errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("C", [2.0, np.inf])
def test_the_covariance_inverts_the_curvature_of_the_log_posterior(c, C):
    """Second differences of Σ log p − ‖w‖²/(2C), with nothing of the solver in between."""
    X, y, weight = draw(c, n=60)
    model = plain(C).fit(X, y, sample_weight=weight)
    k = len(model.coef_)
    at = np.hstack([model.coef_, model.intercept_[:, None]])

    def value(theta):
        F = X @ theta[:, :3].T + theta[:, 3]
        F = np.hstack([np.zeros((60, 1)), F]) if k == 1 else F
        log_p = F[np.arange(60), y] - np.log(np.exp(F).sum(axis=1))
        return -weight @ log_p + (theta[:, :3] ** 2).sum() / (2 * C)

    h, size = 1e-4, at.size
    E = h * np.eye(size).reshape(size, *at.shape)
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    H = [[sum(s * t * value(at + s * a + t * b) for s, t in signs) / (4 * h * h) for b in E] for a in E]
    # Of a softmax, H is singular along shifts of all classes, and the covariance has none of them.
    P = np.kron(np.eye(k) - (1 / k if k > 1 else 0), np.eye(4))
    assert_allclose(P @ np.array(H) @ P @ model.covariance_, P, atol=1e-4)
    assert_allclose(model.standard_errors_.ravel() ** 2, model.covariance_.diagonal())


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    truth, covered = np.array([1.0, -0.5, 0.3]), np.zeros(3)
    for _ in range(300):
        X = rng.normal(size=(150, 2))
        model = plain().fit(X, rng.random(150) < 1 / (1 + np.exp(-(X @ truth[:2] + truth[2]))))
        estimate = np.append(model.coef_, model.intercept_)
        covered += np.abs(estimate - truth) <= norm.isf(0.05) * model.standard_errors_[0]
    # Binomial(300, 0.9) has a standard deviation of 0.017.
    assert_allclose(covered / 300, 0.9, atol=0.055)


def test_the_summary_is_the_wald_test():
    X, y, _ = draw(3)
    model = plain().fit(X, y)
    table = model.summary(confidence=0.8)
    assert table.index.names == ["class", "term"]
    assert_allclose(table.coef, np.hstack([model.coef_, model.intercept_[:, None]]).ravel())
    assert_allclose(table.z, table.coef / table.std_err)
    assert_allclose(table.p_value, 2 * norm.cdf(-table.z.abs()))
    assert_allclose(norm.cdf((table.ci_upper - table.coef) / table.std_err), 0.9)
    assert_allclose(table.ci_upper - table.coef, table.coef - table.ci_lower)


def test_a_model_without_intercept_has_no_row_for_it():
    X, y, _ = draw(2)
    model = plain(fit_intercept=False).fit(X, y)
    assert model.intercept_ == [0.0]
    assert list(model.summary().loc[1].index) == ["x0", "x1", "x2"]
    assert model.covariance_.shape == (3, 3)


def test_the_summary_needs_a_fit_a_probability_and_pandas(monkeypatch):
    X, y, _ = draw(2)
    with pytest.raises(NotFittedError):
        plain().summary()
    model = plain().fit(X, y)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        model.summary(confidence=95)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"kernelproba\[tables\]"):
        model.summary()


def test_the_log_likelihood_is_that_of_the_training_rows():
    X, y, weight = draw(3)
    for C in (0.1, np.inf):
        model = plain(C).fit(X, y, sample_weight=weight)
        log_p = model.predict_log_proba(X)[np.arange(len(y)), y]
        assert model.log_likelihood_ == pytest.approx(weight @ log_p)


# -- separation -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [None, np.inf])
def test_separable_data_without_a_penalty_are_reported_with_the_cure(C):
    X, y = load_iris(return_X_y=True)  # setosa lies apart
    with pytest.raises(SeparationError, match=r"no maximum.*Set C") as caught:
        plain(C).fit(X, y)
    assert isinstance(caught.value, ValueError)


def test_a_model_that_could_not_be_fitted_says_so():
    X, y = load_iris(return_X_y=True)
    model = plain()
    with pytest.raises(SeparationError):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict_proba(X)


def test_the_cure_works():
    X, y = load_iris(return_X_y=True)
    model = plain(C=1.0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert np.isfinite(model.standard_errors_).all()


def test_overlapping_classes_of_the_same_data_have_a_maximum():
    X, y = load_iris(return_X_y=True)
    model = plain().fit(X[50:], y[50:])
    assert model.residual_ <= model.tol
    assert np.abs(model.coef_).max() < 50


def test_enough_basis_functions_separate_anything():
    X, y, _ = draw(2, n=20)
    expansion = BasisExpansion(centers=X, width=0.3)
    redundant = pytest.warns(UserWarning, match="depend on each other")
    with redundant, pytest.raises(SeparationError, match="20 of 20 rows"):
        BasisLogisticRegression(None, expansion=expansion).fit(X, y)


# -- rank -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3])
def test_duplicate_columns_share_a_coefficient_and_have_infinite_standard_errors(c):
    X, y, _ = draw(c)
    with pytest.warns(UserWarning, match="rank 3"):
        model = plain().fit(np.column_stack([X, X[:, 0]]), y)
    single = plain().fit(X, y)
    assert_allclose(model.coef_[:, 0], single.coef_[:, 0] / 2, atol=1e-7)
    assert_allclose(model.coef_[:, 3], single.coef_[:, 0] / 2, atol=1e-7)
    assert_array_equal(
        np.isinf(model.standard_errors_), [[True, False, False, True, False]] * len(model.coef_)
    )
    assert_allclose(model.standard_errors_[:, [1, 2, 4]], single.standard_errors_[:, [1, 2, 3]], rtol=1e-6)
    # The sum of the two is determined, and the covariance knows how well.
    total = np.array([1.0, 0, 0, 1.0, 0])
    assert total @ model.covariance_[:5, :5] @ total == pytest.approx(single.covariance_[0, 0], rel=1e-6)
    table = model.summary().loc[model.classes_[1]].loc["x0"]
    assert (table.z, table.p_value, table.ci_upper) == (0, 1, np.inf)


def test_a_constant_column_gets_no_coefficient():
    X, y, _ = draw(3)
    wide = np.column_stack([X, np.full(len(X), 0.1)])
    with pytest.warns(UserWarning, match="depend on each other"):
        model = plain().fit(wide, y)
    assert_array_equal(model.coef_[:, 3], 0)
    assert_allclose(model.predict_proba(wide), plain().fit(X, y).predict_proba(X), atol=1e-7)


def test_nothing_but_constants_leaves_the_frequencies():
    _, y, _ = draw(3)
    with pytest.warns(UserWarning, match="depend on each other"):
        model = plain().fit(np.ones((200, 2)), y)
    assert_allclose(model.predict_proba([[1.0, 1.0]])[0], np.bincount(y) / 200)


def test_a_ridge_needs_no_warning_about_rank():
    X, y, _ = draw(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = plain(C=1.0).fit(np.column_stack([X, X[:, 0], np.ones(200)]), y)
    assert np.isfinite(model.standard_errors_).all()


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_unit_of_a_feature_only_changes_the_unit_of_its_coefficient(scale):
    X, y, _ = draw(3)
    units = np.array([scale, 1.0, 1 / scale])
    model, original = plain().fit(X * units, y), plain().fit(X, y)
    assert_allclose(model.coef_ * units, original.coef_, rtol=1e-6)
    assert_allclose(model.standard_errors_[:, :3] * units, original.standard_errors_[:, :3], rtol=1e-6)


def test_nearly_collinear_basis_functions_are_fitted_to_full_accuracy():
    """Wide Gaussians of one feature: their Gram matrix has a condition number beyond 1e16."""
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 400)[:, None]
    y = rng.random(400) < 0.5 + 0.4 * np.sin(9 * x[:, 0])
    expansion = BasisExpansion(centers="grid", n_centers=8, width=0.4)
    model = BasisLogisticRegression(None, expansion=expansion, tol=1e-8).fit(x, y)
    Phi = np.column_stack([model.expansion_.transform(x), np.ones(400)])
    assert np.linalg.cond(Phi) > 1e6
    assert_allclose(Phi.T @ (model.predict_proba(x)[:, 1] - y), 0, atol=1e-6)


# -- bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "'C' parameter"),
        ({"C": -1.0}, "'C' parameter"),
        ({"expansion": "spline"}, "'expansion' parameter"),
        ({"expansion": LogisticRegression()}, "'expansion' parameter"),
        ({"expansion": BasisExpansion(n_centers=0)}, "'n_centers' parameter"),
        ({"class_weight": "even"}, "'class_weight' parameter"),
        ({"tol": 0.0}, "'tol' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y, _ = draw(2)
    with pytest.raises(ValueError, match=message):
        BasisLogisticRegression(**parameters).fit(X, y)


def test_bad_rows_are_named():
    X, y, _ = draw(2)
    with pytest.raises(ValueError, match="one class"):
        plain().fit(X, np.zeros(200))
    with pytest.raises(ValueError, match=r"(?i)sample.weight.* zero|non-zero"):
        plain().fit(X, y, sample_weight=np.zeros(200))
    with pytest.raises(ValueError, match="NaN"):
        plain().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="inconsistent"):
        plain().fit(X, y[:-1])


def test_an_expansion_that_overflows_is_reported_with_the_cure():
    X, y, _ = draw(2)
    with pytest.raises(ValueError, match="Scale X"):
        BasisLogisticRegression(expansion=BasisExpansion("polynomial", degree=5)).fit(1e80 * X, y)


def test_running_out_of_iterations_is_a_warning_with_advice():
    X, y, _ = draw(3)
    with pytest.warns(ConvergenceWarning, match="after 1 iterations.*max_iter"):
        plain(max_iter=1).fit(X, y)


@pytest.mark.parametrize(("n_classes", "fit_intercept"), [(2, True), (3, True), (3, False)])
def test_more_functions_than_rows_are_fitted_as_if_written_out(n_classes, fit_intercept, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 20)), np.arange(12) % n_classes
    model = BasisLogisticRegression(0.7, expansion="passthrough", fit_intercept=fit_intercept, tol=1e-10)
    in_rows = clone(model).fit(X, y)
    monkeypatch.setattr(Coordinates, "of_row_space", lambda Phi: Coordinates.unchanged(Phi.shape[1]))
    written_out = clone(model).fit(X, y)
    for name in ("coef_", "intercept_", "covariance_", "standard_errors_", "log_likelihood_"):
        np.testing.assert_allclose(getattr(in_rows, name), getattr(written_out, name), atol=1e-8)


def test_more_coefficients_than_have_a_covariance_are_refused_by_name():
    X, y = np.random.default_rng(0).normal(size=(6, 1500)), np.arange(6) % 3
    with pytest.raises(ValueError, match=r"1500 basis functions of X and 3 classes make 4503 coefficients"):
        BasisLogisticRegression(expansion="passthrough").fit(X, y)
