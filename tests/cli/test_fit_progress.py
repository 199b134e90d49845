"""The command line hears how far a fit is."""

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.cli.fit_progress import reporting_progress


def steps_of(classifier):
    heard = []
    with reporting_progress(classifier, lambda *facts: heard.append(facts)):
        make_pipeline(StandardScaler(), classifier).fit(*load_iris(return_X_y=True))
    return heard


def test_steps_inside_a_pipeline_are_counted_towards_their_number():
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")
    assert steps_of(KernelLogisticRegression(multi_class="pairwise")) == [(k, 3, "") for k in range(4)]


def test_a_classifier_that_tells_nothing_is_fitted_all_the_same():
    assert steps_of(GaussianNB()) == []


def test_the_fitted_model_keeps_no_listener():
    model = KernelLogisticRegression(multi_class="pairwise")
    steps_of(model)
    assert not getattr(model, "_skl_callbacks", None)


def test_a_search_tells_rows_score_and_speed():
    pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")
    texts = [text for _, _, text in steps_of(KernelLogisticRegressionCV(random_state=0)) if text]
    assert texts
    assert all(text.startswith(("candidate, ", "fit of all rows")) for text in texts)
    assert "rows/s" in texts[-1]
    assert "best score -0." in texts[-1]
