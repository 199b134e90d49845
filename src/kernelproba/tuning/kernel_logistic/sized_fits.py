"""Fits of one model of a pool to a sample of many rows, judged by rows that are held out."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.refit import StrengthFits
from kernelproba.kernels.distance_cache import DistanceCache
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits
from kernelproba.tuning.kernel_logistic.search import Candidate, CandidateSearch, GammaC
from kernelproba.tuning.kernel_logistic.stages import SelectedModel
from kernelproba.tuning.observations import Observations

#: Share of the score that twice as many centres must gain: they take twice the time.
DOUBLING_GAIN = 0.0025


@dataclass
class SizedFits:
    """Fits of one model of the pool to a sample, judged by rows held out; each C starts from the one before.

    Parameters
    ----------
    selected : SelectedModel
        What was found on fewer rows.
    model : callable
        SelectedModel → KernelLogisticRegression, not yet fitted.
    sample, judged : Training
        Rows to fit, and rows to judge by.
    search : CandidateSearch
        Scores, keeps the record and has an eye on the time.
    learn_cost : callable
        Told of a candidate, and the seconds of its fit and of its predictions.
    """

    selected: SelectedModel
    model: Callable[[SelectedModel], KernelLogisticRegression]
    sample: Training
    judged: Training
    search: CandidateSearch
    learn_cost: Callable[[Candidate, float, float], None]
    _fitted: dict[tuple, StrengthFits] = field(default_factory=dict, init=False)
    _scored: dict[tuple, Candidate] = field(default_factory=dict, init=False)
    _log_P: dict[tuple, np.ndarray] = field(default_factory=dict, init=False)
    _longest: dict[int | None, float] = field(default_factory=dict, init=False)
    _width: float | None = field(default=None, init=False)

    def evaluate(self, n_centers: int | None, gamma: float | None, C: float) -> Candidate:
        """Score one point on the rows held out."""
        if (key := (n_centers, gamma, C)) not in self._scored:
            self._scored[key] = self._evaluated(n_centers, gamma, C)
        return self._scored[key]

    def _evaluated(self, n_centers: int | None, gamma: float | None, C: float) -> Candidate:
        best, n = self.selected.best, len(self.sample.y)
        point = replace(best, gamma=gamma, C=C, n_rows=n, n_centers=n_centers)
        with self.search.reported("candidate", n):
            start = time.monotonic()
            if n_centers is None:
                self._make_room(gamma)
                log_P, fitted = self.spanned.predict_compared(self._to_judged, gamma, C), time.monotonic()
            else:
                model, fitted = self._fit(point), time.monotonic()
                log_P = model.predict_log_proba(self.selected.view.rows(self.judged.X))
            self._keep_time(point, start, fitted)
        weight = self.judged.weight / self.judged.weight.mean()
        score = self.search.scorer(log_P, self.judged.y, weight, float(len(weight)))
        self._log_P[n_centers, gamma, C] = log_P
        found = replace(point, scores=(score,))
        self.search.record.append(found)
        return found

    def _make_room(self, gamma: float | None) -> None:
        """Forget other widths: a climb does not come back, and three in double precision are many."""
        if gamma != self._width:
            self.spanned.forget_widths()
            self._width = gamma

    def held_out(self, found: Candidate) -> np.ndarray:
        """Log-probabilities (h, c) of the rows held out by a candidate that was scored."""
        return self._log_P[found.n_centers, found.gamma, found.C]

    def enough_centers(self, start: GammaC, numbers: Sequence[int | None], gain: float) -> int | None:
        """The first of growing numbers of centres from which the next does not gain what it must."""
        best = self.evaluate(numbers[0], *start)
        for number in numbers[1:]:
            spanned = len(self._fitted[best.n_centers, best.gamma].model.support_)
            if spanned < (best.n_centers or 0) or self.search.budget.is_over():
                break  # the kernel has no more to give
            trial = self.evaluate(number, *start)
            if not trial.score > best.score + max(gain, DOUBLING_GAIN * abs(best.score)):
                break
            best = trial
        return best.n_centers

    def _fit(self, point: Candidate) -> KernelLogisticRegression:
        """Fit chosen centres at a point, from the last fit with the same kernel and centres."""
        key, rows = (point.n_centers, point.gamma), self.sample
        for other in self._fitted.keys() - {key}:
            self._fitted[other].forget()
        if key in self._fitted:
            return self._fitted[key].to(point.C)
        fresh = self.model(self.selected._replace(best=point)).set_params(class_weight=None)
        fits = StrengthFits(fresh, self.selected.view.rows(rows.X), rows.y, rows.weight)
        self._fitted[key] = fits
        return fits.model

    def _keep_time(self, point: Candidate, start: float, fitted: float) -> None:
        """Keep time for another candidate, and for final fits by the longest fit with as many centres."""
        end, m = time.monotonic(), point.n_centers
        self._longest[m] = max(self._longest.get(m, 0.0), fitted - start)
        self.search.budget.coming = end - start
        self.learn_cost(point, self._longest[m], end - fitted)

    def forget(self) -> None:
        """Give the memory of the fits free; what they predicted stays."""
        self._fitted.clear()
        if vars(self).pop("_to_judged", None) is not None:
            self.spanned.forget()

    @cached_property
    def spanned(self) -> CandidateFits:
        """Fits that all rows of the sample span; copies stay apart, as in the final fit."""
        rows, each = self.sample, np.arange(len(self.sample.y))
        seen = Observations(rows.X, rows.y, rows.weight, rows.sample_weight, np.ones_like(each), each)
        return self.selected.fits.on(self.selected.view.of(seen))

    @cached_property
    def _to_judged(self) -> DistanceCache:
        """Distances from the rows held out to those of the sample."""
        return DistanceCache(self.selected.view.rows(self.judged.X), self.spanned.rows.X)
