"""Scores of labels against sums written out by hand."""

import numpy as np
import pytest

from kernelproba.conformal import LabelScore

P = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])


def test_the_score_of_least_ambiguous_sets_falls_with_the_probability():
    S = LabelScore("lac")(P)
    np.testing.assert_array_equal(np.argsort(S, axis=1), np.argsort(-P, axis=1))


def test_adaptive_scores_sum_the_probabilities_down_to_the_label():
    np.testing.assert_allclose(LabelScore("aps")(P), [[0.5, 0.8, 1.0], [1.0, 0.9, 0.7]])


def test_a_draw_takes_its_share_of_the_labels_own_probability_off():
    S = LabelScore("aps")(P, np.array([1.0, 0.5]))
    np.testing.assert_allclose(S, [[0.0, 0.5, 0.8], [0.95, 0.8, 0.35]])


def test_regularised_scores_pay_for_every_place_beyond_the_free_ones():
    S = LabelScore("raps", penalty=0.1, free=1)(P)
    np.testing.assert_allclose(S, [[0.5, 0.9, 1.2], [1.2, 1.0, 0.7]])


@pytest.mark.parametrize("kind", ["lac", "aps", "raps"])
def test_scores_do_not_depend_on_the_order_of_the_classes(kind):
    rng = np.random.default_rng(0)
    P, order = rng.dirichlet(np.ones(5), 50), rng.permutation(5)
    rule = LabelScore(kind, 0.1, 1)
    np.testing.assert_allclose(rule(P[:, order]), rule(P)[:, order])


def test_the_last_labels_of_all_rows_tie_although_their_sums_round_differently():
    P = np.random.default_rng(0).dirichlet(np.ones(7), 1000)
    assert len(np.unique(LabelScore("aps")(P).max(axis=1))) == 1
