"""Centres that move: slopes, and models that are nearer than with centres among the rows."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import make_classification

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.compression import compress, moving
from kernelproba.compression.distillation import Targets
from kernelproba.inspection import explain


def problem(c=3, n=240):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=c, n_clusters_per_class=1, flip_y=0.1, random_state=0
    )
    return X, y


def slopes_error(value, slopes, F):
    """Difference of the slopes from finite differences."""
    shape = F.shape
    return check_grad(
        lambda f: value(f.reshape(shape)), lambda f: slopes(f.reshape(shape)).ravel(), F.ravel()
    )


@pytest.mark.parametrize("k", [1, 3])
def test_slopes_of_the_divergence_are_those_of_finite_differences(k):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(max(k, 2)), 6)
    targets = Targets(np.log(P), rng.uniform(size=6))
    value, slopes = (lambda F, part=part: targets.divergence_and_slopes(F)[part] for part in (0, 1))
    assert slopes_error(value, slopes, rng.normal(size=(6, k))) < 1e-6


def test_slopes_of_centres_are_those_of_finite_differences():
    rng = np.random.default_rng(0)
    X, G = rng.normal(size=(7, 2)), rng.normal(size=(7, 3))
    start = moving.GaussianSum(*(rng.normal(size=shape) for shape in ((4, 2), (4, 3), 3)))

    def slopes(theta):
        own = start.at(theta)
        return own.slopes(X, own.kernel(X), G).flat()

    def value(theta):
        own = start.at(theta)
        return float((G * own.scores(own.kernel(X))).sum())

    assert check_grad(value, slopes, start.flat()) < 1e-5


def test_a_sum_of_gaussians_is_found_again_from_other_centres():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    truth = moving.GaussianSum(
        np.array([[0.0, 1.0], [1.0, -1.0]]), np.array([[3.0], [-2.0]]), np.array([0.5])
    )
    F = truth.kernel(X) @ truth.coef + truth.intercept
    log_P = -np.logaddexp(0, np.hstack([F, -F]))
    start = moving.GaussianSum(truth.centers + 0.3, np.array([[1.0], [-1.0]]), np.zeros(1))
    goal = Targets(log_P, np.ones(300)).slopes_beside(np.zeros((300, 1)))
    found = moving.moved_centers(X, start, goal)
    np.testing.assert_allclose(found.centers, truth.centers, atol=0.05)
    np.testing.assert_allclose(found.coef, truth.coef, atol=0.1)


MODELS = {
    "two classes": (KernelLogisticRegression(C=10.0), 2),
    "softmax": (KernelLogisticRegression(C=10.0), 3),
    "pairs": (KernelLogisticRegression(C=10.0, multi_class="pairwise"), 3),
    "a pool": (KernelLogisticRegressionCV(Cs=[10.0], gammas=[0.1]), 3),
}


@pytest.mark.parametrize("kind", MODELS)
def test_moved_centres_say_more_than_chosen_ones(kind, monkeypatch):
    monkeypatch.setattr(moving, "STEPS", (500, 500))
    model, c = MODELS[kind]
    X, y = problem(c)
    model.fit(X, y)
    new = np.random.default_rng(1).permuted(X, axis=0) * 0.3 + 0.7 * X
    log_P = model.predict_log_proba(new)

    def divergence(small):
        return (np.exp(log_P) * (log_P - small.predict_log_proba(new))).sum(axis=1).mean()

    chosen, moved = (compress(model, n_centers=10, move_centers=moves) for moves in (False, True))
    assert divergence(moved) < divergence(chosen)
    assert moved.compression_["n_centers"] == chosen.compression_["n_centers"]


def test_what_has_moved_is_no_training_row(monkeypatch):
    monkeypatch.setattr(moving, "STEPS", (50, 50))
    X, y = problem()
    small = compress(KernelLogisticRegression().fit(X, y), n_centers=10, move_centers=True)
    lines = explain(small, X[:1])
    assert "row" not in set(lines["term"])
    assert {"center", "intercept"} <= set(lines["term"])


def test_other_kernels_stay_where_they_are():
    X, y = problem()
    model = KernelLogisticRegression(kernel="laplacian").fit(X, y)
    chosen, moved = (compress(model, n_centers=10, move_centers=moves) for moves in (False, True))
    np.testing.assert_array_equal(moved.support_vectors_, chosen.support_vectors_)


def test_moving_never_makes_it_worse(monkeypatch):
    monkeypatch.setattr(moving, "STEPS", (3, 3))
    monkeypatch.setattr(moving, "FIRST_STEP", 100.0)
    X, y = problem()
    model = KernelLogisticRegression(C=10.0).fit(X, y)
    chosen, moved = (compress(model, n_centers=10, move_centers=moves) for moves in (False, True))
    assert moved.compression_ == chosen.compression_
    np.testing.assert_array_equal(moved.support_vectors_, chosen.support_vectors_)


def test_among_rows_beyond_single_precision_centres_stay_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    model = KernelLogisticRegression().fit(X, X[:, 0] > 0)
    far = np.vstack([X, 1e100 * X[:3]])
    with np.errstate(all="raise", under="ignore"):
        small = compress(model, far, n_centers=3, move_centers=True)
    assert {tuple(row) for row in small.support_vectors_} <= {tuple(row) for row in X}
    assert np.isfinite(small.predict_proba(far)).all()
