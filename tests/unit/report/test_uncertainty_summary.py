"""Sets and novelty in reports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import ConformalClassifier, KernelLogisticRegressionCV, PriorShiftClassifier
from kernelproba.report.about import About
from kernelproba.report.label_sets import LabelSets
from kernelproba.report.render import render
from kernelproba.report.summary import summarise
from kernelproba.report.uncertainty_summary import describe_novelty, describe_sets


def draw(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y


@pytest.fixture(scope="module")
def model():
    return KernelLogisticRegressionCV([1.0], [0.3], kernel="rbf").fit(*draw(150, 0))


def test_sets_of_the_report_are_those_of_leave_one_out(model):
    X, y = draw(300, 1)
    found = describe_sets(LabelSets.of(model), X, y, model.predict_proba(X))
    sets = ConformalClassifier(model, method="loo").fit(*draw(150, 0))
    assert found["known_rows"] == 150
    assert found["confidence"] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    for k, level in enumerate(found["confidence"]):
        chosen = sets.predict_set(X, level)
        assert found["coverage"][k] == pytest.approx(chosen[np.arange(300), y].mean())
        assert found["mean_size"][k] == pytest.approx(chosen.sum(axis=1).mean())
        assert found["single"][k] == pytest.approx((chosen.sum(axis=1) == 1).mean())


def test_sets_of_leave_one_out_hold_every_label_far_from_all_rows(model):
    far = np.array([[30.0, 0.0], [0.0, -30.0]])
    for each, rows in ((model, far), (make_pipeline(StandardScaler(), model).fit(*draw(150, 0)), far)):
        sets = LabelSets.of(each).at([0.5, 0.9], rows, each.predict_proba(rows))
        assert sets.all()


def test_sets_of_a_conformal_classifier_are_its_own(model):
    X, y = draw(300, 1)
    sets = ConformalClassifier(LogisticRegression(), conditional="class").fit(*draw(150, 0))
    found = summarise(sets, X, y)["sets"]
    assert found["known_rows"] == 150
    for k, level in enumerate(found["confidence"]):
        assert found["mean_size"][k] == pytest.approx(sets.predict_set(X, level).sum(axis=1).mean())
    given = summarise(model, X, y, about=About(sets=LabelSets(sets)))["sets"]
    assert given["confidence"] == found["confidence"]
    assert summarise(model, X, y, about=About(sets=None))["sets"] is None


def test_sets_at_the_end_of_a_pipeline_are_its_own_too():
    X, y = draw(300, 1)
    inner = ConformalClassifier(KernelLogisticRegressionCV([1.0], [0.3]), conditional="class")
    model = make_pipeline(StandardScaler(), inner).fit(*draw(150, 0))
    found = describe_sets(LabelSets.of(model), X, y, model.predict_proba(X))
    scaled = model[0].transform(X)
    for k, level in enumerate(found["confidence"]):
        assert found["mean_size"][k] == pytest.approx(model[-1].predict_set(scaled, level).sum(axis=1).mean())


def test_leave_one_out_under_the_priors_of_training_makes_no_sets_under_others(model):
    shifted = PriorShiftClassifier(model, [0.9, 0.1]).fit(*draw(150, 0))
    assert LabelSets.of(shifted) is None
    assert LabelSets.of(make_pipeline(StandardScaler(), shifted).fit(*draw(150, 0))) is None
    assert LabelSets.of(ConformalClassifier(shifted).fit(*draw(150, 0))) is not None


def test_levels_that_few_training_rows_do_not_attain_are_left_out():
    X, y = draw(12, 2)
    model = KernelLogisticRegressionCV([1.0], [0.3], kernel="rbf").fit(X, y)
    assert (
        describe_sets(LabelSets.of(model), X, y, model.predict_proba(X))["confidence"][-1] == 0.9
    )  # 12/13 = 0.92


def test_the_newest_row_comes_first(model):
    X, _ = draw(60, 3)
    X[41] = [30.0, -30.0]
    frame = pd.DataFrame(X, index=np.arange(100, 160))
    found = describe_novelty(model, X, frame, model.predict_proba(X), model.classes_)
    assert found["rows"][0]["row"] == 141
    assert found["rows"][0]["novelty"] == pytest.approx(1.0)
    p_value = model.novelty_score(X, return_p_value=True)[1]
    assert found["share"] == pytest.approx((p_value <= 0.05).mean())


def test_a_pipeline_is_asked_behind_its_steps(model):
    X, _ = draw(60, 3)
    scaled = StandardScaler().fit(X)
    pipeline = make_pipeline(scaled, model)
    args = (pd.DataFrame(X), model.predict_proba(X), model.classes_)
    found = describe_novelty(pipeline, X, *args)
    assert found == describe_novelty(model, scaled.transform(X), *args)


def test_a_model_without_left_out_rows_has_no_sets_and_the_report_says_so():
    X, y = draw(80, 4)
    summary = summarise(LogisticRegression().fit(X, y), X, y)
    assert summary["sets"] is None
    assert summary["novelty"] is None
    page = render(summary)
    assert "which this classifier does not keep" in page
    assert "no measure of how new a row is" in page
    assert "Sets of labels" not in render(summary, "md")


def test_a_precomputed_kernel_has_no_novelty():
    X, y = draw(60, 5)
    K = rbf_kernel(X, X) + 0.1 * np.eye(60)
    model = KernelLogisticRegressionCV([1.0], kernel="precomputed").fit(K, y)
    assert describe_novelty(model, K, pd.DataFrame(K), model.predict_proba(K), model.classes_) is None


@pytest.mark.parametrize("form", ["html", "md"])
def test_coverage_sizes_and_new_rows_are_in_the_report(model, form):
    X, y = draw(200, 6)
    X[7] = [30.0, -30.0]
    text = render(summarise(model, X, y), form)
    assert "judged by what the model says of 150 training rows" in text
    assert "Rows unlike those of training" in text
    found = describe_sets(LabelSets.of(model), X, y, model.predict_proba(X))
    assert f"{found['coverage'][4]:.1%}" in text
    assert f"{found['mean_size'][4]:.2f}" in text
