"""What the fits to all rows will take, as fits to samples foretell it.

With m centres a fit to n rows takes some n m operations for each step, so that what a sample took is
multiplied by the ratio of both.  Where memory has no room for features, each step computes kernel values
anew, which takes as long as a prediction of as many rows does.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.tuning.kernel_logistic.search import Candidate, FeatureView
from kernelproba.tuning.time_budget import TimeBudget

#: What fits to all rows, and those without folds of them, take in units of a fit to a sample, row by row,
#: where all rows are centres; where centres are chosen in the same units, and at least in those of
#: predictions of all rows if kernel values are computed at every pass.
SPANNING_COST, CENTERED_COST, PASSES = 3.0, 1.5, 40


@dataclass
class FinalCosts:
    """Seconds of the final fits of the models of a pool, kept in reserve of a budget.

    Parameters
    ----------
    n, n_judged : int
        Rows to fit, and rows of which candidates make predictions.
    plan : MemoryPlan
        How much memory the fits may take.
    budget : TimeBudget
        The time there is.
    """

    n: int
    n_judged: int
    plan: MemoryPlan
    budget: TimeBudget
    _seconds: dict[FeatureView, float] = field(default_factory=dict, init=False)

    def begin(self) -> None:
        """Forget what smaller samples foretold."""
        self._seconds.clear()

    def learn(self, found: Candidate, m: int | None, fit: float, predict: float, n_models: int) -> None:
        """Learn from seconds of a fit to a sample and of its predictions; m centres are meant for all rows.

        Of so many models in the pool those that are not known yet count as much as the others.
        """
        seconds = self._foretold(found, m, fit, predict)
        if seconds is not None:
            self._seconds[found.view] = seconds
            self.budget.reserve = sum(self._seconds.values()) * n_models / len(self._seconds)

    def keep(self, views: Collection[FeatureView]) -> None:
        """Keep time for these models alone."""
        if self._seconds:
            self.budget.reserve = sum(seconds for view, seconds in self._seconds.items() if view in views)

    def _foretold(self, found: Candidate, m: int | None, fit: float, predict: float) -> float | None:
        """Seconds of one model, None where they cannot be known."""
        n, n_centers = self.n, found.n_centers
        if m is None or n_centers is None:
            return SPANNING_COST * fit * (n / found.n_rows) ** 2 if self.plan.may_span(n) else None
        fits = CENTERED_COST * fit * (n * m) / (found.n_rows * n_centers)
        passes = PASSES * predict * (n * m) / (self.n_judged * n_centers)
        return fits if self.plan.keeps(n, m) else max(fits, passes)
