"""Samples of distinct rows keep observations of the same features together."""

import numpy as np

from kernelproba.estimators.base.training import Training
from kernelproba.tuning.observations import Observations, find_copies


def seen_often(n=4000, distinct=700):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((distinct, 2))[rng.integers(distinct, size=n)], rng.integers(3, size=n)
    training = Training(X, y, np.ones(n), np.ones(n), np.arange(n))
    return Observations.of(training, find_copies(training, precomputed=False), precomputed=False)


def locations(X):
    return {tuple(row) for row in X}


def test_a_sample_has_all_observations_of_the_features_it_shows():
    rows = seen_often()
    sample = rows.sample(300)
    shown = np.array([tuple(x) in locations(sample.X) for x in rows.X])
    assert 300 <= len(sample) <= 302
    np.testing.assert_array_equal(sample.units, rows.units[shown])


def test_features_with_many_labels_are_drawn_as_often_as_others():
    rows = seen_often(n=900)
    n_labels = lambda part: len(part) / len(locations(part.X))  # noqa: E731
    assert abs(n_labels(rows.sample(400)) - n_labels(rows)) < 0.06
