"""Pictures of searches."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

from kernelproba import (
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachineCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)
from kernelproba.inspection import SearchDisplay

matplotlib.use("Agg")

X, y = load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def noisy():
    noise = np.random.default_rng(0).normal(size=(len(y), 26))
    table = X.join(pd.DataFrame(noise, columns=[f"noise {j}" for j in range(26)]))
    return KernelLogisticRegressionCV().fit(table, y)


SEARCHES = [
    KernelLogisticRegressionCV(),
    LeastSquaresProbabilisticClassifierCV(),
    LinearProgrammingMachineCV([1.0, 10.0], [0.01, 0.1], cv=2, calibration_cv=2),
    MaximumContrastClassifierCV([np.inf, 1.0], [0.01, 0.1], cv=2),
    SparseKernelLogisticRegressionCV(4, cv=2),
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: type(search).__name__)
def test_every_point_is_drawn_and_the_chosen_one_has_a_ring(search):
    model = clone(search).fit(X / X.std(), y)
    display = SearchDisplay.from_estimator(model)
    *dots, ring = display.ax_.collections
    assert sum(len(part.get_offsets()) for part in dots) == len(model.cv_results_["mean_test_score"])
    table = display.frame()
    assert (table.groupby("n_rows")["excess"].min() == 0).all()
    where = ring.get_offsets()[0]
    if "gamma" in model.best_params_:
        strength = model.best_params_["C" if hasattr(model, "C_") else "alpha"]
        np.testing.assert_allclose(where, [model.gamma_, 10 if np.isinf(strength) else strength])
    else:
        np.testing.assert_allclose(where, [model.C_, 0.0])
    assert np.isfinite(np.concatenate([part.get_offsets() for part in dots])).all()


def test_bars_name_the_heaviest_features_first(noisy):
    display = SearchDisplay.from_estimator(noisy, kind="weights")
    table = display.frame("weights")
    assert len(table) == 39
    assert table["weight"].is_monotonic_decreasing
    assert not table["feature"].head(5).str.startswith("noise").any()
    assert len(display.ax_.patches) == 25  # what there is room for
    assert "25 of 39" in display.ax_.get_title()


def test_what_cannot_be_shown_is_said():
    model = KernelLogisticRegressionCV(feature_weights=None).fit(X, y)
    with pytest.raises(ValueError, match="weigh the same"):
        SearchDisplay.from_estimator(model, kind="weights")
    with pytest.raises(ValueError, match="kind"):
        SearchDisplay.from_estimator(model, kind="surface")
