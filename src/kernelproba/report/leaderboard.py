"""Classifiers on the same folds: a row for each as soon as it is done, and how far it is behind the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import column_or_1d, indexable

from kernelproba.decision import label_index
from kernelproba.extras import extra
from kernelproba.inspection import score_intervals
from kernelproba.report.time_limit import OutOfTime, time_limit
from kernelproba.typing import Classifier, CrossValidation, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

SCORES = ("error", "log_loss", "brier", "ece")

#: Called after every fit with the method's name, the fits done and the fits in all.
Progress = Callable[[str, int, int], None]

Folds = list[tuple[NDArray, NDArray]]

_ENDS = tuple(f"{score}{end}" for score in SCORES for end in ("", "_low", "_high"))
_GAPS = ("log_loss_gap", "log_loss_gap_low", "log_loss_gap_high")
_COLUMNS = ("method", *_ENDS, *_GAPS, "fit_seconds", "predict_seconds", "folds_done", "problem")

#: Smallest probability whose logarithm is taken, as in the log loss.
_TINY = np.finfo(float).eps


class Leaderboard:
    """A comparison of classifiers by cross-validation.

    Parameters
    ----------
    X, y, methods, cv, random_state
        As of `kernelproba.report.comparison.compare`.
    """

    def __init__(
        self,
        X: MatrixLike,
        y: ArrayLike,
        methods: Mapping[str, Classifier],
        *,
        cv: CrossValidation = 5,
        random_state: int | None = 0,
    ):
        if not methods:
            raise ValueError("methods is empty: name at least one classifier, such as those of rivals()")
        self._X, self._y = indexable(X, column_or_1d(y))
        self._methods, self._seed = dict(methods), random_state
        self._folds = _folds(self._X, self._y, cv, random_state)
        self._rows: list[dict[str, Any]] = []
        self._losses: dict[str, NDArray] = {}

    def run(
        self, *, max_time: float | None = None, progress: Progress | None = None
    ) -> Iterator[dict[str, object]]:
        """Evaluate the methods one after the other, and yield the row of each once it is done.

        Parameters
        ----------
        max_time : float, optional
            Seconds.  Then a method that is being fitted is judged by the folds that are done, and those
            that have not begun are left out.
        progress : callable, optional
            As of `compare`.
        """
        end = None if max_time is None else time.monotonic() + max_time
        total = len(self._methods) * len(self._folds)
        for number, (name, estimator) in enumerate(self._methods.items()):
            trial = _Trial(estimator, self._X, self._y)
            problem = ""
            try:
                with time_limit(None if end is None else end - time.monotonic()):
                    for done in trial.folds(self._folds):
                        if progress is not None:
                            progress(name, number * len(self._folds) + done, total)
            except OutOfTime:
                problem = "out of time"
            except Exception as error:  # one method that cannot take the data must not end the comparison
                problem = f"{type(error).__name__}: {error}"
            if progress is not None and len(trial.seconds) < len(self._folds):
                progress(name, (number + 1) * len(self._folds), total)
            self._rows.append({"method": name} | self._row(name, trial, problem))
            yield self._rows[-1]

    def table(self) -> pd.DataFrame:
        """Return the rows so far, in the order of the methods."""
        with extra("report"):
            import pandas as pd

        rows = [row | self._gap(row["method"]) for row in self._rows]
        table = pd.DataFrame(rows, columns=list(_COLUMNS))
        table.attrs.update(rows=len(self._y), folds=len(self._folds))
        return table

    def _row(self, name: str, trial: _Trial, problem: str) -> dict[str, object]:
        """Return scores, times and problem of one method."""
        failed = problem not in ("", "out of time") or not trial.seconds
        if failed:
            return {"folds_done": len(trial.seconds), "problem": problem}
        tested, P = trial.tested, trial.P[trial.tested]
        intervals = score_intervals(self._y[tested], P, classes=np.unique(self._y), random_state=self._seed)
        self._losses[name] = trial.losses()
        fit, predict = np.mean(trial.seconds, axis=0).tolist()
        ends = [value for score in SCORES for value in intervals[score]]
        times = {"fit_seconds": fit, "predict_seconds": predict, "folds_done": len(trial.seconds)}
        return dict(zip(_ENDS, ends, strict=True)) | times | {"problem": problem}

    def _gap(self, name: str) -> dict[str, float]:
        """Return by how much a method's log loss exceeds that of the best on the rows of both.

        The interval is that of a mean of independent rows; fits of different folds share rows, so that it is
        a little too narrow.
        """
        if name not in self._losses:
            return {}
        best = min(self._losses, key=lambda each: float(np.nanmean(self._losses[each])))
        differences = self._losses[name] - self._losses[best]
        differences = differences[~np.isnan(differences)]
        if not len(differences):
            return {}
        mean = float(differences.mean())
        half = 1.96 * float(differences.std(ddof=min(1, len(differences) - 1))) / np.sqrt(len(differences))
        return dict(zip(_GAPS, (mean, mean - half, mean + half), strict=True))


@dataclass
class _Trial:
    """One method on the folds: the posterior P (n, c) of rows left out, which those are, and the times.

    A class without training rows in a fold has probability 0 there.
    """

    estimator: Classifier
    X: MatrixLike
    y: NDArray
    seconds: list[tuple[float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._classes = np.unique(self.y)
        self.P = np.zeros((len(self.y), len(self._classes)))
        self.tested = np.zeros(len(self.y), dtype=bool)

    def folds(self, folds: Folds) -> Iterator[int]:
        """Fit and predict folds, as many at once as ``joblib.parallel_config`` says; yield their number."""
        tasks = (delayed(_timed_fold)(self.estimator, self.X, self.y, *fold) for fold in folds)
        done = Parallel(return_as="generator")(tasks)
        for (_, test), (P, classes, seconds) in zip(folds, done, strict=True):
            self.P[np.ix_(test, label_index(classes, self._classes))] = P
            self.tested[test] = True
            self.seconds.append(seconds)
            yield len(self.seconds)

    def losses(self) -> NDArray:
        """Return the log loss of each row, of shape (n,); NaN for those that were not left out."""
        own = self.P[np.arange(len(self.y)), label_index(self.y, self._classes)]
        return np.where(self.tested, -np.log(np.maximum(own, _TINY)), np.nan)


def _folds(X: MatrixLike, y: NDArray, cv: CrossValidation, random_state: int | None) -> Folds:
    if isinstance(cv, int | np.integer):
        _, counts = np.unique(y, return_counts=True)
        if cv < 2 or counts.max() < cv:
            raise ValueError(
                f"cv={cv} folds need 2 ≤ cv ≤ {counts.max()}, the number of rows of the largest class"
            )
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    return list(check_cv(cv, y, classifier=True).split(X, y))


def _timed_fold(
    estimator: Classifier, X: MatrixLike, y: NDArray, train: NDArray, test: NDArray
) -> tuple[NDArray, NDArray, tuple[float, float]]:
    """Return the posterior (r, k) of the test rows, its classes (k,), and seconds of fit and prediction."""
    model = clone(estimator)
    X_train, y_train = _safe_split(model, X, y, train)
    X_test, _ = _safe_split(model, X, y, test, train)
    start = time.perf_counter()
    model.fit(X_train, y_train)
    between = time.perf_counter()
    P = model.predict_proba(X_test)
    return P, model.classes_, (between - start, time.perf_counter() - between)
