"""Gradient boosting as people run it for probabilities: rounds by early stopping, then a fit to all rows.

Of three usual ways, the default number of rounds, early stopping on a validation part, and the latter followed by a fit of as many
rounds to all rows, the last had the least log loss for two packages, and as little as the second for CatBoost, on splits of ten
problems that the benchmark does not use.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from benchmarks.tables_data import Features
from benchmarks.tables_preparation import with_categories, with_texts


@dataclass(frozen=True)
class Plan:
    """How boosting is run: at most so many rounds, stopped after so many without a gain, at this rate."""

    rounds: int
    patience: int
    rate: float
    #: Share of the columns that a tree, or a split of it, looks at.
    columns: float = 1.0


USUAL = Plan(rounds=1000, patience=50, rate=0.05)
#: Thousands of pixels, frequencies or genes would take minutes to hours otherwise.
WIDE = Plan(rounds=200, patience=20, rate=0.1, columns=0.1)
#: Columns times classes from which a problem is wide.
WIDE_SIZE = 2000


def plan_of(X: Features, y: np.ndarray) -> Plan:
    """The plan for training rows of this size."""
    return WIDE if X.shape[1] * len(np.unique(y)) >= WIDE_SIZE else USUAL


class Boosting(ClassifierMixin, BaseEstimator):
    """Rounds chosen by the log loss of a fifth of the rows; then that many on all rows."""

    def fit(self, X, y):
        train, validation = train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=0)
        self.plan_, X = plan_of(X, y), self.prepared(X)
        parts = [(_take(X, part), y[part]) for part in (train, validation)]
        self.model_ = self.make(X, **self.chosen(X, *parts)).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(self.prepared(X))


class CatBoost(Boosting):
    """CatBoost, texts as its categories; its learning rate is its own choice."""

    #: Settings by CatBoost's own choice that the fit to all rows takes over.
    KEPT = ("learning_rate", "leaf_estimation_iterations", "max_ctr_complexity")

    prepared = staticmethod(with_texts)

    def make(self, X, **settings):
        from catboost import CatBoostClassifier

        texts = [] if isinstance(X, np.ndarray) else list(X.select_dtypes(exclude="number"))
        fixed = {"thread_count": 1, "random_seed": 0, "verbose": False, "allow_writing_files": False}
        return CatBoostClassifier(cat_features=texts, rsm=self.plan_.columns, **fixed, **settings)

    def chosen(self, X, train, validation):
        trial = self.make(X, iterations=self.plan_.rounds, early_stopping_rounds=self.plan_.patience)
        trial.fit(*train, eval_set=validation)
        # Left to itself, CatBoost takes fewer Newton steps and simpler combinations of categories where rounds are few.
        kept = {key: value for key, value in trial.get_all_params().items() if key in self.KEPT}
        return {"iterations": max(1, trial.tree_count_)} | kept


class LightGBM(Boosting):
    """LightGBM, texts as its categories."""

    prepared = staticmethod(with_categories)

    def make(self, _X, **settings):
        from lightgbm import LGBMClassifier

        fixed = {"n_jobs": 1, "random_state": 0, "verbose": -1}
        columns = {"colsample_bytree": self.plan_.columns}
        return LGBMClassifier(learning_rate=self.plan_.rate, **columns, **fixed, **settings)

    def chosen(self, X, train, validation):
        from lightgbm import early_stopping

        stop = early_stopping(self.plan_.patience, verbose=False)
        trial = self.make(X, n_estimators=self.plan_.rounds)
        trial.fit(*train, eval_set=[validation], callbacks=[stop])
        return {"n_estimators": max(1, trial.best_iteration_)}


class HistGradientBoosting(Boosting):
    """Scikit-learn's boosting of histograms, texts as its categories."""

    prepared = staticmethod(with_categories)

    def make(self, _X, **settings):
        columns = {"max_features": self.plan_.columns}
        return HistGradientBoostingClassifier(
            learning_rate=self.plan_.rate, random_state=0, **columns, **settings
        )

    def chosen(self, X, train, validation):
        stop = {"early_stopping": True, "n_iter_no_change": self.plan_.patience}
        trial = self.make(X, max_iter=self.plan_.rounds, **stop)
        trial.fit(*train, X_val=validation[0], y_val=validation[1])
        # The first score is that of no round at all.
        return {"max_iter": max(1, int(np.argmax(trial.validation_score_))), "early_stopping": False}


def _take(X: Features, index: np.ndarray) -> Features:
    return X[index] if isinstance(X, np.ndarray) else X.iloc[index]
