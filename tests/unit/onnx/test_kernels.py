"""Every kernel, in every way in which it can be combined."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as gp

from kernelproba import KernelDensityClassifier, KernelLogisticRegression, RelevanceVectorClassifier
from kernelproba.kernels import (
    RBF,
    AdditiveChiSquared,
    ChiSquared,
    Cosine,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
)

WIDTHS = [0.5, 1.0, 2.0, 4.0]
KERNELS = [
    RBF(WIDTHS),
    Laplacian(2.0),
    Laplacian(WIDTHS),
    Matern(2.0, nu=0.5),
    Matern(WIDTHS, nu=1.5),
    Matern(2.0, nu=2.5),
    RationalQuadratic(WIDTHS, alpha=0.3),
    Linear(),
    3 * Linear(),
    Polynomial(degree=3, gamma=0.2, coef0=1.0),
    Polynomial(degree=2, gamma=0.2, coef0=-0.5),
    Sigmoid(gamma=0.1, coef0=0.2),
    Cosine(),
    2 * RBF(2.0) + Linear() * Cosine(),
    gp.ConstantKernel(2.0) * gp.RBF(2.0) + gp.DotProduct(0.5) + gp.Matern(1.5, nu=1.5),
    gp.RationalQuadratic(2.0, 0.7),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_kernel_of_any_rows(kernel, problem, new_rows, agree):
    rows = np.vstack([new_rows[:500], problem[0].astype(np.float32), np.zeros((1, 4), np.float32)])
    agree(KernelLogisticRegression(kernel=kernel, max_iter=1000).fit(*problem), rows)


@pytest.mark.parametrize("kernel", [AdditiveChiSquared(), ChiSquared(0.5)], ids=str)
def test_a_kernel_of_histograms(kernel, problem, new_rows, agree):
    X, y = problem
    rows = np.abs(new_rows[:500])
    rows[0] = rows[1, :2] = 0.0
    agree(KernelLogisticRegression(kernel=kernel, solver="newton-cg", tol=1e-3).fit(np.abs(X), y), rows)


@pytest.mark.parametrize(
    "kernel",
    [Laplacian(1.0), Matern(1.0, nu=0.5), Matern(1.0, nu=1.5), Matern(1.0, nu=2.5), RationalQuadratic(),
     2 * RBF(1.0) * Laplacian(2.0), RBF(1.0) + Laplacian(2.0), ChiSquared()], ids=str,
)  # fmt: skip
def test_a_kernel_as_a_density(kernel, problem, new_rows, agree):
    X, y = problem
    agree(KernelDensityClassifier(kernel).fit(np.abs(X), y), np.abs(new_rows[:500]))


def test_clusters_that_are_tight_and_far_apart_are_told_apart(agree):
    rng = np.random.default_rng(0)
    places = np.repeat([[0.0, 0.0], [1e7, -3e6], [-2e7, 5e6]], 20, axis=0)
    X = places + rng.normal(size=(60, 2))
    y = (X[:, 0] > places[:, 0]).astype(int)
    P = agree(KernelLogisticRegression(kernel=RBF(1.0), C=10.0).fit(X, y), X)
    assert ((P[:, 1] > 0.5) == y).mean() > 0.9


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear", "cosine"])
def test_sparse_centres(kernel, problem, new_rows, agree):
    import scipy.sparse as sp

    X, y = problem
    X = np.where(np.abs(X) > 1, X, 0.0)
    agree(RelevanceVectorClassifier(kernel=kernel).fit(sp.csr_array(X), y), new_rows[:200])
