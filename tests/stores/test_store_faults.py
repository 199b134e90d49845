"""Stores at fault: the right answer, or an error that names the partition or file."""

import os

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import (
    ConformalClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachineCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)
from kernelproba.rows import MemoryRows, ParquetRows
from kernelproba.rows.cluster import DaskRows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
da = pytest.importorskip("dask.array")

FEATURES = ["x0", "x1", "x2", "x3"]


def write(path, X, **columns):
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])} | columns
    pq.write_table(pa.table(table), path, write_page_checksum=True)
    # Files may be written again within one tick of the clock.
    write.clock = getattr(write, "clock", 10**18) + 10**9
    os.utime(path, ns=(write.clock, write.clock))


@pytest.fixture
def folder(rows, tmp_path):
    """Three files of a hundred rows each."""
    X, y, _ = rows
    for part in range(3):
        here = slice(100 * part, 100 * part + 100)
        write(tmp_path / f"part{part}.parquet", X[here], label=y[here])
    return tmp_path


@pytest.fixture
def model():
    return KernelLogisticRegression(n_centers=20, centers="uniform", random_state=0)


def test_a_file_written_again_is_refused_by_name(rows, folder, model):
    stored = ParquetRows(folder, FEATURES, block_rows=64)
    y = stored.column("label")
    X = rows[0]
    write(folder / "part1.parquet", X[100:200][::-1], label=y[100:200][::-1])
    with pytest.raises(ValueError, match=r"part1\.parquet' has changed since it was opened"):
        model.fit(stored, y)
    with pytest.raises(ValueError, match=r"part1\.parquet' has changed"):
        stored.take(np.array([150]))
    model.fit(fresh := ParquetRows(folder, FEATURES), fresh.column("label"))


def test_a_file_written_between_two_passes_is_refused_by_name(rows, folder):
    stored = ParquetRows(folder, FEATURES, block_rows=64).in_blocks(32)
    stored.fold(len)
    write(folder / "part2.parquet", rows[0][:100])
    with pytest.raises(ValueError, match=r"part2\.parquet' has changed"):
        stored.fold(len)


@pytest.mark.parametrize("change", ["added", "removed"])
def test_a_file_that_comes_or_goes_is_refused_by_name(rows, folder, model, change):
    stored = ParquetRows(folder, FEATURES)
    y = stored.column("label")
    if change == "added":
        write(folder / "part3.parquet", rows[0][:100], label=y[:100])
    else:
        (folder / "part2.parquet").unlink()
    with pytest.raises(ValueError, match=rf"part\d\.parquet' was {change} since"):
        model.fit(stored, y)


def test_a_file_that_lacks_a_column_is_named(rows, folder):
    write(folder / "part1.parquet", rows[0][:100, :3])
    with pytest.raises(ValueError, match=r"part1\.parquet has no column 'x3'"):
        ParquetRows(folder, FEATURES)


def test_a_file_in_which_a_column_is_no_number_is_named(rows, folder):
    X = rows[0][:100]
    table = {name: X[:, j] for j, name in enumerate(FEATURES)} | {"x2": ["text"] * 100}
    pq.write_table(pa.table(table), folder / "part1.parquet")
    with pytest.raises(ValueError, match=r"part1\.parquet: column 'x2' is of type string"):
        ParquetRows(folder, FEATURES)


def test_columns_may_be_kept_in_other_orders_and_kinds_of_numbers(rows, folder):
    X = np.round(10 * rows[0][:300])
    for part, kind in enumerate([np.int16, np.float32, np.float64]):
        block = X[100 * part : 100 * part + 100].astype(kind)
        columns = {name: block[:, j] for j, name in list(enumerate(FEATURES))[:: -1 if part == 1 else 1]}
        pq.write_table(pa.table(columns), folder / f"part{part}.parquet")
    np.testing.assert_array_equal(ParquetRows(folder, FEATURES).whole(), X)


@pytest.mark.parametrize("damage", ["page", "footer", "half of it", "all of it"])
def test_a_damaged_file_is_named(rows, folder, model, damage):
    path = folder / "part1.parquet"
    stored = ParquetRows(folder, FEATURES)
    content, state = bytearray(path.read_bytes()), path.stat()
    if damage == "page":
        content[300:400] = bytes(100)
    elif damage == "footer":
        content[-60:-20] = bytes(40)
    elif damage == "half of it":
        content = content[: len(content) // 2]
    else:
        content = bytearray()
    path.write_bytes(content)
    os.utime(path, ns=(state.st_mtime_ns, state.st_mtime_ns))
    with pytest.raises(ValueError, match=r"part1\.parquet"):
        model.fit(stored, rows[1][:300])


def test_values_beyond_the_bounds_that_a_file_declares_are_damage(rows, tmp_path):
    X = rows[0][:200]
    path = tmp_path / "plain.parquet"
    columns = {f"x{j}": X[:, j] for j in range(4)}
    pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False)
    stored = ParquetRows(path)
    content, state = path.read_bytes(), path.stat()
    value = X[50, 2].tobytes()
    assert content.count(value) == 1
    path.write_bytes(content.replace(value, np.float64(1e6).tobytes()))
    os.utime(path, ns=(state.st_mtime_ns, state.st_mtime_ns))
    with pytest.raises(ValueError, match=r"plain\.parquet' is damaged: column 2"):
        stored.whole()


def test_a_gap_in_one_file_names_file_and_column(rows, folder, model):
    whole = ParquetRows(folder, FEATURES)
    fitted = clone(model).fit(whole, whole.column("label"))
    X = rows[0][:100].copy()
    X[77, 2] = np.nan
    write(folder / "part1.parquet", X, label=rows[1][:100])
    stored = ParquetRows(folder, FEATURES, block_rows=32)
    with pytest.raises(ValueError, match=r"NaN or infinity in column 'x2', row 77: .*part1\.parquet"):
        model.fit(stored, stored.column("label"))
    with pytest.raises(ValueError, match=r"NaN in row 77 of column 2.*part1\.parquet"):
        fitted.predict_proba(stored)


def test_a_gap_in_one_partition_names_partition_and_column(rows, model):
    X = rows[0][:300].copy()
    X[150, 1] = np.inf
    stored = da.from_array(X, chunks=(100, -1))
    with pytest.raises(ValueError, match=r"NaN or infinity in column 1, row 50: .*partition 1 of 3"):
        model.fit(stored, rows[1][:300])
    with pytest.raises(ValueError, match=r"column 1, row 150: .*rows 150 to 199"):
        model.fit(MemoryRows(X, 50), rows[1][:300])


def test_empty_files_and_partitions_change_nothing(rows, folder, model):
    X, y, _ = rows
    expected = model.fit(X[:300], y[:300]).predict_proba(X[:300])
    write(folder / "part00.parquet", X[:0], label=y[:0])
    write(folder / "part9.parquet", X[:0], label=y[:0])
    stored = ParquetRows(folder, FEATURES)
    assert len(stored) == 300
    found = model.fit(stored, stored.column("label")).predict_proba(stored)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    chunks = da.from_array(X[:300], chunks=((0, 120, 0, 180, 0), (4,)))
    found = model.fit(chunks, y[:300]).predict_proba(chunks)
    assert found.shape == (300, 3)
    np.testing.assert_allclose(found.compute(), expected, atol=1e-6)


def test_no_columns_at_all_are_refused(folder):
    with pytest.raises(ValueError, match="columns names no column"):
        ParquetRows(folder, [])


def test_no_rows_at_all_are_refused(rows, model, tmp_path):
    write(tmp_path / "none.parquet", rows[0][:0])
    with pytest.raises(ValueError, match="no rows"):
        model.fit(ParquetRows(tmp_path), [])
    with pytest.raises(ValueError, match="no rows"):
        DaskRows(da.zeros((0, 4)))


def test_a_class_of_one_partition_alone_is_learnt(rows):
    X, y, _ = rows
    order = np.argsort(y[:600], kind="stable")
    X, y = X[:600][order], y[:600][order]
    chunks = da.from_array(X, chunks=(150, -1)), da.from_array(y, chunks=200)
    for model in (
        KernelLogisticRegression(n_centers=20, random_state=0),
        LeastSquaresProbabilisticClassifier(centers=X[::30], random_state=0),
    ):
        expected = model.fit(X, y).predict_proba(X)
        found = model.fit(*chunks).predict_proba(chunks[0])
        assert model.classes_.tolist() == ["a", "b", "c"]
        np.testing.assert_allclose(found.compute(), expected, atol=1e-5)


def test_labels_of_another_length_or_with_gaps_are_refused(rows, model):
    X, y, _ = rows
    stored = da.from_array(X[:300], chunks=(100, -1))
    for labels in (y[:299], da.from_array(y[:299], chunks=100)):
        with pytest.raises(ValueError, match="y must have one entry for each of the 300 rows"):
            model.fit(stored, labels)
    gaps = y[:300].astype(object)
    gaps[7] = None
    with pytest.raises(ValueError, match="none of them missing"):
        model.fit(stored, gaps)
    with pytest.raises(ValueError, match="none of them missing"):
        model.fit(stored, da.from_array(gaps, chunks=100))


def test_a_column_of_texts_in_a_data_frame_is_refused_by_name(rows, model):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    table = pd.DataFrame({"size": rows[0][:60, 0], "colour": ["red"] * 60})
    with pytest.raises(ValueError, match=r"column 'colour'.*not numeric"):
        model.fit(dd.from_pandas(table, npartitions=2), rows[1][:60])


@pytest.mark.parametrize(
    "tuned",
    [
        ConformalClassifier(
            KernelLogisticRegression(n_centers=20, centers="uniform", tol=1e-8, random_state=0)
        ),
        KernelLogisticRegressionCV(kernel="rbf", random_state=0),
        LeastSquaresProbabilisticClassifierCV(),
        LinearProgrammingMachineCV([1.0], gammas=[0.5], cv=2),
        MaximumContrastClassifierCV([1.0], gammas=[0.5], cv=2),
        SparseKernelLogisticRegressionCV([1.0], cv=2),
    ],
    ids=lambda tuned: type(tuned).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_class_of_one_row_is_learnt_from_files_as_from_memory(rows, tuned, tmp_path):
    X, y = rows[0][:60], np.where(np.arange(60) == 59, "rare", np.where(rows[0][:60, 0] > 0, "a", "b"))
    write(tmp_path / "few.parquet", X)
    stored = ParquetRows(tmp_path / "few.parquet")
    expected = tuned.fit(X, y).predict_proba(X)
    assert tuned.fit(stored, y).classes_.tolist() == ["a", "b", "rare"]
    np.testing.assert_allclose(tuned.predict_proba(stored), expected, atol=1e-6)
