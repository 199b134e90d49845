import numpy as np
import pytest
from sklearn.gaussian_process import kernels as gp

from kernelproba.kernels import (
    KERNEL_NAMES,
    RBF,
    CallableKernel,
    Cosine,
    GaussianProcessKernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    Sigmoid,
    median_distance,
    resolve_kernel,
)


def data(n=30, d=4):
    return np.random.default_rng(0).normal(size=(n, d))


def test_svc_parameters_reach_the_kernels_that_have_them():
    params = {"gamma": 0.5, "degree": 2, "coef0": 0.25}
    expected = {
        "cosine": Cosine(),
        "laplacian": Laplacian(2.0),
        "linear": Linear(),
        "matern": Matern(1.0),
        "poly": Polynomial(2, 0.5, 0.25),
        "polynomial": Polynomial(2, 0.5, 0.25),
        "precomputed": Precomputed(),
        "rational_quadratic": RationalQuadratic(1.0),
        "rbf": RBF(1.0),
        "sigmoid": Sigmoid(0.5, 0.25),
    }
    assert {name: resolve_kernel(name, data(), **params) for name in expected} == expected


def test_gamma_of_the_median_makes_the_median_distance_the_length_scale():
    kernel = resolve_kernel("rbf", data(2000), gamma="median", random_state=3)
    assert kernel.length_scale == pytest.approx(median_distance(data(2000), 3), rel=1e-12)


@pytest.mark.parametrize("name", ["linear", "cosine", "precomputed"])
def test_gamma_is_not_worked_out_where_it_has_no_part(name):
    resolve_kernel(name, np.ones((2, 2)), gamma="no such rule")


def test_kernel_params_are_set_on_named_kernels_and_on_objects():
    assert resolve_kernel("matern", data(), gamma=0.5, kernel_params={"nu": 2.5}) == Matern(1.0, nu=2.5)
    resolved = resolve_kernel(RBF() + Linear(), data(), kernel_params={"left__length_scale": 3})
    assert resolved == RBF(3) + Linear()
    resolved = resolve_kernel(gp.RBF(), data(), kernel_params={"length_scale": 3.0})
    assert resolved == GaussianProcessKernel(gp.RBF(3.0))


def test_unknown_kernel_params_are_refused_by_name():
    with pytest.raises(ValueError, match="Invalid parameter 'width'"):
        resolve_kernel("rbf", data(), kernel_params={"width": 1})


def test_a_kernel_is_used_as_it_is_but_not_shared():
    kernel = RBF(0.123)
    resolved = resolve_kernel(kernel, data(), gamma=5.0)
    assert resolved == kernel
    assert resolved is not kernel


def test_a_function_receives_kernel_params():
    def scaled(X, Z, factor):
        return factor * X @ Z.T

    resolved = resolve_kernel(scaled, data(), kernel_params={"factor": 3})
    assert isinstance(resolved, CallableKernel)
    np.testing.assert_allclose(resolved(data(), data()), 3 * data() @ data().T)


@pytest.mark.parametrize("kernel", ["gaussian", 3, None, RBF])
def test_an_unknown_kernel_is_refused_with_the_valid_names(kernel):
    with pytest.raises(ValueError, match="kernel must be one of") as error:
        resolve_kernel(kernel, data())
    assert all(repr(name) in str(error.value) for name in KERNEL_NAMES)


def huge_kernel(X, Z):
    return 1e150 * np.ones((len(X), len(Z)))


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ("linear", {}),
        ("poly", {"degree": 50}),
        ("poly", {"coef0": 1e60}),
        (1e200 * RBF(), {}),
        (1e-200 * RBF(), {}),
        (huge_kernel, {}),
    ],
    ids=["linear", "degree", "coef0", "large factor", "small factor", "function"],
)
def test_a_kernel_whose_values_cannot_be_squared_is_refused_with_the_range(kernel, options):
    X = 1e60 * np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match=r"between 1e-100 and 1e\+100 is what can be computed|overflow"):
        resolve_kernel(kernel, X, gamma=1.0, **options)


def test_a_kernel_of_zeros_is_a_kernel():
    assert resolve_kernel("linear", np.zeros((3, 2))).diag(np.zeros((3, 2))).max() == 0


@pytest.mark.parametrize(
    "kernel", ["rbf", RBF(), gp.RBF(), lambda X, Z: X @ Z.T], ids=["name", "object", "process", "function"]
)
def test_params_that_a_kernel_does_not_have_are_refused_by_name(kernel):
    with pytest.raises((ValueError, TypeError), match="kernel_params"):
        resolve_kernel(kernel, np.ones((3, 2)), kernel_params={"nosuch": 1})
