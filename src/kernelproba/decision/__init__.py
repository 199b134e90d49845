"""From a posterior to an act: costs, rejection, and changed class priors.

Everything here is a pure function of arrays and knows no estimator.  n rows, c classes;
P is (n, c), its columns in the order of `classes`.
"""

from kernelproba.decision.costs import as_loss_matrix, zero_one_loss
from kernelproba.decision.labels import as_reject_label, label_index, label_table
from kernelproba.decision.priors import (
    as_priors,
    class_priors,
    mean_class_weights,
    reweight_log_posterior,
    reweight_posterior,
    undo_weights,
)
from kernelproba.decision.risk import (
    REJECTED,
    Decision,
    coverage_threshold,
    expected_risk,
    minimum_risk,
    realised_cost,
)
from kernelproba.decision.shift import PriorEstimate, ShiftTest, cautious_priors, estimate_priors, shift_test

__all__ = [
    "REJECTED",
    "Decision",
    "PriorEstimate",
    "ShiftTest",
    "as_loss_matrix",
    "as_priors",
    "as_reject_label",
    "cautious_priors",
    "class_priors",
    "coverage_threshold",
    "estimate_priors",
    "expected_risk",
    "label_index",
    "label_table",
    "mean_class_weights",
    "minimum_risk",
    "realised_cost",
    "reweight_log_posterior",
    "reweight_posterior",
    "shift_test",
    "undo_weights",
    "zero_one_loss",
]
