"""What a self-tuned fit follows from, by which a checkpoint tells its own stages from others."""

import hashlib
import sys
from collections.abc import Mapping
from numbers import Number

import numpy as np
from sklearn.utils.extmath import row_norms

from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.kernels import Kernel
from kernelproba.linalg import densify

#: Number of the format of stages; a larger one makes older folders foreign.
FORMAT = 2
#: Parameters that do not change what a stage finds.
_IRRELEVANT = ("checkpoint", "max_time")
#: Entries up to which a list is shown as it is.
_SHORT = 20


def run_identity(
    params: Mapping[str, object], given: Training | StoredTraining, sample: Training, classes: np.ndarray
) -> dict[str, object]:
    """Facts of a fit, by names that a message can show.

    Parameters
    ----------
    params : mapping
        Of the estimator.
    given : Training or StoredTraining
        All rows.
    sample : Training
        Some of them, in memory.
    classes : array of shape (c,)
        Labels.
    """
    version = sys.modules["kernelproba"].__version__  # this module is below the one that has it
    facts: dict[str, object] = {"the version of kernelproba": f"{version}, format {FORMAT}"}
    facts |= {f"the parameter {name}": _described(params[name]) for name in params if name not in _IRRELEVANT}
    mass, squares = _sums(given, len(classes))
    which = np.arange(1, len(classes) + 1)
    return facts | {
        "the number of rows": len(given.y),
        "the number of columns": int(sample.X.shape[1]),
        "the labels": [str(label) for label in classes],
        "the labels of rows": _digest(np.asarray(given.y)),
        "a sample of the rows": _digest(densify(sample.X), sample.y, sample.weight),
        "the weights": float(mass @ which),
        "the values of the rows": float(squares @ which),
    }


def _sums(given: Training | StoredTraining, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Σw and Σw‖x‖² of each class, (c,) each: rows that change places without their labels differ."""
    if isinstance(given, StoredTraining):
        return given.mass[:, 1], given.mass[:, 2]
    squares = given.sample_weight * row_norms(given.X, squared=True)
    return given.class_weights(n_classes), np.bincount(given.y, squares, n_classes)


def _digest(*arrays: np.ndarray) -> str:
    """Digest of arrays, whatever type of integer they are stored in."""
    found = hashlib.sha256()
    for array in arrays:
        kind = np.int64 if array.dtype.kind in "iu" else np.float64
        for start in range(0, len(array), 1_000_000):
            found.update(array[start : start + 1_000_000].astype(kind).tobytes())
    return found.hexdigest()[:32]


def _described(value: object) -> object:
    """A parameter as JSON has it."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Number):
        return repr(value)
    if isinstance(value, Kernel | dict):
        return repr(value)
    if isinstance(value, list | tuple | np.ndarray):
        entries = np.asarray(value)
        return repr(entries.tolist()) if entries.size <= _SHORT else _digest(entries.ravel())
    return getattr(value, "__qualname__", type(value).__qualname__)


__all__ = ["run_identity"]
