"""The self-tuned fit is the same from every store: a sample by row number is searched, all are fitted."""

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba.rows import MemoryRows, ParquetRows
from kernelproba.scoring import mean_scores

pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("pyarrow")

NAMES = ["x0", "x1", "x2", "x3"]


@pytest.fixture(scope="module")
def weighted(rows):
    """Weights that are no counts: otherwise a row of weight two would help to predict itself."""
    X, y, weight = rows
    return X, y, weight / 2 + 0.25


@pytest.fixture(scope="module")
def in_memory(search, weighted):
    return clone(search).fit(*weighted)


@pytest.fixture(scope="module")
def stored(weighted, tmp_path_factory):
    """The rows as a memory map, in Parquet files, as a Dask array and as a Dask data frame."""
    X = weighted[0]
    path = tmp_path_factory.mktemp("self-tuned")
    np.save(path / "X.npy", X)
    table = pd.DataFrame(X, columns=NAMES)
    for part, rows in enumerate([slice(0, 1000), slice(1000, 1100), slice(1100, 3000)]):
        table[rows].to_parquet(path / f"part{part}.parquet", index=False)
    return {
        "blocks": MemoryRows(X, 512),
        "memory map": np.load(path / "X.npy", mmap_mode="r"),
        "parquet": ParquetRows(path, block_rows=256),
        "dask array": da.from_array(X, chunks=(700, -1)),
        "dask frame": dd.from_pandas(table, npartitions=3),
    }


@pytest.mark.parametrize("store", ["blocks", "memory map", "parquet", "dask array", "dask frame"])
def test_every_store_gives_the_self_tuned_model_of_the_array(search, weighted, in_memory, stored, store):
    X, y, weight = weighted
    rows = stored[store]
    labels = da.from_array(y, chunks=700) if store == "dask array" else y
    model = clone(search).fit(rows, labels, weight)
    assert model.best_params_ == in_memory.best_params_
    assert model.loo_scores_ == pytest.approx(in_memory.loo_scores_, abs=1e-5)
    expected, lazy = in_memory.predict_proba(X), store.startswith("dask")
    for P, wanted in [(model.predict_proba(rows), expected), (model.loo_proba_, in_memory.loo_proba_)]:
        assert hasattr(P, "compute") == lazy
        np.testing.assert_allclose(np.asarray(P), wanted, atol=1e-5)
    np.testing.assert_allclose(np.asarray(model.loo_label_proba_), in_memory.loo_label_proba_, atol=1e-5)
    if store in ("parquet", "dask frame"):
        assert model.feature_names_in_.tolist() == NAMES


def test_left_out_probabilities_are_those_of_models_that_have_not_seen_the_row(weighted, in_memory):
    _, y, weight = weighted
    codes = np.searchsorted(in_memory.classes_, y)
    assert in_memory.loo_method_ == "folds"
    assert in_memory.loo_scores_ == pytest.approx(mean_scores(in_memory.loo_proba_, codes, weight), abs=1e-9)
    rng = np.random.default_rng(5)
    fresh = rng.standard_normal((4000, 4))
    scores = np.stack([np.sin(2 * fresh[:, 0]), fresh[:, 1] * fresh[:, 2], np.zeros(4000)], axis=1) * 2
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    outside = mean_scores(in_memory.predict_proba(fresh), labels, np.ones(4000))
    assert in_memory.loo_scores_["log_loss"] == pytest.approx(outside["log_loss"], abs=0.04)


def test_rows_of_weight_zero_are_predicted_but_not_learned_from(search, weighted):
    X, y, weight = weighted
    spoiled, masked = y.copy(), weight.copy()
    spoiled[::7], masked[::7] = "c", 0.0
    model = clone(search).fit(MemoryRows(X), spoiled, masked)
    other = clone(search).fit(MemoryRows(X), y, masked)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert np.isnan(model.loo_label_proba_[::7]).all()
    assert np.isfinite(model.loo_proba_).all()


@pytest.mark.parametrize("store", ["blocks", "parquet", "dask array", "dask frame"])
def test_rows_of_weight_zero_change_nothing_in_any_store(search, weighted, stored, store):
    X, y, weight = weighted
    masked = np.where(np.arange(3000) % 3 == 0, 0.0, weight)
    labels = np.where(np.arange(3000) == 300, "of no weight", y.astype("U12"))
    expected = clone(search).set_params(tol=1e-2).fit(X, labels, masked)
    found = clone(expected).fit(stored[store], labels, masked)
    assert found.classes_.tolist() == expected.classes_.tolist() == ["a", "b", "c"]
    assert found.best_params_ == expected.best_params_
    assert found.loo_scores_ == pytest.approx(expected.loo_scores_, abs=1e-8)
    for name in ("loo_proba_", "loo_label_proba_"):
        np.testing.assert_allclose(np.asarray(getattr(found, name)), getattr(expected, name), atol=1e-8)
    P = np.asarray(found.predict_proba(stored[store]))
    np.testing.assert_allclose(P, expected.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(found.best_estimator_.support_, expected.best_estimator_.support_)


@pytest.mark.filterwarnings("ignore:.*at the same place as others")  # they are copies
def test_copies_of_few_rows_some_of_weight_zero_are_tuned_on_a_cluster_as_in_memory(search, weighted):
    copied = np.arange(900) % 150
    X, y, weight = weighted[0][copied], weighted[1][copied], np.where(np.arange(900) % 4 == 0, 0.0, 1.0)
    found = clone(search).fit(da.from_array(X, chunks=(400, -1)), y, weight)
    np.testing.assert_allclose(found.loo_proba_, clone(search).fit(X, y, weight).loo_proba_, atol=1e-12)


def test_files_in_single_precision_give_the_model_of_the_array(search, weighted, tmp_path):
    X = weighted[0].astype(np.float32)
    pd.DataFrame(X, columns=NAMES).to_parquet(tmp_path / "single.parquet", index=False)
    store = ParquetRows(tmp_path)
    assert store.whole().dtype == store.take(np.arange(3)).dtype == np.float32
    expected, found = (clone(search).fit(rows, weighted[1]) for rows in (X, store))
    np.testing.assert_allclose(found.loo_proba_, expected.loo_proba_, atol=1e-8)


def test_a_class_of_few_rows_is_in_the_sample(search, weighted):
    X, y, weight = weighted
    rare = y.astype("U4")
    rare[[5, 1700, 2900]] = "rare"
    model = clone(search).fit(MemoryRows(X), rare, weight)
    assert model.predict_proba(X).shape == (3000, 4)
    assert np.isfinite(model.loo_scores_["log_loss"])


def test_few_stored_rows_are_tuned_as_if_they_were_in_memory(search, weighted):
    X, y, weight = (part[:200] for part in weighted)
    found = clone(search).fit(MemoryRows(X, 60), y, weight)
    expected = clone(search).fit(X, y, weight)
    np.testing.assert_allclose(found.loo_proba_, expected.loo_proba_, atol=1e-12)


@pytest.mark.parametrize("store", ["blocks", "dask array"])
def test_stored_copies_of_few_rows_are_tuned_as_if_they_were_in_memory(search, weighted, store):
    rng = np.random.default_rng(3)
    copied = rng.integers(150, size=1500)
    X, y = weighted[0][copied], rng.permutation(weighted[1])[:1500]
    rows = MemoryRows(X, 60) if store == "blocks" else da.from_array(X, chunks=(400, -1))
    found, expected = clone(search).fit(rows, y), clone(search).fit(X, y)
    assert expected.loo_method_ == found.loo_method_
    np.testing.assert_allclose(np.asarray(found.loo_proba_), expected.loo_proba_, atol=1e-12)


def test_a_model_of_a_cluster_is_saved_without_what_is_lazy(search, weighted, stored, tmp_path):
    from kernelproba.persistence import load_model, save_model

    quick = clone(search).set_params(Cs=[3.0], gammas=[0.3], tol=1e-2)
    model = quick.fit(stored["dask array"], weighted[1])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    assert not hasattr(again, "loo_proba_")
    np.testing.assert_allclose(again.predict_proba(weighted[0]), model.predict_proba(weighted[0]))
