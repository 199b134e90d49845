"""How often sets of labels hold the truth, and how large they are, at every level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from kernelproba.decision import label_index
from kernelproba.extras import extra
from kernelproba.inspection.displays.captions import caption
from kernelproba.inspection.displays.colours import class_colours
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Levels that are shown, as far as the calibration rows attain them.
LEVELS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99)


class CoverageDisplay:
    """Share of rows whose true label is in the set, against the confidence asked for.

    On the diagonal the sets keep their promise; above it they are larger than they need to be.  Where a class
    lies below, its rows pay for the others: ``conditional="class"`` mends that.

    Parameters
    ----------
    confidence : ndarray of shape (k,)
        Levels asked for.
    coverage, std_error : ndarray of shape (k,)
        Share of rows covered, and the standard error that the number of rows gives it.
    mean_size, single, empty : ndarray of shape (k,)
        Mean number of labels in a set, and shares of sets with one label and with none.
    class_coverage, class_std_error : ndarray of shape (k, c)
        Coverage among the rows of each class.
    classes : ndarray of shape (c,)
        Labels.

    See Also
    --------
    kernelproba.ConformalClassifier : Whose sets it judges.
    ReliabilityDisplay : Whether probabilities hold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from kernelproba import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(LogisticRegression(max_iter=500)).fit(X[::2], y[::2])
    >>> table = CoverageDisplay.from_estimator(model, X[1::2], y[1::2]).frame()
    >>> table.columns.tolist()
    ['confidence', 'coverage', 'std_error', 'mean_size', 'single', 'empty']
    """

    def __init__(
        self,
        *,
        confidence,
        coverage,
        std_error,
        mean_size,
        single,
        empty,
        class_coverage,
        class_std_error,
        classes,
    ):
        self.confidence = confidence
        self.coverage = coverage
        self.std_error = std_error
        self.mean_size = mean_size
        self.single = single
        self.empty = empty
        self.class_coverage = class_coverage
        self.class_std_error = class_std_error
        self.classes = classes

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike,
        *,
        confidence: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> CoverageDisplay:
        """Judge the sets of a fitted classifier on rows that it has not seen.

        Parameters
        ----------
        estimator : ConformalClassifier
            Alone or at the end of a pipeline.
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            True labels.
        confidence : array-like of shape (k,), optional
            Levels; None: from 0.5 to what the calibration rows attain.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        if isinstance(estimator, Pipeline):
            X, estimator = estimator[:-1].transform(X), estimator[-1]
        if not hasattr(estimator, "predict_p_values"):
            raise ValueError(f"{estimator!r} has no prediction sets: wrap it in ConformalClassifier")
        attained = [level for level in LEVELS if level <= estimator.attainable_confidence() + 1e-12]
        asked = (attained or LEVELS[:1]) if confidence is None else np.ravel(confidence).tolist()
        levels = [estimator._level(level) for level in asked]  # refuses those that are not attained
        sets = estimator._sets_at(X, levels)
        return cls.from_predictions(y, sets, levels, classes=estimator.classes_, sample_weight=sample_weight)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        sets: ArrayLike,
        confidence: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> CoverageDisplay:
        """Judge sets of any origin.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True labels.
        sets : array-like of shape (k, n, c)
            Which labels are in the set of each row, for each level.
        confidence : array-like of shape (k,)
            The levels.
        classes : array-like of shape (c,), optional
            Labels of the last axis of `sets`; None: the sorted labels of `y_true`.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        labels = np.asarray(y_true)
        classes = np.unique(labels) if classes is None else np.asarray(classes)
        sets, confidence = np.asarray(sets, dtype=bool), np.asarray(confidence, dtype=np.float64)
        if sets.shape != (len(confidence), len(labels), len(classes)):
            expected = (len(confidence), len(labels), len(classes))
            raise ValueError(f"sets must have the shape {expected}, levels, rows, classes; got {sets.shape}")
        y = label_index(labels, classes)
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        covered, size = sets[:, np.arange(len(y)), y], sets.sum(axis=2)
        coverage, std_error = _share(covered, weight)
        by_class = [_share(covered[:, y == j], weight[y == j]) for j in range(len(classes))]
        return cls(
            confidence=confidence,
            coverage=coverage,
            std_error=std_error,
            mean_size=np.average(size, axis=1, weights=weight),
            single=_share(size == 1, weight)[0],
            empty=_share(size == 0, weight)[0],
            class_coverage=np.column_stack([share for share, _ in by_class]),
            class_std_error=np.column_stack([error for _, error in by_class]),
            classes=classes,
        )

    def frame(self, *, by_class: bool = False) -> pd.DataFrame:
        """Return a pandas frame with a line for each level, or for each level and class.

        Parameters
        ----------
        by_class : bool, default=False
            Whether to tell the coverage of every class.
        """
        with extra("tables"):
            import pandas as pd

        if not by_class:
            names = ("confidence", "coverage", "std_error", "mean_size", "single", "empty")
            return pd.DataFrame({name: getattr(self, name) for name in names})
        k, c = self.class_coverage.shape
        return pd.DataFrame(
            {
                "confidence": np.repeat(self.confidence, c),
                "class": np.tile(self.classes, k),
                "coverage": self.class_coverage.ravel(),
                "std_error": self.class_std_error.ravel(),
            }
        )

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, by_class: bool = False
    ) -> CoverageDisplay:
        """Draw coverage with a band of two standard errors against the level, beside the diagonal.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; None: a new figure.
        name : str, optional
            The model's name in the legend.
        by_class : bool, default=False
            Whether to draw a line for every class as well.
        """
        if ax is None:
            with extra("plot"):
                import matplotlib.pyplot as plt

            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        x, y, band = self.confidence, self.coverage, 2.0 * self.std_error
        sizes = f"{self.mean_size.min():.2g} to {self.mean_size.max():.2g} labels on average"
        label = sizes if name is None else f"{caption(name)}: {sizes}"
        (self.line_,) = ax.plot(x, y, "o-", label=label)
        ax.fill_between(x, y - band, y + band, color=self.line_.get_color(), alpha=0.2, lw=0)
        if by_class:
            for j, colour in enumerate(class_colours(len(self.classes))):
                ax.plot(
                    x, self.class_coverage[:, j], "--", color=colour, lw=1, label=caption(self.classes[j])
                )
        ax.plot([x.min(), 1], [x.min(), 1], ":", color="grey", label="as promised")
        ax.set(xlabel="Confidence asked for", ylabel="Share of rows whose label is in the set")
        ax.legend(loc="best")
        return self


def _share(flags: NDArray, weight: NDArray) -> tuple[NDArray, NDArray]:
    """Weighted share of flags (k, n), and its standard error; NaN for no rows."""
    if weight.sum() == 0:
        return np.full(len(flags), np.nan), np.full(len(flags), np.nan)
    share = flags @ weight / weight.sum()
    effective = weight.sum() ** 2 / np.square(weight).sum()
    return share, np.sqrt(share * (1 - share) / effective)
