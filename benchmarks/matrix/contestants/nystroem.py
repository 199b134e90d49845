"""Logistic regression on Nyström features."""

from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.matrix.contestants.setting import CENTERS, C

#: gamma=None is 1/d.
MODELS = {
    "Nystroem + LogisticRegression": make_pipeline(
        Nystroem(gamma=None, n_components=CENTERS, random_state=0),
        LogisticRegression(C=C, max_iter=1000),
    )
}
