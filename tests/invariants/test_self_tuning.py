"""What every self-tuning classifier promises: one contract, and weights that are repetitions."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold

from kernelproba import (
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachineCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)
from kernelproba.inspection import brier_score

SEARCHES = {
    "kernel logistic": KernelLogisticRegressionCV(tol=1e-5),
    "kernel logistic, folds": KernelLogisticRegressionCV([1.0, 10.0], [0.1, 1.0], cv=3, tol=1e-5),
    "least squares": LeastSquaresProbabilisticClassifierCV(),
    "least squares, folds": LeastSquaresProbabilisticClassifierCV([1e-4, 1e-2], [0.1, 1.0], cv=3),
    "linear machine": LinearProgrammingMachineCV([1.0, 10.0], [0.1, 1.0], cv=3, calibration_cv=3),
    "contrast": MaximumContrastClassifierCV([0.1, 1.0], [0.1, 1.0], cv=3),
    "sparse": SparseKernelLogisticRegressionCV(4, cv=3, tol=1e-7),
}


def problem(seed=0, n=60):
    X, y = make_classification(
        n, 3, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=seed
    )
    weight = np.random.default_rng(seed).integers(1, 5, n)
    return X, y, weight


@pytest.fixture(params=SEARCHES, scope="module")
def search(request):
    return clone(SEARCHES[request.param])


@pytest.mark.filterwarnings("ignore:.*at the same place as others")  # they are copies
def test_rows_repeated_k_times_equal_weights_k(search):
    X, y, weight = problem()
    order = np.random.default_rng(1).permutation(weight.sum())
    repeated = np.repeat(np.arange(len(y)), weight)[order]
    one = clone(search).fit(X, y, weight.astype(float))
    other = clone(search).fit(X[repeated], y[repeated])
    assert one.best_params_ == pytest.approx(other.best_params_, nan_ok=True)
    assert one.best_score_ == pytest.approx(other.best_score_, rel=1e-3)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=2e-3)


def test_every_search_leaves_the_same_things_behind(search):
    X, y, _ = problem()
    model = clone(search).fit(X, y)
    results = model.cv_results_
    lines = len(results["params"])
    assert all(len(column) == lines for column in results.values())
    for name in ("mean_test_score", "std_test_score", "rank_test_score", "split0_test_score", "n_rows"):
        assert name in results
    assert model.best_params_ == results["params"][model.best_index_]
    assert model.best_score_ == results["mean_test_score"][model.best_index_]
    for name, value in model.best_params_.items():
        column = results[f"param_{name}"]
        assert column[model.best_index_] == value
        if name in ("C", "alpha", "gamma"):
            assert getattr(model, f"{name}_") == value
    frame = results.frame()
    assert frame["rank_test_score"].min() == 1
    assert (model.best_estimator_.classes_ == model.classes_).all()


def test_any_score_and_any_folds_may_choose(search):
    X, y, _ = problem()
    scorer = make_scorer(brier_score, greater_is_better=False, response_method="predict_proba")
    params = {"cv": list(StratifiedKFold(2).split(X, y)), "scoring": scorer}
    by_scorer = clone(search).set_params(**params).fit(X, y)
    ours = clone(search).set_params(**params | {"scoring": "brier"}).fit(X, y)
    np.testing.assert_allclose(
        by_scorer.cv_results_["mean_test_score"], ours.cv_results_["mean_test_score"], atol=1e-6
    )
