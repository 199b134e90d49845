"""scikit-learn's own checks of every estimator."""

import pytest
from common.instances import INSTANCES
from sklearn.utils.estimator_checks import parametrize_with_checks


def expected_failures(estimator):
    """Checks that cannot pass, each with its reason."""
    if getattr(estimator, "kernel", None) == "precomputed":
        return {
            "check_decision_proba_consistency": "scikit-learn's check passes raw rows, not a kernel matrix, "
            "to pairwise estimators; SVC(kernel='precomputed') fails it alike",
            "check_estimators_dtypes": "rounds a kernel matrix to integers, which makes it indefinite, and "
            "indefinite matrices are refused",
            "check_positive_only_tag_during_fit": "subtracts a constant from a kernel matrix, which makes it "
            "indefinite, and indefinite matrices are refused",
        }
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(INSTANCES, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
