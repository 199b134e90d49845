"""Results for people: summarise → rows → render.

`compare` fits rivals on the same folds, `summarise` describes a model on rows that it has not seen, and
`write_report` makes a page of that, in HTML, Markdown or JSON.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelproba.report.about import About
    from kernelproba.report.comparison import compare, rivals
    from kernelproba.report.render import write_report
    from kernelproba.report.summary import summarise, summarise_predictions

__all__ = ["About", "compare", "rivals", "summarise", "summarise_predictions", "write_report"]

_MODULES = {
    "About": "about",
    "compare": "comparison",
    "rivals": "comparison",
    "summarise": "summary",
    "summarise_predictions": "summary",
    "write_report": "render",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: the command line should not wait for rivals that it does not fit."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
