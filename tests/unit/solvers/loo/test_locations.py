import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.solvers.loo.locations import Locations, readmitted
from kernelproba.tuning.scorers import smoothed_log_likelihood


def basis(k):
    return np.linalg.qr(np.eye(k)[:, 1:] - 1 / k)[0]


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("scale", [0.01, 1.0, 1e3])
def test_what_stays_is_put_back_at_the_minimum(k, scale):
    rng = np.random.default_rng(k)
    Q, A = basis(k), rng.standard_normal((k - 1, k - 1))
    cavity, start = scale * A @ A.T, rng.standard_normal(k - 1)
    remaining = np.arange(k) * 1.5

    def objective(z):
        return (z - start) @ np.linalg.solve(cavity, z - start) / 2 - remaining @ log_softmax(Q @ z)

    z = readmitted(cavity[None], start[None], remaining[None], Q)[0]
    assert objective(z) <= minimize(objective, z, method="Nelder-Mead").fun + 1e-7
    force = Q.T @ (remaining - remaining.sum() * np.exp(log_softmax(Q @ z)))
    np.testing.assert_allclose(z - start, cavity @ force, atol=1e-6 * (1 + abs(cavity).max()))


def test_where_nothing_stays_the_cavity_is_the_answer():
    start = np.array([[0.3, -2.0]])
    np.testing.assert_array_equal(readmitted(np.eye(2)[None], start, np.zeros((1, 3)), basis(3)), start)


def test_rows_are_at_one_location_if_their_features_are_equal():
    locations = Locations.of(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [3.0, 0.0]]))
    assert locations.first.tolist() == [0, 1, 3]
    assert locations.which.tolist() == [0, 1, 0, 2]
    stays = locations.remaining(np.array([0, 1, 1, 0]), np.array([2.0, 1, 3, 1]), np.array([0.5, 1, 1, 1]), 2)
    assert stays.tolist() == [[1.0, 3.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("labels", [2, 3])
def test_leave_one_out_of_a_survey_is_that_of_refits(labels):
    # Nine answers to each of eight questions, most of them the same: without the odd one the others agree.
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((8, 2)), 9, axis=0)
    y = np.where(np.arange(72) % 9 == 0, np.arange(72) // 9 + 1, np.arange(72) // 9) % labels
    model = KernelLogisticRegressionCV([30.0], [3.0], scale=None, tol=1e-6).fit(X, y)
    assert model.loo_method_ == "leave-one-out"
    refit = KernelLogisticRegression(30.0, gamma=3.0, tol=1e-6)
    parts = [
        refit.fit(np.delete(X, i, 0), np.delete(y, i)).predict_log_proba(X[i : i + 1]) for i in range(72)
    ]
    expected = smoothed_log_likelihood(np.concatenate(parts), y, np.ones(72), 72)
    assert model.cv_results_["mean_test_score"][0] == pytest.approx(expected, rel=0.03)
