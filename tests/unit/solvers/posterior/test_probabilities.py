"""Intervals and averages of probabilities against draws from the posterior of the scores."""

import numpy as np
import pytest
from scipy.special import expit, ndtri, softmax

from kernelproba.solvers.posterior.laplace import orthonormal_contrasts
from kernelproba.solvers.posterior.probabilities import average_probabilities, probability_intervals

ONE = np.ones((1, 1))


def test_an_interval_of_two_classes_holds_its_share_of_the_posterior():
    draws = np.random.default_rng(0).normal(size=200_000)
    for f, s in [(0.0, 1.0), (1.5, 0.7), (-4.0, 2.0), (0.3, 6.0)]:
        for confidence in (0.5, 0.8, 0.95):
            I = probability_intervals(np.array([[f]]), np.array([[[s**2]]]), ONE, confidence)[0]
            p = expit(f + s * draws)
            held = ((p >= I[1, 0]) & (p <= I[1, 1])).mean()
            assert abs(held - confidence) < 0.005
            np.testing.assert_allclose(I[0], 1 - I[1, ::-1], atol=1e-12)


def test_no_equal_tailed_interval_is_shorter():
    rng = np.random.default_rng(1)
    F, s = rng.normal(0, 3, (50, 1)), rng.uniform(0.1, 4, 50)
    I = probability_intervals(F, s[:, None, None] ** 2, ONE, 0.9)[:, 1]
    z = ndtri(0.95)
    equal = expit(F[:, 0] + z * s) - expit(F[:, 0] - z * s)
    assert (I[:, 1] - I[:, 0] <= equal + 1e-12).all()
    symmetric = probability_intervals(np.zeros((1, 1)), np.ones((1, 1, 1)), ONE, 0.9)[0, 1]
    np.testing.assert_allclose(symmetric, expit([-z, z]))


@pytest.mark.parametrize("confidence", [0.05, 0.3, 0.9, 0.999])
def test_the_estimate_is_in_its_interval_at_every_level(confidence):
    rng = np.random.default_rng(2)
    F, A = rng.normal(0, 3, (40, 4)), rng.normal(size=(40, 3, 3))
    I = probability_intervals(F, A @ A.transpose(0, 2, 1), orthonormal_contrasts(4), confidence)
    P = softmax(F, axis=1)
    assert (I[..., 0] <= P + 1e-12).all()
    assert (I[..., 1] >= P - 1e-12).all()
    assert ((I >= 0) & (I <= 1)).all()


def test_intervals_of_many_classes_hold_about_their_share():
    rng, shares = np.random.default_rng(3), []
    Q = orthonormal_contrasts(3)
    for _ in range(10):
        f, A = rng.normal(0, 1.5, 3), 0.5 * rng.normal(size=(2, 2))
        I = probability_intervals(f[None], (A @ A.T)[None], Q, 0.9)[0]
        P = softmax(f + rng.normal(size=(20_000, 2)) @ A.T @ Q.T, axis=1)
        held = ((I[:, 0] <= P) & (I[:, 1] >= P)).mean(axis=0)
        shares.append(held)
    # Where two other classes compete the log-odds bend, and the tangent errs by some hundredths.
    assert np.abs(np.array(shares) - 0.9).mean() < 0.02
    assert np.abs(np.array(shares) - 0.9).max() < 0.1


def test_without_variance_the_interval_is_the_estimate_or_open_to_the_end():
    I = probability_intervals(np.array([[0.3]]), np.zeros((1, 1, 1)), ONE, 0.9)[0, 1]
    np.testing.assert_allclose(I, expit(0.3))


def test_three_classes_of_which_one_is_impossible_are_two():
    f, s = 0.7, 1.3
    Q = orthonormal_contrasts(3)
    e = np.array([-0.5, 0.5, 0.0])
    S = Q.T @ (s**2 * np.outer(e, e)) @ Q
    three = probability_intervals(np.array([[-f / 2, f / 2, -60.0]]), S[None], Q, 0.9)[0]
    two = probability_intervals(np.array([[f]]), np.array([[[s**2]]]), ONE, 0.9)[0]
    np.testing.assert_allclose(three[:2], two, atol=1e-9)


@pytest.mark.parametrize("c", [2, 3, 6])
def test_averages_are_the_mean_of_draws(c):
    rng = np.random.default_rng(5)
    k = 1 if c == 2 else c
    Q = orthonormal_contrasts(k)
    q = Q.shape[1]
    F, A = rng.normal(0, 2, (6, k)), rng.normal(0, 1.5, (6, q, q))
    P = average_probabilities(F, A @ A.transpose(0, 2, 1), Q)
    draws = rng.normal(size=(100_000, q))
    for i in range(6):
        scores = F[i] + draws @ A[i].T @ Q.T
        drawn = softmax(scores, axis=1) if c > 2 else np.hstack([expit(-scores), expit(scores)])
        np.testing.assert_allclose(P[i], drawn.mean(axis=0), atol=0.012)
    np.testing.assert_allclose(P.sum(axis=1), 1)
