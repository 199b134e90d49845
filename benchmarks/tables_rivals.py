"""The contestants of `benchmarks.tables`, each through its best usual preparation."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from benchmarks.measure import machine
from benchmarks.rivals import TUNED, TunedSVC, few_folds
from benchmarks.tables_boosting import USUAL, WIDE, WIDE_SIZE, CatBoost, HistGradientBoosting, LightGBM
from benchmarks.tables_data import Features
from benchmarks.tables_preparation import one_hot
from kernelproba import KernelLogisticRegressionCV

OURS, CATBOOST = "kernelproba", "CatBoost"
TREES, LEAVES = 500, (1, 5)


class OutOfBagForest(ClassifierMixin, BaseEstimator):
    """Random forest; of two sizes of the smallest leaf the one with less out-of-bag log loss.

    Full trees are best where classes hardly overlap, and say 0 to classes that occur where they do.
    """

    def fit(self, X, y):
        forests = [
            RandomForestClassifier(TREES, min_samples_leaf=leaf, oob_score=True, random_state=0).fit(X, y)
            for leaf in LEAVES
        ]
        self.model_ = min(forests, key=lambda forest: log_loss(y, forest.oob_decision_function_))
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class LogisticByLogLoss(ClassifierMixin, BaseEstimator):
    """Logistic regression, C of ten between 1e-4 and 1e4 by the log loss of five folds."""

    def fit(self, X, y):
        search = LogisticRegressionCV(
            Cs=10,
            cv=few_folds(y),
            scoring="neg_log_loss",
            max_iter=200,
            l1_ratios=(0,),
            use_legacy_attributes=False,
        )
        self.model_ = search.fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def ours(X: Features):
    """What we tell people to use: one estimator for arrays, one for tables."""
    if isinstance(X, np.ndarray):
        return KernelLogisticRegressionCV()
    from kernelproba.tables import TableClassifier

    return TableClassifier()


def prepared(make: Callable, X: Features, *, scale: bool):
    """A classifier of numbers after `one_hot`."""
    return make_pipeline(one_hot(X, scale=scale), make())


#: Name → training rows → a new classifier for rows of their kind.
CONTESTANTS: dict[str, Callable] = {
    OURS: ours,
    CATBOOST: lambda _X: CatBoost(),
    "LightGBM": lambda _X: LightGBM(),
    "random forest": partial(prepared, OutOfBagForest, scale=False),
    "HistGradientBoosting": lambda _X: HistGradientBoosting(),
    "logistic": partial(prepared, LogisticByLogLoss, scale=True),
    TUNED: partial(prepared, partial(TunedSVC, "passthrough"), scale=True),
}

SETTINGS = f"""\
- **{OURS}**: `KernelLogisticRegressionCV()` where all columns are numbers and none is missing, else `kernelproba.tables.TableClassifier()`.
- **CatBoost**, **LightGBM**, **HistGradientBoosting**: texts as their own categories, gaps as their own missing values, otherwise defaults;
  rounds (at most {USUAL.rounds}) by early stopping after {USUAL.patience} rounds without a gain in the log loss of a fifth of the rows, then that
  many on all rows. Learning rate {USUAL.rate}; CatBoost's is its own choice. On other splits the defaults had more log loss; early stopping
  alone had more for LightGBM and HistGradientBoosting, about as much for CatBoost. Where columns × classes are at least {WIDE_SIZE}, to keep most fits below two minutes: at most {WIDE.rounds} rounds, stopped after {WIDE.patience}, learning rate {WIDE.rate},
  {WIDE.columns:.0%} of the columns for each tree or split.
- **random forest**: {TREES} trees, the smallest leaf {LEAVES[0]} or {LEAVES[1]} rows by out-of-bag log loss; texts one-hot, gaps as they are.
- **logistic**: texts one-hot, numbers standardised, gaps filled by the median and told by a column; C of ten from 1e-4 to 1e4 by the log loss
  of five folds.
- **{TUNED}**: the same columns (indicators of levels not standardised, which is better for it); C and gamma from a 3 × 4 grid by five folds, then calibrated by Platt's sigmoid on five folds.
- Dates are, for all rivals, the day, year, month, weekday, day of the year and its sine and cosine.
- Probabilities below 2.2e-16 count as 2.2e-16 in the log loss, as in scikit-learn."""


def versions(name: str) -> dict[str, str | None]:
    """Of what a contestant's figures depend on: packages, of ours the commit."""
    if name == OURS:
        return {"commit": machine()["commit"]}
    package = {CATBOOST: "catboost", "LightGBM": "lightgbm"}.get(name, "scikit-learn")
    return {package: version(package)}
