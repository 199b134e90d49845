"""Undoing what weights have done to the class frequencies, in every estimator that has the option."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import BasisLogisticRegression, KernelLogisticRegression
from kernelproba.datasets import DatasetUnavailable, Gaussian, Mixture, load
from kernelproba.decision import undo_weights
from kernelproba.inspection import explain

# As many classes and features as ecoli has (the classes of two rows left out), and its frequencies.
PRIORS = np.array([143, 77, 52, 35, 20]) / 327
MODELS = [KernelLogisticRegression(), BasisLogisticRegression(expansion="passthrough")]
both_models = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


def ecoli_like(seed):
    rng = np.random.default_rng(seed)
    return Mixture([[Gaussian(mean, np.eye(7))] for mean in 0.9 * rng.normal(size=(5, 7))], priors=PRIORS)


@pytest.fixture(scope="module")
def rows():
    return ecoli_like(0).sample(400, 1)


@both_models
@pytest.mark.parametrize("classes", [2, 5])
def test_class_weights_are_undone_as_bayes_rule_has_it(rows, model, classes):
    X, y = rows[0][rows[1] < classes], rows[1][rows[1] < classes]
    factors = {k: float(k + 1) for k in range(classes)}
    weighted = clone(model).set_params(class_weight=factors).fit(X, y)
    before, plain_scores = weighted.predict_proba(X), weighted.decision_function(X)
    undone = weighted.set_params(undo_weights=True).fit(X, y)
    np.testing.assert_allclose(
        undone.predict_proba(X), undo_weights(before, np.array(list(factors.values()))), atol=1e-10
    )
    assert undone.weight_shift_.sum() == pytest.approx(0)
    np.testing.assert_allclose(np.diff(undone.weight_shift_), np.diff(np.log(list(factors.values()))))
    # One constant per score: the ranking of the rows by a score stays.
    assert np.ptp(undone.decision_function(X) - plain_scores, axis=0) == pytest.approx(0, abs=1e-9)


@both_models
def test_the_frequencies_that_probabilities_refer_to_are_those_asked_for(rows, model):
    X, y = rows
    weight = np.where(y == 0, 0.2, 1.0)
    by_weight = np.bincount(y, weight) / weight.sum()
    model = clone(model)
    for undo, priors in ((False, np.full(5, 0.2)), ("class_weight", by_weight), (True, np.bincount(y) / 400)):
        model.set_params(class_weight="balanced", undo_weights=undo).fit(X, y, sample_weight=weight)
        mean = np.average(model.predict_proba(X), axis=0, weights=(priors / np.bincount(y))[y])
        # Mean probabilities are the frequencies of the fit: exactly so before, nearly so after undoing.
        np.testing.assert_allclose(mean, priors, atol=0.03)


@both_models
def test_weights_that_are_equal_leave_nothing_to_undo(rows, model):
    X, y = rows
    plain = clone(model).fit(X, y)
    same = clone(model).set_params(undo_weights=True).fit(X, y, np.full(len(y), 1.0))
    np.testing.assert_array_equal(same.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(plain.weight_shift_, np.zeros(5))


def test_rows_of_weight_zero_count_for_nothing(rows):
    X, y = rows
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    model = KernelLogisticRegression(class_weight="balanced", undo_weights=True)
    kept = model.fit(X[weight > 0], y[weight > 0]).predict_proba(X)
    np.testing.assert_allclose(model.fit(X, y, sample_weight=weight).predict_proba(X), kept, atol=1e-6)


def test_a_weight_of_two_is_a_row_seen_twice_when_only_class_weights_are_undone(rows):
    X, y = rows
    weight = np.random.default_rng(0).integers(1, 3, size=len(y))
    model = KernelLogisticRegression(class_weight="balanced", undo_weights="class_weight", tol=1e-8)
    twice = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    np.testing.assert_allclose(model.fit(X, y, sample_weight=weight).predict_proba(X), twice, atol=1e-6)


def test_a_warm_start_begins_at_the_weighted_fit(rows):
    options = {"class_weight": "balanced", "undo_weights": True, "warm_start": True, "solver": "newton-cg"}
    model = KernelLogisticRegression(**options).fit(*rows)
    first = model.predict_proba(rows[0])
    assert model.fit(*rows).n_iter_ <= 1
    np.testing.assert_allclose(model.predict_proba(rows[0]), first, atol=1e-3)


def test_reasons_still_add_up(rows):
    X, y = rows
    model = KernelLogisticRegression(class_weight="balanced", undo_weights=True).fit(X, y)
    sums = explain(model, X[:2], top=1).groupby(["explained", "class"])["contribution"].sum()
    np.testing.assert_allclose(sums, model.decision_function(X[:2]).ravel(), atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_balanced_weights_undone_lose_little_on_imbalanced_simulations(seed):
    problem = ecoli_like(seed)
    X, y = problem.sample(327, 10 + seed)
    X_new, y_new = problem.sample(5000, 20 + seed)
    loss = {
        undo: log_loss(y_new, KernelLogisticRegression(**options).fit(X, y).predict_proba(X_new))
        for undo, options in {
            "plain": {},
            "weighted": {"class_weight": "balanced"},
            "undone": {"class_weight": "balanced", "undo_weights": True},
        }.items()
    }
    assert loss["undone"] <= 1.02 * loss["plain"]
    assert loss["weighted"] > 1.04 * loss["plain"]


def test_balanced_weights_undone_lose_little_on_new_thyroid():
    try:
        data = load("new_thyroid", download=False)
    except DatasetUnavailable:
        pytest.skip("new_thyroid is not here")
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)

    def loss(**options):
        model = make_pipeline(StandardScaler(), KernelLogisticRegression(**options))
        return -cross_val_score(model, data.X, data.y, cv=folds, scoring="neg_log_loss").mean()

    plain = loss()
    assert loss(class_weight="balanced", undo_weights=True) <= 1.02 * plain
    assert loss(class_weight="balanced") > 1.04 * plain


def test_other_values_are_refused(rows):
    with pytest.raises(ValueError, match="undo_weights"):
        KernelLogisticRegression(undo_weights="sample_weight").fit(*rows)
