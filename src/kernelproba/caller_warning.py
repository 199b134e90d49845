"""Warnings that point at the line of the user who called, however deep they arise."""

import sys
import warnings

#: Packages whose frames lie between the user and the place that warns.
_BETWEEN = frozenset({"kernelproba", "sklearn", "joblib", "contextlib", "threading", "concurrent"})


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and name the nearest line outside this package and those that call it on the user's behalf."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_between(module: str) -> bool:
    return module.partition(".")[0] in _BETWEEN
