"""Smaller models say nearly the same, and claim nothing that no longer holds."""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import (
    ConformalClassifier,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    MinimumRiskClassifier,
    SparseKernelLogisticRegression,
    TableClassifier,
    TableEncoder,
)
from kernelproba.compression import compress

compress_module = importlib.import_module("kernelproba.compression.compress")


@pytest.fixture(scope="module")
def blobs():
    """Three overlapping classes: training rows, and new ones."""
    X, y = make_blobs(600, n_features=3, centers=4, cluster_std=3.0, random_state=0)
    return X[:300], y[:300] % 3, X[300:], y[300:] % 3


@pytest.fixture(scope="module")
def softmax(blobs):
    return KernelLogisticRegression(C=5, gamma=0.05).fit(*blobs[:2])


@pytest.fixture(scope="module")
def pairwise(blobs):
    return KernelLogisticRegression(C=5, gamma=0.05, multi_class="pairwise").fit(*blobs[:2])


def divergence(P, Q):
    return float((P * np.log(P / Q)).sum(axis=1).mean())


@pytest.mark.parametrize("kind", ["softmax", "pairwise"])
def test_a_tenth_of_the_centres_says_nearly_the_same(kind, blobs, request):
    model, (_, _, X_new, y_new) = request.getfixturevalue(kind), blobs
    small = compress(model, n_centers=30)
    assert type(small) is type(model)
    assert len(small.support_) == small.dual_coef_.shape[1] == 30
    P, Q = model.predict_proba(X_new), small.predict_proba(X_new)
    assert divergence(P, Q) < 0.01
    assert log_loss(y_new, Q) < 1.03 * log_loss(y_new, P)
    assert small.compression_["n_centers_before"] == 300
    assert small.compression_["mean_kl"] < 0.01


@pytest.mark.parametrize("kind", ["softmax", "pairwise"])
def test_all_centres_leave_the_probabilities_as_they_are(kind, blobs, request):
    model = request.getfixturevalue(kind)
    same = compress(model, n_centers=300)
    assert divergence(model.predict_proba(blobs[2]), same.predict_proba(blobs[2])) < 1e-5


def test_the_model_stays_as_it_is(softmax, blobs):
    before = softmax.predict_proba(blobs[2]), set(vars(softmax))
    compress(softmax, n_centers=10)
    np.testing.assert_array_equal(softmax.predict_proba(blobs[2]), before[0])
    assert set(vars(softmax)) == before[1]


def test_two_classes_have_one_score(blobs):
    X, y, X_new, _ = blobs
    model = KernelLogisticRegression(C=5, gamma=0.05).fit(X, y == 0)
    small = compress(model, n_centers=25)
    assert small.dual_coef_.shape == (1, 25)
    assert divergence(model.predict_proba(X_new), small.predict_proba(X_new)) < 0.003


def test_max_loss_keeps_as_few_centres_as_it_allows(softmax):
    small = compress(softmax, max_loss=0.01)
    assert small.compression_["mean_kl"] <= 0.01
    fewer = compress(softmax, n_centers=int(0.7 * len(small.support_)))
    assert fewer.compression_["mean_kl"] > 0.01


class Curve:
    """Functions whose divergence falls with the number of their centres as a curve does."""

    n_centers = largest = 3000

    def __init__(self, divergence):
        self.divergence, self.tried = divergence, []

    def reduce(self, size):
        self.tried.append(size)
        return SimpleNamespace(mean_kl=self.divergence(size) if size < self.largest else 0.0, size=size)


@pytest.mark.parametrize("max_loss", [10.0, 0.3, 1e-2, 1e-3, 1e-6, 1e-30])
@pytest.mark.parametrize(
    "divergence",
    [
        lambda size: 5 / size,
        lambda size: 40.0 * size**-2.5,
        lambda size: np.exp(-size / 50),
        lambda size: 1.0 if size < 700 else 1e-9,
    ],
    ids=["hyperbola", "power", "exponential", "cliff"],
)
def test_the_search_ends_within_a_twentieth_of_the_fewest_centres(divergence, max_loss):
    curve = Curve(divergence)
    found = compress_module._smallest(curve, max_loss).size
    fewest = next((size for size in range(1, 3000) if divergence(size) <= max_loss), 3000)
    assert fewest <= found <= 1.05 * fewest + 1
    assert len(curve.tried) <= 9 + 8  # doubling, then narrowing
    assert len(set(curve.tried)) == len(curve.tried)


def test_the_stated_divergence_is_of_rows_without_a_part_in_the_fit(softmax, blobs):
    X_new = blobs[2]
    small = compress(softmax, X_new, n_centers=20)
    assert small.compression_["n_rows"] == len(X_new) // 5
    true = divergence(softmax.predict_proba(X_new), small.predict_proba(X_new))
    assert 0.4 * true < small.compression_["mean_kl"] < 2.5 * true


@pytest.fixture(scope="module")
def tuned(blobs):
    return KernelLogisticRegressionCV(random_state=0, Cs=[1.0, 10.0]).fit(blobs[0][:150], blobs[1][:150])


def test_a_pool_of_kernels_is_compressed_together(tuned, blobs):
    small = compress(tuned, n_centers=30)
    assert all(len(model.support_) <= 30 for model in small.estimators_)
    assert divergence(tuned.predict_proba(blobs[2]), small.predict_proba(blobs[2])) < 0.01
    assert small.temperature_ == tuned.temperature_


def test_nothing_is_claimed_that_no_longer_holds(tuned, softmax, blobs):
    small = compress(tuned, n_centers=30)
    for name in ("loo_proba_", "loo_scores_", "loo_label_proba_"):
        assert not hasattr(small, name)
    plain = compress(softmax, n_centers=30)
    assert not hasattr(plain, "objective_")
    for model in (small, plain):
        with pytest.raises(ValueError, match="compressed model has not kept"):
            model.novelty_score(blobs[2][:2])
        with pytest.raises(ValueError, match="compressed model has not kept"):
            model.predict_proba_interval(blobs[2][:2])


def test_reasons_add_up_to_the_scores(softmax, blobs):
    pytest.importorskip("pandas")
    from kernelproba.inspection import explain

    small = compress(softmax, n_centers=20)
    lines = explain(small, blobs[2][:3], top=3)
    totals = lines.groupby(["explained", "class"])["contribution"].sum().unstack().to_numpy()
    np.testing.assert_allclose(totals, small.decision_function(blobs[2][:3]), atol=1e-9)
    assert set(lines.loc[lines["term"] == "row", "row"]) <= set(small.support_)


def test_models_are_found_in_their_wrappings(blobs):
    X, y, X_new, _ = blobs
    inner, scaler = KernelLogisticRegression(C=5), StandardScaler().fit(X)
    bare = compress(inner.fit(scaler.transform(X), y), n_centers=25)
    for wrapped in (
        make_pipeline(scaler, inner),
        GridSearchCV(make_pipeline(scaler, inner), {"kernellogisticregression__C": [5]}, cv=2),
        make_pipeline(scaler, MinimumRiskClassifier(inner)),
        make_pipeline(scaler, TableClassifier(inner, TableEncoder(numbers="standard"))),
    ):
        model = wrapped.fit(X, y)
        small = compress(model, n_centers=25)
        assert type(small) is type(model)
        assert small.compression_ == pytest.approx(bare.compression_)
        expected = bare.predict_proba(scaler.transform(X_new))
        np.testing.assert_allclose(small.predict_proba(X_new), expected, atol=1e-6)


def test_sparse_models_become_sparser(blobs):
    X, y, X_new, _ = blobs
    model = SparseKernelLogisticRegression(C=20, gamma=0.05).fit(X, y)
    small = compress(model, X, n_centers=len(model.support_) // 2)
    assert small.n_kernels_ == len(small.support_) == len(model.support_) // 2
    assert divergence(model.predict_proba(X_new), small.predict_proba(X_new)) < 0.02


def test_sparse_rows_are_compressed_without_filling_them(blobs):
    import scipy.sparse as sp

    X, y, *_ = blobs
    sparse = KernelLogisticRegression(C=5, gamma=0.05).fit(sp.csr_array(X), y)
    dense = KernelLogisticRegression(C=5, gamma=0.05).fit(X, y)
    small, same = compress(sparse, n_centers=20), compress(dense, n_centers=20)
    assert sp.issparse(small.support_vectors_)
    np.testing.assert_allclose(small.predict_proba(X), same.predict_proba(X), atol=1e-3)


def test_a_compressed_model_is_saved_and_loaded(tuned, blobs, tmp_path):
    pytest.importorskip("skops")
    from kernelproba.persistence import load_model, save_model

    small = compress(tuned, n_centers=20)
    save_model(tuned, tmp_path / "model.skops")
    save_model(small, tmp_path / "small.skops")
    loaded = load_model(tmp_path / "small.skops")
    np.testing.assert_array_equal(loaded.predict_proba(blobs[2]), small.predict_proba(blobs[2]))
    assert loaded.compression_ == small.compression_
    assert (tmp_path / "small.skops").stat().st_size < (tmp_path / "model.skops").stat().st_size


def test_what_cannot_be_compressed_is_refused_with_a_cure(softmax, blobs):
    X, y, *_ = blobs
    with pytest.raises(NotFittedError):
        compress(KernelLogisticRegression(), n_centers=5)
    with pytest.raises(ValueError, match="one of the two"):
        compress(softmax)
    with pytest.raises(ValueError, match="one of the two"):
        compress(softmax, n_centers=5, max_loss=0.1)
    for wrong in ({"n_centers": 0}, {"n_centers": 2.5}, {"max_loss": 0.0}, {"max_loss": float("nan")}):
        with pytest.raises(ValueError, match="must be a"):
            compress(softmax, **wrong)
    with pytest.raises(ValueError, match="KernelDensityClassifier cannot be compressed"):
        compress(KernelDensityClassifier().fit(X, y), n_centers=5)
    with pytest.raises(ValueError, match="Compress what is inside"):
        compress(ConformalClassifier(softmax).fit(X, y), X, n_centers=5)
    with pytest.raises(ValueError, match="no centres at all"):
        compress(SparseKernelLogisticRegression(C=1e-9).fit(X, y), n_centers=5)
    precomputed = KernelLogisticRegression(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="positive definite"):
        compress(precomputed, n_centers=5)
    twice = compress(compress(softmax, n_centers=40), n_centers=20)
    assert len(twice.support_) == 20


def test_rows_may_be_sparse_where_those_of_the_fit_were_not(softmax, blobs):
    X = blobs[0][:50]
    dense, sparse = (compress(softmax, rows, n_centers=5).compression_ for rows in (X, csr_array(X)))
    assert sparse == pytest.approx(dense)
