"""The papers by name."""

from __future__ import annotations

from importlib import import_module

from kernelproba.papers.paper import Paper

#: Each is the name of a module here, which has a `PAPER`.
_NAMES: tuple[str, ...] = ("corona2016", "meinicke2002", "roth2001", "shim2007", "sugiyama2010")


def names() -> tuple[str, ...]:
    """Names of the papers, in alphabetical order."""
    return _NAMES


def find(name: str) -> Paper:
    """Return a paper by its name."""
    if name not in _NAMES:
        raise ValueError(f"no paper is called {name!r}; the names are {', '.join(_NAMES)}")
    return import_module(f".{name}", __package__).PAPER
