"""Fits of candidates: what is shared, what is repeated, and what is never used."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.datasets import three_gaussians
from kernelproba.estimators.kernel_logistic import exact
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.kernels import RBF
from kernelproba.linalg import NotDefiniteError
from kernelproba.rows.row_hash import row_keys
from kernelproba.tuning.kernel_logistic import candidates
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits
from kernelproba.tuning.kernel_logistic.search import CandidateSearch, FeatureView, Stage
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.scorers import smoothed_log_likelihood

OPTIONS = Options("irls", 5e-2, 200, True)


def observations(X, y):
    ones = np.ones(len(y))
    return Observations(X, y, ones, ones, np.ones(len(y), dtype=int), row_keys(X, y))


def fits_to(X, y, options=OPTIONS):
    return CandidateFits(observations(X, y), lambda gamma: RBF(RBF.length_scale_of(gamma)), options)


def test_a_weak_penalty_on_many_rows_is_fitted_in_double_precision_and_converges():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1100, 3)) @ rng.standard_normal((3, 12)) + 0.3 * rng.standard_normal((1100, 12))
    y = (X[:, 0] + rng.standard_normal(1100) > 0).astype(int)
    fits = fits_to(X, y)
    assert OPTIONS.precision(1100, 1.0) is np.float32
    assert OPTIONS.precision(1100, 3e5) is np.float64
    function = fits.fit(1.4e-4, 3e5)
    assert function.solution.converged
    assert function.solution.residual <= OPTIONS.tol
    (part,) = fits.held_out(1.4e-4, 3e5, fits.rows.folds(4)[:1])
    assert -part.log_P[np.arange(len(part.rows)), y[part.rows]].mean() < 1.0


def test_a_fit_that_does_not_converge_is_tried_from_nothing_before_it_is_given_up(monkeypatch):
    X, y = three_gaussians(40, random_state=0)
    starts, real = [], exact.fit_matrix

    def stubborn(K, labels, weights, options, start=None):
        starts.append(start is not None)
        function = real(K, labels, weights, options, start)
        failed = replace(function.solution, converged=False)
        return replace(function, solution=failed) if start is not None else function

    fits = fits_to(X, y)
    fits.fit(0.5, 1.0)
    monkeypatch.setattr(candidates, "fit_matrix", stubborn)
    assert fits.fit(0.5, 10.0).solution.converged
    assert starts == [True, False]


def test_a_candidate_whose_fit_has_not_converged_scores_worst(monkeypatch):
    X, y = three_gaussians(40, random_state=0)
    fits, real = fits_to(X, y), exact.fit_matrix

    def failing(*arguments):
        function = real(*arguments)
        return replace(function, solution=replace(function.solution, converged=False))

    monkeypatch.setattr(candidates, "fit_matrix", failing)
    stage = Stage(fits, None, FeatureView("rbf", None), (True, True))
    assert CandidateSearch(smoothed_log_likelihood).evaluate(stage, 0.5, 1.0).score == -np.inf


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_of_several_observations_is_left_out(n_classes):
    X, y = three_gaussians(40, random_state=0)
    y = np.minimum(y, n_classes - 1)
    units = 1 + np.arange(40) % 3
    rows = replace(observations(X, y), weight=units.astype(float), units=units)
    tight = replace(OPTIONS, tol=1e-8)
    fits = CandidateFits(rows, lambda gamma: RBF(RBF.length_scale_of(gamma)), tight)
    (part,) = fits.held_out(0.3, 3.0, None)
    for i in (0, 1, 2):
        fewer = rows.weight.copy()
        fewer[i] -= 1
        kept = np.flatnonzero(fewer)
        other = replace(rows.at(kept), weight=fewer[kept])
        expected = CandidateFits(other, lambda gamma: RBF(RBF.length_scale_of(gamma)), tight).predict(
            X[i : i + 1], 0.3, 3.0
        )
        assert part.log_P[i, y[i]] == pytest.approx(expected[0, y[i]], abs=0.03)


def test_a_saturated_fit_is_judged_by_refits_not_by_its_own_curvature():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 5
    X = rng.standard_normal((30, 300)) + 0.4 * rng.standard_normal((5, 300))[y]
    fits = fits_to(X, y, replace(OPTIONS, tol=1e-6))
    (part,) = fits.held_out(1e-3, 1e5, None)
    np.testing.assert_array_equal(part.rows, np.arange(30))
    for fold in fits.rows.folds(candidates.REFIT_FOLDS):
        refit = KernelLogisticRegression(1e5, gamma=1e-3, tol=1e-6).fit(X[fold.train], y[fold.train])
        np.testing.assert_allclose(part.log_P[fold.test], refit.predict_log_proba(X[fold.test]), atol=1e-2)


def test_leave_one_out_of_a_fit_with_curvature_is_that_of_refits():
    X, y = three_gaussians(40, random_state=0)
    (part,) = fits_to(X, y, replace(OPTIONS, tol=1e-6)).held_out(0.5, 1.0, None)
    for i in range(0, 40, 8):
        others = np.arange(40) != i
        refit = KernelLogisticRegression(1.0, gamma=0.5, tol=1e-6).fit(X[others], y[others])
        np.testing.assert_allclose(np.exp(part.log_P[i]), refit.predict_proba(X[i : i + 1])[0], atol=0.01)


def test_folds_that_are_gone_are_not_mistaken_for_later_ones():
    X, y = three_gaussians(40, random_state=0)
    fits = fits_to(X, y)
    for n_folds in (2, 3, 4, 5, 6, 7, 8):
        for fold in fits.rows.folds(n_folds):
            assert len(fits.fit(0.5, 1.0, fold).dual) == len(fold.train)


def test_a_fit_that_has_not_converged_is_not_repeated_on_folds(monkeypatch):
    X, y = three_gaussians(30, random_state=0)
    fits, real, count = fits_to(X, y), exact.fit_matrix, []

    def unfinished(*arguments):
        count.append(1)
        function = real(*arguments)
        return replace(function, solution=replace(function.solution, converged=False))

    monkeypatch.setattr(candidates, "fit_matrix", unfinished)
    monkeypatch.setattr(CandidateFits, "is_saturated", lambda *_: True)
    (part,) = fits.held_out(0.5, 1.0, None)
    assert not part.converged
    assert len(count) == 1


def test_what_rounding_leaves_the_formula_no_matrix_for_is_judged_by_refits(monkeypatch):
    def refused(*_, **__):
        raise NotDefiniteError

    X, y = three_gaussians(40, random_state=0)
    monkeypatch.setattr(candidates, "softmax_loo_scores", refused)
    fits = fits_to(X, y)
    (part,) = fits.held_out(0.5, 1.0, None)
    np.testing.assert_array_equal(part.log_P, fits.refitted(0.5, 1.0).log_P)
    model = KernelLogisticRegressionCV([1.0], [0.5], random_state=0).fit(X, y)
    assert model.loo_method_ == "folds"


def test_weights_sixty_orders_apart_are_searched_in_bounded_time():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 4, 60)
    start = time.process_time()
    model = KernelLogisticRegressionCV(kernel="rbf", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=10.0 ** rng.uniform(-30, 30, 60))
    assert time.process_time() - start < 20
    assert np.isfinite(model.predict_proba(X)).all()
