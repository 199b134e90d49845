"""Parquet that exceeds memory: rows are drawn from it without ever reading it whole."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from kernelproba.tables.files import typed_files
from kernelproba.tables.files.table_format import open_table
from kernelproba.tables.training_table import TableSelection, draw_rows, read_training_table

NUMBERS = np.arange(300)


def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"number": rng.standard_normal(300).round(3), "word": rng.choice(["a", "b"], 300)})
    label = pd.Series(np.where(rng.random(300) < 0.3, "yes", "no"), dtype=object)
    label[NUMBERS % 50 == 7] = None
    label[123] = "rare"
    return table.assign(row=NUMBERS, label=label)


@pytest.fixture(params=["one file", "a folder"])
def path(request, tmp_path):
    table = frame()
    if request.param == "one file":
        table.to_parquet(tmp_path / "table.parquet", row_group_size=64)
        return tmp_path / "table.parquet"
    for number, part in enumerate(np.array_split(NUMBERS, 3)):
        table.iloc[part].to_parquet(tmp_path / f"part{number}.parquet", row_group_size=30)
    return tmp_path


@pytest.fixture
def little_memory(monkeypatch):
    """Act as if the machine had less memory than the table takes."""
    monkeypatch.setattr(typed_files, "physical_memory", lambda: 1000)
    for kind in (typed_files.ParquetTable, typed_files.ParquetFolder):
        monkeypatch.setattr(kind, "read", lambda _: pytest.fail("the table was read whole"))


def training(path, **choice):
    return read_training_table(open_table(path), TableSelection("label", max_rows=80, **choice))


def test_the_rows_that_are_drawn_are_the_same_as_from_memory(path, request):
    whole = training(path, beside="row")
    request.getfixturevalue("little_memory")
    part = training(path, beside="row")
    pd.testing.assert_frame_equal(part.X, whole.X)
    pd.testing.assert_series_equal(part.beside, whole.beside)
    np.testing.assert_array_equal(part.y, whole.y)
    assert part.readings == whole.readings
    assert "rare" in part.y
    assert [note for note in part.notes if note not in whole.notes] == [
        f"{path.name} is read in parts: columns are known by the rows that were drawn"
    ]


def test_a_text_that_the_file_knows_once_takes_memory_wherever_it_stands(tmp_path, monkeypatch):
    path = tmp_path / "texts.parquet"
    pd.DataFrame({"text": ["x" * 1000] * 3000, "label": ["a", "b"] * 1500}).to_parquet(path)
    assert path.stat().st_size < 30_000
    for memory, exceeds in ((20e6, True), (100e6, False)):
        monkeypatch.setattr(typed_files, "physical_memory", lambda memory=memory: memory)
        assert open_table(path).exceeds_memory is exceeds


def test_few_rows_are_drawn_from_many_without_a_list_of_all():
    y = np.repeat(["many", "few", "one"], [200_000, 2, 1])
    tracemalloc.start()
    drawn = draw_rows(y, 1000, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 * len(y)
    assert len(drawn) == len(np.unique(drawn)) == 1000
    assert {"few", "one"} <= set(y[drawn])
    assert abs(drawn[y[drawn] == "many"].mean() / 100_000 - 1) < 0.1
    assert len(draw_rows(y, 2, seed=0)) == 3


def test_reading_in_parts_tells_how_far_it_is(path, request):
    request.getfixturevalue("little_memory")
    shares = []
    read_training_table(open_table(path), TableSelection("label", max_rows=80), shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.usefixtures("little_memory")
def test_rows_have_their_numbers_in_the_file(path):
    drawn = training(path)
    np.testing.assert_array_equal(drawn.X["row"] + 1, drawn.X.index)
    np.testing.assert_array_equal(drawn.y, frame()["label"].to_numpy()[drawn.X.index - 1].astype(str))
