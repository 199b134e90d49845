"""Columns and slices of the report as Markdown."""

from __future__ import annotations

from kernelproba.report.column_wording import (
    dependence_text,
    importance_text,
    shown_importance,
    slices_text,
    verdict,
)
from kernelproba.report.markdown_text import escape, lines_table
from kernelproba.report.summary_types import ColumnsSummary, SlicesSummary


def columns_part(columns: ColumnsSummary) -> str:
    """Which columns matter, and how."""
    if not columns["importance"]:
        return escape(columns["reason"])
    rows = [
        (escape(each["column"]), f"{each['importance']:.3f}", f"{each['low']:.3f} to {each['high']:.3f}")
        for each in shown_importance(columns)
    ]
    how = "\n".join(f"- {escape(dependence_text(each))}" for each in columns["dependence"])
    table = lines_table(["column", "rise of the log loss if shuffled", "95% interval"], rows)
    return "\n\n".join(part for part in (escape(importance_text(columns)), table, how) if part)


def slices_part(slices: SlicesSummary) -> str:
    """Slices that are harder than the other rows."""
    rows = [
        (escape(each["column"]), escape(each["slice"]), each["rows"], f"{each['error']:.1%}",
         f"{each['log_loss']:.3f}", f"{each['expected']:.3f}", f"{each['elsewhere']:.3f}",
         f"{each['p_value']:.1g}", verdict(each))
        for each in slices["harder"]
    ]  # fmt: skip
    columns = ["column", "value", "rows", "error", "log loss", "expected", "elsewhere", "p-value", "verdict"]
    return escape(slices_text(slices)) + (f"\n\n{lines_table(columns, rows)}" if rows else "")
