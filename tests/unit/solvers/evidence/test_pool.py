"""The evidence over features that are looked at in pools."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.solvers.evidence import pool
from kernelproba.solvers.evidence.pool import maximise_evidence_in_pools
from kernelproba.solvers.evidence.sequential import maximise_evidence


class Columns:
    """Features of a matrix, and how many were asked for."""

    def __init__(self, Phi):
        self.Phi = Phi

    def __len__(self):
        return self.Phi.shape[1]

    def take(self, index):
        return self.Phi[:, index]


def problem(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    sign = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return rbf_kernel(X, gamma=0.7), sign, rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unit", [1.0, 1e60])
def test_pools_reach_the_evidence_of_all_features(seed, unit, monkeypatch):
    K, sign, weight = problem(seed=seed)
    for name, value in {"WHOLE": 10, "SAMPLE": 40, "BATCH": 40, "ACTIONS": 5}.items():
        monkeypatch.setattr(pool, name, value)
    whole = maximise_evidence(K, sign, weight, tol=1e-4, max_iter=500)
    pooled = maximise_evidence_in_pools(Columns(unit * K), sign, weight, tol=1e-4, max_iter=500)
    assert pooled.converged
    assert pooled.posterior.evidence > whole.posterior.evidence - 0.5


def test_the_features_of_a_pooled_solution_have_the_numbers_of_all(monkeypatch):
    K, sign, weight = problem()
    for name, value in {"WHOLE": 10, "SAMPLE": 10, "BATCH": 10}.items():
        monkeypatch.setattr(pool, name, value)
    found = maximise_evidence_in_pools(Columns(K), sign, weight, tol=1e-4, max_iter=500)
    scores = K[:, found.active] @ found.posterior.mean
    gap = weight * np.where(sign > 0, 1 / (1 + np.exp(scores)), -1 / (1 + np.exp(-scores)))
    np.testing.assert_allclose(K[:, found.active].T @ gap, found.precision * found.posterior.mean, atol=1e-4)


def test_few_actions_are_said_not_to_suffice(monkeypatch):
    K, sign, weight = problem()
    monkeypatch.setattr(pool, "WHOLE", 10)
    assert not maximise_evidence_in_pools(Columns(K), sign, weight, tol=1e-4, max_iter=2).converged
