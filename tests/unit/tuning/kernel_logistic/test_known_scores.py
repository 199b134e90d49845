import numpy as np
import pytest

from kernelproba.rows.folds import Fold
from kernelproba.tuning.kernel_logistic.known_scores import MOST_ROWS, KnownScores

FOLD = Fold(np.arange(2, 8), np.arange(2), np.ones(6), np.ones(2))
OTHER = Fold(np.arange(6), np.arange(6, 8), np.ones(6), np.ones(2))


def _scores(value, n=8):
    return np.full((n, 3), float(value))


@pytest.fixture
def known():
    known = KnownScores()
    known.add(None, (1.0, 10.0), _scores(0) + np.arange(8)[:, None])
    known.add(FOLD, (4.0, 10.0), _scores(50, 6))
    return known


def test_the_nearest_fit_gives_the_scores(known):
    np.testing.assert_array_equal(known.nearest(FOLD, (4.0, 30.0), np.inf), _scores(50, 6))


def test_a_fold_takes_its_rows_of_a_fit_to_all(known):
    expected = np.arange(8)[FOLD.train, None] + _scores(0, 6)
    np.testing.assert_array_equal(known.nearest(FOLD, (1.0, 10.0), np.inf), expected)


def test_a_fit_without_other_rows_is_no_start(known):
    assert known.nearest(OTHER, (32.0, 10.0), np.inf) is None


def test_far_settings_and_nearer_starts_leave_scores_aside(known):
    assert known.nearest(None, (1.0, 1e4), np.inf) is None
    assert known.nearest(None, (2.0, 10.0), 1.0) is None


def test_scores_for_other_weights_of_features_are_those_of_one_point(known):
    known.add(None, (2.0, 10.0), _scores(7))
    reweighed = known.reweighed((2.0, 10.0))
    np.testing.assert_array_equal(reweighed.nearest(None, (0.3, 10.0), np.inf), _scores(7))
    assert known.reweighed((3.0, 10.0)).nearest(None, (3.0, 10.0), np.inf) is None


def test_more_rows_than_conjugate_gradients_fit_have_no_use_for_scores():
    known = KnownScores()
    known.add(None, (1.0, 10.0), _scores(1, MOST_ROWS + 1))
    assert known.nearest(None, (1.0, 10.0), np.inf) is None
