"""Classifiers side by side: the same folds, the same scores, an interval for each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import column_or_1d, indexable

from kernelproba.decision import label_index
from kernelproba.extras import extra
from kernelproba.inspection import score_intervals
from kernelproba.typing import Classifier, CrossValidation, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

SCORES = ("error", "log_loss", "brier", "ece")
#: Called after every fit with the method's name, the fits done and the fits in all.
Progress = Callable[[str, int, int], None]


def rivals() -> dict[str, Classifier]:
    """Name → unfitted estimator: the classifiers most people would try, with their usual settings.

    They take numbers without gaps; those that measure distances or penalise coefficients scale them.

    See Also
    --------
    compare : Fits them on the same folds.

    Examples
    --------
    >>> sorted(rivals())[:2]
    ['SVC, calibrated', 'gradient boosting']
    """
    svc = CalibratedClassifierCV(SVC(), method="sigmoid", ensemble=False)
    return {
        "SVC, calibrated": make_pipeline(StandardScaler(), svc),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "random forest": RandomForestClassifier(random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
        "k nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
    }


def compare(
    X: MatrixLike,
    y: ArrayLike,
    methods: Mapping[str, Classifier],
    *,
    cv: CrossValidation = 5,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Score classifiers by cross-validation on the same folds.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        Rows, as the methods read them.
    y : array-like of shape (n,)
        Labels.
    methods : mapping of str to classifier
        With ``predict_proba``; cloned for every fold.
    cv : int, splitter or iterable, default=5
        Number of stratified, shuffled folds, or folds as everywhere in scikit-learn.
    random_state : int or None, default=0
        Seed of the folds and of the bootstrap intervals.
    progress : callable, optional
        ``progress(name, done, total)``, called after every fit.

    Returns
    -------
    DataFrame
        One row per method, in the order given: ``method``; ``error``, ``log_loss``, ``brier`` and ``ece`` of
        the rows left out, each followed by the ends ``…_low`` and ``…_high`` of its 95 % interval;
        ``fit_seconds`` and ``predict_seconds``, means per fold; ``problem``, empty unless a fit failed, in
        which case the scores are missing.  ``attrs`` holds the numbers of ``rows`` and ``folds``.

    See Also
    --------
    rivals : Classifiers to compare with.
    summarise : Describes one model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> table = compare(*load_iris(return_X_y=True), {"k-NN": KNeighborsClassifier()}, cv=3)
    >>> table["method"].tolist(), table.attrs
    (['k-NN'], {'rows': 150, 'folds': 3})
    """
    with extra("report"):
        import pandas as pd

    if not methods:
        raise ValueError("methods is empty: name at least one classifier, such as those of rivals()")
    X, labels = indexable(X, column_or_1d(y))
    folds = _folds(X, labels, cv, random_state)
    rows = []
    for number, (name, estimator) in enumerate(methods.items()):
        tell = _teller(progress, name, before=number * len(folds), total=len(methods) * len(folds))
        rows.append({"method": name} | _row(estimator, X, labels, folds, random_state, tell))
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    table.attrs.update(rows=len(labels), folds=len(folds))
    return table


_ENDS = tuple(f"{score}{end}" for score in SCORES for end in ("", "_low", "_high"))
_COLUMNS = ("method", *_ENDS, "fit_seconds", "predict_seconds", "problem")
Folds = list[tuple[NDArray, NDArray]]


def _folds(X: MatrixLike, y: NDArray, cv: CrossValidation, random_state: int | None) -> Folds:
    if isinstance(cv, int | np.integer):
        _, counts = np.unique(y, return_counts=True)
        if cv < 2 or counts.max() < cv:
            raise ValueError(
                f"cv={cv} folds need 2 ≤ cv ≤ {counts.max()}, the number of rows of the largest class"
            )
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    return list(check_cv(cv, y, classifier=True).split(X, y))


def _teller(progress: Progress | None, name: str, *, before: int, total: int) -> Callable[[int], None]:
    """Return a function that tells `progress` how many fits of this method are done."""

    def tell(done: int) -> None:
        if progress is not None:
            progress(name, before + done, total)

    return tell


def _row(
    estimator: Classifier,
    X: MatrixLike,
    y: NDArray,
    folds: Folds,
    seed: int | None,
    tell: Callable[[int], None],
) -> dict[str, object]:
    """Scores, times and problem of one method."""
    try:
        P, tested, seconds = _cross_validate(estimator, X, y, folds, tell)
    except Exception as error:  # one method that cannot take the data must not end the comparison
        tell(len(folds))
        return {"problem": f"{type(error).__name__}: {error}"}
    intervals = score_intervals(y[tested], P[tested], classes=np.unique(y), random_state=seed)
    ends = [value for score in SCORES for value in intervals[score]]
    return dict(zip(_ENDS, ends, strict=True)) | seconds | {"problem": ""}


def _cross_validate(
    estimator: Classifier, X: MatrixLike, y: NDArray, folds: Folds, tell: Callable[[int], None]
) -> tuple[NDArray, NDArray, dict[str, float]]:
    """Return the posterior (n, c) of rows left out, which rows were (n,), and mean seconds per fold.

    A class without training rows in a fold has probability 0 there.
    """
    classes = np.unique(y)
    P, tested, seconds = np.zeros((len(y), len(classes))), np.zeros(len(y), dtype=bool), []
    for done, (train, test) in enumerate(folds, start=1):
        model, X_test, fitting = _timed_fit(estimator, X, y, train, test)
        start = time.perf_counter()
        P[np.ix_(test, label_index(model.classes_, classes))] = model.predict_proba(X_test)
        seconds.append((fitting, time.perf_counter() - start))
        tested[test] = True
        tell(done)
    fit_seconds, predict_seconds = np.mean(seconds, axis=0).tolist()
    return P, tested, {"fit_seconds": fit_seconds, "predict_seconds": predict_seconds}


def _timed_fit(
    estimator: Classifier, X: MatrixLike, y: NDArray, train: NDArray, test: NDArray
) -> tuple[Classifier, MatrixLike, float]:
    """Return a clone fitted on the training rows, the test rows as it takes them, and the seconds."""
    model = clone(estimator)
    X_train, y_train = _safe_split(model, X, y, train)
    X_test, _ = _safe_split(model, X, y, test, train)
    start = time.perf_counter()
    model.fit(X_train, y_train)
    return model, X_test, time.perf_counter() - start
