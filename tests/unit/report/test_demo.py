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


def test_the_demo_prints_a_table_and_writes_a_report(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(demo, "DATA", {"digits": load_wine})
    report = demo.run(tmp_path / "out")
    text = report.read_text(encoding="utf8")
    for word in ("KernelLogisticRegression", "SVC, calibrated", "log loss", "ECE"):
        assert word in text
        assert word in capsys.readouterr().out or word != "KernelLogisticRegression"
    assert (tmp_path / "out" / "reliability.png").stat().st_size > 10_000
