"""Scores: every classifier of kernels has them, and they agree with its labels."""

import numpy as np
import pytest
from common.instances import INSTANCES
from common.problems import THREE_CLASSES, TWO_CLASSES
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV

from kernelproba import KernelDensityClassifier, LeastSquaresProbabilisticClassifier
from kernelproba.estimators.base.classifier import ProbabilisticClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
OWN = [each for each in INSTANCES if is_classifier(each) and isinstance(each, ProbabilisticClassifier)]


@pytest.mark.parametrize("instance", OWN, ids=repr)
@pytest.mark.parametrize("given", [TWO_CLASSES, THREE_CLASSES], ids=["two classes", "three classes"])
def test_the_largest_score_is_the_predicted_class(instance, given):
    problem = given.for_model(instance)
    model = clone(instance).fit(problem.X, problem.y)
    F, n = model.decision_function(problem.query), len(problem.query)
    two = len(model.classes_) == 2
    assert F.shape == ((n,) if two else (n, 3))
    assert_array_equal(
        model.classes_[(F > 0).astype(int) if two else F.argmax(axis=1)], model.predict(problem.query)
    )


def test_scores_are_log_odds_where_a_model_has_no_others():
    model = KernelDensityClassifier().fit(TWO_CLASSES.X, TWO_CLASSES.y)
    log_P = model.predict_log_proba(TWO_CLASSES.query)
    assert_allclose(model.decision_function(TWO_CLASSES.query), log_P[:, 1] - log_P[:, 0])


@pytest.mark.parametrize(
    "model",
    [KernelDensityClassifier(), LeastSquaresProbabilisticClassifier(calibration=None)],
    ids=repr,
)
def test_scores_of_probabilities_that_are_zero_can_be_calibrated(model):
    X, y = THREE_CLASSES.X, THREE_CLASSES.y
    far = np.vstack([X, X + 1e3 * (1 + y[:, None])])
    calibrated = CalibratedClassifierCV(model, cv=2).fit(far, np.concatenate([y, y]))
    assert np.isfinite(calibrated.predict_proba(1e6 * X)).all()
