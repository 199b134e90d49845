"""Faint classes against the same equations in decimals of many digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax

from kernelproba.coupling import couple, couple_log_odds
from kernelproba.coupling.pairs import class_pairs, square_from_log_odds

DIGITS = 1000


def in_decimals(F, c, weights=None):
    """Solve (Q + 11ᵀ) u = 1 for the log-odds F (pairs,) of one row, and return log u/1ᵀu."""
    with localcontext() as context:
        context.prec = DIGITS
        r = np.full((c, c), Decimal(0), dtype=object)
        for (i, j), f in zip(class_pairs(c), F, strict=True):
            odds = Decimal(float(f)).exp()
            r[i, j], r[j, i] = odds / (1 + odds), 1 / (1 + odds)
        n = np.vectorize(Decimal, otypes=[object])(np.ones((c, c)) if weights is None else weights)
        system = Decimal(1) - n * r * r.T
        for i in range(c):
            system[i, i] = 1 + sum(n[s, i] * r[s, i] ** 2 for s in range(c) if s != i)
        left = np.concatenate([system, np.full((c, 1), Decimal(1))], axis=1)
        for k in range(c):  # Q + 11ᵀ is positive definite: no pivots are needed
            left[k] = left[k] / left[k, k]
            for i in set(range(c)) - {k}:
                left[i] = left[i] - left[i, k] * left[k]
        u = left[:, -1]
        return np.array([float((each / u.sum()).ln()) for each in u])


@settings(deadline=None, max_examples=40)
@given(
    F=st.integers(3, 5).flatmap(
        lambda c: arrays(float, c * (c - 1) // 2, elements=st.floats(-500, 500).map(lambda f: round(f, 3)))
    )
)
def test_every_class_has_its_own_digits_however_faint(F):
    c = {3: 3, 6: 4, 10: 5}[len(F)]
    np.testing.assert_allclose(couple_log_odds(F[None])[0], in_decimals(F, c), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1.0, 20.0])
def test_many_classes_that_few_beat_by_far_have_their_digits_too(noise):
    rng, c = np.random.default_rng(0), 12
    i, j = class_pairs(c).T
    theta = 20 * rng.normal(size=c) + 60 * np.eye(c)[0]
    F = theta[i] - theta[j] + noise * rng.normal(size=len(i))
    np.testing.assert_allclose(couple_log_odds(F[None])[0], in_decimals(F, c), rtol=1e-9, atol=1e-9)


def test_faint_classes_are_weighed_as_well():
    rng, c = np.random.default_rng(1), 5
    weights = rng.uniform(0.1, 1, (c, c))
    weights = (weights + weights.T) / 2
    F = 40 * rng.normal(size=c * (c - 1) // 2)
    scaled = weights / weights[~np.eye(c, dtype=bool)].mean()
    found = couple_log_odds(F[None], pair_weights=weights)[0]
    np.testing.assert_allclose(found, in_decimals(F, c, scaled), rtol=1e-9, atol=1e-9)


def test_log_odds_beyond_all_exponents_give_finite_logarithms():
    rng = np.random.default_rng(0)
    for scale in (1e3, 1e5):
        log_P = couple_log_odds(scale * rng.normal(size=(50, 15)))
        assert np.isfinite(log_P).all()
        assert (log_P <= 0).all()


def test_log_odds_and_probabilities_are_coupled_alike():
    F = 4 * np.random.default_rng(0).normal(size=(500, 325))
    np.testing.assert_allclose(np.exp(couple_log_odds(F)), couple(square_from_log_odds(F)), atol=1e-13)


@pytest.mark.parametrize("size", [1e6, 1e12, 1e20, 1e51, 1e299])
def test_log_odds_of_any_size_give_finite_logarithms_of_probabilities(size):
    rng = np.random.default_rng(0)
    F = size * rng.choice([-1.0, -0.3, 0.0, 0.0, 1e-9, 0.5, 1.0], (300, 10))
    F[0] = [size] * 4 + [0.0] * 6  # the others are even
    log_P = couple_log_odds(F)
    assert np.isfinite(log_P).all()
    np.testing.assert_allclose(np.exp(log_P).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(log_P[0]), [1.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("c", [3, 4, 7, 12, 26])
@pytest.mark.parametrize("size", [20, 100, 500, 5000])
def test_pairs_that_agree_leave_a_class_as_faint_as_they_say(c, size):
    # Whole numbers: their differences are exact, and all pairs agree to the last digit.
    theta = np.random.default_rng(c).integers(-size, size, (200, c)).astype(float)
    i, j = class_pairs(c).T
    found = couple_log_odds(theta[:, i] - theta[:, j])
    np.testing.assert_allclose(found, log_softmax(theta, axis=1), rtol=1e-9, atol=1e-9)


def test_rows_with_many_and_few_faint_classes_do_not_see_each_other():
    rng, c = np.random.default_rng(0), 9
    i, j = class_pairs(c).T
    theta = rng.normal(size=(60, c)) * rng.choice([0.1, 3, 30, 300], (60, c))
    F = theta[:, i] - theta[:, j] + rng.normal(size=(60, len(i)))
    alone = np.vstack([couple_log_odds(row[np.newaxis]) for row in F])
    np.testing.assert_allclose(couple_log_odds(F), alone, rtol=1e-9, atol=1e-9)


def test_very_faint_classes_of_pairs_that_do_not_agree_need_no_second_look():
    F = np.array([[50.0, 50.0, 50.0, 3.0, -3.0, 3.0]])  # three classes that beat each other in a circle
    np.testing.assert_allclose(couple_log_odds(F)[0], in_decimals(F[0], 4), rtol=1e-9, atol=1e-9)
    wild = 60 * np.random.default_rng(0).normal(size=(300, 10))
    assert np.isfinite(couple_log_odds(wild)).all()
