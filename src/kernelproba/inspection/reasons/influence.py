"""Influence: how a prediction would change without a training row.

A kernel logistic fit without row i, one Newton step from the fit to all rows, has the scores (see
`kernelproba.solvers.loo.softmax`, of which this is the other half: it asks for row i, this for any row x)

    f₋ᵢ(x) = f(x) − C(x, i) (I − DᵢSᵢ)⁻¹ αᵢ ,     αᵢ = ωᵢ (onehot(yᵢ) − pᵢ) ,     Dᵢ = ωᵢ (diag pᵢ − pᵢpᵢᵀ)

where C(x, i), (k, k), is the posterior covariance of the scores of x and of row i, and Sᵢ = C(xᵢ, i).  For
two classes there is one score, R = (K + W⁻¹)⁻¹ with W = diag(ωp(1 − p)), and

    f₋ᵢ(x) = f(x) − αᵢ (R k(x))ᵢ / Rᵢᵢ .

No model is fitted again.  That the curvature of the other rows would change is ignored, an error of second
order in the influence of one row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from scipy.special import expit, log_softmax, logsumexp, softmax
from sklearn.utils import column_or_1d

from kernelproba.estimators.kernel_logistic.uncertainty import Member, UncertainProbabilities
from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_lengths, check_whole_numbers
from kernelproba.inspection.reasons.expansions import core_and_rows
from kernelproba.inspection.reasons.mixed_rows import class_number
from kernelproba.inspection.reasons.row_labels import row_labels, with_columns_of
from kernelproba.typing import Classifier, Matrix, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Precision of an intercept's prior relative to the weight of all rows, among more than two classes.
_INTERCEPT_PENALTY = 1e-4

#: Least curvature of a row relative to its weight.
_LEAST_CURVATURE = 1e-10


def row_influence(
    model: Classifier,
    X: MatrixLike,
    *,
    label: object = None,
    top: int | None = 10,
    training: MatrixLike | None = None,
    labels: ArrayLike | None = None,
) -> pd.DataFrame:
    """Tell which training rows a prediction depends on: how it would change without each of them.

    Parameters
    ----------
    model : classifier
        A fitted `KernelLogisticRegression` or `KernelLogisticRegressionCV`, not pairwise and of 5000 rows
        at most; also inside a pipeline, a search or a `TableClassifier`.  Copies of a row count as one in a
        `KernelLogisticRegressionCV`.
    X : array-like of shape (n, d)
        Rows to explain, as `model` takes them.
    label : optional
        The class; by default that which is predicted, row by row.
    top : int or None, default=10
        How many training rows to name for each; None: all.
    training : array-like of shape (N, d), optional
        What the model was fitted on; index and columns of a frame are shown.
    labels : array-like of shape (N,), optional
        Labels of the training rows, to be shown.

    Returns
    -------
    DataFrame
        For each row the most influential training rows first: ``explained``, label of the row of X;
        ``class``; ``row``, label of the training row; ``influence``, by how much it raises the log-odds of
        the class; ``probability``, that of the class without the row; ``share`` of the sum of all
        influences, without their signs; ``label`` and the columns of `training`, if given.

    See Also
    --------
    explain : Which training rows speak for a label.
    column_contributions : Which columns do.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> lines = row_influence(model, X[100:101], top=1, labels=y)
    >>> lines[["row", "label"]].to_numpy().tolist()
    [[121, 2]]
    """
    with extra("tables"):
        import pandas as pd

    if top is not None:
        check_whole_numbers(1, top=top)
    inner, rows = core_and_rows(model, X)
    members = _members(inner)
    scores = np.asarray(inner._scores(rows), dtype=float)
    shifts = _pooled_shifts(members, inner._check_predict(rows)) / inner._score_scale()
    numbers = np.asarray(getattr(inner, "_rows_", np.arange(shifts.shape[1])))
    names = None if training is None else row_labels(training)
    given = None if labels is None else column_or_1d(labels)
    check_lengths(numbers, training=names, labels=given)
    best = model.predict(X) if label is None else [label] * len(scores)
    lines: list[tuple] = []
    for i, explained in enumerate(row_labels(X)):
        k = class_number(model, best[i])
        before, after = _log_odds(scores[i], k), _log_odds(scores[i] + shifts[i], k)
        influence = before - after
        weight = abs(influence) / max(abs(influence).sum(), np.finfo(float).tiny)
        for j in np.argsort(-abs(influence), kind="stable")[:top]:
            lines.append((explained, model.classes_[k], numbers[j], influence[j], expit(after[j]), weight[j]))
    columns = ["explained", "class", "row", "influence", "probability", "share"]
    return _named(pd.DataFrame(lines, columns=columns), training, given)


def _named(lines: pd.DataFrame, training: MatrixLike | None, labels: ArrayLike | None) -> pd.DataFrame:
    """Replace numbers of training rows by their labels, and append what is known of them."""
    position = lines["row"].to_numpy()
    if training is not None:
        names = row_labels(training)
        lines["row"] = [names[i] for i in position]
    if labels is not None:
        lines["label"] = np.asarray(labels)[position]
    return lines if training is None else with_columns_of(lines, training, position)


def _members(inner: Any) -> list[Member]:
    """Return the functions of a model; complain of one that has not kept all its rows."""
    known = isinstance(inner, UncertainProbabilities) and not hasattr(inner, "n_support_")
    members = inner._members() if known else []
    if not members or any(getattr(member.model, "_kept_share_", 0) != 1 for member in members):
        raise ValueError(
            f"the influence of single rows is not known for {type(inner).__name__} as it was fitted: pass "
            "KernelLogisticRegression or its CV variant, not pairwise and of 5000 rows at most"
        )
    return members


def _pooled_shifts(members: list[Member], X: Matrix) -> np.ndarray:
    """Return how the scores of X change without each training row, of shape (n, N, k)."""
    parts = []
    for member in members:
        own = _member_shifts(member.model, member.rows(X))
        # Rows that are all centres are kept in the order of these.
        order = slice(None) if member.model._kept_X_ is not None else np.argsort(member.model.support_)
        parts.append(member.weight * own[:, order])
    return np.sum(parts, axis=0)


def _member_shifts(model: Any, X: Matrix) -> np.ndarray:
    kept = model._kept_rows("influence")
    C, fit_intercept = model._kept_terms_
    K, k_X = _kernel_values(model, kept.X, X)
    F = np.asarray(model._expansion().scores(kept.X) + model._score_shift(), dtype=float)
    omega = C * kept.share * kept.weight
    shifts = _binary_shifts if F.shape[1] == 1 else _softmax_shifts
    return shifts(K, k_X, F, kept.y, omega, fit_intercept)


def _kernel_values(model: Any, rows: Matrix, X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Return K (N, N) of the rows and k (n, N) of X with them, as the centres of the model span them."""
    kernel = model.kernel_
    if model._kept_X_ is None:
        return np.asarray(kernel(rows, rows), dtype=float), np.asarray(kernel(X, rows), dtype=float)
    centers = model._centers
    values, vectors = np.linalg.eigh(np.asarray(kernel(centers, centers), dtype=float))
    kept = values > len(values) * np.finfo(float).eps * values.max()
    whitening = vectors[:, kept] / np.sqrt(values[kept])
    Phi, Phi_X = (np.asarray(kernel(each, centers), dtype=float) @ whitening for each in (rows, X))
    return Phi @ Phi.T, Phi_X @ Phi.T


def _binary_shifts(
    K: np.ndarray, k_X: np.ndarray, F: np.ndarray, y: np.ndarray, omega: np.ndarray, fit_intercept: bool
) -> np.ndarray:
    """Return −αᵢ (R k(x))ᵢ / Rᵢᵢ, of shape (n, N, 1); a free intercept is a border of the system."""
    p = expit(F[:, 0])
    alpha = omega * ((y == 1) - p)
    root = np.sqrt(np.maximum(omega * p * (1 - p), _LEAST_CURVATURE * omega))
    B = np.eye(len(K)) + root[:, None] * K * root
    R = root[:, None] * cho_solve(cho_factor(B, lower=True), np.diag(root))
    at_X = k_X @ R
    diagonal = np.diag(R).copy()
    if fit_intercept:
        ones = R.sum(axis=1)  # R1, and 1ᵀR1 below
        at_X = at_X - np.outer(k_X @ ones - 1, ones) / ones.sum()
        diagonal -= ones**2 / ones.sum()
    return -(at_X * (alpha / np.maximum(diagonal, np.finfo(float).tiny)))[:, :, None]


def _softmax_shifts(
    K: np.ndarray, k_X: np.ndarray, F: np.ndarray, y: np.ndarray, omega: np.ndarray, fit_intercept: bool
) -> np.ndarray:
    """Return −C(x, i) (I − DᵢSᵢ)⁻¹ αᵢ, of shape (n, N, k); an intercept is a feature with a wide prior.

    With E_a = (diag(ωp_a)⁻¹ + K)⁻¹ and M = Σ_a E_a (as in `kernelproba.solvers.loo.softmax`),
    C_ab(x, ·) = δ_ab (k − kE_aK) + kE_a M⁻¹ E_bK.
    """
    if fit_intercept:
        tau = 1 / (_INTERCEPT_PENALTY * omega.sum())
        K, k_X = K + tau, k_X + tau
    P = softmax(F, axis=1)
    N, k = P.shape
    E = [_inverse_sum(K, np.maximum(omega * P[:, a], _LEAST_CURVATURE * omega)) for a in range(k)]
    half = cholesky(sum(E), lower=True)
    EK = [each @ K for each in E]
    A = [solve_triangular(half, each, lower=True) for each in EK]  # M^−½ E_a K
    A_X = [solve_triangular(half, each @ k_X.T, lower=True) for each in E]
    S, C = np.empty((N, k, k)), np.empty((len(k_X), N, k, k))
    for a in range(k):
        for b in range(k):
            S[:, a, b] = np.einsum("ji,ji->i", A[a], A[b])
            C[:, :, a, b] = A_X[a].T @ A[b]
        S[:, a, a] += np.diag(K) - np.einsum("ji,ji->i", K, EK[a])
        C[:, :, a, a] += k_X - k_X @ EK[a]
    alpha = omega[:, None] * (np.eye(k)[y] - P)
    D = omega[:, None, None] * (np.eye(k) * P[:, :, None] - P[:, :, None] * P[:, None, :])
    freed = np.linalg.solve(np.eye(k) - D @ S, alpha[:, :, None])[:, :, 0]
    return -np.einsum("xiab,ib->xia", C, freed)


def _inverse_sum(K: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Return (diag(e)⁻¹ + K)⁻¹."""
    root = np.sqrt(e)
    B = np.eye(len(K)) + root[:, None] * K * root
    return root[:, None] * cho_solve(cho_factor(B, lower=True), np.diag(root))


def _log_odds(scores: np.ndarray, k: int) -> np.ndarray:
    """Return the log-odds of class k from scores (…, s), one for two classes or one per class."""
    if scores.shape[-1] == 1:
        return scores[..., 0] if k == 1 else -scores[..., 0]
    logs = log_softmax(scores, axis=-1)
    return logs[..., k] - logsumexp(np.delete(logs, k, axis=-1), axis=-1)
