"""The same fit from a Dask array, on a real cluster of two worker processes."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import (
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
)
from kernelproba.rows import ParquetRows
from kernelproba.rows.cluster import DaskRows, worker_memory

pytest.importorskip("distributed", reason="clusters need dask and distributed")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def chunked(rows, size=700):
    X, y, weight = rows
    return (
        da.from_array(X, chunks=(size, -1)),
        da.from_array(y, chunks=size),
        da.from_array(weight, chunks=size),
    )


@pytest.mark.usefixtures("client")
def test_a_dask_array_gives_the_fit_of_the_array(rows, model, in_memory):
    X, y, weight = chunked(rows)
    model.fit(X, y, weight)
    P = model.predict_proba(X)
    assert isinstance(P, da.Array)
    assert P.chunks == (X.chunks[0], (3,))
    np.testing.assert_allclose(P.compute(), in_memory, atol=1e-6)
    labels = model.predict(X)
    assert isinstance(labels, da.Array)
    assert (labels.compute() == model.predict(rows[0])).all()


@pytest.mark.usefixtures("client")
def test_a_data_frame_gives_the_fit_of_the_array(rows, model, in_memory):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    X, y, weight = rows
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=3)
    model.fit(frame, y, weight)
    np.testing.assert_allclose(model.predict_proba(frame).compute(), in_memory, atol=1e-6)


def test_killing_a_worker_in_the_middle_of_a_fit_does_not_change_the_result(client, rows, model, in_memory):
    X, y, weight = chunked(rows, 500)
    slow = X.map_blocks(_slowly, dtype=X.dtype)
    model.set_params(memory_limit=1_200_000)  # features are computed at every pass, from the slow rows
    pids = client.run(os.getpid)
    killer = threading.Timer(1.0, os.kill, (next(iter(pids.values())), signal.SIGKILL))
    killer.start()
    model.fit(slow, y, weight)
    assert not killer.is_alive()  # it struck before the end
    assert set(client.run(os.getpid).values()) != set(pids.values())
    np.testing.assert_allclose(model.predict_proba(rows[0]), in_memory, atol=1e-6)


def _slowly(block):
    time.sleep(0.02)
    return block


def test_features_are_kept_only_if_the_workers_have_room_for_them(client, rows):
    limits = [worker["memory_limit"] for worker in client.scheduler_info()["workers"].values()]
    assert worker_memory() == 0.5 * sum(limits)
    store = DaskRows(chunked(rows)[0])
    kept = store.features(_doubled, 4, budget=10**12)
    assert len(kept.data.dask) == len(store.data.chunks[0])  # nothing but results
    wide = DaskRows(da.zeros((10**9, 50), chunks=(10**6, -1)))
    lazy = wide.features(_doubled, 50, budget=10**15)
    assert len(lazy.data.dask) > len(wide.data.chunks[0])


def _doubled(block):
    return 2 * block


@pytest.mark.usefixtures("client")
def test_gaps_are_refused_wherever_they_lie(rows, model):
    X = rows[0].copy()
    X[2999, 0] = np.inf
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.fit(da.from_array(X, chunks=(1000, -1)), rows[1])


def test_chunks_without_a_cluster_work_too(rows, in_memory):
    X, y, weight = chunked(rows)
    model = KernelLogisticRegression(C=2.0, n_centers=40, centers="uniform", tol=1e-5, random_state=0)
    np.testing.assert_allclose(model.fit(X, y, weight).predict_proba(rows[0]), in_memory, atol=1e-6)


@pytest.mark.usefixtures("client")
def test_least_squares_posteriors_take_one_pass_and_give_the_fit_of_the_array(rows):
    X, y, weight = rows
    model = LeastSquaresProbabilisticClassifier(centers=X[:60], random_state=0)
    expected = model.fit(X, y, weight).predict_proba(X)
    dX, dy, dw = chunked(rows)
    P = model.fit(dX, dy, dw).predict_proba(dX)
    assert isinstance(P, da.Array)
    np.testing.assert_allclose(P.compute(), expected, atol=1e-10)


@pytest.fixture(scope="module")
def self_tuned(rows):
    """Everything left to the search, on rows in memory."""
    X, y, _ = rows
    search = KernelLogisticRegressionCV(kernel="rbf", max_rows=300, n_centers=40, tol=1e-5, random_state=0)
    return search.fit(X, y)


def test_files_give_the_model_of_the_array_if_everything_is_searched(rows, self_tuned, tmp_path):
    X, y, _ = rows
    pd = pytest.importorskip("pandas")
    pd.DataFrame(X, columns=list("abcd")).to_parquet(tmp_path / "rows.parquet", index=False)
    store = ParquetRows(tmp_path, block_rows=512)
    model = clone(self_tuned).fit(store, y)
    assert model.best_params_ == self_tuned.best_params_
    np.testing.assert_allclose(model.predict_proba(store), self_tuned.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(model.loo_proba_, self_tuned.loo_proba_, atol=1e-5)


def test_a_cluster_whose_workers_die_in_every_stage_gives_the_self_tuned_model_of_the_array(
    client, rows, self_tuned
):
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")
    X, y, _ = rows
    stages, killed = ["candidate", "fit of all rows", "fit without a fold"], []

    class Killer:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):  # noqa: ARG002
            if context.task_name in stages and getattr(context.task_name, "n_rows", 0) != 300:
                stages.remove(context.task_name)
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[-1], signal.SIGKILL)

        def on_fit_task_end(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

    model = clone(self_tuned).set_callbacks(Killer())
    model.fit(da.from_array(X, chunks=(1500, -1)), da.from_array(y, chunks=1500))
    assert stages == []
    assert not set(killed) & set(client.run(os.getpid).values())
    np.testing.assert_allclose(model.predict_proba(X), self_tuned.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(model.loo_proba_.compute(), self_tuned.loo_proba_, atol=1e-5)


def test_a_cluster_that_shrinks_and_grows_in_every_stage_gives_the_self_tuned_model_of_the_array(
    client, rows, self_tuned
):
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")
    X, y, _ = rows
    sizes, seen = {"candidate": 1, "fit of all rows": 2, "fit without a fold": 1}, []

    class Scaler:
        """Does what an adaptive cluster does: workers are told to hand over what they keep, and go."""

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):  # noqa: ARG002
            size = sizes.pop(context.task_name, None)
            if size is not None:
                client.cluster.scale(size)
                seen.append(size)

        def on_fit_task_end(self, estimator, context):
            pass

        def teardown(self, estimator, context):  # noqa: ARG002
            client.cluster.scale(2)

    model = clone(self_tuned).set_callbacks(Scaler())
    persisted = da.from_array(X, chunks=(500, -1)).persist()
    model.fit(persisted, da.from_array(y, chunks=500))
    assert seen == [1, 2, 1]
    np.testing.assert_allclose(model.predict_proba(persisted), self_tuned.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(model.loo_proba_.compute(), self_tuned.loo_proba_, atol=1e-5)
