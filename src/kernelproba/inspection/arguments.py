"""What reasons and slices are asked with: messages name the argument and say what to pass instead."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from kernelproba.typing import Classifier, MatrixLike


def check_whole_numbers(least: int, **arguments: object) -> None:
    """Complain of arguments that are no whole numbers, or are below the least."""
    for name, value in arguments.items():
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} must be a whole number and at least {least}, got {value!r}")


def check_probabilistic(model: Classifier) -> None:
    """Complain of what has no probabilities."""
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"model={model!r} has no predict_proba: pass a fitted classifier that has")


def check_matrices(**arguments: MatrixLike) -> None:
    """Complain of rows that are none, or that have no columns side by side."""
    for name, X in arguments.items():
        shape = shape_of(X)
        if len(shape) != 2:
            raise ValueError(f"{name} must have shape (n, d), but has {shape}: one row alone is [row]")
        if shape[0] == 0:
            raise ValueError(f"{name} has no rows: pass at least one")


def check_columns(**arguments: MatrixLike) -> None:
    """Complain, too, of rows whose columns cannot be mixed: sparse ones, and those of other columns."""
    check_matrices(**arguments)
    if any(issparse(X) for X in arguments.values()):
        raise ValueError("columns of sparse rows have no reasons of their own: pass dense rows")
    words = " and ".join(arguments)
    if len({shape_of(X)[1] for X in arguments.values()}) > 1:
        raise ValueError(f"{words} must have equally many columns: pass rows as the model was fitted on")
    named = [set(map(str, X.columns)) for X in arguments.values() if hasattr(X, "columns")]
    for name in sorted(named[0] ^ named[-1]) if named else ():
        raise ValueError(f"{words} must have the same columns, but only one has {name!r}: pass both alike")


def check_lengths(numbers: np.ndarray, **arguments: Sequence | None) -> None:
    """Complain of arguments that do not reach as far as these numbers (k,) of training rows."""
    needed = numbers.max(initial=-1) + 1
    for argument, values in arguments.items():
        if values is not None and len(values) < needed:
            raise ValueError(
                f"{argument} has {len(values)} rows, but the model was fitted on at least {needed}: "
                "pass the rows of the fit, in their order"
            )


def shape_of(X: MatrixLike | ArrayLike) -> tuple[int, ...]:
    """Return the shape of rows, which may be lists."""
    return tuple(X.shape) if hasattr(X, "shape") else np.shape(np.asarray(X))


__all__ = [
    "check_columns",
    "check_lengths",
    "check_matrices",
    "check_probabilistic",
    "check_whole_numbers",
    "shape_of",
]
