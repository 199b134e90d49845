"""The same fit from a Dask array, on a real cluster of two worker processes."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from kernelproba import KernelLogisticRegression, LeastSquaresProbabilisticClassifier

pytest.importorskip("distributed", reason="clusters need dask and distributed")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
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


@pytest.mark.usefixtures("client")
def test_unknown_chunks_and_split_columns_get_the_cure(rows, model):
    X, y, _ = chunked(rows)
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\)"):
        model.fit(X[X[:, 0] > 0], y)
    with pytest.raises(ValueError, match=r"X\.rechunk\({1: -1}\)"):
        model.fit(X.rechunk((700, 2)), y)
    with pytest.raises(ValueError, match=r"y\.compute_chunk_sizes\(\)"):
        model.fit(X, y[y == "a"])


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
