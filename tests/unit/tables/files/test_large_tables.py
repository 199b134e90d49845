"""Parquet that exceeds memory: rows are drawn from it without ever reading it whole."""

import numpy as np
import pandas as pd
import pytest

from kernelproba.tables.files import typed_files
from kernelproba.tables.files.table_format import open_table
from kernelproba.tables.training_table import TableSelection, read_training_table

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


@pytest.mark.usefixtures("little_memory")
def test_rows_have_their_numbers_in_the_file(path):
    drawn = training(path)
    np.testing.assert_array_equal(drawn.X["row"] + 1, drawn.X.index)
    np.testing.assert_array_equal(drawn.y, frame()["label"].to_numpy()[drawn.X.index - 1].astype(str))
