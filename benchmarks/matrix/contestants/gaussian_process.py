"""The Gaussian process of scikit-learn, with the kernel and the C of the others."""

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from benchmarks.matrix.contestants.setting import C


class FixedProcess(GaussianProcessClassifier):
    """GaussianProcessClassifier whose length scale √(d/2) is gamma = 1/d.

    A prior covariance C k(x, z) is the penalty ‖f‖²/(2C): the model of kernel logistic regression, with
    Laplace's approximation of its posterior.  More than two classes: one against the rest.
    """

    def fit(self, X, y):
        self.kernel, self.optimizer = C * RBF(np.sqrt(X.shape[1] / 2)), None
        return super().fit(X, y)

    def __repr__(self):
        return f"GaussianProcessClassifier({C:g} * RBF(√(d/2)), optimizer=None)"


MODELS = {"GaussianProcessClassifier": FixedProcess()}
