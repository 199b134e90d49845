"""Classifiers side by side: the same folds, the same scores, an interval for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelproba.report.leaderboard import Leaderboard, Progress
from kernelproba.typing import Classifier, CrossValidation, MatrixLike

if TYPE_CHECKING:
    import pandas as pd


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
        ``log_loss_gap``, how much larger the log loss is than the best one's on the same rows, with its
        interval; ``fit_seconds`` and ``predict_seconds``, means per fold; ``folds_done``; ``problem``, empty
        unless a fit failed, in which case the scores are missing.  ``attrs`` holds the numbers of ``rows``
        and ``folds``.

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
    board = Leaderboard(X, y, methods, cv=cv, random_state=random_state)
    for _ in board.run(progress=progress):
        pass
    return board.table()
