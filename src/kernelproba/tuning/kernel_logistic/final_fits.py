"""The fits of one selected model to many rows: to all of them, and without some.

Where all rows are centres one kernel matrix serves all of these fits; with chosen centres, kernel values and
a curvature do.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from kernelproba.estimators.base.callbacks import Step, reporting_to
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.refit import Refits, RowFits
from kernelproba.tuning.kernel_logistic.growth import CENTERED_SCORES, FIRST_CENTERS, grown_centers
from kernelproba.tuning.kernel_logistic.many_rows import ManyRows, fit_input
from kernelproba.tuning.kernel_logistic.stages import SelectedModel


@dataclass
class FinalFits:
    """Fits of a selected model.

    Parameters
    ----------
    many, labels : ManyRows, aligned values
        The rows, and their labels.
    selected : SelectedModel
        What was selected.
    model : callable
        SelectedModel → KernelLogisticRegression, not yet fitted.
    centers_searched : bool
        Whether the number of centres was left to be found.
    hurried : bool
        Whether there was no time to find it.
    """

    many: ManyRows
    labels: np.ndarray
    selected: SelectedModel
    model: Callable[[SelectedModel], KernelLogisticRegression]
    centers_searched: bool
    hurried: bool
    _known_refits: Refits | None = field(default=None, init=False)
    _without: list[KernelLogisticRegression] | None = field(default=None, init=False)

    def to_all(self, step: Step) -> KernelLogisticRegression:
        """The model, fitted to all rows; `step` is told of passes."""
        if self._spanning:
            return self._rows.to_all()
        model, best = self.model(self.selected), self.selected.best
        plan = self.many.memory_plan(model.memory_limit)
        if best.n_centers is not None:
            model.set_params(n_centers=grown_centers(best, len(self.many), plan))
        elif self.centers_searched and self.hurried and not self._grown:
            # As many as it takes may be thousands, which take many times as long as the search was given.
            model.set_params(n_centers=min(FIRST_CENTERS, plan.most_centers))
        with reporting_to(model, step):
            rows = fit_input(self.many.seen(self.selected.view))
            return model.fit(rows, self.labels, self.many.sample_weight)

    def without(
        self, fitted: KernelLogisticRegression, fold: np.ndarray, number: int, step: Step
    ) -> KernelLogisticRegression:
        """A copy of the fitted model, fitted without the rows of a fold (n,) of that number.

        Where all rows are centres the first call makes all of these copies, whose fits go in step.
        """
        if self._spanning:
            if self._without is None:
                folds = range(int(fold.max()) + 1)
                self._without = self._rows.without_each(fitted, [fold == each for each in folds])
            return self._without[number]
        weight = self.many.rows.map_values(_WithoutFold(number), self.many.weight, self.many.rows.align(fold))
        return self._refits(fitted, int(fold.max()) + 1).to(weight, step)

    def known_scores(self, fitted: KernelLogisticRegression) -> np.ndarray | None:
        """Scores (n, k) of all rows by one of these fits, where the kernel matrix of the rows is at hand."""
        if not self._spanning or len(self._rows.rows.y) < len(self.many):
            return None
        return self._rows.scores(fitted)

    @property
    def _spanning(self) -> bool:
        """Whether all rows are centres."""
        best, plan = self.selected.best, self.many.memory_plan(self.model(self.selected).memory_limit)
        if best.n_centers is not None or best.gamma is None or not self.centers_searched:
            return False
        # Where centres may be quicker, a larger sample must have told that they do not suffice.
        quick = plan.n_scores not in CENTERED_SCORES and not self.hurried
        return (self._grown or quick) and plan.may_span(len(self.many))

    @property
    def _grown(self) -> bool:
        """Whether the settings are those of a larger sample than was searched."""
        return self.selected.best.n_rows > len(self.selected.fits.rows)

    @cached_property
    def _rows(self) -> RowFits:
        many, everything = self.many, np.arange(len(self.many))
        labels, weight = (many.rows.pick(values, everything) for values in (self.labels, many.sample_weight))
        model = self.model(self.selected).set_params(n_centers=None)
        return RowFits(model, self.selected.view.rows(many.rows.whole()), labels, weight)

    def _refits(self, fitted: KernelLogisticRegression, n_folds: int) -> Refits:
        if self._known_refits is None:
            many = self.many
            mean_weight = many.rows.map_values(partial(np.multiply, 1 - 1 / n_folds), many.weight)
            self._known_refits = Refits(fitted, many.seen(self.selected.view), many.y, mean_weight)
        return self._known_refits


@dataclass(frozen=True)
class _WithoutFold:
    """Weights that leave out a fold."""

    number: int

    def __call__(self, weight: np.ndarray, fold: np.ndarray) -> np.ndarray:
        return np.where(fold == self.number, 0.0, weight)
