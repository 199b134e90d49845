"""Games by all sets of columns: what is taken together, and the weights of sets."""

from itertools import permutations

import numpy as np
import pytest

from kernelproba.inspection.reasons.coalitions import class_contrasts, grouped, log_odds_of, shapley_weights


def test_weights_of_sets_are_shares_of_orders():
    values = np.random.default_rng(0).normal(size=16)
    shares = np.zeros(4)
    for order in permutations(range(4)):
        members = 0
        for j in order:
            shares[j] += (values[members + 2**j] - values[members]) / 24
            members += 2**j
    np.testing.assert_allclose(shapley_weights(4) @ values, shares)


def test_nobody_gains_in_a_game_without_players():
    assert shapley_weights(0).shape == (0, 1)


@pytest.mark.parametrize("cost", [0.0, 1e3, 1e6])
def test_rows_are_taken_together_with_every_player_in_which_they_differ(cost):
    differs = np.random.default_rng(0).random((50, 6)) < [0.1, 0.5, 0.9, 1.0, 0.0, 0.5]
    groups = grouped(differs, cost)
    assert sorted(np.concatenate([group.rows for group in groups])) == list(range(50))
    for group in groups:
        others = np.setdiff1d(np.arange(6), group.players)
        assert not differs[np.ix_(group.rows, others)].any()


def test_dear_sets_are_spared_and_cheap_ones_are_not():
    differs = np.random.default_rng(0).random((50, 6)) < 0.5
    assert len(grouped(differs, 0.0)) == 1
    dear = grouped(differs, 1e9)
    assert sum(group.n_sets for group in dear) == (2 ** differs.sum(axis=1)).sum()


def test_log_odds_from_contrasts_do_not_overflow():
    scores = np.array([[1000.0, 0.0, -1000.0], [0.0, 1.0, 2.0]])
    P = np.exp(scores[1]) / np.exp(scores[1]).sum()
    found = log_odds_of(scores @ class_contrasts(3, 2).T, axis=1)
    np.testing.assert_allclose(found, [-2000, np.log(P[2] / (1 - P[2]))])
    np.testing.assert_allclose(log_odds_of(np.array([[3.0]]) @ class_contrasts(2, 1).T, axis=1), [3])
