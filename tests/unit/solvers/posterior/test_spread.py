"""The share of a posterior's variance that rows believe."""

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from kernelproba.solvers.posterior.spread import MOST_LOSS, believable_share

ONE = np.ones((1, 1))


def mean_log_probability(f, variance):
    """Of label 1, by quadrature."""
    z = np.linspace(-8, 8, 4001)
    density = norm.pdf(z) / norm.pdf(z).sum()
    return np.mean([np.log(density @ expit(m + np.sqrt(v) * z)) for m, v in zip(f, variance, strict=True)])


def test_a_small_variance_is_believed_whole():
    F = np.random.default_rng(0).normal(size=(50, 1))
    assert believable_share(F, np.full((50, 1, 1), 1e-3), ONE, np.ones(50, dtype=int), np.ones(50)) == 1.0


def test_labels_lose_as_much_as_they_may_where_the_variance_is_large():
    rng = np.random.default_rng(1)
    F, variance = rng.uniform(3, 6, (40, 1)), rng.uniform(50, 100, 40)
    share = believable_share(F, variance[:, None, None], ONE, np.ones(40, dtype=int), np.ones(40))
    assert share < 0.2
    loss = mean_log_probability(F[:, 0], np.zeros(40)) - mean_log_probability(F[:, 0], share * variance)
    assert abs(loss - MOST_LOSS) < 0.003


def test_a_weight_of_two_is_a_row_seen_twice():
    rng = np.random.default_rng(2)
    F, S = rng.uniform(0, 6, (20, 1)), rng.uniform(5, 50, (20, 1, 1))
    y, twice = np.ones(20, dtype=int), rng.integers(1, 3, 20)
    copies = np.repeat(np.arange(20), twice)
    one = believable_share(F, S, ONE, y, twice.astype(float))
    other = believable_share(F[copies], S[copies], ONE, y[copies], np.ones(len(copies)))
    np.testing.assert_allclose(one, other)
