"""Kernel logistic regression as sugiyama2010 trained it: plain L-BFGS on the kernel coefficients.

Minimises ``Σᵢ −log p(yᵢ|xᵢ) + λ tr(AᵀKA)`` with P = softmax(KA) over A (n, c), in these coordinates and
without a preconditioner.  Stopping rules and memory are those of minFunc, which the paper used: 500
iterations at most, |∇| ≤ 1e-5, a step or a change of the objective below 1e-9, 100 corrections.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from kernelproba.kernels import RBF


class PlainKLR:
    """Fit and predict, no more.

    Parameters
    ----------
    width : float
        σ of the Gaussian kernel.
    penalty : float
        λ.
    max_iter : int, default=500
        Of L-BFGS.
    """

    def __init__(self, width: float, penalty: float, max_iter: int = 500):
        self.width, self.penalty, self.max_iter = width, penalty, max_iter

    def fit(self, X, y) -> "PlainKLR":
        """Minimise the objective."""
        self.X_, (self.classes_, codes) = X, np.unique(y, return_inverse=True)
        K = RBF(self.width)(X, X).astype(np.float64, copy=False)
        n, c = len(X), len(self.classes_)
        Y = np.eye(c)[codes]

        def value_and_gradient(a):
            A = a.reshape(n, c)
            KA = K @ A
            log_norm = logsumexp(KA, axis=1)
            P = np.exp(KA - log_norm[:, None])
            value = log_norm.sum() - np.vdot(KA, Y) + self.penalty * np.vdot(A, KA)
            return value, (K @ (P - Y) + 2 * self.penalty * KA).ravel()

        # SciPy's ftol is relative to the objective: 1e-9 of a sum over n rows, each of about 1.
        options = {"maxiter": self.max_iter, "maxcor": 100, "gtol": 1e-5, "ftol": 1e-9 / n, "maxfun": 1000}
        solution = minimize(value_and_gradient, np.zeros(n * c), jac=True, method="L-BFGS-B", options=options)
        self.coef_, self.n_iter_ = solution.x.reshape(n, c), solution.nit
        return self

    def predict(self, X) -> np.ndarray:
        """Return the labels of highest score."""
        return self.classes_[(RBF(self.width)(X, self.X_) @ self.coef_).argmax(axis=1)]
