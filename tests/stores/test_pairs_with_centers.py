"""One function per pair of classes, with chosen centres: the same from every store, and right."""

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegression, PairwiseCouplingClassifier
from kernelproba.coupling.pairs import class_pairs
from kernelproba.rows import MemoryRows, ParquetRows
from kernelproba.scoring import mean_scores

NAMES = ["x0", "x1", "x2", "x3"]


@pytest.fixture(scope="module")
def pairs():
    return KernelLogisticRegression(
        C=2.0, multi_class="pairwise", n_centers=60, centers="uniform", tol=1e-6, random_state=0
    )


@pytest.fixture(scope="module")
def in_memory(pairs, rows):
    return clone(pairs).fit(*rows)


def test_each_pair_is_a_model_of_two_classes_with_the_centres_of_these(in_memory, rows):
    X, y, weight = rows
    bounds = np.concatenate([[0], np.cumsum(in_memory.n_support_)])
    F = in_memory.pairwise_decision_function(X[:50])
    for number, (i, j) in enumerate(class_pairs(3)):
        own = np.isin(y, in_memory.classes_[[i, j]])
        Z = np.concatenate([in_memory.support_vectors_[bounds[k] : bounds[k + 1]] for k in (i, j)])
        one = KernelLogisticRegression(C=2.0, gamma=_gamma(in_memory), centers=Z, tol=1e-6, random_state=0)
        one.fit(X[own], y[own] == in_memory.classes_[i], weight[own])
        np.testing.assert_allclose(F[:, number], one.decision_function(X[:50]), atol=1e-4)
    np.testing.assert_array_equal(X[in_memory.support_], in_memory.support_vectors_)
    assert (np.diff(np.searchsorted(in_memory.classes_, y[in_memory.support_])) >= 0).all()


def _gamma(model):
    return 1 / (2 * model.kernel_.length_scale**2)


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("store", ["blocks", "parquet", "dask"])
def test_every_store_gives_the_pairs_of_the_array(pairs, in_memory, rows, tmp_path, store, fits, monkeypatch):
    X, y, weight = rows
    if not fits:  # the rows of two classes into memory
        monkeypatch.setattr("kernelproba.estimators.kernel_logistic.center_pairs.SAMPLE", 1e-9)
    stored = _stored(store, X, tmp_path)
    model = clone(pairs).set_params(memory_limit="1GB").fit(stored, y, weight)
    P = np.asarray(model.predict_proba(stored))
    np.testing.assert_allclose(P, in_memory.predict_proba(X), atol=1e-5)
    np.testing.assert_array_equal(model.support_, in_memory.support_)


def _stored(store, X, folder):
    if store == "blocks":
        return MemoryRows(X, 500)
    if store == "dask":
        return pytest.importorskip("dask.array").from_array(X, chunks=(700, -1))
    table = pytest.importorskip("pandas").DataFrame(X, columns=NAMES)
    for part, rows in enumerate([slice(0, 1000), slice(1000, 3000)]):
        table[rows].to_parquet(folder / f"part{part}.parquet", index=False)
    return ParquetRows(folder, block_rows=256)


def test_many_centres_come_near_to_all_rows(rows):
    X, y, _ = rows
    exact = KernelLogisticRegression(C=2.0, multi_class="pairwise").fit(X, y)
    near = clone(exact).set_params(n_centers=400, random_state=0).fit(X, y)
    assert np.abs(near.predict_proba(X) - exact.predict_proba(X)).mean() < 0.01
    coupled = PairwiseCouplingClassifier(KernelLogisticRegression(C=2.0, gamma=_gamma(exact))).fit(X, y)
    np.testing.assert_allclose(exact.predict_proba(X), coupled.predict_proba(X), atol=0.02)


def test_auto_chooses_centres_where_two_classes_are_many(rows, monkeypatch):
    X, y, _ = rows
    model = KernelLogisticRegression(C=2.0, multi_class="pairwise", random_state=0)
    assert len(clone(model).fit(X, y).support_) == 3000
    monkeypatch.setattr("kernelproba.estimators.kernel_logistic.center_pairs.EXACT_ROWS", 1500)
    many = clone(model).fit(X, y)
    assert len(many.support_) < 3000
    codes = np.searchsorted(many.classes_, y)
    assert mean_scores(many.predict_proba(X), codes, np.ones(3000))["log_loss"] < 0.95


def test_a_class_of_few_rows_has_a_centre(rows):
    X, y, _ = rows
    rare = y.astype("U4")
    rare[[5, 1700, 2900]] = "rare"
    model = KernelLogisticRegression(C=2.0, multi_class="pairwise", n_centers=30, random_state=0)
    assert (model.fit(MemoryRows(X), rare).n_support_ >= 1).all()
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pair_Cs": [1.0, 2.0]}, "leave pair_Cs out"),
        ({"centers": [[0.0] * 4]}, "centers to a rule"),
        ({"n_centers": None}, "set n_centers to a number"),
        ({"solver": "irls"}, "solved by progressive"),
    ],
)
def test_what_does_not_go_with_centres_is_refused(pairs, rows, settings, message):
    with pytest.raises(ValueError, match=message):
        clone(pairs).set_params(**settings).fit(MemoryRows(rows[0]), rows[1])


def test_all_rows_of_two_classes_are_refused_where_they_exceed_the_limit(rows):
    model = KernelLogisticRegression(multi_class="pairwise", n_centers=None, memory_limit="1MB")
    with pytest.raises(MemoryError, match=r"kernel matrix of \d+ rows"):
        model.fit(rows[0], rows[1])
