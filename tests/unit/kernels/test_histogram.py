import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.kernels import AdditiveChiSquared, ChiSquared

X = np.array([[0.0, 2.0], [0.0, 0.0], [3.0, 1.0]])


def test_empty_bins_add_nothing():
    np.testing.assert_allclose(AdditiveChiSquared()(X, X)[0], [0, -2, -3 - 1 / 3], rtol=1e-15)


def test_the_exponential_form_is_the_exponential():
    np.testing.assert_allclose(ChiSquared(0.2)(X, X), np.exp(0.2 * AdditiveChiSquared()(X, X)), rtol=1e-15)


def test_only_the_exponential_form_is_definite():
    assert ChiSquared().definite
    assert not AdditiveChiSquared().definite


@pytest.mark.parametrize("kernel", [AdditiveChiSquared(), ChiSquared()])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_negative_features_are_refused_with_the_cure(kernel, form):
    for A, B in ((X, -X), (-X, X)):
        with pytest.raises(ValueError, match=r"X contains negative values.*non-negative"):
            kernel(form(A), form(B))
