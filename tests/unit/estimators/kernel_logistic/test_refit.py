import numpy as np
import pytest

from kernelproba import KernelLogisticRegression as KLR
from kernelproba.datasets import three_gaussians
from kernelproba.estimators.kernel_logistic import centers
from kernelproba.estimators.kernel_logistic.refit import Refits, StrengthFits
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


@pytest.mark.parametrize("solver", ["auto", "irls"])
@pytest.mark.parametrize("n_centers", [20, 250, 300])
def test_fits_for_one_c_after_another_are_the_fits_with_it(n_centers, solver):
    X, y = three_gaussians(300, random_state=0)
    settings = {"gamma": 0.5, "solver": solver, "tol": 1e-5, "random_state": 0}
    ones = np.ones(300)
    fits = StrengthFits(KLR(3.0, n_centers=n_centers, **settings), X, y, ones)
    first = KLR(3.0, n_centers=n_centers, **settings).fit(X, y)
    np.testing.assert_array_equal(fits.model.predict_proba(X), first.predict_proba(X))
    for C in (30.0, 1.0):
        refitted = fits.to(C)
        anew = KLR(C, centers=first.support_vectors_, **settings).fit(X, y)
        assert refitted is fits.model
        assert refitted.C == C
        np.testing.assert_allclose(refitted.predict_proba(X), anew.predict_proba(X), atol=1e-3)
        fits.forget()


def test_fits_for_one_c_after_another_compute_whitened_features_once(monkeypatch):
    X, y = three_gaussians(900, random_state=0)
    computed = []
    whitened = centers._whitened
    monkeypatch.setattr(centers, "_whitened", lambda *given: computed.append(1) or whitened(*given))
    fits = StrengthFits(KLR(3.0, gamma=0.5, n_centers=250, random_state=0), X, y, np.ones(900))
    fits.to(30.0)
    fits.to(300.0)
    assert len(computed) == 1
    fits.forget()
    fits.to(3.0)
    assert len(computed) == 2
