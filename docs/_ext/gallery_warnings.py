"""Warnings are errors while an example of the gallery runs, and only then."""

import warnings

_saved: list = []


def as_errors(_gallery_conf, _name, when):
    """Called by sphinx-gallery before and after each example."""
    if when == "before":
        _saved.append(warnings.filters[:])
        warnings.simplefilter("error")
    elif _saved:
        warnings.filters[:] = _saved.pop()
