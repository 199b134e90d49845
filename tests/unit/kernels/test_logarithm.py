"""Kernels as densities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from kernelproba.kernels import RBF, Laplacian, Linear, Matern, RationalQuadratic, Stationary
from kernelproba.kernels.logarithm import log_kernel, log_mixture, log_of_distance, log_volume
from kernelproba.number_range import LOG_ZERO

KERNELS = [
    RBF(0.7),
    RBF([0.5, 2.0]),
    Laplacian(0.7),
    Matern(0.7, nu=0.5),
    Matern(0.7, nu=1.5),
    Matern(0.7, nu=2.5),
    RationalQuadratic(0.7, alpha=1.3),
    2.0 * RBF(0.7),
    RBF(0.7) * Laplacian(0.4),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_logarithm_is_that_of_the_kernel(kernel):
    X, Z = np.random.default_rng(0).normal(size=(2, 20, 2))
    assert_allclose(log_kernel(kernel, X, Z), np.log(kernel(X, Z)), atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_mixture_is_the_weighted_sum_of_its_kernels(kernel):
    rng = np.random.default_rng(1)
    X, Z, weights = rng.normal(size=(10, 2)), rng.normal(size=(20, 2)), rng.random((20, 3))
    assert_allclose(log_mixture(kernel, X, Z, weights), np.log(kernel(X, Z) @ weights), atol=1e-10)


def test_far_from_its_centres_a_mixture_is_its_nearest_one():
    Z, weights = np.array([[0.0], [1.0]]), np.array([[0.5], [0.25]])
    # exp(−½ 100²) is 0 in double precision.
    assert_allclose(log_mixture(RBF(1.0), np.array([[101.0]]), Z, weights), np.log(0.25) - 0.5 * 100**2)


def test_a_mixture_without_weights_is_zero_everywhere():
    log_q = log_mixture(RBF(1.0), np.zeros((1, 1)), np.zeros((1, 1)), np.array([[1.0, 0.0]]))
    assert_allclose(log_q, [[0.0, -np.inf]])


def test_rows_at_a_distance_beyond_floating_point_are_at_density_zero():
    log_q = log_mixture(RBF(1.0), np.full((1, 2), 1e200), np.zeros((1, 2)), np.ones((1, 1)))
    assert log_q == LOG_ZERO


@pytest.mark.parametrize("kernel", [k for k in KERNELS if isinstance(k, Stationary)], ids=repr)
def test_the_logarithm_of_a_distance_falls_as_far_as_numbers_reach(kernel):
    D = np.array([[0.0, 1e-5, 1.0, 1e3, 1e10, 1e100, 1e300, np.inf]])
    logs = log_of_distance(kernel, D)
    assert_allclose(logs[:, :3], np.log(kernel.of_distance(D[:, :3].copy())), atol=1e-12)
    assert np.isfinite(logs).all()
    assert (np.diff(logs) <= 0).all()


@pytest.mark.parametrize(
    "kernel", [k for k in KERNELS if np.ndim(getattr(k, "length_scale", [0])) == 0], ids=repr
)
def test_the_volume_is_the_integral_on_the_line(kernel):
    integral, _ = quad(lambda x: kernel(np.array([[x]]), np.zeros((1, 1))).item(), -np.inf, np.inf)
    assert_allclose(log_volume(kernel, 1), np.log(integral), atol=1e-7)


@pytest.mark.parametrize("kernel", [Matern(0.7, nu=1.5), RationalQuadratic(0.7, alpha=1.3)], ids=repr)
def test_the_volume_is_the_integral_in_the_plane(kernel):
    # Rotational symmetry: ∫ k dx = ∫ 2πr k(r) dr
    radial, _ = quad(lambda r: 2 * np.pi * r * kernel(np.array([[r, 0]]), np.zeros((1, 2))).item(), 0, np.inf)
    assert_allclose(log_volume(kernel, 2), np.log(radial), atol=1e-6)


def test_a_kernel_without_a_known_or_finite_integral_says_so():
    with pytest.raises(ValueError, match="normalize=False"):
        log_volume(Linear(), 2)
    with pytest.raises(ValueError, match="alpha > 2"):
        log_volume(RationalQuadratic(1.0, alpha=1.0), 4)
