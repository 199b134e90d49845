"""The path of a sparse model: kernels, coefficients and loss along the strength of the penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernelproba.estimators.sparse_kernel_logistic.path import SparsePath
from kernelproba.extras import extra
from kernelproba.inspection.displays.colours import class_colours
from kernelproba.inspection.scores.predictions import check_option
from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_KINDS = ("sparsity", "coefficients")
_KERNELS, _LOSS = (tuple(class_colours(5)[k]) for k in (0, 4))


class PathDisplay:
    """Kernels kept, and the cross-validated loss if there is one, or the coefficients, along C.

    Use `from_estimator`, which draws it.

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

    See Also
    --------
    kernelproba.SparseKernelLogisticRegressionCV : Whose path it draws.
    SearchDisplay : Searches over grids.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import SparseKernelLogisticRegressionCV
    >>> from kernelproba.inspection import PathDisplay
    >>> model = SparseKernelLogisticRegressionCV(Cs=5, cv=2).fit(*load_iris(return_X_y=True))
    >>> PathDisplay.from_estimator(model).chosen == model.C_
    True
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
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike | None = None,
        y: ArrayLike | None = None,
        *,
        ax: Axes | None = None,
        kind: str = "sparsity",
    ) -> PathDisplay:
        """Draw the path of an estimator.

        Parameters
        ----------
        estimator : SparseKernelLogisticRegression or SparseKernelLogisticRegressionCV
            The latter fitted; of the former the path is computed from X and y.
        X, y : array-like, optional
            Training data, for an estimator that is not a …CV.
        ax : matplotlib Axes, optional
            Where to draw.
        kind : {"sparsity", "coefficients"}, default="sparsity"
            As in `plot`.
        """
        if isinstance(estimator, SparseKernelLogisticRegressionCV):
            display = cls(estimator.path_, chosen=estimator.C_, **_losses(estimator.cv_results_))
        elif X is None or y is None:
            raise ValueError(
                f"{type(estimator).__name__} holds no path: pass X and y, or fit a "
                "SparseKernelLogisticRegressionCV."
            )
        else:
            display = cls(estimator.path(X, y))
        return display.plot(ax, kind=kind)

    def frame(self, kind: str = "sparsity") -> pd.DataFrame:
        """What is drawn, as a table.

        Parameters
        ----------
        kind : {"sparsity", "coefficients"}, default="sparsity"
            One row per strength: kernels kept, objective, residual, and the loss with its standard error; or
            one row per strength and centre: its place ``support`` in the training data and the ``size`` of
            its coefficients.
        """
        with extra("tables"):
            import pandas as pd

        check_option("kind", kind, _KINDS)
        if kind == "coefficients":
            sizes = self._sizes()
            index = pd.MultiIndex.from_product([self.path.Cs, self.path.support], names=["C", "support"])
            return pd.DataFrame({"size": sizes.ravel()}, index=index).reset_index()
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

    def plot(self, ax: Axes | None = None, *, kind: str = "sparsity") -> PathDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        kind : {"sparsity", "coefficients"}, default="sparsity"
            How many kernels are kept, with the loss on rows left out; or a line for each centre, the
            Euclidean norm of its coefficients over the classes.

        Returns
        -------
        PathDisplay
            Itself.
        """
        check_option("kind", kind, _KINDS)
        if ax is None:
            with extra("plot"):
                import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.loss_ax_: Any = None
        ax.set(xscale="log", xlabel="C  (the penalty weakens to the right)")
        ax.spines[["top", "right"]].set_visible(False)
        if kind == "coefficients":
            ax.plot(self.path.Cs, self._sizes(), color=_KERNELS, linewidth=0.9, alpha=0.6)
            ax.set_ylabel("size of each centre's coefficients")
        else:
            self._draw_sparsity(ax)
        ax.set_ylim(bottom=0)
        self._mark_choice(ax)
        return self

    def _draw_sparsity(self, ax: Any) -> None:
        """Kernels kept as steps, the loss over them on an axis of its own."""
        ax.plot(
            self.path.Cs, self.path.n_kernels, drawstyle="steps-mid", color=_KERNELS, marker="o", markersize=3
        )
        ax.set_ylabel("kernels kept", color=_KERNELS)
        ax.yaxis.get_major_locator().set_params(integer=True)
        if self.losses is None:
            return
        self.loss_ax_ = ax.twinx()
        style = {"color": _LOSS, "marker": "s", "markersize": 4, "capsize": 2, "elinewidth": 1}
        self.loss_ax_.errorbar(self.Cs, self.losses.mean(axis=0), yerr=self._error(), **style)
        self.loss_ax_.set_ylabel("loss on rows left out (± standard error)", color=_LOSS)
        self.loss_ax_.spines["top"].set_visible(False)

    def _mark_choice(self, ax: Axes) -> None:
        """Name the chosen strength, and the kernels kept there, above its line."""
        if self.chosen is None:
            return
        ax.axvline(self.chosen, color="0.5", linestyle=(0, (4, 3)), zorder=0)
        kept = self.path.n_kernels[int(np.argmin(abs(np.log(self.path.Cs / self.chosen))))]
        title = f"chosen: C = {self.chosen:.3g}, {kept} kernels"
        ax.set_title(title, fontsize="medium", color="0.3")

    def _sizes(self) -> np.ndarray:
        """Euclidean norm of each centre's coefficients over the scores, (q, m)."""
        return np.linalg.norm(self.path.dual_coef, axis=1)

    def _error(self) -> np.ndarray:
        """Standard error of the mean loss over the folds; zero if there is one."""
        assert self.losses is not None
        folds = len(self.losses)
        return self.losses.std(axis=0, ddof=min(1, folds - 1)) / np.sqrt(folds)


def _losses(results: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Strengths (q,) that a search has tried, and minus their scores on its folds (folds, q)."""
    names = [name for name in results if name.startswith("split")]
    return {"Cs": np.asarray(results["param_C"]), "losses": -np.stack([results[name] for name in names])}
