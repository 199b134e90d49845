"""scikit-learn's own checks of every estimator."""

import pytest
from common.instances import INSTANCES
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from kernelproba import KernelLogisticRegression, MaximumContrastClassifier, MaximumContrastClassifierCV


def expected_failures(estimator):
    """Checks that cannot pass, each with its reason."""
    reasons = {}
    if getattr(estimator, "kernel", None) == "precomputed":
        indefinite = "makes a kernel matrix indefinite, and indefinite matrices are refused"
        reasons |= {
            "check_decision_proba_consistency": "scikit-learn's check passes raw rows, not a kernel matrix, "
            "to pairwise estimators; SVC(kernel='precomputed') fails it alike",
            "check_estimators_dtypes": f"rounding to integers {indefinite}",
            "check_positive_only_tag_during_fit": f"subtracting a constant {indefinite}",
        }
    if isinstance(estimator, KernelLogisticRegression) and isinstance(estimator.n_centers, int):
        drawn = "centres are drawn among the rows: repeated rows are drawn more often, weighted ones are not"
        reasons |= {f"check_sample_weight_equivalence_on_{kind}_data": drawn for kind in ("dense", "sparse")}
    contrast = MaximumContrastClassifier, MaximumContrastClassifierCV
    if isinstance(estimator, contrast) and estimator.calibration_cv is None:
        reasons["check_decision_proba_consistency"] = (
            "the decision function is the contrast, a difference of densities, and the probability is their "
            "ratio: they agree in the label but not in the order of rows"
        )
    if not get_tags(estimator).input_tags.sparse:  # newer ones do not ask what the tag denies
        reasons["check_sample_weight_equivalence_on_sparse_data"] = (
            "scikit-learn 1.6 gives sparse rows to estimators that say they take none"
        )
    return reasons


def cases():
    """All checks of all instances: a list, since pytest 9 asks for one and not all scikit-learns make one."""
    return [
        case
        for estimator in INSTANCES
        for case in estimator_checks_generator(
            estimator, expected_failed_checks=expected_failures(estimator), mark="xfail"
        )
    ]


def name_of(thing) -> str:
    """An estimator by its parameters that differ from the defaults, a check by its name and arguments."""
    if not callable(thing):
        return " ".join(repr(thing).split())
    function, arguments = getattr(thing, "func", thing), getattr(thing, "keywords", {})
    shown = ",".join(f"{key}={value}" for key, value in arguments.items())
    return f"{function.__name__}({shown})" if shown else function.__name__


@pytest.mark.filterwarnings("ignore:.*at the same place as others")  # they are copies
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("estimator", "check"), cases(), ids=name_of)
def test_scikit_learn_check(estimator, check):
    check(estimator)
