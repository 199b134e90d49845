"""The path of a sparse model: kernels kept and loss against the strength of the penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.estimators.sparse_path import SparsePath
from kernelproba.inspection.colours import class_colours

if TYPE_CHECKING:
    import pandas as pd


class PathDisplay:
    """Kernels kept, and the cross-validated loss if there is one, along C.

    Parameters
    ----------
    path : SparsePath
        From `SparseKernelLogisticRegression.path`, or the attribute `path_` of its …CV.
    Cs, losses : arrays of shape (q,) and (folds, q), optional
        Strengths and losses of a cross-validation.
    chosen : float, optional
        Strength to mark.

    Attributes
    ----------
    path, Cs, losses, chosen
        As given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    loss_ax_ : matplotlib Axes or None
        The axis of the loss, if drawn.
    """

    def __init__(
        self,
        path: SparsePath,
        *,
        Cs: np.ndarray | None = None,
        losses: np.ndarray | None = None,
        chosen: float | None = None,
    ):
        self.path, self.Cs, self.losses, self.chosen = path, Cs, losses, chosen

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> PathDisplay:
        """Draw the path of an estimator.

        Parameters
        ----------
        estimator : SparseKernelLogisticRegression or SparseKernelLogisticRegressionCV
            The latter fitted; of the former the path is computed from X and y.
        X, y : array-like, optional
            Training data, for an estimator without `path_`.
        ax : matplotlib Axes, optional
            Where to draw.
        """
        if hasattr(estimator, "path_"):
            display = cls(estimator.path_, Cs=estimator.Cs_, losses=estimator.losses_, chosen=estimator.C_)
        elif X is None or y is None:
            raise ValueError(
                f"{type(estimator).__name__} holds no path: pass X and y, or fit a "
                "SparseKernelLogisticRegressionCV."
            )
        else:
            display = cls(estimator.path(X, y))
        return display.plot(ax)

    def frame(self) -> pd.DataFrame:
        """One row per strength: kernels kept, objective, residual, and the loss with its standard error."""
        import pandas as pd

        table = pd.DataFrame(
            {
                "C": self.path.Cs,
                "n_kernels": self.path.n_kernels,
                "objective": self.path.objective,
                "residual": self.path.residual,
            }
        )
        if self.losses is None:
            return table
        loss = pd.DataFrame({"C": self.Cs, "loss": self.losses.mean(axis=0), "loss_error": self._error()})
        return loss.merge(table, on="C", how="left")

    def plot(self, ax: Any = None) -> PathDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        PathDisplay
            Itself.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        self.ax_, self.figure_, self.loss_ax_ = ax, ax.figure, None
        kernels, loss = (tuple(colour) for colour in class_colours(2))
        ax.step(self.path.Cs, self.path.n_kernels, where="mid", color=kernels)
        ax.set(xscale="log", xlabel="C", ylabel="kernels kept")
        ax.yaxis.label.set_color(kernels)
        ax.spines["top"].set_visible(False)
        if self.chosen is not None:
            ax.axvline(self.chosen, color="0.6", linestyle=(0, (4, 3)), zorder=0)
        if self.losses is not None:
            self.loss_ax_ = ax.twinx()
            self.loss_ax_.errorbar(
                self.Cs, self.losses.mean(axis=0), yerr=self._error(), color=loss, marker="o", markersize=3
            )
            self.loss_ax_.set_ylabel("loss on rows left out", color=loss)
            self.loss_ax_.spines["top"].set_visible(False)
        return self

    def _error(self) -> np.ndarray:
        """Standard error of the mean loss over the folds; zero if there is one."""
        assert self.losses is not None
        folds = len(self.losses)
        return self.losses.std(axis=0, ddof=min(1, folds - 1)) / np.sqrt(folds)
