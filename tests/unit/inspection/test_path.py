"""Pictures of paths."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris

from kernelproba.estimators.sparse_kernel_logistic import SparseKernelLogisticRegression
from kernelproba.inspection.path import PathDisplay
from kernelproba.tuning.sparse_cv import SparseKernelLogisticRegressionCV

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_cross_validated_path_shows_kernels_loss_and_choice():
    model = SparseKernelLogisticRegressionCV(Cs=5, cv=2).fit(*load_iris(return_X_y=True))
    display = PathDisplay.from_estimator(model)
    table = display.frame()
    np.testing.assert_allclose(table["C"], model.Cs_)
    np.testing.assert_allclose(table["loss"], model.losses_.mean(axis=0))
    assert display.loss_ax_ is not None
    assert any(model.C_ in line.get_xdata() for line in display.ax_.lines)


def test_a_plain_estimator_computes_its_path_from_data():
    X, y = load_iris(return_X_y=True)
    display = PathDisplay.from_estimator(SparseKernelLogisticRegression(), X[::3], y[::3])
    assert list(display.frame()["n_kernels"]) == list(display.path.n_kernels)
    assert display.loss_ax_ is None


def test_a_path_without_data_is_refused_with_the_cure():
    with pytest.raises(ValueError, match="pass X and y"):
        PathDisplay.from_estimator(SparseKernelLogisticRegression())
