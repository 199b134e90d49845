"""The same fit from every store that one process can walk."""

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegression, LeastSquaresProbabilisticClassifier
from kernelproba.rows import MemoryRows, ParquetRows, memory_budget

pa = pytest.importorskip("pyarrow", reason="Parquet stores need pyarrow")


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Rows in three Parquet files of different lengths, with the labels in a column of their own."""
    import pyarrow.parquet as pq

    X, y, _ = rows
    path = tmp_path_factory.mktemp("parquet")
    for part, (start, stop) in enumerate([(0, 1000), (1000, 1100), (1100, 3000)]):
        columns = {f"x{j}": X[start:stop, j] for j in range(X.shape[1])}
        pq.write_table(pa.table(columns | {"label": y[start:stop]}), path / f"part{part}.parquet")
    return path


FEATURES = ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("block_rows", [128, 1000, None])
def test_blocks_of_any_length_give_the_fit_of_the_whole(rows, model, in_memory, block_rows):
    X, y, weight = rows
    model.fit(MemoryRows(X, block_rows), y, weight)
    np.testing.assert_allclose(model.predict_proba(X), in_memory, atol=1e-6)


def test_a_memory_map_gives_the_fit_of_the_array(rows, model, in_memory, tmp_path):
    X, y, weight = rows
    np.save(tmp_path / "X.npy", X)
    model.fit(np.load(tmp_path / "X.npy", mmap_mode="r"), y, weight)
    np.testing.assert_allclose(model.predict_proba(X), in_memory, atol=1e-6)


def test_a_folder_of_parquet_files_gives_the_fit_of_the_array(rows, model, in_memory, folder):
    stored = ParquetRows(folder, FEATURES, block_rows=256)
    model.fit(stored, stored.column("label"), rows[2])
    np.testing.assert_allclose(model.predict_proba(stored), in_memory, atol=1e-6)
    table = pytest.importorskip("pandas").DataFrame(rows[0], columns=FEATURES)
    assert (model.predict(stored) == model.predict(table)).all()


def test_too_little_memory_for_the_features_changes_nothing_but_the_time(rows, in_memory):
    X, y, weight = rows
    small = KernelLogisticRegression(
        C=2.0, n_centers=40, centers="uniform", tol=1e-5, memory_limit=1_200_000, random_state=0
    )
    np.testing.assert_allclose(small.fit(X, y, weight).predict_proba(X), in_memory, atol=1e-6)


def test_rows_of_parquet_files_stand_in_the_order_of_the_files(rows, folder):
    stored = ParquetRows(folder, FEATURES, block_rows=300)
    X = rows[0]
    assert (len(stored), stored.width) == X.shape
    index = np.array([2999, 0, 1050, 7])
    np.testing.assert_array_equal(stored.take(index), X[index])
    np.testing.assert_array_equal(np.concatenate([block for _, block in stored.blocks()]), X)


def test_a_text_column_or_an_unknown_one_is_refused_by_name(folder):
    with pytest.raises(ValueError, match="'label' is of type string"):
        ParquetRows(folder)
    with pytest.raises(ValueError, match="no column 'x9'"):
        ParquetRows(folder, ["x9"])
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        ParquetRows(folder / "absent")


def test_a_file_that_is_no_parquet_says_so(tmp_path):
    (tmp_path / "a.parquet").write_text("plain text")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        ParquetRows(tmp_path / "a.parquet")


def test_gaps_labels_and_weights_that_do_not_fit_are_refused(rows, model):
    X, y, weight = rows
    hole = X.copy()
    hole[5, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.fit(MemoryRows(hole), y)
    with pytest.raises(ValueError, match="y must have one entry"):
        model.fit(MemoryRows(X), y[:-1])
    with pytest.raises(ValueError, match="one class only"):
        model.fit(MemoryRows(X), np.repeat("a", len(X)))
    with pytest.raises(ValueError, match="not negative"):
        model.fit(MemoryRows(X), y, -weight)
    with pytest.raises(ValueError, match="need n_centers"):
        KernelLogisticRegression(n_centers=None).fit(MemoryRows(X), y)
    with pytest.raises(ValueError, match="set n_centers to a number"):
        KernelLogisticRegression(multi_class="pairwise", n_centers=None).fit(MemoryRows(X), y)
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.fit(MemoryRows(X), y).predict_proba(MemoryRows(X[:, :2]))


def test_class_weights_and_their_undoing_are_those_of_the_fit_from_memory(rows):
    X, y, weight = rows
    for undo in (True, "class_weight"):
        options = {"class_weight": "balanced", "undo_weights": undo, "n_centers": 30, "tol": 1e-5}
        model = KernelLogisticRegression(**options, random_state=0)
        expected = model.fit(X, y, weight).predict_proba(X)
        found = model.fit(MemoryRows(X, 500), y, weight).predict_proba(X)
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("limit", "size"), [("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), (1000, 1000), ("64", 64)]
)
def test_memory_limits_are_read_as_written(limit, size):
    assert memory_budget(limit) == size


@pytest.mark.parametrize("limit", ["lots", "-2GB", "", "1..5GB"])
def test_a_memory_limit_that_is_none_is_refused(limit):
    with pytest.raises(ValueError, match="memory_limit"):
        memory_budget(limit)


@pytest.mark.parametrize("centers", ["class", "given"])
def test_least_squares_posteriors_from_a_folder_are_those_of_the_array(rows, folder, centers):
    X, y, weight = rows
    model = LeastSquaresProbabilisticClassifier(
        centers=X[:50] if centers == "given" else centers,
        n_centers=None if centers == "given" else 25,
        class_weight="balanced",
        random_state=0,
    )
    expected = model.fit(X, y, weight).predict_proba(X)
    stored = ParquetRows(folder, FEATURES, block_rows=500)
    found = model.fit(stored, stored.column("label"), weight).predict_proba(stored)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_least_squares_posteriors_of_stored_rows_need_a_number_of_centres(rows):
    with pytest.raises(ValueError, match="need a number of centres"):
        LeastSquaresProbabilisticClassifier().fit(MemoryRows(rows[0]), rows[1])


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e8])
def test_the_rule_scale_finds_the_same_gamma_in_every_store_however_far_from_zero(rows, offset):
    X, y, weight = rows
    X = X[:900] + offset
    weight = np.where(np.arange(900) % 3, weight[:900], 0)
    model = KernelLogisticRegression(n_centers=20, random_state=0)
    widths = [
        clone(model).fit(store, y[:900], weight).kernel_.length_scale
        for store in (X, MemoryRows(X, 100), MemoryRows(X, 7), MemoryRows(X))
    ]
    assert widths == pytest.approx([widths[0]] * 4, rel=1e-15 if offset == 0 else 1e-9)
