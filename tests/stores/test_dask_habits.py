"""Dask collections as they come: filtered, unbalanced, partly empty, with categories, cut by columns."""

import threading
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegression

pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
cloudpickle = pytest.importorskip("cloudpickle")

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def table(rows):
    X, y, weight = rows
    return pd.DataFrame(X, columns=NAMES).assign(label=y, weight=weight)


def agree(model, other, X):
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-5)


def test_chunks_of_unknown_lengths_are_counted_and_the_array_stays_as_it_is(rows, model):
    X, y, _ = rows
    data = da.from_array(X, chunks=(700, -1))
    part = data[data[:, 0] > 0]
    labels = da.from_array(y, chunks=700)[data[:, 0] > 0]
    model.fit(part, labels)
    assert np.isnan(part.shape[0])
    P = model.predict_proba(part)
    assert P.compute().shape == ((X[:, 0] > 0).sum(), 3)
    agree(model, clone(model).fit(X[X[:, 0] > 0], y[X[:, 0] > 0]), X)


def test_a_filtered_frame_with_empty_and_unbalanced_partitions_gives_the_self_tuned_fit(search, table):
    frame = dd.from_pandas(table.sort_values("a", ignore_index=True), npartitions=7)
    frame = frame[frame["a"] > -0.3]  # the first partitions have nothing left, one has a little
    lengths = frame.map_partitions(len).compute()
    assert (lengths == 0).any()
    assert len(set(lengths)) > 2
    kept = table.sort_values("a", ignore_index=True).query("a > -0.3")
    lazy = clone(search).fit(frame[NAMES], frame["label"], frame["weight"] / 2 + 0.25)
    whole = clone(search).fit(kept[NAMES], kept["label"], kept["weight"] / 2 + 0.25)
    agree(lazy, whole, kept[NAMES])
    assert lazy.loo_scores_ == pytest.approx(whole.loo_scores_, abs=1e-5)
    np.testing.assert_allclose(lazy.loo_proba_.compute(), whole.loo_proba_, atol=1e-5)


@pytest.mark.parametrize("kind", ["category", "string", "object"])
def test_labels_may_be_categories_or_texts_of_any_kind(table, model, kind):
    frame = dd.from_pandas(table.astype({"label": kind}), npartitions=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(frame[NAMES], frame["label"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.feature_names_in_.tolist() == NAMES


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own
def test_files_of_one_class_each_are_read_with_their_labels(table, model, tmp_path):
    pytest.importorskip("pyarrow")
    table = table.sort_values("label", ignore_index=True)
    for label, part in table.groupby("label"):
        part.astype({"label": "category"}).to_parquet(tmp_path / f"{label}.parquet", index=False)
    frame = dd.read_parquet(tmp_path)
    # Read alone, a narrow column comes in fewer partitions than the frame has.
    assert frame["label"].optimize().npartitions < frame.npartitions
    model.fit(frame[NAMES], frame["label"], frame["weight"])
    agree(model, clone(model).fit(table[NAMES], table["label"], table["weight"]), table[NAMES])


def test_columns_of_categories_are_refused_by_name_and_flags_and_nullable_numbers_are_taken(table, model):
    typed = table.assign(
        kind=pd.Categorical(np.where(table["a"] > 0, "u", "v")),
        flag=table["b"] > 0,
        count=pd.array(np.arange(3000) % 5, dtype="Int64"),
    )
    frame = dd.from_pandas(typed, npartitions=3)
    with pytest.raises(ValueError, match="column 'kind' is of type category"):
        model.fit(frame[["a", "kind"]], frame["label"])
    columns = ["a", "flag", "count"]
    model.fit(frame[columns], frame["label"])
    plain = clone(model).fit(typed[columns].astype(float), typed["label"])
    agree(model, plain, typed[columns].astype(float))


@pytest.mark.parametrize("kind", ["int64", "int8", "float16", "object"])
def test_numbers_of_any_type_give_the_self_tuned_fit_of_the_same_in_memory(search, rows, kind):
    X, y = np.round(2 * rows[0]).astype(kind), rows[1]
    whole = clone(search).fit(X, y)
    data = da.from_array(X, chunks=(700, -1))
    lazy = clone(search).fit(data, da.from_array(y, chunks=700))
    agree(lazy, whole, X)
    np.testing.assert_allclose(whole.predict_proba(data), whole.predict_proba(X), atol=1e-5)


def test_dates_are_refused_by_their_type(model, rows):
    data = da.from_array(np.zeros((3000, 2), "datetime64[s]"), chunks=(700, -1))
    with pytest.raises(ValueError, match=r"type datetime64\[s\]: make real numbers of it"):
        model.fit(data, rows[1])


def test_a_class_in_one_partition_only_is_known_everywhere(search, table):
    rare = table.assign(label=np.where(np.arange(3000) >= 2980, "rare", table["label"]))
    frame = dd.from_pandas(rare, npartitions=4)
    lazy = clone(search).fit(frame[NAMES], frame["label"])
    assert lazy.classes_.tolist() == ["a", "b", "c", "rare"]
    agree(lazy, clone(search).fit(rare[NAMES], rare["label"]), rare[NAMES])


def test_chunks_that_are_cut_by_columns_are_put_together(rows, model, in_memory):
    X, y, weight = rows
    data = da.from_array(X, chunks=(700, 2))
    model.fit(data, y, weight)
    np.testing.assert_allclose(model.predict_proba(data).compute(), in_memory, atol=1e-6)


def test_predictions_are_lazy_and_know_their_shape_type_and_name(table, model):
    frame = dd.from_pandas(table, npartitions=3)
    model.fit(frame[NAMES], frame["label"])
    P, labels = model.predict_proba(frame[NAMES]), model.predict(frame[NAMES])
    assert P.shape == (3000, 3)
    assert P.dtype == P.compute().dtype == np.float64
    assert labels.dtype == labels.compute().dtype == model.classes_.dtype
    assert P[:10].compute().shape == (10, 3)


def test_what_is_known_of_the_rows_of_training_does_not_travel_to_workers(rows, model):
    X, y, _ = rows
    model.fit(X, y)
    model.loo_proba_ = np.zeros(10**6)
    lazy = model.predict_proba(da.from_array(X, chunks=(700, -1)))
    assert len(cloudpickle.dumps(lazy.dask)) < 10**6
    assert model.loo_proba_.shape == (10**6,)


def test_who_listens_to_a_fit_does_not_travel_to_workers(rows, model):
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")

    class Bar:
        def __init__(self):
            self.lock = threading.Lock()  # cannot be pickled

        def setup(self, estimator, context):
            pass

        on_fit_task_begin = on_fit_task_end = teardown = setup

    X, y, _ = rows
    data = da.from_array(X, chunks=(1500, -1))
    model.set_callbacks(Bar()).fit(data, y)
    assert cloudpickle.dumps(model.predict_proba(data).dask)


def test_tasks_are_named_after_what_they_do(rows):
    from kernelproba.rows.cluster import DaskRows

    store = DaskRows(da.from_array(rows[0], chunks=(700, -1)))
    names = {key[0] for key in store.map(_row_sums).dask if isinstance(key, tuple)}
    assert any(str(name).startswith("row_sums-") for name in names)


def _row_sums(block):
    return block.sum(axis=1)


def test_persisted_rows_and_labels_of_other_chunks_agree(rows, model, in_memory):
    X, y, weight = rows
    data = da.from_array(X, chunks=((1, 2000, 999), -1)).persist()
    model.fit(data, da.from_array(y, chunks=123), weight)
    assert isinstance(model, KernelLogisticRegression)
    np.testing.assert_allclose(model.predict_proba(X), in_memory, atol=1e-6)
