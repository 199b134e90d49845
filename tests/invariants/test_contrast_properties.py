"""What holds for maximum contrast, linear programming machines and kernel densities on any rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from kernelproba.basis.gram import Gram
from kernelproba.estimators.kernel_density import KernelDensityClassifier
from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier
from kernelproba.kernels import RBF
from kernelproba.solvers.lp.contrast_problem import ContrastProblem
from kernelproba.solvers.lp.restricted_contrast import RestrictedContrast
from kernelproba.solvers.lp.slpm import contrast_path

IRIS = load_iris(return_X_y=True)
MODELS = [
    KernelDensityClassifier().fit(*IRIS),
    MaximumContrastClassifier(0.1).fit(*IRIS),
    MaximumContrastClassifier(0.1, calibration_cv=3).fit(*IRIS),
    LinearProgrammingMachine(C=10).fit(*IRIS),
    LinearProgrammingMachine(C=10, multi_class="pairwise").fit(*IRIS),
]
extremes = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-300, 1e8, -1e12, 1e100, -1e200, 1.7e308])


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=40, deadline=None)
@given(arrays(float, (3, 4), elements=extremes))
def test_predict_is_the_argmax_of_a_distribution(model, rows):
    P = model.predict_proba(rows)
    assert np.isfinite(P).all()
    assert (P >= 0).all()
    assert_allclose(P.sum(axis=1), 1)
    assert_array_equal(model.predict(rows), model.classes_[P.argmax(axis=1)])


@st.composite
def problems(draw):
    """Rows on a coarse lattice (so that many coincide), any labels, weights, priors and norms."""
    n, c = draw(st.integers(6, 24)), draw(st.integers(2, 4))
    X = draw(arrays(np.int64, (n, 2), elements=st.integers(0, 4))).astype(float)
    y = np.r_[np.arange(c), draw(arrays(np.int64, n - c, elements=st.integers(0, c - 1)))]
    weight = draw(arrays(np.int64, n, elements=st.integers(1, 3))).astype(float)
    priors = draw(arrays(np.int64, c, elements=st.integers(1, 5))).astype(float)
    width = draw(st.sampled_from([0.05, 0.5, 1.0, 5.0]))
    l1_ratio = draw(st.sampled_from([0.0, 0.5, 0.95]))
    return ContrastProblem(Gram(RBF(width), X), y, weight, priors / priors.sum(), l1_ratio)


@settings(max_examples=60, deadline=None)
@given(problems(), st.lists(st.sampled_from([3.0, 0.3, 0.03, 0.003]), min_size=1, max_size=3, unique=True))
def test_every_fit_is_feasible_proved_optimal_and_never_falls(problem, alphas):
    for fit in contrast_path(problem, alphas, RestrictedContrast, tol=0.0, max_iter=100):
        mass = np.bincount(problem.y, weights=fit.beta)
        assert (fit.beta >= 0).all()
        assert_allclose(mass, mass[0], rtol=1e-7)
        assert mass[0] >= 1 - 1e-8
        assert (np.diff(fit.history) >= -1e-10).all()
        assert abs(fit.gap) < 1e-7
        assert fit.history[-1] >= problem.value(problem.equal_weights(), *_margin(problem), fit.alpha) - 1e-9


def _margin(problem):
    return (problem.margins(problem.fields(problem.equal_weights()))[0],)
