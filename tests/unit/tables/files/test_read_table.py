"""Tables of every format, read right."""

import gzip
import io
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from kernelproba.tables import TableError, read_table
from kernelproba.tables.files.table_format import open_table
from kernelproba.tables.files.text_layout import lay_out

FRAME = pd.DataFrame(
    {
        "name": ["Müller", "Meier", None, "Öztürk"],
        "price": [1234.5, 0.5, 7.0, np.nan],
        "count": [1.0, 2.0, 3.0, 4.0],
        "paid": [True, False, True, True],
        "day": pd.to_datetime(["2020-12-31", "2021-01-01", None, "2021-06-05"]),
    }
)

TEXT = "name,price,count,paid,day\nMüller,1234.5,1,true,2020-12-31\nMeier,0.5,2,false,2021-01-01\n,7,3,true,\nÖztürk,,4,true,2021-06-05\n"  # noqa: E501
GERMAN = "name;price;count;paid;day\nMüller;1.234,50;1;true;31.12.2020\nMeier;0,5;2;false;01.01.2021\n;7;3;true;\nÖztürk;;4;true;05.06.2021\n"  # noqa: E501


def zipped(text):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("table.csv", text)
    return buffer.getvalue()


TEXTS = {
    "plain.csv": TEXT.encode(),
    "mark.csv": TEXT.encode("utf-8-sig"),
    "windows.csv": TEXT.replace("\n", "\r\n").encode(),
    "macintosh.csv": TEXT.replace("\n", "\r").encode(),
    "latin.csv": TEXT.encode("latin-1"),
    "utf16.csv": TEXT.encode("utf-16"),
    "utf16-without-mark.csv": TEXT.encode("utf-16-le"),
    "tabs.tsv": TEXT.replace(",", "\t").encode(),
    "bars.txt": TEXT.replace(",", "|").encode(),
    "semicolons.csv": GERMAN.encode(),
    "sep.csv": f"sep=;\n{GERMAN}".encode(),
    "blank-lines-first.csv": f"\n  \n\n{TEXT}".encode(),
    "title-first.csv": f"Report of 2021\n\n{TEXT}".encode(),
    "title-in-a-cell.csv": f"Report of 2021;;;;\n;;;;\n{GERMAN}".encode(),
    "title-with-a-comma.csv": f"Report, 2021\n{GERMAN}".encode(),
    "comments-first.csv": f"# made by hand, 2021\n# twice\n{TEXT}".encode(),
    "blanks-around.csv": TEXT.replace(",", " , ").encode(),
    "no-suffix": TEXT.encode(),
    "strange.data": TEXT.encode(),
    "packed.csv.gz": gzip.compress(TEXT.encode()),
    "packed.gz": gzip.compress(TEXT.encode()),
    "packed.zip": zipped(TEXT),
    "packed.csv.zip": zipped(TEXT),
    "american.csv": TEXT.replace("1234.5", '"$1,234.50"').replace("2020-12-31", "12/31/2020")
    .replace("2021-01-01", "01/01/2021").replace("2021-06-05", "06/05/2021").encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_every_layout_give_the_same_table(tmp_path, name):
    (tmp_path / name).write_bytes(TEXTS[name])
    pd.testing.assert_frame_equal(normal(read_table(tmp_path / name)), normal(FRAME))


def normal(frame):
    """The same values in the same types, whatever pandas calls them."""
    return frame.assign(
        name=frame["name"].astype(object).where(frame["name"].notna(), None),
        paid=frame["paid"].astype(bool),
        day=frame["day"].astype("datetime64[us]"),
    )


WRITERS = {
    "t.parquet": lambda path: FRAME.to_parquet(path),
    "t.feather": lambda path: FRAME.to_feather(path),
    "t.jsonl": lambda path: FRAME.to_json(path, orient="records", lines=True, date_format="iso"),
    "t.xlsx": lambda path: FRAME.to_excel(path, index=False),
    "list.json": lambda path: FRAME.to_json(path, orient="records", date_format="iso"),
    "workbook-without-suffix": lambda path: FRAME.to_excel(path, index=False, engine="openpyxl"),
    "parquet-without-suffix": lambda path: FRAME.to_parquet(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_with_types_give_the_same_table(tmp_path, name):
    WRITERS[name](tmp_path / name)
    pd.testing.assert_frame_equal(normal(read_table(tmp_path / name)), normal(FRAME))


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    FRAME[:3].to_parquet(tmp_path / "1.parquet")
    FRAME[FRAME.columns[::-1]][3:].to_parquet(tmp_path / "2.parquet")
    (tmp_path / "_SUCCESS").touch()
    FRAME.to_feather(tmp_path / "whole.feather")
    pd.testing.assert_frame_equal(read_table(tmp_path), read_table(tmp_path / "whole.feather"))
    shares, table = [], open_table(tmp_path)
    prices = [batch.column(0).to_pylist() for batch in table.batches(["price"], shares.append)]
    assert [price for part in prices for price in part][:3] == [1234.5, 0.5, 7.0]
    assert shares[-1] == 1


def test_a_folder_of_other_files_is_refused_by_what_it_lacks(tmp_path):
    with pytest.raises(TableError, match="a folder without Parquet files"):
        read_table(tmp_path)
    FRAME.to_parquet(tmp_path / "1.parquet")
    FRAME.drop(columns="price").to_parquet(tmp_path / "2.parquet")
    with pytest.raises(TableError, match=r"2.parquet has other columns than .*1.parquet"):
        read_table(tmp_path)


def test_the_standard_input_is_a_table(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    pd.testing.assert_frame_equal(normal(read_table("-")), normal(FRAME))


def test_a_sheet_may_be_named(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"a": [1]}).to_excel(book, sheet_name="first", index=False)
        pd.DataFrame({"b": [2, 3]}).to_excel(book, sheet_name="second", index=False)
    assert read_table(tmp_path / "t.xlsx").shape == (1, 1)
    assert read_table(tmp_path / "t.xlsx", sheet="second")["b"].tolist() == [2, 3]


HEADERLESS = {
    "numbers": "5.1,3.5,setosa\n4.9,3.0,setosa\n6.1,2.2,versicolor\n6.2,2.9,versicolor\n",
    "words": "x,y,n\ny,x,m\nx,x,n\ny,y,m\nx,y,n\n",
    "gaps": "5.1,3.5,setosa\n4.9,NA,setosa\nNA,2.2,versicolor\n6.2,2.9,versicolor\n",
    "a gap first": "5.1,NA,setosa\n4.9,3.0,setosa\n6.1,2.2,versicolor\n6.2,2.9,versicolor\n",
    "dates": "2020-01-01,5\n2020-01-02,6\n2020-01-03,7\n2020-01-04,5\n",
}


@pytest.mark.parametrize("text", HEADERLESS.values(), ids=HEADERLESS)
def test_a_file_without_a_header_loses_no_row(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    frame = read_table(tmp_path / "t.csv")
    assert len(frame) == text.count("\n")
    assert frame.columns[0] == "column 1"
    assert len(read_table(tmp_path / "t.csv", header=True)) == len(frame) - 1


HEADED = {
    "years": "country,2019,2020\nChad,3.5,4.1\nPeru,2.5,3.1\nCuba,7.5,8.1\n",
    "names": "a,b\n1,2\n3,4\n5,6\n",
    "words": "sex,town\nf,x\nm,y\nf,y\nm,x\n",
    "short": "1,2\n3,4\n",
}


@pytest.mark.parametrize("text", HEADED.values(), ids=HEADED)
def test_a_header_is_a_header(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    assert list(read_table(tmp_path / "t.csv").columns) == text.partition("\n")[0].split(",")
    assert "column 1" in read_table(tmp_path / "t.csv", header=False).columns


def test_quoted_line_ends_do_not_end_a_row(tmp_path):
    (tmp_path / "t.csv").write_text('"two\nlines",b\n"x\ny",1\nz,2\n')
    frame = read_table(tmp_path / "t.csv")
    assert frame.columns.tolist() == ["two\nlines", "b"]
    assert frame.iloc[:, 0].tolist() == ["x\ny", "z"]


def test_a_decimal_comma_in_one_column_settles_the_others(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c\n1,5;1.234;1\n2,25;5.678;2\n3;9.999;3\n")
    frame = read_table(tmp_path / "t.csv")
    assert frame["b"].tolist() == [1234, 5678, 9999]
    assert frame["a"].tolist() == [1.5, 2.25, 3]


def test_kinds_are_as_the_user_says(tmp_path):
    (tmp_path / "t.csv").write_text("code,age,day\n1,30,01/02/2020\n2,unknown,03/04/2020\n3,50,05/06/2020\n")
    frame = read_table(tmp_path / "t.csv", kinds={"code": "category", "age": "number"}, day_first=True)
    assert frame["code"].tolist() == ["1", "2", "3"]
    np.testing.assert_array_equal(frame["age"], [30, np.nan, 50])
    assert frame["day"].dt.month.tolist() == [2, 4, 6]


def test_many_rows_in_another_encoding(tmp_path):
    rows = 300_000
    (tmp_path / "t.csv").write_bytes(("ä;b\n" + "ö;1\n" * rows).encode("utf-16"))
    frame = read_table(tmp_path / "t.csv")
    assert frame.shape == (rows, 2)
    assert set(frame["ä"]) == {"ö"}


BAD = {
    "zero bytes": (b"a,b\n1,\x002\n", "zero bytes"),
    "two files": (None, "holds 2 files"),
    "no archive": (b"PK\x03\x04 no archive", "cannot be unpacked"),
    "late bad letters": (b"a,b\n" + b"x,1\n" * 2_000_000 + b"\xe9,1\n", "--encoding"),
    "no such encoding": (b"a,b\n1,2\n", "klingon"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_said(tmp_path, name):
    content, message = BAD[name]
    path = tmp_path / ("t.zip" if "archive" in name or "files" in name else "t.csv")
    if content is None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", "x")
            archive.writestr("b.csv", "x")
    else:
        path.write_bytes(content)
    with pytest.raises(TableError, match=message):
        read_table(path, **({"encoding": "klingon"} if "encoding" in name else {}))


def workbook(path, rows, formats=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for place, shown in formats:
        book.active[place].number_format = shown
    book.save(path)


@pytest.mark.parametrize("delimiter", ["ab", ",,", '"', "\n", "\0", "§", "\\t"])
def test_a_delimiter_that_cannot_part_fields_is_refused_by_name(tmp_path, delimiter):
    (tmp_path / "table.csv").write_text(TEXT, encoding="utf8")
    with pytest.raises(TableError, match=r"the delimiter .* cannot part fields: give one character"):
        read_table(tmp_path / "table.csv", delimiter=delimiter)


def test_cells_that_are_shown_as_percentages_are_read_as_they_are_shown(tmp_path):
    rows = [["share", "rate"], [0.57, 0.5], [0.125, 2]]
    formats = [("A2", "0.0%"), ("A3", "0%"), ("B2", '0.0"%"'), ("B3", r"0\%")]
    workbook(tmp_path / "t.xlsx", rows, formats)
    read = read_table(tmp_path / "t.xlsx")
    assert read["share"].tolist() == [57, 12.5]
    assert read["rate"].tolist() == [0.5, 2]  # the sign is part of the text: nothing is scaled


def test_lines_above_the_names_of_a_sheet_are_a_title(tmp_path):
    workbook(tmp_path / "t.xlsx", [["Sales of 2020"], [], [None, "a", "b"], [None, 1, "x"], [None, 2, "y"]])
    read = read_table(tmp_path / "t.xlsx")
    assert read.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_a_sheet_without_names_loses_no_row(tmp_path):
    workbook(tmp_path / "t.xlsx", [[1, "x"], [2, "y"], [3, "x"], [2, "x"], [1, "y"]])
    assert read_table(tmp_path / "t.xlsx")["column 1"].tolist() == [1, 2, 3, 2, 1]
    assert read_table(tmp_path / "t.xlsx", header=True).columns.tolist() == ["1", "x"]


def test_digits_of_dates_are_dates_whatever_the_file(tmp_path):
    pd.DataFrame({"day": [20201231, 20210102]}).to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet", kinds={"day": "date"})
    assert read["day"].tolist() == [pd.Timestamp("2020-12-31"), pd.Timestamp("2021-01-02")]


def test_a_commented_line_of_names_is_the_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"#{TEXT}")
    assert list(read_table(path).columns) == ["#name", *FRAME.columns[1:]]


def test_a_row_that_lacks_fields_makes_no_title_of_the_lines_above_it():
    ragged = "a,b,c\n1,2,3\n4,,\n5\n6,7,8\n9,9,9\n"
    assert lay_out(ragged, None, None).names == ["a", "b", "c"]
    assert lay_out(ragged, None, None).title == 0
