"""Classifiers on one table: the results as they come, and as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from kernelproba.cli.terminal import Terminal
    from kernelproba.tables import TableEncoder
    from kernelproba.typing import Classifier, CrossValidation

#: Scores that are printed, which is as many as a narrow terminal can show, and their titles.
_SCORES = {"error": "error", "log_loss": "log loss", "ece": "calibration"}

#: Methods from quick to slow, as they are on tables of some thousand rows and many classes.
_BY_SPEED = ("kdc", "logistic regression", "k nearest neighbours", "lspc", "random forest",
             "SVC, calibrated", "basis", "klr-pairwise", "auto", "klr", "gradient boosting", "rvm", "sparse",
             "lpm", "mcc")  # fmt: skip


def prepared(classifiers: Mapping[str, Classifier], encoder: TableEncoder) -> dict[str, Classifier]:
    """Put the same encoder of tables before each classifier; the slow ones come last."""
    from kernelproba.tables import TableClassifier

    order = sorted(classifiers, key=lambda name: _BY_SPEED.index(name) if name in _BY_SPEED else -1)
    return {name: TableClassifier(classifiers[name], encoder) for name in order}


def cross_validate(
    terminal: Terminal,
    X: pd.DataFrame,
    y: np.ndarray,
    contestants: Mapping[str, Classifier],
    *,
    folds: CrossValidation = 5,
    seed: int = 0,
    max_time: float | None = None,
) -> pd.DataFrame:
    """Score classifiers by cross-validation; what is done so far is shown while the others are fitted."""
    from kernelproba.report.leaderboard import Leaderboard

    board = Leaderboard(X, y, contestants, cv=folds, random_state=seed)
    with ExitStack() as stack:
        watch = stack.enter_context(terminal.watching("comparing"))
        for _ in board.run(
            max_time=max_time, progress=lambda name, done, total: watch.update(name, done / total)
        ):
            watch.show(*_cells(board.table().sort_values("log_loss").to_dict("records")))
    return board.table().sort_values("log_loss", ignore_index=True)


def show_comparison(screen: Terminal, facts: dict[str, Any]) -> None:
    """Print a table of methods, the best first, and what failed."""
    from kernelproba.report.wording import SCORE_TEXTS

    screen.table(*_cells(facts["methods"]))
    for row in facts["methods"]:
        if row["problem"] == "out of time":
            screen.line(f"{row['method']}: out of time after {row['folds_done']} of {facts['folds']} folds")
        elif row["problem"]:
            screen.line(f"{row['method']} failed: {row['problem']}")
    by = "" if facts["by"] == "chance" else f" by {facts['by']}"
    screen.line(f"\n{facts['folds']} folds{by} of {facts['rows']:,} rows; ± is half of a 95% interval.")
    screen.line("behind: how much larger the log loss is than the best one's, row by row.")
    screen.line(f"calibration: {SCORE_TEXTS['ece'].meaning}")


def _cells(methods: list[dict[Any, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows that are printed."""
    rows = [
        [row["method"], *(_score(row, name) for name in _SCORES), _gap(row), _seconds(row["fit_seconds"])]
        for row in methods
    ]
    return ["method", *_SCORES.values(), "behind", "fit time"], rows


def _score(row: Mapping[str, float], name: str) -> str:
    from kernelproba.report.wording import SCORE_TEXTS, number

    if math.isnan(row[name]):
        return "–"
    percent = SCORE_TEXTS[name].percent
    return f"{number(row[name], percent)} ± {number((row[f'{name}_high'] - row[f'{name}_low']) / 2, percent)}"


def _gap(row: Mapping[str, float]) -> str:
    from kernelproba.report.wording import number

    gap = row["log_loss_gap"]
    if math.isnan(gap):
        return "–"
    if gap == 0:
        return "best"
    return f"{number(gap, False)} ± {number(row['log_loss_gap_high'] - gap, False)}"


def _seconds(value: float) -> str:
    from kernelproba.report.wording import seconds

    return "–" if math.isnan(value) else seconds(value)
