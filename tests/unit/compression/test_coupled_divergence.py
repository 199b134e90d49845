"""Slopes of coupled probabilities, and what following them is worth."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import make_classification

from kernelproba import KernelLogisticRegression
from kernelproba.compression import compress, moving, pairs
from kernelproba.compression.coupled_divergence import coupled_slopes
from kernelproba.coupling import couple_log_odds


@pytest.mark.parametrize("c", [3, 6])
def test_slopes_of_coupled_probabilities_are_those_of_finite_differences(c):
    rng = np.random.default_rng(0)
    T, F = rng.dirichlet(np.ones(c), 4), rng.normal(scale=2, size=(4, c * (c - 1) // 2))

    def value(f):
        return -(T * couple_log_odds(f.reshape(F.shape))).sum() / 4

    assert check_grad(value, lambda f: coupled_slopes(f.reshape(F.shape), T).ravel(), F.ravel()) < 1e-6


def test_slopes_are_finite_and_do_not_push_where_pairs_are_sure_and_right():
    T, F = np.array([[1.0, 0, 0]]), np.array([[900.0, 900.0, -900.0]])
    np.testing.assert_allclose(coupled_slopes(F, T), 0, atol=1e-12)


def test_centres_that_move_on_for_coupled_probabilities_keep_them_more_closely(monkeypatch):
    monkeypatch.setattr(moving, "STEPS", (500, 500))
    monkeypatch.setattr(moving, "FOR_EACH", 20)
    X, y = make_classification(
        500, 5, n_informative=4, n_redundant=0, n_classes=5, n_clusters_per_class=1, random_state=0
    )
    model = KernelLogisticRegression(1000.0, multi_class="pairwise").fit(X[:300], y[:300])
    P = model.predict_proba(X[300:])

    def divergence():
        small = compress(model, n_centers=15, move_centers=True)
        return (P * (model.predict_log_proba(X[300:]) - small.predict_log_proba(X[300:]))).sum()

    after = divergence()
    monkeypatch.setattr(pairs, "COUPLED", 0.0)
    assert after < divergence()
