"""What the curvature at the optimum says about coefficients: covariance, standard errors, tests."""

import itertools
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from kernelproba.extras import extra
from kernelproba.linalg import solve_semidefinite

if TYPE_CHECKING:
    import pandas as pd


def coefficient_covariance(information: np.ndarray, T: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Covariance of Θ = T Δ Qᵀ from the information about Δ: ``(Q ⊗ T) information⁻¹ (Q ⊗ T)ᵀ``.

    Parameters
    ----------
    information : array of shape (l r, l r)
        `observed_information` about Δ (r, l).
    T : array of shape (q, r)
        From coordinates back to coefficients.
    Q : array of shape (k, l)
        Contrasts of the classes.

    Returns
    -------
    covariance : array of shape (k q, k q)
        Class by class, in the gauge where classes sum to zero.
    """
    back = np.kron(Q, T)
    covariance = back @ solve_semidefinite(information, back.T)
    return (covariance + covariance.T) / 2


class CoefficientSummary:
    """Method of a classifier with `coef_`, `intercept_`, `standard_errors_` and names of its `_terms`."""

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    standard_errors_: np.ndarray

    def _terms(self) -> list[str]:
        """Names of the columns of `coef_`."""
        raise NotImplementedError

    def summary(self, confidence: float = 0.95) -> "pd.DataFrame":
        """Coefficients with standard errors, Wald tests and confidence intervals.

        Parameters
        ----------
        confidence : float, default=0.95
            Coverage of the intervals.

        Returns
        -------
        table : pandas.DataFrame
            Columns coef, std_err, z, p_value (two-sided), ci_lower, ci_upper; one row per class and term,
            the class being `classes_[1]` if there are two.  A coefficient that the rows do not determine
            has an infinite standard error, z = 0 and an unbounded interval.
        """
        check_is_fitted(self)
        # A model without intercepts has standard errors for `coef_` alone.
        q = self.standard_errors_.shape[1]
        theta = np.hstack([self.coef_, self.intercept_[:, None]])[:, :q]
        classes = self.classes_[1:] if len(theta) == 1 else self.classes_
        labels = itertools.product(classes, [*self._terms(), "intercept"][:q])
        return _wald_table(list(labels), theta.ravel(), self.standard_errors_.ravel(), confidence)


def _wald_table(labels: list, coef: np.ndarray, std_err: np.ndarray, confidence: float) -> "pd.DataFrame":
    """Tests and intervals of coefficients (l,), labelled by pairs (class, term), as a pandas frame."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, such as 0.95, got {confidence!r}.")
    with extra("tables"):
        import pandas as pd

    z = np.divide(coef, std_err, out=np.full_like(coef, np.nan), where=std_err > 0)
    reach = norm.isf((1 - confidence) / 2) * std_err
    columns = {
        "coef": coef,
        "std_err": std_err,
        "z": z,
        "p_value": 2 * norm.sf(np.abs(z)),
        "ci_lower": coef - reach,
        "ci_upper": coef + reach,
    }
    return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(labels, names=["class", "term"]))
