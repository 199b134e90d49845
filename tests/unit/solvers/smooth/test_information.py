"""The information about contrasts of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows
from kernelproba.solvers.smooth.information import contrasts, observed_information


def make_objective(c):
    rng = np.random.default_rng(0)
    rows, y, loss = as_rows(rng.normal(size=(30, 2))), np.arange(30) % c, loss_for(c)
    return Objective(rows, y, np.ones(30), loss, Ridge(0.0), loss.n_scores(c))


@pytest.mark.parametrize("c", [3, 5])
def test_contrasts_of_a_softmax_are_orthonormal_and_sum_to_zero(c):
    Q = contrasts(make_objective(c))
    assert_allclose(Q.T @ Q, np.eye(c - 1), atol=1e-14)
    assert_allclose(Q.sum(axis=0), 0, atol=1e-14)


def test_a_single_score_is_its_own_contrast():
    assert contrasts(make_objective(2)) == [[1.0]]


@pytest.mark.parametrize("c", [2, 4])
def test_the_information_is_the_hessian_along_contrasts(c):
    objective, rng = make_objective(c), np.random.default_rng(1)
    theta = rng.normal(size=objective.shape)
    information = observed_information(objective, theta)
    Q, q = contrasts(objective), objective.shape[0]
    delta = rng.normal(size=(q, Q.shape[1]))
    direction = delta @ Q.T
    curvature = np.vdot(direction, objective.hessian_product(objective.curvature(theta), direction))
    assert delta.T.ravel() @ information @ delta.T.ravel() == pytest.approx(curvature)
    assert np.linalg.eigvalsh(information)[0] > 1e-3
