"""Timing by ratio in one interleaved run, and results as JSON and Markdown.

Machines are noisy: contestants run in turn, repeatedly, and medians are compared within one run.
"""

import json
from pathlib import Path

import numpy as np

from kernelproba.papers.machine import machine
from kernelproba.papers.stopwatch import interleaved
from kernelproba.report.table import markdown_table

__all__ = ["RESULTS", "interleaved", "machine", "mean_and_error", "write"]

RESULTS = Path(__file__).parent.parent / "docs" / "results"


def mean_and_error(values: np.ndarray) -> str:
    """Mean and its standard error; one value has none."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.2f} ± {error:.2f}"


def write(name: str, title: str, text: str, rows: list[dict], where: dict) -> Path:
    """Write docs/results/NAME.json and NAME.md, a function of the former; return the page's path."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    record = {"machine": where, "title": title, "text": text.strip(), "rows": rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    page = RESULTS / f"{name}.md"
    page.write_text(f"# {title}\n\n{text.strip()}\n\n{measured(record)}", encoding="utf8")
    return page


def recorded(name: str) -> list[dict]:
    """Return the rows of docs/results/NAME.json, none if there is no such file yet."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf8"))["rows"] if path.exists() else []


def measured(record: dict) -> str:
    """The end of a page, which is all numbers: the table and the machine."""
    columns = list(record["rows"][0])
    shown = [{c: _cell(row[c]) for c in columns} for row in record["rows"]]
    facts = ", ".join(f"{key} {value}" for key, value in record["machine"].items())
    return f"{markdown_table(shown, columns)}\n\nMachine: {facts}.\n"


def _cell(value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
