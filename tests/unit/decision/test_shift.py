"""Estimated priors: optimal, as precise as they say, and tested at the level they say."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom, chi2

from kernelproba.decision import cautious_priors, estimate_priors, shift_test


def problem(rng, n_classes, n_rows, new_priors, scale=1.5):
    """Rows from round Gaussians with priors `new_priors`, and their exact posterior under equal priors."""
    means = scale * rng.normal(size=(n_classes, 2))
    X = means[rng.choice(n_classes, size=n_rows, p=new_priors)] + rng.normal(size=(n_rows, 2))
    joint = np.exp(-0.5 * ((X[:, None] - means) ** 2).sum(axis=2))
    return joint / joint.sum(axis=1, keepdims=True), np.full(n_classes, 1 / n_classes)


def log_likelihood(P, old, q):
    return np.log(P @ (q / old)).sum()


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_priors_lie_within_two_standard_errors(n_classes):
    rng = np.random.default_rng(n_classes)
    within, joint = [], []
    for _ in range(60):
        new = rng.dirichlet(np.full(n_classes, 5.0))
        P, old = problem(rng, n_classes, 500, new, scale=2)
        estimate = estimate_priors(P, old)
        miss = estimate.priors - new
        within.append(abs(miss) <= 2 * estimate.std_error)
        wald = miss @ np.linalg.pinv(estimate.covariance, rcond=1e-8) @ miss
        joint.append(wald <= chi2.ppf(0.9545, n_classes - 1))
    assert np.mean(within) >= 0.9
    assert np.mean(joint) >= 0.87


@pytest.mark.parametrize("n_classes", [2, 4])
def test_without_shift_the_test_rejects_about_one_in_twenty(n_classes):
    rng = np.random.default_rng(10 + n_classes)
    trials, rejected = 300, 0
    for _ in range(trials):
        P, old = problem(rng, n_classes, 300, np.full(n_classes, 1 / n_classes))
        rejected += shift_test(estimate_priors(P, old)).p_value < 0.05
    assert binom.ppf(0.005, trials, 0.05) <= rejected <= binom.ppf(0.995, trials, 0.05)


def test_a_plain_shift_is_detected():
    P, old = problem(np.random.default_rng(0), 3, 500, [0.8, 0.1, 0.1])
    test = shift_test(estimate_priors(P, old))
    assert test.df == 2
    assert test.p_value < 1e-6


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_no_other_optimiser_finds_a_higher_likelihood(scale):
    P, old = problem(np.random.default_rng(3), 4, 300, [0.6, 0.3, 0.1, 0.0], scale)
    estimate = estimate_priors(P, old)
    rival = minimize(
        lambda q: -log_likelihood(P, old, q),
        old,
        jac=lambda q: -((P / old) / (P @ (q / old))[:, None]).sum(axis=0),
        bounds=[(1e-12, 1)] * 4,
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert estimate.converged
    # The rival meets its constraint to 1e-8 only, which is worth some likelihood.
    assert log_likelihood(P, old, estimate.priors) >= log_likelihood(P, old, rival.x / rival.x.sum()) - 1e-9
    assert estimate.log_likelihood == pytest.approx(log_likelihood(P, old, estimate.priors), abs=1e-9)


def test_many_steps_of_plain_em_arrive_at_the_same_priors():
    P, old = problem(np.random.default_rng(1), 3, 400, [0.6, 0.3, 0.1])
    q = old
    for _ in range(3000):
        joint = P * (q / old)
        q = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    estimate = estimate_priors(P, old)
    np.testing.assert_allclose(estimate.priors, q, atol=1e-8)
    assert estimate.n_iter < 15


def test_the_standard_errors_are_the_curvature_of_the_likelihood():
    P, old = problem(np.random.default_rng(1), 2, 400, [0.7, 0.3])
    estimate = estimate_priors(P, old)
    a, step = estimate.priors[0], 1e-3
    values = [log_likelihood(P, old, np.array([t, 1 - t])) for t in (a - step, a, a + step)]
    curvature = -(values[0] - 2 * values[1] + values[2]) / step**2
    np.testing.assert_allclose(estimate.std_error, 1 / np.sqrt(curvature), rtol=1e-3)


def test_certain_labels_are_simply_counted():
    P = np.repeat(np.eye(3), [50, 30, 20], axis=0)
    estimate = estimate_priors(P, np.array([0.2, 0.3, 0.5]))
    share = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(estimate.priors, share, atol=1e-9)
    np.testing.assert_allclose(estimate.std_error, np.sqrt(share * (1 - share) / 100), rtol=1e-6)


def test_an_absent_class_gets_a_prior_of_exactly_zero():
    rng = np.random.default_rng(0)
    zero = []
    for _ in range(10):
        P, old = problem(rng, 3, 400, [0.5, 0.5, 0.0])
        zero.append(estimate_priors(P, old).priors[2] == 0)
    assert any(zero)


def test_rows_that_cannot_tell_the_classes_apart_have_no_precision():
    old = np.array([0.4, 0.6])
    estimate = estimate_priors(np.tile(old, (20, 1)), old)
    np.testing.assert_allclose(estimate.priors, old)
    assert np.isinf(estimate.std_error).all()
    assert shift_test(estimate).p_value == 1


def test_two_classes_alike_leave_the_third_its_precision():
    rng = np.random.default_rng(0)
    p = rng.beta(0.3, 0.3, size=200)
    P = np.column_stack([p / 2, p / 2, 1 - p])
    estimate = estimate_priors(P, np.array([0.25, 0.25, 0.5]))
    assert np.isinf(estimate.std_error).tolist() == [True, True, False]


def test_labels_seen_for_certain_leave_no_error_of_the_fit():
    P = np.repeat(np.eye(3), [50, 30, 20], axis=0)
    known, fitted = (estimate_priors(P, np.full(3, 1 / 3), n_train=n) for n in (np.inf, 10))
    np.testing.assert_allclose(fitted.std_error, known.std_error, rtol=1e-6)
    assert shift_test(fitted).statistic == pytest.approx(shift_test(known).statistic / 11)


def test_a_class_without_training_prior_is_refused():
    with pytest.raises(ValueError, match="train_priors must be positive"):
        estimate_priors(np.array([[1.0, 0.0]]), np.array([1.0, 0.0]))


def test_too_few_iterations_are_admitted():
    P, old = problem(np.random.default_rng(1), 3, 400, [0.6, 0.3, 0.1])
    estimate = estimate_priors(P, old, max_iter=1)
    assert not estimate.converged
    assert estimate.gap > 1e-9


@pytest.mark.parametrize("old", [[0.25, 0.25, 0.25, 0.25], [0.7, 0.2, 0.09, 0.01]])
def test_cautious_priors_are_the_likeliest_with_a_few_rows_of_training_added(old):
    old = np.array(old)
    P, _ = problem(np.random.default_rng(4), 4, 200, [0.7, 0.3, 0.0, 0.0])
    q = cautious_priors(P, old)
    # Where Σ_i log Σ_j r_ij q_j + c Σ_j π_j log q_j is greatest, its gradient is the same for all classes.
    gradient = (P / old / (P @ (q / old))[:, None]).sum(axis=0) + 4 * old / q
    np.testing.assert_allclose(gradient, 204, rtol=1e-6)
    assert q.sum() == pytest.approx(1)


def test_cautious_priors_are_never_zero_and_stay_put_when_rows_say_nothing():
    old = np.array([0.5, 0.3, 0.2])
    assert cautious_priors(np.tile([1.0, 0.0, 0.0], (100, 1)), old) == pytest.approx(
        [101.5, 0.9, 0.6] / np.array(103)
    )
    np.testing.assert_allclose(cautious_priors(np.tile(old, (50, 1)), old), old, atol=1e-9)


def test_with_many_rows_caution_makes_no_difference():
    P, old = problem(np.random.default_rng(5), 3, 50_000, [0.6, 0.3, 0.1])
    estimate = estimate_priors(P, old)
    assert (abs(cautious_priors(P, old) - estimate.priors) < 0.1 * estimate.std_error).all()
