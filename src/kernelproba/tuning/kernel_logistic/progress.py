"""How far a self-tuned fit is: rows, best score, rows per second, and an estimate of what remains."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.base.fit_step import FitStep
from kernelproba.tuning.time_budget import TimeBudget

#: What a fit without a fold takes, relative to the fit of all rows from which it sets out.
FOLD_UNITS = 0.5


@dataclass
class FitProgress:
    """Reports the steps of a fit.

    Parameters
    ----------
    step : Step
        Takes the report of each.
    budget : TimeBudget
        Knows what the final fits are expected to take.
    units_left : float
        Final fits that are still to come, in units of one; set when they begin.
    """

    step: Step = unobserved
    budget: TimeBudget = field(default_factory=TimeBudget)
    units_left: float = 0.0
    _unit_seconds: float | None = field(default=None, init=False)
    _rate: float | None = field(default=None, init=False)

    @property
    def seconds_left(self) -> float | None:
        """Estimate of what remains; None while nothing is known."""
        if self.units_left and self._unit_seconds is not None:
            return self.units_left * self._unit_seconds
        known = [each for each in (self.budget.reserve, self.budget.left) if 0 < each < float("inf")]
        return min(known, default=None)

    @contextmanager
    def reported(
        self, name: str, n_rows: int, best: float | None = None, *, units: float = 0.0
    ) -> Iterator[Step]:
        """Context of a step; a final fit is so many units of those to come, and reports its passes."""
        start = time.monotonic()
        with self.step(self._named(name, n_rows, best, has_parts=units > 0)) as inner:
            yield self._passes(inner if callable(inner) else unobserved, n_rows)
        seconds = time.monotonic() - start
        self._rate = n_rows / max(seconds, 1e-9)
        if units:
            self.units_left = max(self.units_left - units, 0.0)
            self._unit_seconds = seconds / units

    def _named(self, name: str, n_rows: int, best: float | None, *, has_parts: bool = False) -> FitStep:
        return FitStep(
            name,
            n_rows=n_rows,
            best_score=best,
            rows_per_second=self._rate,
            seconds_left=self.seconds_left,
            has_parts=has_parts,
        )

    def _passes(self, inner: Step, n_rows: int) -> Step:
        """Steps within a step: passes over the same rows."""

        @contextmanager
        def reported_pass(name: str) -> Iterator[None]:
            start = time.monotonic()
            with inner(self._named(name, n_rows, None)):
                yield
            self._rate = n_rows / max(time.monotonic() - start, 1e-9)

        return reported_pass
