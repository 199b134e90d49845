"""Rows of text as a table for the terminal or for Markdown."""

from collections.abc import Sequence


def text_table(rows: Sequence[dict], columns: Sequence[str]) -> str:
    """Columns aligned by spaces, numbers to the right."""
    widths = {c: max(len(c), *(len(str(row[c])) for row in rows)) for c in columns}
    lines = [[c.ljust(widths[c]) for c in columns], ["─" * widths[c] for c in columns]]
    lines += [[_align(str(row[c]), widths[c]) for c in columns] for row in rows]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def markdown_table(rows: Sequence[dict], columns: Sequence[str]) -> str:
    """The same rows in Markdown; a bar in a text is escaped."""
    lines = [[_escape(c) for c in columns], ["---"] * len(columns)]
    lines += [[_escape(row[c]) for c in columns] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _escape(cell: object) -> str:
    return str(cell).replace("|", r"\|")


def _align(text: str, width: int) -> str:
    return text.rjust(width) if text[:1].isdigit() else text.ljust(width)
