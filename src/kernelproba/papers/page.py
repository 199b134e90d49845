"""The page of a paper: a document of plain values for JSON, and its Markdown."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelproba.atomic_file import replacing
from kernelproba.papers.paper import Paper, Picture, Results, Table
from kernelproba.report.json_values import json_value
from kernelproba.report.table import markdown_table

_DPI = 110


def write_page(
    paper: Paper, results: Results, facts: dict[str, object], folder: Path, stem: str
) -> dict[str, object]:
    """Write STEM_*.png, STEM.json and STEM.md, each whole or not at all; return what is in the JSON.

    Parameters
    ----------
    paper : Paper
        What to show.
    results : mapping
        Of its finished tasks.
    facts : dict
        What the runner knows: mode, command, tasks, warnings, machines.
    folder : Path
        Where the files go.
    stem : str
        First part of the files' names.
    """
    head = {"paper": paper.name, "title": paper.title, "reference": paper.reference}
    words = {"protocol": paper.protocol.strip(), "findings": paper.findings(results).strip()}
    tables = [_document_table(table) for table in paper.tables(results)]
    figures = _save_pictures(paper.figures(results), folder, stem)
    document = json_value({**head, **facts, **words, "tables": tables, "figures": figures})
    with replacing(folder / f"{stem}.json") as draft:
        draft.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
    with replacing(folder / f"{stem}.md") as draft:
        draft.write_text(render_document(document), encoding="utf8")
    return document


def render_document(document: dict[str, Any]) -> str:
    """Return the Markdown of a document, as `write_page` makes it."""
    parts = [f"# {document['title']}", document["reference"], f"Regenerate: `{document['command']}`."]
    done, of = document["tasks"]["done"], document["tasks"]["of"]
    if done < of:
        parts.append(f"**Not complete:** {done} of {of} tasks are done.")
    parts += [document["protocol"]]
    for table in document["tables"]:
        parts.append(f"## {table['title']}")
        parts.append(markdown_table(cells(table["rows"]), list(table["rows"][0])))
    parts += [f"![{figure['caption']}]({figure['file']})" for figure in document["figures"]]
    if document["findings"]:
        parts += ["## What it says", document["findings"]]
    return "\n\n".join([*parts, *_notes(document)]) + "\n"


def cells(rows: Sequence[Mapping[str, object]]) -> list[dict[str, str]]:
    """Return the cells of a table as texts."""
    return [{column: _cell(value) for column, value in row.items()} for row in rows]


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return _with_error(value["mean"], value["error"])
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def _with_error(mean: float, error: float | None) -> str:
    """Give both with two decimals, or as many as show two digits of the error."""
    if error is None:
        return f"{mean:.2f}"
    decimals = max(2, 1 - math.floor(math.log10(error))) if error > 0 else 2
    return f"{mean:.{decimals}f} ± {error:.{decimals}f}"


def _document_table(table: Table) -> dict[str, object]:
    if not table.rows:
        raise ValueError(f"the table {table.title!r} has no rows")
    return {"title": table.title, "rows": table.rows}


def _save_pictures(pictures: Iterable[Picture], folder: Path, stem: str) -> list[dict[str, str]]:
    saved = []
    for name, caption, figure in pictures:
        path = folder / f"{stem}_{name}.png"
        with replacing(path) as draft:
            figure.savefig(draft, dpi=_DPI, format="png")
        saved.append({"file": path.name, "caption": caption})
    return saved


def _notes(document: dict[str, Any]) -> list[str]:
    counts = [f"{text} in {count} tasks" for text, count in document["warnings"].items()]
    machines = [
        ", ".join(f"{k} {v}" for k, v in facts.items() if v is not None) for facts in document["machines"]
    ]
    notes = [f"Warnings: {'; '.join(counts)}."] if counts else []
    return [*notes, *(f"Machine: {facts}." for facts in machines)]
