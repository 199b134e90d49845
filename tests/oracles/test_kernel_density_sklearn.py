"""Kernel densities against scikit-learn's KernelDensity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.neighbors import KernelDensity

from kernelproba.estimators.kernel_density import KernelDensityClassifier


@pytest.mark.parametrize("bandwidth", [0.1, 0.5, 3.0])
def test_normalised_log_densities_are_those_of_kernel_density(bandwidth):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y))
    model = KernelDensityClassifier(gamma=0.5 / bandwidth**2, normalize=True).fit(X, y, weight)
    test = np.r_[X, X + 20.0]
    for j in range(3):
        oracle = KernelDensity(bandwidth=bandwidth, rtol=1e-12).fit(X[y == j], sample_weight=weight[y == j])
        assert_allclose(model.log_density(test)[:, j], oracle.score_samples(test), rtol=1e-7)


def test_the_likeliest_width_is_no_less_likely_than_any_of_a_grid():
    X, y = load_iris(return_X_y=True)
    X, first = np.unique(X, axis=0, return_index=True)
    y = y[first]
    model = KernelDensityClassifier(gamma="likelihood").fit(X, y)
    for j, kernel in enumerate(model.kernels_):
        members = X[y == j]

        def likelihood(bandwidth, members=members):
            left_out = [np.delete(members, i, axis=0) for i in range(len(members))]
            fits = [KernelDensity(bandwidth=bandwidth, rtol=1e-9).fit(rest) for rest in left_out]
            return np.mean([fit.score(members[i : i + 1]) for i, fit in enumerate(fits)])

        best = max(likelihood(width) for width in np.geomspace(0.05, 2.0, 12))
        assert likelihood(kernel.length_scale) > best - 0.02
