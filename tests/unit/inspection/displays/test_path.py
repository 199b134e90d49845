"""Pictures of paths."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris

from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
from kernelproba.inspection.displays.path import PathDisplay
from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV

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
    np.testing.assert_allclose(table["C"], model.cv_results_["param_C"])
    np.testing.assert_allclose(table["loss"], -model.cv_results_["mean_test_score"])
    assert display.loss_ax_ is not None
    assert any(model.C_ in line.get_xdata() for line in display.ax_.lines)
    assert f"{model.C_:.3g}, {len(model.best_estimator_.support_)} kernels" in display.ax_.get_title()


def test_a_plain_estimator_computes_its_path_from_data():
    X, y = load_iris(return_X_y=True)
    display = PathDisplay.from_estimator(SparseKernelLogisticRegression(), X[::3], y[::3])
    assert list(display.frame()["n_kernels"]) == list(display.path.n_kernels)
    assert display.loss_ax_ is None


def test_a_centre_has_a_line_of_the_size_of_its_coefficients():
    X, y = load_iris(return_X_y=True)
    display = PathDisplay.from_estimator(
        SparseKernelLogisticRegression(), X[::5], y[::5], kind="coefficients"
    )
    sizes = np.stack([line.get_ydata() for line in display.ax_.lines], axis=1)
    np.testing.assert_allclose(sizes, np.sqrt((display.path.dual_coef**2).sum(axis=1)))
    # A kernel is kept where its size is not zero, and none is at the start of the path.
    np.testing.assert_array_equal((sizes > 0).sum(axis=1), display.path.n_kernels)
    table = display.frame("coefficients")
    assert set(table["support"]) == set(display.path.support)
    np.testing.assert_allclose(table["size"], sizes.ravel())


def test_an_unknown_kind_is_refused():
    X, y = load_iris(return_X_y=True)
    display = PathDisplay(SparseKernelLogisticRegression().path(X[::10], y[::10]))
    for method in (display.plot, display.frame):
        with pytest.raises(ValueError, match="kind must be one of 'sparsity', 'coefficients'"):
            method(kind="loss")


def test_a_path_without_data_is_refused_with_the_cure():
    with pytest.raises(ValueError, match="pass X and y"):
        PathDisplay.from_estimator(SparseKernelLogisticRegression())
