"""What a self-tuned fit follows from, by which a checkpoint tells its own stages from others."""

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.utils.extmath import row_norms

from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.linalg import densify
from kernelproba.rows.folds import Fold
from kernelproba.tuning.parameter_facts import digest, facts_of

#: Number of the format of stages; a larger one makes older folders foreign.
FORMAT = 2
#: Parameters that do not change what a stage finds, or of which the folds that they make tell more.
_IRRELEVANT = ("checkpoint", "max_time", "cv")


def run_identity(
    params: Mapping[str, object],
    given: Training | StoredTraining,
    sample: Training,
    classes: np.ndarray,
    folds: Sequence[Fold] | None,
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
    folds : sequence of Fold or None
        Those that the user asks for.
    """
    version = sys.modules["kernelproba"].__version__  # this module is below the one that has it
    facts: dict[str, object] = {"the version of kernelproba": f"{version}, format {FORMAT}"}
    facts |= {f"the parameter {name}": facts_of(params[name]) for name in params if name not in _IRRELEVANT}
    facts["the folds of cv"] = None if folds is None else [digest(*each.contents) for each in folds]
    mass, squares = _sums(given, len(classes))
    which = np.arange(1, len(classes) + 1)
    return facts | {
        "the number of rows": len(given.y),
        "the number of columns": int(sample.X.shape[1]),
        "the labels": [str(label) for label in classes],
        "the labels of rows": digest(np.asarray(given.y)),
        "a sample of the rows": digest(densify(sample.X), sample.y, sample.weight),
        "the weights": float(mass @ which),
        "the values of the rows": float(squares @ which),
    }


def _sums(given: Training | StoredTraining, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Σw and Σw‖x‖² of each class, (c,) each: rows that change places without their labels differ."""
    if isinstance(given, StoredTraining):
        return given.mass[:, 1], given.mass[:, 2]
    squares = given.sample_weight * row_norms(given.X, squared=True)
    return given.class_weights(n_classes), np.bincount(given.y, squares, n_classes)


__all__ = ["run_identity"]
