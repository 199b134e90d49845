import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba import KernelLogisticRegression
from kernelproba.basis.low_rank import low_rank_of_matrix
from kernelproba.datasets import three_gaussians
from kernelproba.losses import loss_for
from kernelproba.solvers.loo import softmax as softmax_leave_one_out
from kernelproba.solvers.loo import softmax_rows
from kernelproba.solvers.loo.logistic import logistic_loo_scores
from kernelproba.solvers.loo.softmax import softmax_loo_scores
from kernelproba.solvers.loo.softmax_rows import cavities_in_rows

X, y = three_gaussians(60, random_state=0)
GAMMA = 0.3
K = rbf_kernel(X, gamma=GAMMA)
FACTOR = low_rank_of_matrix(K, max_rank=60, tol=1e-10)


def fitted(C, labels=y, weight=None, **options):
    return KernelLogisticRegression(C, gamma=GAMMA, tol=1e-9, **options).fit(X, labels, weight)


def left_out(model, labels, weights, factor=FACTOR, **options):
    F = model._scores(X)
    F = softmax_loo_scores(factor, F, labels, weights, fit_intercept=model.fit_intercept, **options)
    return loss_for(len(np.unique(labels))).log_probabilities(F)


def one_newton_step(model, labels, weights, i):
    """Scores of row i after one Newton step of the objective without it, all matrices written out."""
    k = len(np.unique(labels))
    P, Y, n = model.predict_proba(X), np.eye(k)[labels], len(labels)
    weights = np.where(np.arange(n) == i, 0.0, weights)
    D = np.zeros((n, k, n, k))
    for j in range(n):
        D[j, :, j, :] = weights[j] * (np.diag(P[j]) - np.outer(P[j], P[j]))
    D = D.reshape(n * k, n * k)
    # Parameters: scores of the penalised part (n k), and intercepts (k).
    A, b = model.dual_coef_.T, np.tile(np.eye(k), (n, 1))
    penalty = np.kron(np.linalg.inv(K + 1e-10 * np.eye(n)), np.eye(k))
    H = np.block([[D + penalty, D @ b], [b.T @ D, b.T @ D @ b + 1e-9 * np.eye(k)]])
    G = weights[:, None] * (P - Y)
    gradient = np.concatenate([(G + A).ravel(), G.sum(axis=0)])
    step = -np.linalg.solve(H, gradient)
    F = model._scores(X)[i] + step[: n * k].reshape(n, k)[i] + step[n * k :]
    return F - np.logaddexp.reduce(F)


@pytest.mark.parametrize("C", [1.0, 30.0])
def test_softmax_scores_are_those_of_one_newton_step_without_the_row(C):
    model, weights = fitted(C), np.full(60, C)
    log_P = left_out(model, y, weights)
    for i in (0, 7, 33):
        np.testing.assert_allclose(log_P[i], one_newton_step(model, y, weights, i), atol=1e-4)


WAYS = (
    softmax_leave_one_out._cavities_in_differences,
    softmax_leave_one_out._cavities_in_features,
    cavities_in_rows,
)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_differences_features_and_rows_lead_to_the_same(C, fit_intercept, monkeypatch):
    model, results = fitted(C, fit_intercept=fit_intercept), []
    monkeypatch.setattr(softmax_rows, "SINGLE_PRECISION_RANGE", 0.0)
    for way in WAYS:
        monkeypatch.setattr(softmax_leave_one_out, "_cheapest", lambda *_, way=way: way)
        results.append(left_out(model, y, np.full(60, C), FACTOR.truncated(1e-3)))
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0, 300.0])
def test_single_precision_moves_scores_by_its_rounding(C, fit_intercept, monkeypatch):
    model, results = fitted(C, fit_intercept=fit_intercept), []
    monkeypatch.setattr(softmax_leave_one_out, "_cheapest", lambda *_: cavities_in_rows)
    for largest in (0.0, np.inf):
        monkeypatch.setattr(softmax_rows, "SINGLE_PRECISION_RANGE", largest)
        results.append(left_out(model, y, np.full(60, C)))
    assert not np.array_equal(*results)
    np.testing.assert_allclose(*results, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_score_is_the_formula_of_cawley_and_talbot(fit_intercept):
    labels = (y > 0).astype(int)
    model = fitted(10.0, labels, fit_intercept=fit_intercept)
    weights = np.full(60, 10.0)
    expected = logistic_loo_scores(
        K, model.decision_function(X), labels, weights, fit_intercept=fit_intercept
    )
    F = softmax_loo_scores(FACTOR, model._scores(X), labels, weights, fit_intercept=fit_intercept)
    np.testing.assert_allclose(F[:, 0], expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("labels", [y, (y > 0).astype(int)])
def test_row_losses_are_close_to_those_of_refits(labels):
    C = 3.0
    near = left_out(fitted(C, labels), labels, np.full(60, C))
    for i in range(0, 60, 6):
        rest = np.delete(np.arange(60), i)
        model = KernelLogisticRegression(C, gamma=GAMMA, tol=1e-7).fit(X[rest], labels[rest])
        assert near[i, labels[i]] == pytest.approx(
            model.predict_log_proba(X[i : i + 1])[0, labels[i]], abs=0.02
        )


def test_a_lower_rank_costs_little_because_the_diagonal_is_kept():
    C = 10.0
    model, weights = fitted(C), np.full(60, C)
    low = FACTOR.truncated(1e-2)
    assert low.Phi.shape[1] < 40 < FACTOR.Phi.shape[1]
    exact, near = (left_out(model, y, weights, factor) for factor in (FACTOR, low))
    np.testing.assert_allclose(near[np.arange(60), y], exact[np.arange(60), y], atol=0.02)


def test_a_kernel_that_is_all_diagonal_leaves_the_intercepts():
    narrow = low_rank_of_matrix(np.eye(60), max_rank=0, tol=0.5)
    assert narrow.Phi.shape[1] == 0
    C = 5.0
    model = KernelLogisticRegression(C, kernel="precomputed", tol=1e-9).fit(np.eye(60), y)
    F = softmax_loo_scores(narrow, model._scores(np.eye(60)), y, np.full(60, C), fit_intercept=True)
    log_P = loss_for(3).log_probabilities(F)
    # No other row has to do with row i: its scores are the intercepts of the fit without it.
    for i in (0, 20, 40):
        rest = KernelLogisticRegression(C, kernel="precomputed", tol=1e-9).fit(np.eye(59), np.delete(y, i))
        expected = loss_for(3).log_probabilities(rest.intercept_[None])[0]
        np.testing.assert_allclose(log_P[i], expected, atol=0.01)


@pytest.mark.parametrize("labels", [y, (y > 0).astype(int)])
@pytest.mark.parametrize("way", WAYS)
def test_one_observation_of_several_is_left_out_as_its_copy_would_be(labels, way, monkeypatch):
    monkeypatch.setattr(softmax_leave_one_out, "_cheapest", lambda *_: way)
    count = 1.0 + np.arange(60) % 3
    model = fitted(3.0, labels, count)
    near = left_out(model, labels, 3.0 * count, share=1 / count)
    for i in (1, 2, 3, 40):
        less = count.copy()
        less[i] -= 1
        expected = fitted(3.0, labels, less).predict_log_proba(X[i : i + 1])[0]
        assert near[i, labels[i]] == pytest.approx(expected[labels[i]], abs=0.02)


def test_one_observation_of_several_with_one_score_follows_from_either_formula():
    labels, count = (y > 0).astype(int), 1.0 + np.arange(60) % 3
    model = fitted(10.0, labels, count)
    expected = logistic_loo_scores(
        K, model.decision_function(X), labels, 10.0 * count, fit_intercept=True, share=1 / count
    )
    F = softmax_loo_scores(
        FACTOR, model._scores(X), labels, 10.0 * count, fit_intercept=True, share=1 / count
    )
    np.testing.assert_allclose(F[:, 0], expected, rtol=1e-3, atol=1e-4)


def test_a_weight_of_zero_is_a_row_that_is_not_there():
    weight = np.ones(60)
    weight[::7] = 0
    model = fitted(3.0, weight=weight)
    F = left_out(model, y, 3.0 * weight)
    np.testing.assert_allclose(F[::7], model.predict_log_proba(X)[::7], atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 3.49342504e30, 1e90])
def test_leave_one_out_of_a_kernel_that_sees_no_difference_is_finite_and_without_a_warning(size):
    K, y = np.full((2, 2), size), np.array([0, 1])
    with np.errstate(all="raise"):
        scores = logistic_loo_scores(K, np.zeros(2), y, np.full(2, 100.0), fit_intercept=True)
    assert np.isfinite(scores).all()
    assert scores[0] >= 0 >= scores[1]  # each row is left to the other's label


@pytest.mark.parametrize("C", [1e-100, 1e-45])
def test_weights_beyond_single_precision_are_left_to_double(C):
    """In single precision the curvature of all rows was zero, and the share of the intercept 0/0."""
    scores = softmax_loo_scores(FACTOR, np.zeros((60, 3)), y, np.full(60, C), fit_intercept=True)
    assert np.isfinite(scores).all()
