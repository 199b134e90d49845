"""What columns nobody prepared do to the self-tuning classifier: how much the log loss of new rows may move.

The class probabilities are known, so that log losses are exact expectations over 4000 new rows.
"""

import numpy as np
import pytest

from kernelproba import KernelLogisticRegressionCV
from kernelproba.datasets import three_gaussians_problem

PROBLEM = three_gaussians_problem()
X, Y = PROBLEM.sample(300, 0)
NEW, _ = PROBLEM.sample(4000, 1)
TRUTH = PROBLEM.posterior(NEW)


def expected_loss(widen):
    """Log loss of new rows, both kinds widened alike."""
    rows, new = widen(X, np.random.default_rng(2)), widen(NEW, np.random.default_rng(3))
    log_P = KernelLogisticRegressionCV().fit(rows, Y).predict_log_proba(new)
    return -(TRUTH * log_P).sum(axis=1).mean()


@pytest.fixture(scope="module")
def plain():
    return expected_loss(lambda rows, _: rows)


def with_constant(rows, _):
    return np.column_stack([rows, np.full(len(rows), 7.0)])


def with_nearly_constant(rows, rng):
    return np.column_stack([rows, 7.0 + 1e-9 * rng.standard_normal(len(rows))])


def with_copy(rows, _):
    return np.column_stack([rows, rows[:, :1]])


def with_other_units(rows, _):
    return rows * [1e-6, 1e6] + [5.0, -3e6]


def with_monotone_map(rows, _):
    return np.column_stack([np.exp(rows[:, 0] / 2), rows[:, 1]])


def with_noise(rows, rng):
    return np.column_stack([rows, rng.standard_normal((len(rows), 3))])


def with_wild_noise(rows, rng):
    return np.column_stack([rows, rng.standard_cauchy(len(rows))])


@pytest.mark.parametrize(
    ("widen", "bound"),
    [
        # Another content of the rows is another draw of folds and samples.
        (with_constant, 1e-6),
        (with_nearly_constant, 0.005),
        (with_copy, 0.01),
        (with_other_units, 0.005),
        (with_monotone_map, 0.02),
        (with_noise, 0.02),
        (with_wild_noise, 0.06),
    ],
)
def test_columns_nobody_prepared_cost_little(plain, widen, bound):
    assert abs(expected_loss(widen) - plain) <= bound


def test_the_loss_of_a_thousand_rows_is_close_to_that_of_the_truth():
    log_P = KernelLogisticRegressionCV().fit(*PROBLEM.sample(1000, 0)).predict_log_proba(NEW)
    entropy = -(TRUTH * np.log(np.maximum(TRUTH, 1e-300))).sum(axis=1).mean()
    assert -(TRUTH * log_P).sum(axis=1).mean() - entropy < 0.02
