"""The demo and its tables."""

import pytest
from sklearn.datasets import load_wine

from kernelproba.report import demo
from kernelproba.report.table import markdown_table, text_table

ROWS = [{"name": "a|b", "value": "1.5"}, {"name": "longer", "value": "12"}]


def test_a_text_table_aligns_numbers_to_the_right():
    assert text_table(ROWS, ["name", "value"]).splitlines()[2:] == ["a|b       1.5", "longer     12"]


def test_a_markdown_table_escapes_bars():
    assert markdown_table(ROWS, ["name", "value"]).splitlines()[2] == r"| a\|b | 1.5 |"


def test_the_demo_prints_a_table_and_the_path_of_the_report_that_it_writes(tmp_path, monkeypatch, capsys):
    pytest.importorskip("jinja2")
    monkeypatch.setattr(demo, "DATA", {"red wine": load_wine})
    (report,) = demo.run_demo(tmp_path / "out", command="the tour")
    printed = capsys.readouterr().out
    assert report.name == "red-wine.html"
    assert str(report) in printed
    table = [line for line in printed.splitlines() if line.startswith("red wine")]
    assert len(table) == len(demo.methods())
    page = report.read_text(encoding="utf8")
    for word in (*demo.methods(), "class_2", "proline", "the tour"):
        assert word in page
