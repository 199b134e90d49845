"""What a model file needs for sets of labels: how fits without a row judge its label."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.terminal import Terminal
    from kernelproba.estimators.conformal import ConformalClassifier
    from kernelproba.report.label_sets import LabelSets
    from kernelproba.tables import TableClassifier
    from kernelproba.tables.training_table import TrainingTable


def calibrate_sets(
    terminal: Terminal, model: TableClassifier, table: TrainingTable, *, grouped: bool, wanted: bool | None
) -> tuple[ConformalClassifier | None, dict[str, object]]:
    """Fit a model to folds of its rows, if sets of labels need that; return the result and what to say of it.

    Leave-one-out probabilities cost nothing, and serve where rows are many and do not belong together.  Few
    rows have had a say in what was tuned before each was left out, so that the whole search is repeated
    without a fifth of them, five times.

    Parameters
    ----------
    terminal : Terminal
        For progress and notes.
    model : TableClassifier
        Fitted.
    table : TrainingTable
        Its rows.
    grouped : bool
        Whether the column beside the table tells which rows belong together.
    wanted : bool or None
        Whether sets are wanted: None means wherever the method keeps leave-one-out probabilities and rows
        are few.
    """
    by_loo = serves_leave_one_out(model, len(table.y), grouped=grouped)
    by_folds = not by_loo and (wanted or (wanted is None and _folds_are_cheap(model, len(table.y))))
    if not by_folds:
        return None, {"method": "loo" if by_loo else None, "seconds": 0.0}
    start = time.perf_counter()
    try:
        with terminal.working("fitting folds for sets of labels"):
            sets = _fit_folds(model, table, grouped=grouped)
    except ValueError as error:
        if wanted:
            raise CommandError(f"--sets: a fit without a part of the rows fails: {error}") from error
        terminal.notes([f"there will be no sets of labels: a fit without a part of the rows fails ({error})"])
        return None, {"method": None, "seconds": time.perf_counter() - start}
    return sets, {"method": "cv+", "seconds": round(time.perf_counter() - start, 3)}


def serves_leave_one_out(model: TableClassifier, rows: int, *, grouped: bool) -> bool:
    """Whether the leave-one-out probabilities of a fitted model may judge labels."""
    from kernelproba.estimators.conformal.calibration import LOO_ROWS

    return hasattr(model, "loo_proba_") and rows >= LOO_ROWS and not grouped


def label_sets(model: TableModel) -> LabelSets:
    """Return the sets of labels of a model file, or raise ValueError with what to do."""
    from kernelproba.report.label_sets import LabelSets

    if model.sets is not None:
        return LabelSets(model.sets)
    found = LabelSets.of(model.model)
    if found is None and hasattr(model.model, "compression_"):
        raise ValueError("a compressed model has none; ask the model file that it was made from")
    if found is None:
        raise ValueError(f"the method '{model.method}' has none by itself; fit the model with --sets")
    if not serves_leave_one_out(model.model, len(model.rows), grouped=model.grouped):
        raise ValueError("the model was fitted without the folds that they need; fit it with --sets")
    return found


def available_sets(model: TableModel) -> LabelSets | None:
    """Return the sets of labels of a model file, or None."""
    try:
        return label_sets(model)
    except ValueError:
        return None


def _folds_are_cheap(model: TableClassifier, rows: int) -> bool:
    from kernelproba.estimators.conformal.calibration import LOO_ROWS

    return hasattr(model, "loo_proba_") and rows < LOO_ROWS


def _fit_folds(model: TableClassifier, table: TrainingTable, *, grouped: bool) -> ConformalClassifier:
    from sklearn.frozen import FrozenEstimator

    from kernelproba.estimators.conformal import ConformalClassifier

    cv = _folds_of_groups(table.beside, table.y) if grouped and table.beside is not None else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit to all rows has told what there is to tell
        # The least of levels, so that the fit refuses none.
        return ConformalClassifier(FrozenEstimator(model), 1e-9, method="cv+", cv=cv).fit(table.X, table.y)


def _folds_of_groups(groups: pd.Series, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows of folds of whole groups; a row without a group is one by itself."""
    from sklearn.model_selection import StratifiedGroupKFold

    codes, names = groups.factorize()
    alone = np.flatnonzero(codes < 0)
    codes[alone] = len(names) + np.arange(len(alone))
    n_folds = min(5, len(np.unique(codes)))
    return list(StratifiedGroupKFold(n_folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y, codes))
