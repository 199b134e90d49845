"""p-values against counting, and the level they promise by simulation."""

import numpy as np
import pytest

from kernelproba.conformal import KnownLabels, left_out_p_values


def known_labels(labels, n_classes, *, weights=None, own=None, by_class=False):
    weights = np.ones(len(labels)) if weights is None else weights
    return KnownLabels(labels, weights, np.ones(n_classes) if own is None else own, by_class)


def counted(scores, labels, weights, own, s, y, by_class):
    """The definition, one row and label at a time."""
    rows = [i for i in range(len(scores)) if not by_class or labels[i] == y]
    worse = sum(weights[i] for i in rows if scores[i] >= s) + own[y]
    return worse / (sum(weights[i] for i in rows) + own[y])


@pytest.mark.parametrize("by_class", [False, True])
def test_p_values_are_weighted_shares_of_scores_as_large(by_class):
    rng = np.random.default_rng(0)
    scores, labels = rng.integers(0, 12, 40) / 4, rng.integers(0, 3, 40)
    weights, own, S = rng.uniform(0, 2, 40), np.array([1.0, 0.3, 2.0]), rng.integers(0, 12, (9, 3)) / 4
    p = known_labels(labels, 3, weights=weights, own=own, by_class=by_class).p_values(
        scores, np.zeros(40, dtype=int), [S]
    )
    expected = [
        [counted(scores, labels, weights, own, s, y, by_class) for y, s in enumerate(row)] for row in S
    ]
    np.testing.assert_allclose(p, expected)


def test_a_row_is_compared_with_new_rows_as_the_model_without_it_scores_them():
    # CV+ [Romano et al. 2020]: y is kept if Σᵢ 1[sᵢ < S₋ᵢ(x, y)] < (1 − α)(n + 1)
    rng = np.random.default_rng(1)
    scores, folds, S = rng.normal(size=30), np.arange(30) % 3, [rng.normal(size=(20, 2)) for _ in range(3)]
    p = known_labels(np.arange(30) % 2, 2).p_values(scores, folds, S)
    below = np.array(
        [[sum(scores[i] < S[folds[i]][x, y] for i in range(30)) for y in (0, 1)] for x in range(20)]
    )
    for alpha in (0.1, 0.25, 0.5):
        np.testing.assert_array_equal(p > alpha + 1e-12, below < (1 - alpha) * 31 - 1e-9)


def test_a_weight_of_two_is_a_row_seen_twice():
    rng = np.random.default_rng(2)
    scores, labels, S = rng.normal(size=20), rng.integers(0, 2, 20), rng.normal(size=(8, 2))
    twice = rng.integers(1, 3, 20)
    one = known_labels(labels, 2, weights=twice.astype(float)).p_values(scores, np.zeros(20, dtype=int), [S])
    copies = np.repeat(np.arange(20), twice)
    other = known_labels(labels[copies], 2).p_values(scores[copies], np.zeros(len(copies), dtype=int), [S])
    np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("randomized", [False, True])
def test_p_values_of_exchangeable_scores_are_uniform_or_larger(randomized):
    rng = np.random.default_rng(3)
    trials, n, levels = 20_000, 24, np.arange(1, 25) / 25
    scores = rng.integers(0, 8, (trials, n + 1)).astype(float)  # many ties
    v = rng.uniform(size=trials)
    p = np.array(
        [
            known_labels(np.zeros(n, dtype=int), 1).p_values(
                row[:n], np.zeros(n, dtype=int), [row[None, n:]], v[i : i + 1] if randomized else None
            )[0, 0]
            for i, row in enumerate(scores)
        ]
    )
    share = (p[:, None] <= levels + 1e-12).mean(axis=0)
    error = np.sqrt(levels * (1 - levels) / trials)
    assert (share <= levels + 4 * error).all()
    assert (abs(share - levels) <= 4 * error).all() == randomized


@pytest.mark.parametrize("by_class", [False, True])
def test_the_attainable_level_is_where_the_worst_label_is_just_ruled_out(by_class):
    labels = np.repeat([0, 1, 2], [9, 19, 1])
    known = known_labels(labels, 3, by_class=by_class)
    p = known.p_values(np.zeros(29), np.zeros(29, dtype=int), [np.ones((1, 3))])
    np.testing.assert_allclose(known.attainable(), 1 - p[0])
    np.testing.assert_allclose(known.attainable(), [0.9, 0.95, 0.5] if by_class else [29 / 30] * 3)


def test_p_values_of_leave_one_out_are_shares_of_rows_that_fit_as_badly():
    left_out = np.array([0.9, 0.5, np.nan, 0.2])
    P = np.array([[0.95, 0.05], [0.5, 0.5], [0.3, 0.7]])
    expected = np.array([[4, 1], [3, 3], [2, 3]]) / 4
    np.testing.assert_allclose(left_out_p_values(left_out, P), expected)
