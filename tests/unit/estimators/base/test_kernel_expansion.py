import numpy as np
import pytest

from kernelproba import KernelLogisticRegression


def single_and_double(C, offset, classes, factor=1.0):
    """Probabilities of rows in single precision, and of the same model and rows in double."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(900, 6)) + offset).astype(np.float32)
    y = (
        np.sin(2 * (X[:, 0] - offset)) + rng.normal(scale=0.5, size=900)
        > np.linspace(-0.5, 0.5, classes - 1)[:, None]
    ).sum(axis=0)
    model = KernelLogisticRegression(C, gamma=0.3, n_centers=300).fit(X, y)
    model.dual_coef_ = factor * model.dual_coef_
    single = model.predict_proba(X)
    model.support_vectors_ = model.support_vectors_.astype(np.float64)
    return single, model.predict_proba(X.astype(np.float64))


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("C", [0.1, 10.0, 1e3])
def test_single_precision_keeps_probabilities_to_1e_5(C, offset, classes):
    single, double = single_and_double(C, offset, classes)
    np.testing.assert_allclose(single, double, rtol=0, atol=1e-5)


def test_large_coefficients_are_summed_in_double_precision():
    single, double = single_and_double(1.0, 0.0, 2, factor=1e3)
    np.testing.assert_array_equal(single, double)


def test_rows_and_centres_of_a_prediction_are_left_as_they_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)).astype(np.float32)
    model = KernelLogisticRegression(gamma=0.5).fit(X, X[:, 0] > 0)
    before, centers = X.copy(), model.support_vectors_.copy()
    X.setflags(write=False)
    model.predict_proba(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(model.support_vectors_, centers)
