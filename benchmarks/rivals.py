"""What people use today for class probabilities: the contestants of `benchmarks.selftuning`."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelproba import KernelLogisticRegressionCV

OURS, TUNED = "KLR-CV", "SVC tuned"
#: Contestants that take the cube of the rows for each class.
SLOW = ("Gaussian process",)


def few_folds(y) -> StratifiedKFold:
    """Five folds; of classes with fewer than five rows as many as rows, and at least two."""
    counts = np.unique(y, return_counts=True)[1]
    return StratifiedKFold(max(2, min(5, counts.min())), shuffle=True, random_state=0)


class TunedSVC(ClassifierMixin, BaseEstimator):
    """SVC, C and gamma from a 3 × 4 grid by five folds, then calibrated by five folds.

    Parameters
    ----------
    scaler : transformer, optional
        By default columns are standardised; "passthrough" leaves them as they are.
    """

    def __init__(self, scaler=None):
        self.scaler = scaler

    def fit(self, X, y):
        folds = few_folds(y)
        grid = {"svc__C": [1, 10, 100], "svc__gamma": np.array([0.01, 0.1, 1, 10]) / X.shape[1]}
        pipeline = make_pipeline(self.scaler or StandardScaler(), SVC())
        search = GridSearchCV(pipeline, grid, cv=folds).fit(X, y)
        self.model_ = CalibratedClassifierCV(search.best_estimator_, cv=folds, ensemble=False).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def scaled(model):
    """The model on standardised features."""
    return make_pipeline(StandardScaler(), model)


#: Name → a new classifier; defaults, on scaled features.
CONTESTANTS = {
    OURS: KernelLogisticRegressionCV,
    TUNED: TunedSVC,
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "Gaussian process": lambda: scaled(GaussianProcessClassifier()),
    "logistic": lambda: scaled(LogisticRegression(max_iter=1000)),
}
