"""What decisions cost against the share of rows decided on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelproba.decision import as_loss_matrix, label_index, minimum_risk, realised_cost
from kernelproba.extras import extra
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class RiskCoverageDisplay:
    """Mean cost of the decided rows when the rows of greatest expected loss are left undecided.

    A useful model has a curve that falls to the left: the rows it is unsure of are those that cost.
    Where the realised cost leaves the expected one, the probabilities are not calibrated.

    Parameters
    ----------
    coverage : ndarray of shape (k,)
        Shares of rows decided on, rising to 1; one entry for each distinct risk.
    threshold : ndarray of shape (k,)
        The cost of rejecting that leads to each share.
    realised_cost, std_error : ndarray of shape (k,)
        Mean cost of the decided rows and its standard error.
    expected_cost : ndarray of shape (k,)
        What the probabilities had promised.
    reject_cost : float, optional
        The cost of rejecting in use, marked on the curve.

    See Also
    --------
    kernelproba.MinimumRiskClassifier : Rejects rows.
    CoverageDisplay : Sets of labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=500).fit(X, y)
    >>> display = RiskCoverageDisplay.from_estimator(model, X, y)
    >>> display.frame().columns.tolist()
    ['coverage', 'threshold', 'realised_cost', 'std_error', 'expected_cost']
    """

    def __init__(self, *, coverage, threshold, realised_cost, std_error, expected_cost, reject_cost=None):
        self.coverage = coverage
        self.threshold = threshold
        self.realised_cost = realised_cost
        self.std_error = std_error
        self.expected_cost = expected_cost
        self.reject_cost = reject_cost

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: MatrixLike,
        y: ArrayLike,
        *,
        loss_matrix: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> RiskCoverageDisplay:
        """Compute the curve of a fitted classifier on rows that it has not seen.

        Parameters
        ----------
        estimator : classifier with ``predict_proba``
            A `MinimumRiskClassifier`, alone or at the end of a pipeline, brings its costs along.
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            True labels.
        loss_matrix : array-like of shape (c, c) or (n, c, c), mapping or frame, optional
            Costs as `MinimumRiskClassifier` takes them; None: those of the estimator, else zero-one.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"estimator={estimator!r} has no predict_proba: risks need probabilities")
        last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
        own = getattr(last, "loss_matrix_", None)
        return cls.from_predictions(
            y,
            estimator.predict_proba(X),
            classes=estimator.classes_,
            loss_matrix=own if loss_matrix is None else loss_matrix,
            reject_cost=getattr(last, "reject_cost_", None),
            sample_weight=sample_weight,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        P: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        loss_matrix: ArrayLike | None = None,
        reject_cost: float | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> RiskCoverageDisplay:
        """Compute the curve from labels and probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        P : array-like of shape (n, c)
            Probabilities.
        classes : array-like of shape (c,), optional
            The labels of the columns of P; None: the sorted labels of `y_true`.
        loss_matrix : array-like of shape (c, c) or (n, c, c), mapping or frame, optional
            Costs; None: zero-one.
        reject_cost : float, optional
            The cost of rejecting in use, to be marked.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        P = np.asarray(P, dtype=np.float64)
        classes = np.unique(np.asarray(y_true)) if classes is None else np.asarray(classes)
        if P.ndim != 2 or P.shape[1] != len(classes) or len(P) != len(np.asarray(y_true)):
            raise ValueError(
                f"P must have a row per label and a column per class, shape ({len(np.asarray(y_true))}, "
                f"{len(classes)}); got {P.shape}: pass classes if y_true lacks some of them"
            )
        costs = as_loss_matrix(loss_matrix, classes, len(P))
        decision = minimum_risk(P, costs)
        cost = realised_cost(label_index(y_true, classes), decision.chosen, costs)
        weights = np.ones(len(P)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return cls(**_selective_costs(decision.risk, cost, weights), reject_cost=reject_cost)

    def frame(self) -> pd.DataFrame:
        """Return the curve as a pandas frame, one row per distinct risk."""
        with extra("tables"):
            import pandas as pd

        names = ("coverage", "threshold", "realised_cost", "std_error", "expected_cost")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        min_coverage: float = 0.05,
        **line_options: Any,
    ) -> RiskCoverageDisplay:
        """Draw realised cost, a band of two standard errors, expected cost and the point in use.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; None: a new figure.
        name : str, optional
            The model's name in the legend.
        min_coverage : float, default=0.05
            Where the curve begins: the mean cost of a handful of rows is noise that hides the rest.
        **line_options : dict
            Options of matplotlib for the line of realised costs.
        """
        if ax is None:
            with extra("plot"):
                import matplotlib.pyplot as plt

            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        prefix = "" if name is None else f"{name}: "
        drawn = self.coverage >= min_coverage
        x, y, band = self.coverage[drawn], self.realised_cost[drawn], 2.0 * self.std_error[drawn]
        (self.line_,) = ax.plot(x, y, **{"label": f"{prefix}realised cost", **line_options})
        colour = self.line_.get_color()
        ax.fill_between(x, y - band, y + band, color=colour, alpha=0.2, lw=0)
        ax.plot(x, self.expected_cost[drawn], "--", color=colour, label=f"{prefix}expected cost")
        self._mark_point_in_use(colour, prefix)
        ax.set(xlabel="Coverage (share of rows decided on)", ylabel="Mean cost of a decided row", xlim=(0, 1))
        ax.legend(loc="best")
        return self

    def _mark_point_in_use(self, colour: object, prefix: str) -> None:
        if self.reject_cost is None or self.reject_cost < self.threshold[0]:
            return
        at = np.searchsorted(self.threshold, self.reject_cost, side="right") - 1
        self.ax_.plot(
            self.coverage[at],
            self.realised_cost[at],
            "o",
            color=colour,
            label=f"{prefix}in use: coverage {self.coverage[at]:.0%}, reject cost {self.reject_cost:.3g}",
        )


def _selective_costs(risk: NDArray, cost: NDArray, weights: NDArray) -> dict[str, NDArray]:
    """Return the curve: for each distinct risk τ, what the rows with risk ≤ τ have cost.

    With weights w the mean m = Σwc/Σw has variance Σw²(c − m)²/(Σw)².
    """
    order = np.argsort(risk, kind="stable")
    risk, cost, weights = risk[order], cost[order], weights[order]
    mass, squared = np.cumsum(weights), weights**2
    # Rows of equal risk are kept or left together; before the first weight there is no mean.
    last = np.flatnonzero(np.append(risk[1:] > risk[:-1], True) & (mass > 0))
    mean = np.cumsum(weights * cost)[last] / mass[last]
    # Costs are centred first: the difference of large sums would lose the small variance.
    centre = np.average(cost, weights=weights)
    first, second = (
        np.cumsum(squared * (cost - centre))[last],
        np.cumsum(squared * (cost - centre) ** 2)[last],
    )
    shift = mean - centre
    variance = second - 2.0 * shift * first + shift**2 * np.cumsum(squared)[last]
    return {
        "coverage": mass[last] / mass[-1],
        "threshold": risk[last],
        "realised_cost": mean,
        "std_error": np.sqrt(variance.clip(min=0.0)) / mass[last],
        "expected_cost": np.cumsum(weights * risk)[last] / mass[last],
    }
