"""The best of a grid, and how ties and near ties are decided."""

import numpy as np

from kernelproba.tuning.grid.grid_search import GridScores

SCORES = np.array([[[0.9, 0.8], [0.84, 0.85]]])
SUPPORT = np.array([[[0.5, 0.5], [0.1, 0.1]]])


def test_the_best_mean_score_is_chosen():
    assert GridScores(SCORES, -SCORES, SUPPORT).best(one_standard_error=False) == 0


def test_one_standard_error_trades_score_for_sparsity():
    assert GridScores(SCORES, SCORES, SUPPORT).best(one_standard_error=True) == 1


def test_one_standard_error_of_a_single_fold_is_nothing():
    scores = GridScores(SCORES[..., :1], SCORES[..., :1], SUPPORT[..., :1])
    assert scores.best(one_standard_error=True) == 0


def test_equal_scores_are_told_apart_by_the_log_likelihood():
    scores = np.array([[[0.8, 0.9], [0.9, 0.8]], [[0.85, 0.85], [0.9, 0.7]]])
    second = np.array([[[-3.0, -3.0], [-1.0, -3.0]], [[-1.0, -1.0], [-0.1, -0.1]]])
    support = np.ones_like(scores)
    assert GridScores(scores, second, support).best(one_standard_error=False) == 2
    assert GridScores(scores, 1e-9 * second, support).best(one_standard_error=False) == 0


def test_scores_that_are_no_numbers_are_the_worst():
    scores = np.array([[[np.nan, 0.9], [0.1, 0.2]], [[-np.inf, 0.9], [np.nan, np.nan]]])
    for rule in (False, True):
        assert GridScores(scores, scores, np.ones_like(scores)).best(one_standard_error=rule) == 1
