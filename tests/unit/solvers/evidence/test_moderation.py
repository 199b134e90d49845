"""How much of the posterior's variance moderates a probability."""

import numpy as np
import pytest
from scipy.special import expit

from kernelproba.solvers.evidence.laplace import laplace
from kernelproba.solvers.evidence.moderation import SHARES, moderated_scores, moderation, score_deviation


def problem(separation: float, n: int = 60, seed: int = 0):
    """Rows on a line, with the feature x alone and a wide prior."""
    rng = np.random.default_rng(seed)
    sign = np.repeat([-1.0, 1.0], n // 2)
    Phi = (separation * sign + rng.standard_normal(n))[:, None]
    return Phi, sign, np.ones(n)


def posterior_of(Phi, sign, weight, precision=1e-4):
    return laplace(Phi, sign, weight, np.array([precision]), np.zeros(1))


def test_rows_that_cannot_be_separated_contradict_nothing():
    Phi, sign, weight = problem(0.5)
    assert moderation(Phi, posterior_of(Phi, sign, weight), sign, weight) == 1.0


def test_separated_rows_are_worth_less_variance_than_laplace_says():
    Phi, sign, weight = problem(8.0)
    assert moderation(Phi, posterior_of(Phi, sign, weight), sign, weight) < 0.3


def test_the_left_out_scores_are_those_of_one_newton_step_without_the_row():
    Phi, sign, weight = problem(1.0, n=20)
    post = posterior_of(Phi, sign, weight, 1.0)
    s2 = score_deviation(Phi, post.covariance) ** 2
    cavity = s2 / (1 - post.curvature * s2)
    for i in range(3):
        rest = np.arange(20) != i
        H = Phi[rest].T * post.curvature[rest] @ Phi[rest] + 1.0
        gradient = Phi[rest].T @ post.gap[rest] - post.mean
        w = post.mean + np.linalg.solve(H, gradient)
        np.testing.assert_allclose((Phi @ w)[i], (Phi @ post.mean)[i] - cavity[i] * post.gap[i])
        np.testing.assert_allclose((Phi @ np.linalg.inv(H) @ Phi.T)[i, i], cavity[i])


def test_the_average_is_close_to_the_integral():
    f, s2 = 1.5, 4.0
    z = np.random.default_rng(0).standard_normal(400_000)
    truth = expit(f + np.sqrt(s2) * z).mean()
    assert expit(moderated_scores(np.array([f]), np.array([np.sqrt(s2)]), 1.0))[0] == pytest.approx(
        truth, abs=0.02
    )


def test_no_share_is_the_most_probable_score_alone():
    np.testing.assert_allclose(moderated_scores(np.array([2.0]), np.array([3.0]), 0.0), 2.0)
    assert SHARES[-1] == 1.0


def test_scores_and_deviations_beyond_the_range_of_squares_keep_their_ratio():
    Phi = np.array([[1.0, 2.0]])
    near = moderated_scores(Phi @ [3.0, 1.0], score_deviation(Phi, np.eye(2)), 1.0)
    far = moderated_scores(1e250 * Phi @ [3.0, 1.0], score_deviation(1e250 * Phi, np.eye(2)), 1.0)
    assert near < far < 5 / np.sqrt(5 * np.pi / 8) * (1 + 1e-12)


def test_the_deviation_of_the_largest_features_is_a_number():
    Phi = np.full((1, 2), np.finfo(float).max)
    deviation = score_deviation(Phi, 4 * np.eye(2))
    assert np.isfinite(deviation).all()
    assert moderated_scores(np.ones(1), deviation, 0.0) == 1.0
