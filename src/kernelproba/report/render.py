"""A summary as a page, as Markdown or as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from kernelproba.atomic_file import replacing
from kernelproba.report.markdown import markdown
from kernelproba.report.page import page
from kernelproba.report.summary_types import Summary


def render(summary: Summary, format: str = "html") -> str:
    """Return the report as text.

    Parameters
    ----------
    summary : dict
        From `kernelproba.report.summary.summarise`.
    format : {"html", "md", "json"}, default="html"
        One page that needs no network, Markdown, or the summary itself.
    """
    if format not in _FORMATS:
        raise ValueError(f"format must be one of {', '.join(map(repr, _FORMATS))}, not {format!r}")
    return _FORMATS[format](summary)


def write_report(summary: Summary, path: str | os.PathLike, format: str | None = None) -> Path:
    """Write the report to a file, whole or not at all; return its path.

    Parameters
    ----------
    summary : dict
        From `summarise`.
    path : path
        Where to write; what is there is replaced.
    format : {"html", "md", "json"}, optional
        As in `render`; from the path's suffix if not given.

    See Also
    --------
    summarise : Makes the summary.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.report import summarise
    >>> X, y = load_iris(return_X_y=True)
    >>> summary = summarise(KernelLogisticRegression().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> with TemporaryDirectory() as folder:
    ...     write_report(summary, Path(folder) / "report.html").name
    'report.html'
    """
    target = Path(path)
    text = render(summary, format or _format_of(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r} for the report: make it first")
    with replacing(target) as draft:
        draft.write_text(text, encoding="utf8", newline="\n")
    return target


def _json(summary: Summary) -> str:
    return json.dumps(summary, ensure_ascii=False, allow_nan=False) + "\n"


_FORMATS: dict[str, Callable[[Summary], str]] = {"html": page, "md": markdown, "json": _json}
_SUFFIXES = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}


def _format_of(path: Path) -> str:
    try:
        return _SUFFIXES[path.suffix.lower()]
    except KeyError:
        raise ValueError(
            f"the name {path.name!r} does not say the format: end it with .html, .md or .json, or name one"
        ) from None
