"""Scores of single classes, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score, roc_auc_score, roc_curve

from kernelproba.report.class_scores import area_under_curve, class_scores, threshold_curve
from kernelproba.report.cost_curve import cost_curve


def draws(n=300, c=3, seed=0):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(c), n).round(2)
    return rng.integers(c, size=n), P


def test_recall_precision_and_area_are_scikit_learns():
    codes, P = draws()
    predicted = P.argmax(axis=1)
    scores = class_scores(codes, P, np.array(["a", "b", "c"]))
    assert [each["recall"] for each in scores] == pytest.approx(recall_score(codes, predicted, average=None))
    assert [each["precision"] for each in scores] == pytest.approx(
        precision_score(codes, predicted, average=None)
    )
    for k, each in enumerate(scores):
        assert each["auc"] == pytest.approx(roc_auc_score(codes == k, P[:, k]))
        assert each["rows"] == (codes == k).sum()


def test_what_cannot_be_told_is_none():
    never = class_scores(np.array([0, 0, 1]), np.array([[0.9, 0.1, 0.0]] * 3), np.array(["a", "b", "c"]))
    assert never[1]["precision"] is None  # is never predicted
    assert never[1]["recall"] == 0
    assert never[2]["recall"] is None  # has no rows
    assert area_under_curve(np.array([True, True]), np.array([0.1, 0.2])) is None


def test_the_curve_goes_through_scikit_learns_points():
    codes, P = draws()
    curve = threshold_curve(codes == 0, P[:, 0])
    false_alarms, recall, thresholds = roc_curve(codes == 0, P[:, 0], drop_intermediate=False)
    at = {round(t, 9): (f, r) for t, f, r in zip(thresholds, false_alarms, recall, strict=True)}
    assert len(curve["threshold"]) <= 120
    for t, f, r, p in zip(*(curve[key] for key in ("threshold", "false_alarms", "recall", "precision")),
                          strict=True):  # fmt: skip
        assert (f, r) == pytest.approx(at[round(t, 9)])
        assert p == pytest.approx((codes[P[:, 0] >= t] == 0).mean())
    assert (curve["recall"][-1], curve["false_alarms"][-1]) == (1, 1)


def test_costs_are_those_of_acting_row_by_row():
    codes, P = draws()
    is_class = codes == 0
    curve = cost_curve(is_class, P[:, 0])
    for ratio, cost, ignorant in zip(*(curve[key] for key in ("ratio", "cost", "ignorant")), strict=True):
        acts = P[:, 0] > ratio
        alarms, misses = (acts & ~is_class).mean(), (~acts & is_class).mean()
        assert cost == pytest.approx(ratio * alarms + (1 - ratio) * misses)
        always, never = ratio * (~is_class).mean(), (1 - ratio) * is_class.mean()
        assert ignorant == pytest.approx(min(always, never))


def test_twice_the_mean_cost_over_all_ratios_is_the_brier_score_of_the_class():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=4000)
    is_class = rng.uniform(size=4000) < p
    # ∫ cost(r) dr = ½ mean (y − p)²: acting at every ratio of costs is what the Brier score weighs
    mean_cost = np.trapezoid(cost_curve(is_class, p)["cost"], dx=1 / 50)
    assert 2 * mean_cost == pytest.approx(np.mean((is_class - p) ** 2), rel=0.01)
