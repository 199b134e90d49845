"""Prediction sets against MAPIE's, around the same fitted model."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from kernelproba import ConformalClassifier

mapie = pytest.importorskip("mapie.classification")


@pytest.mark.parametrize("level", [0.7, 0.8, 0.9, 0.95])
def test_split_sets_are_those_of_mapie(level):
    X, y = make_classification(900, 6, n_informative=4, n_classes=4, flip_y=0.2, random_state=0)
    model = LogisticRegression().fit(X[:300], y[:300])
    ours = ConformalClassifier(FrozenEstimator(model), level, allow_empty=True).fit(X[300:600], y[300:600])
    theirs = mapie.SplitConformalClassifier(model, level, conformity_score="lac").conformalize(
        X[300:600], y[300:600]
    )
    np.testing.assert_array_equal(ours.predict_set(X[600:]), theirs.predict_set(X[600:])[1][:, :, 0])
