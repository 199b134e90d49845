"""The curvature of an objective, free of the shift that softmax leaves open.

Adding the same column to all classes of Θ (q, k) changes no probability, so the Hessian of a softmax
log-likelihood is singular along such shifts.  In the gauge where classes sum to zero, Θ = Δ Qᵀ with
orthonormal contrasts Q (k, k − 1), 1ᵀQ = 0, nothing is left open.  A ridge has its minimum there, too.
"""

import numpy as np
from scipy.linalg import helmert

from kernelproba.losses import Softmax
from kernelproba.objective import Objective


def contrasts(objective: Objective) -> np.ndarray:
    """Q (k, k − 1) of a softmax; scores of other losses are their own contrasts, Q = I."""
    k = objective.n_scores
    return helmert(k).T if isinstance(objective.loss, Softmax) else np.eye(k)


def observed_information(objective: Objective, theta: np.ndarray) -> np.ndarray:
    """(Q ⊗ I)ᵀ ∇²J(Θ) (Q ⊗ I), in the order of ``Δ.T.ravel()``."""
    q, k = objective.shape
    Q = contrasts(objective)
    H = objective.hessian(objective.curvature(theta)).reshape(k, q, k, q)
    information = np.einsum("ai,arbs,bj->irjs", Q, H, Q, optimize=True)
    return information.reshape(Q.shape[1] * q, Q.shape[1] * q)
