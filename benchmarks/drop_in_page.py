"""What became of scikit-learn's own tests with our classifier in them: the page, from the modules on record."""

import json
import re
from collections import Counter

from benchmarks.measure import RESULTS

#: Room of scikit-learn → its modules of tests.
AREAS = {
    "calibration": ["tests.test_calibration"],
    "displays": [
        "metrics._plot.tests.test_common_curve_display",
        "metrics._plot.tests.test_confusion_matrix_display",
        "metrics._plot.tests.test_det_curve_display",
        "metrics._plot.tests.test_precision_recall_display",
        "metrics._plot.tests.test_roc_curve_display",
        "inspection._plot.tests.test_boundary_decision_display",
    ],
    "ensembles": [
        "ensemble.tests.test_bagging",
        "ensemble.tests.test_base",
        "ensemble.tests.test_common",
        "ensemble.tests.test_stacking",
        "ensemble.tests.test_voting",
        "ensemble.tests.test_weight_boosting",
    ],
    "feature selection": ["feature_selection.tests.test_rfe", "feature_selection.tests.test_from_model"],
    "inspection": [
        "inspection.tests.test_partial_dependence",
        "inspection.tests.test_permutation_importance",
    ],
    "meta-estimators": [
        "tests.test_base",
        "tests.test_metaestimators",
        "tests.test_multiclass",
        "tests.test_multioutput",
        "tests.test_pipeline",
        "frozen.tests.test_frozen",
        "semi_supervised.tests.test_self_training",
        "utils.tests.test_response",
    ],
    "scorers": ["metrics.tests.test_score_objects"],
    "searches": [
        "model_selection.tests.test_classification_threshold",
        "model_selection.tests.test_search",
        "model_selection.tests.test_split",
        "model_selection.tests.test_successive_halving",
        "model_selection.tests.test_validation",
    ],
}
#: Finished modules, a line each.
RECORD = RESULTS / "drop_in_runs.jsonl"
TITLE = "In the place of SVC"
PAGE = """
scikit-learn's own tests of what is built around a classifier, with `KernelLogisticRegression` in the place of `SVC` and,
with `kernel="linear"`, of `LogisticRegression`: `python -m benchmarks.drop_in`. Counted are tests that use one of the two
and do not fail with the originals. Names of scikit-learn's solvers mean `solver="auto"` here; parameters that
`KernelLogisticRegression` does not have (`penalty`, `dual`, `probability`, `shrinking`, …) are accepted and do nothing.
"""
#: Why a failure stays → words of its message, or of the test's name.
REASONS = {
    "a classifier is expected to have no probabilities, as `SVC` has none by default, and this one has them": [
        "test_conditional_attrs_not_in_dir",
        "test_estimator_meta_estimator",
        "test_ovr_multilabel_predict_proba",
        "test_predict_proba_disabled",
        "test_self_training_estimator_attribute_error",
        "test_stacking_classifier_error",
    ],
    "`C=inf` is refused, and the message names the model to take: without a penalty only a linear model of classes that "
    "overlap has an optimum, which is `BasisLogisticRegression(C=numpy.inf, expansion='passthrough')`": [
        "C=inf"
    ],
    "`sparsify`, which `LogisticRegression` has and `SVC` has not, is not here either": ["sparsify"],
    "the numbers expected are those of fits that have not converged: `LogisticRegression(tol=1e-10)` fails, too": [
        "AUC = ",
        "test_multiclass_multioutput_estimator_predict_proba",
    ],
    "the accuracies expected are those of a linear `SVC` on iris, to the last digit": [
        "test_cross_val_score_with_score_func_classification"
    ],
    "the columns that a selection keeps are expected to be those that the margin of an `SVC` keeps": [
        "test_rfecv["
    ],
    "of all rows of positive weight one class is left, which `SVC` refuses, too": ["one class only"],
}


def on_record() -> dict[str, dict]:
    """Module → what became of its tests."""
    lines = RECORD.read_text("utf8").splitlines() if RECORD.exists() else []
    return {run["module"]: run for run in map(json.loads, lines)}


def reason(failure: dict) -> str:
    """Why a test fails: in our words, or what it says without what differs from test to test."""
    whole = f"{failure['test']} {failure['reason']}"
    for why, words in REASONS.items():
        if any(word in whole for word in words):
            return why
    text = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "…", failure["reason"]).replace("`", "'")
    return f"`{text[:109]}`"


def reason_list(runs: dict[str, dict]) -> str:
    """Why tests fail, the frequent reasons first, as a list in Markdown."""
    failures = [failure for run in runs.values() for failure in run["failures"]]
    examples = {reason(failure): failure["test"].split("/")[-1] for failure in failures}
    counts = Counter(map(reason, failures)).most_common()
    return "\n".join(f"- {count} × {text} (`{examples[text]}`)" for text, count in counts)


def area_rows(runs: dict[str, dict]) -> list[dict]:
    """Counts for each area."""
    rows = []
    for area, modules in AREAS.items():
        found = [runs[module] for module in modules if module in runs]
        tests, failed = sum(run["tests"] for run in found), sum(len(run["failures"]) for run in found)
        rows.append({"area": area, "tests": tests, "pass": tests - failed, "fail": failed})
    total = {key: sum(row[key] for row in rows) for key in ("tests", "pass", "fail")}
    return [*rows, {"area": "all", **total}]


def drop_in_page(runs: dict[str, dict]) -> tuple[str, str, list[dict]]:
    """Title, text and rows."""
    missing = [f"`{module}`" for modules in AREAS.values() for module in modules if module not in runs]
    gaps = f"\n\nNot run yet: {', '.join(missing)}." if missing else ""
    text = f"{PAGE.strip()}{gaps}\n\nWhy tests fail:\n\n{reason_list(runs)}"
    return TITLE, text, area_rows(runs)
