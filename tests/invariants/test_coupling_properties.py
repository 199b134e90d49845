"""What holds for every array of pairwise probabilities, zeros and ones included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernelproba.coupling import METHODS, couple

both_methods = pytest.mark.parametrize("method", METHODS)
probability = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 1e-9, 1 - 1e-9]), st.floats(0, 1))
condensed = st.integers(3, 7).flatmap(
    lambda c: arrays(float, st.tuples(st.integers(1, 4), st.just(c * (c - 1) // 2)), elements=probability)
)


def square(r):
    c = round((1 + np.sqrt(1 + 8 * r.shape[1])) / 2)
    i, j = np.triu_indices(c, 1)
    R = np.full((len(r), c, c), 0.5)
    R[:, i, j], R[:, j, i] = r, 1 - r
    return R


@both_methods
@settings(deadline=None, max_examples=50)
@given(r=condensed)
def test_the_answer_is_a_distribution(method, r):
    P = couple(r, method)
    assert np.isfinite(P).all()
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-13)


@both_methods
@settings(deadline=None, max_examples=50)
@given(r=condensed)
def test_both_layouts_give_the_same_answer(method, r):
    np.testing.assert_allclose(couple(r, method), couple(square(r), method), atol=1e-8)


@both_methods
@settings(deadline=None, max_examples=50)
@given(r=condensed, data=st.data())
def test_permuting_the_classes_permutes_the_answer(method, r, data):
    R = square(r)
    c = R.shape[1]
    order = np.array(data.draw(st.permutations(range(c))))
    counts = np.arange(1.0, c + 1)
    weights = counts[:, None] + counts
    P = couple(R, method, weights)
    permuted = couple(R[:, order][:, :, order], method, weights[order][:, order])
    np.testing.assert_allclose(permuted, P[:, order], atol=1e-8)


@both_methods
@settings(deadline=None, max_examples=50)
@given(r=condensed)
def test_a_row_does_not_see_the_other_rows(method, r):
    together = couple(r, method)
    alone = np.vstack([couple(row[np.newaxis], method) for row in r])
    np.testing.assert_allclose(together, alone, atol=1e-8)


@settings(deadline=None, max_examples=50)
@given(r=condensed)
def test_hastie_tibshirani_ranks_the_classes_by_their_wins(r):
    # Hastie and Tibshirani 1998: with equal weights p_i > p_j if and only if Σ_k r_ik > Σ_k r_jk.
    wins = square(r).sum(axis=2)
    P = couple(r, "hastie-tibshirani")
    gaps = wins[:, :, None] - wins[:, None, :]
    ahead = P[:, :, None] - P[:, None, :]
    assert (ahead[gaps > 1e-6] > -1e-9).all()
