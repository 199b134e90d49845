"""One function for each class in the place of pairs, where centres are few or have moved."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from kernelproba import KernelLogisticRegression
from kernelproba.compression import compress, moving
from kernelproba.compression.class_functions import with_class_functions
from kernelproba.compression.model_parts import reducible
from kernelproba.coupling.pairs import class_pairs
from kernelproba.inspection import explain
from kernelproba.persistence import load_model, save_model

CLASSES = 5


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(
        500, 5, n_informative=4, n_redundant=0, n_classes=CLASSES, n_clusters_per_class=1, random_state=0
    )
    return X[:300], y[:300], X[300:]


@pytest.fixture(scope="module", params=["wu-lin-weng", "hastie-tibshirani"])
def pairs(request, problem):
    model = KernelLogisticRegression(10.0, multi_class="pairwise", coupling=request.param)
    return model.fit(*problem[:2])


@pytest.fixture(scope="module")
def moved(pairs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moving, "STEPS", (500, 500))
        return compress(pairs, n_centers=15, move_centers=True)


def test_the_score_of_a_class_is_the_mean_of_its_log_odds(pairs, problem):
    F = pairs.pairwise_decision_function(problem[2])
    expected = np.zeros((len(F), CLASSES))
    for f, (i, j) in zip(F.T, class_pairs(CLASSES), strict=True):
        expected[:, i] += f / CLASSES
        expected[:, j] -= f / CLASSES
    found = with_class_functions(pairs).decision_function(problem[2])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_moved_centres_are_those_of_one_function_per_class(moved, pairs, problem):
    X_new = problem[2]
    assert moved.dual_coef_.shape == (CLASSES, 15)
    assert not hasattr(moved, "n_support_")
    assert hasattr(pairs, "n_support_")
    # The log-odds of pairs are those of its probabilities.
    i, j = class_pairs(CLASSES).T
    log_P = moved.predict_log_proba(X_new)
    np.testing.assert_allclose(moved.pairwise_decision_function(X_new), log_P[:, i] - log_P[:, j], atol=1e-9)


def test_few_centres_are_shared_by_all_classes_and_moved_ones_say_even_more(moved, pairs, problem):
    P, log_P = pairs.predict_proba(problem[2]), pairs.predict_log_proba(problem[2])
    functions, _ = reducible(pairs, None, moves=False)
    (as_pairs,), shared = functions._pairs_on_rows(15).models, compress(pairs, n_centers=15)

    def divergence(small):
        return (P * (log_P - small.predict_log_proba(problem[2]))).sum(axis=1).mean()

    assert shared.dual_coef_.shape == (CLASSES, 15)
    assert divergence(shared) < 0.6 * divergence(as_pairs)
    assert divergence(moved) < 0.8 * divergence(shared)


def test_with_nearly_all_centres_pairs_stay_pairs(pairs, monkeypatch):
    monkeypatch.setattr(moving, "STEPS", (50, 50))
    same = compress(pairs, n_centers=290, move_centers=True)
    assert hasattr(same, "n_support_")
    assert same.compression_["mean_kl"] < 1e-4


def test_they_are_saved_explained_and_fitted_anew(moved, problem, tmp_path):
    X, y, X_new = problem
    save_model(moved, tmp_path / "moved.skops")
    again = load_model(tmp_path / "moved.skops")
    np.testing.assert_array_equal(again.predict_proba(X_new), moved.predict_proba(X_new))
    assert set(explain(moved, X_new[:1])["term"]) <= {"center", "intercept", "others"}
    assert hasattr(clone(moved).fit(X, y), "n_support_")
