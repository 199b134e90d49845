import numpy as np
import pytest

from kernelproba import KernelLogisticRegression as KLR
from kernelproba.datasets import three_gaussians
from kernelproba.estimators.kernel_logistic.refit import Refits
from kernelproba.rows import MemoryRows


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_centers", [20, 250])
def test_refits_that_share_values_and_curvature_end_where_fits_from_nothing_do(n_classes, n_centers):
    X, y = three_gaussians(600, random_state=0)
    y = np.minimum(y, n_classes - 1)
    model = KLR(3.0, gamma=0.5, n_centers=n_centers, tol=1e-5, random_state=0).fit(X, y)
    refits = Refits(model, MemoryRows(X), y, np.full(600, 0.75))
    for fold in range(4):
        weight = (np.arange(600) % 4 != fold).astype(float)
        anew = KLR(3.0, gamma=0.5, centers=model.support_vectors_, tol=1e-5, random_state=0).fit(X, y, weight)
        np.testing.assert_allclose(refits.to(weight).predict_proba(X), anew.predict_proba(X), atol=1e-3)


def test_a_refit_with_another_c_is_the_fit_with_it():
    X, y = three_gaussians(300, random_state=0)
    model = KLR(3.0, gamma=0.5, n_centers=20, tol=1e-5, random_state=0).fit(X, y)
    ones = np.ones(300)
    refitted = Refits(model, MemoryRows(X), y, ones, C=30.0).to(ones)
    anew = KLR(30.0, gamma=0.5, centers=model.support_vectors_, tol=1e-5, random_state=0).fit(X, y)
    assert refitted.C == 30.0
    np.testing.assert_allclose(refitted.predict_proba(X), anew.predict_proba(X), atol=1e-3)
