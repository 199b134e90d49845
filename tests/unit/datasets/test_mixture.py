import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import multivariate_normal

from kernelproba.datasets import (
    Gaussian,
    Mixture,
    chessboard_problem,
    three_gaussians,
    three_gaussians_problem,
    two_gaussians_problem,
)

PROBLEMS = [three_gaussians_problem(), two_gaussians_problem(), chessboard_problem()]


def test_the_posterior_is_bayes_rule_on_the_densities_of_the_paper():
    X = np.random.RandomState(0).uniform(-5, 5, size=(50, 2))
    joint = np.stack(
        [
            0.25 * multivariate_normal([-2, 0], np.eye(2)).pdf(X),
            0.25 * multivariate_normal([2, 0], np.eye(2)).pdf(X),
            0.25 * multivariate_normal([0, -3], np.diag([4, 1])).pdf(X)
            + 0.25 * multivariate_normal([0, 2], np.diag([1, 4])).pdf(X),
        ],
        axis=1,
    )
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(three_gaussians_problem().posterior(X), expected, rtol=1e-10)


def test_two_gaussians_have_a_logistic_posterior():
    X = np.random.RandomState(1).normal(size=(20, 3))
    problem = two_gaussians_problem(distance=1.5, n_features=3, prior=0.2)
    np.testing.assert_allclose(problem.posterior(X)[:, 1], expit(1.5 * X[:, 0] + np.log(0.25)), rtol=1e-10)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_labels_are_drawn_from_the_stated_posterior(problem):
    X, y = problem.sample(20_000, random_state=0)
    P = problem.posterior(X)
    for label in problem.classes_:
        # Σ ([y = k] − P(k|x)) has mean 0 and variance Σ P(1 − P) if the posterior is true.
        gap = (y == label) - P[:, label]
        assert abs(gap.sum()) < 4 * np.sqrt((P[:, label] * (1 - P[:, label])).sum())
        # … and so it does among the rows on either side of any line.
        right = X[:, 0] > 0.5
        assert abs(gap[right].sum()) < 4 * np.sqrt((P[right, label] * (1 - P[right, label])).sum())


def test_the_third_class_has_the_moments_of_its_mixture():
    X, y = three_gaussians(40_000, random_state=0)
    third = X[y == 2]
    assert len(third) / 40_000 == pytest.approx(0.5, abs=0.01)
    np.testing.assert_allclose(third.mean(axis=0), [0, -0.5], atol=0.1)
    # Var = mean of the variances + variance of the means: (4 + 1)/2 and (1 + 4)/2 + 2.5²
    np.testing.assert_allclose(third.var(axis=0), [2.5, 8.75], rtol=0.05)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_far_away_the_posterior_is_still_a_distribution(problem):
    P = problem.posterior([[1e3, -1e3], [-1e6, 1e5], [0, 1e8]])
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_the_chessboard_cannot_be_split_by_a_line():
    problem = chessboard_problem()
    X = np.random.RandomState(0).normal(size=(10, 2))
    np.testing.assert_allclose(problem.posterior(X), problem.posterior(-X))


def test_the_same_seed_draws_the_same_rows():
    first, second = three_gaussians(50, random_state=3), three_gaussians(50, random_state=3)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_bad_problems_are_refused():
    gaussian = [Gaussian([0], [[1]])]
    with pytest.raises(ValueError, match="two or more classes"):
        Mixture([gaussian])
    with pytest.raises(ValueError, match="priors must hold a positive number"):
        Mixture([gaussian, gaussian], priors=[1, 0])
    with pytest.raises(ValueError, match=r"shape \(n, 1\)"):
        Mixture([gaussian, gaussian]).posterior([[0, 1]])
