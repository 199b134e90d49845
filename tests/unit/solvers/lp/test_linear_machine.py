from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_moons

from kernelproba.basis.gram import Gram
from kernelproba.kernels import RBF
from kernelproba.solvers.lp import linear_machine
from kernelproba.solvers.lp.highs import ProgrammeFailed
from kernelproba.solvers.lp.linear_machine import linear_machine_path


@pytest.mark.parametrize("size", [1e-90, 1e-9, 1e9, 1e90])
def test_the_unit_of_the_kernel_has_no_part_in_the_machine(size):
    X, y = make_moons(60, noise=0.3, random_state=0)
    K, weight = RBF(0.5)(X, X), np.ones(60)
    (plain,) = linear_machine_path(Gram.of_matrix(K), y, weight, [0.3])
    (scaled,) = linear_machine_path(Gram.of_matrix(size * K), y, weight, [0.3 * size])
    np.testing.assert_allclose(scaled.beta * size, plain.beta, atol=1e-9)
    assert scaled.intercept == pytest.approx(plain.intercept)


def test_generation_and_the_programme_written_out_agree(monkeypatch):
    X, y = make_moons(120, noise=0.3, random_state=0)
    gram, weight, penalties = Gram(RBF(0.5), X), np.random.default_rng(0).random(120) + 0.5, [3.0, 0.3, 0.03]
    restricted = [fit.value for fit in linear_machine_path(gram, y, weight, penalties)]
    monkeypatch.setattr(linear_machine, "WRITTEN_OUT", np.inf)
    full = [fit.value for fit in linear_machine_path(gram, y, weight, penalties)]
    np.testing.assert_allclose(full, restricted, rtol=1e-7)


def test_where_generation_fails_the_programme_is_written_out(monkeypatch):
    X, y = make_moons(60, noise=0.3, random_state=0)
    gram, weight, penalties = Gram(RBF(0.5), X), np.ones(60), [3.0, 0.3]
    full = [fit.value for fit in linear_machine_path(gram, y, weight, penalties)]

    def failing(*_):
        raise ProgrammeFailed("for once")
        yield

    monkeypatch.setattr(linear_machine, "_restricted_path", failing)
    written_out = [fit.value for fit in linear_machine_path(gram, y, weight, penalties)]
    np.testing.assert_allclose(written_out, full, rtol=1e-9)


def test_once_no_row_loses_smaller_penalties_have_the_same_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 2
    gram, weight = Gram(RBF(0.5), X), np.ones(30)
    along = list(linear_machine_path(gram, y, weight, [1e-2, 1e-3, 1e-4]))
    alone = [next(linear_machine_path(gram, y, weight, [penalty])) for penalty in (1e-2, 1e-3, 1e-4)]
    assert along[1].value == pytest.approx(along[0].value / 10)
    for followed, fresh in zip(along, alone, strict=True):
        assert followed.value == pytest.approx(fresh.value, rel=1e-6)
        assert followed.gap <= 1e-6 * followed.value


def test_tiny_penalties_leave_no_gap_to_speak_of():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 1)), rng.integers(0, 2, 120)
    fits = list(linear_machine_path(Gram(RBF(0.5), X), y, np.ones(120), [1e-5, 1e-6, 1e-7, 1e-8]))
    assert max(fit.gap / fit.value for fit in fits) < 1e-3
    assert all(later.value < earlier.value for earlier, later in pairwise(fits))


def test_a_kernel_that_is_zero_everywhere_leaves_the_intercept_alone_at_any_penalty():
    y = np.array([0, 1, 1])
    fits = linear_machine_path(Gram.of_matrix(np.zeros((3, 3))), y, np.ones(3), [1e20, np.float64(1e-20)])
    assert [(fit.beta.any(), fit.intercept) for fit in fits] == [(False, 1.0), (False, 1.0)]


@pytest.mark.parametrize("C", [0.3, 30.0])
def test_a_machine_of_a_sample_is_a_start_and_no_more(C, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(240) > 0).astype(np.intp)
    gram, weight = Gram.of_matrix(RBF(1.0)(X, X)), rng.uniform(0.5, 2.0, 240)
    (plain,) = linear_machine_path(gram, y, weight, [1 / C])
    for name, value in {"DIRECT_ROWS": 20, "SAMPLED_ROWS": 50, "FEW_STEPS": 0}.items():
        monkeypatch.setattr(linear_machine, name, value)
    (sampled,) = linear_machine_path(gram, y, weight, [1 / C])
    assert sampled.value == pytest.approx(plain.value, rel=1e-9)
    assert abs(sampled.gap) < 1e-7 * sampled.value
