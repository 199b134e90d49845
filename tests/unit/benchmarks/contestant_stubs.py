"""Contestants with a known cost, for processes of their own."""

import os
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

#: Rows that every worker fits before it measures.
WARM_UP = 330


class Stub(ClassifierMixin, BaseEstimator):
    """Says the class shares of its training rows; sleeps, allocates or dies first."""

    def __init__(self, sleep=0.0, megabytes=0, dies=False):
        self.sleep = sleep
        self.megabytes = megabytes
        self.dies = dies

    def fit(self, X, y):
        if len(X) != WARM_UP:
            if self.dies:
                os._exit(1)
            time.sleep(self.sleep)
            np.ones(self.megabytes * 125_000)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))
