"""Stationary kernels and the adapter equal scikit-learn's Gaussian-process kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process import kernels as gp

from kernelproba.kernels import RBF, GaussianProcessKernel, Matern, RationalQuadratic, resolve_kernel

SCALES = [0.3, 2.0, 1.1, 0.7]
PAIRS = {
    "rbf": (RBF(0.8), gp.RBF(0.8)),
    "rbf per feature": (RBF(SCALES), gp.RBF(SCALES)),
    "matern 1/2": (Matern(0.8, nu=0.5), gp.Matern(0.8, nu=0.5)),
    "matern 3/2": (Matern(0.8), gp.Matern(0.8)),
    "matern 5/2": (Matern(0.8, nu=2.5), gp.Matern(0.8, nu=2.5)),
    "matern 1/2 per feature": (Matern(SCALES, nu=0.5), gp.Matern(SCALES, nu=0.5)),
    "matern 3/2 per feature": (Matern(SCALES, nu=1.5), gp.Matern(SCALES, nu=1.5)),
    "matern 5/2 per feature": (Matern(np.array(SCALES), nu=2.5), gp.Matern(SCALES, nu=2.5)),
    "rational quadratic": (RationalQuadratic(0.8, alpha=0.4), gp.RationalQuadratic(0.8, alpha=0.4)),
    "algebra": (2.5 * RBF(0.8) + Matern(0.5) * RBF(3), 2.5 * gp.RBF(0.8) + gp.Matern(0.5) * gp.RBF(3)),
}


def data(seed, n, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, 4)).astype(dtype)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-6), (np.float64, 1e-13)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_kernel_equals_its_gaussian_process_namesake(pair, dtype, tolerance, form):
    ours, theirs = PAIRS[pair]
    X, Z = data(0, 40, dtype), data(1, 25, dtype)
    K = ours(form(X), form(Z))
    assert K.dtype == dtype
    np.testing.assert_allclose(K, theirs(X.astype(float), Z.astype(float)), rtol=0, atol=tolerance)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_adapter_evaluates_the_kernel_it_holds(pair):
    _, theirs = PAIRS[pair]
    kernel, X, Z = resolve_kernel(theirs, data(0, 40)), data(0, 40), data(1, 25)
    assert isinstance(kernel, GaussianProcessKernel)
    np.testing.assert_array_equal(kernel(X, Z), theirs(X, Z))
    np.testing.assert_array_equal(kernel.diag(X), theirs.diag(X))


def test_hyper_parameters_of_the_held_kernel_can_be_set():
    kernel = GaussianProcessKernel(gp.ConstantKernel(2.0) * gp.RBF(1.0))
    kernel.set_params(kernel__k2__length_scale=3.0)
    X = data(0, 9)
    np.testing.assert_array_equal(kernel(X, X[:4]), 2 * gp.RBF(3.0)(X, X[:4]))


@pytest.mark.parametrize(
    ("held", "definite"),
    [
        (gp.RBF() + 2.0 * gp.Matern() * gp.RationalQuadratic(), True),
        (gp.DotProduct() + gp.ConstantKernel(), True),
        (gp.ExpSineSquared(), False),  # periodic in ‖x−z‖: definite in one dimension alone
        (gp.RBF() + gp.PairwiseKernel(metric="sigmoid"), False),
        (gp.DotProduct() ** 0.5, False),
    ],
)
def test_only_kernels_known_to_be_definite_are_called_so(held, definite):
    assert GaussianProcessKernel(held).definite is definite


def test_noise_is_refused_with_the_cure():
    with pytest.raises(ValueError, match=r"WhiteKernel.*remove it"):
        resolve_kernel(gp.RBF() + gp.WhiteKernel(), data(0, 5))
    kernel = GaussianProcessKernel(gp.RBF() + gp.WhiteKernel())
    for call in (lambda: kernel(data(0, 5), data(1, 5)), lambda: kernel.diag(data(0, 5))):
        with pytest.raises(ValueError, match=r"WhiteKernel.*remove it"):
            call()
