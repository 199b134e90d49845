"""A long fit tells scikit-learn's callbacks how far it is."""

import numpy as np
import pytest

pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")

from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV, PairwiseCouplingClassifier
from kernelproba.estimators.base.fit_step import FitStep


class Listener:
    """Writes down what it is told."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):  # noqa: ARG002
        self.told.append("setup")

    def on_fit_task_begin(self, estimator, context):  # noqa: ARG002
        self.told.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):  # noqa: ARG002
        self.told.append(f"end {context.task_name}")

    def teardown(self, estimator, context):  # noqa: ARG002
        self.told.append("teardown")


@pytest.fixture
def blobs():
    return make_blobs(120, centers=4, random_state=0)


@pytest.mark.parametrize(
    "model",
    [
        KernelLogisticRegression(multi_class="pairwise"),
        KernelLogisticRegression(multi_class="pairwise", n_jobs=2),
        PairwiseCouplingClassifier(KernelLogisticRegression()),
        PairwiseCouplingClassifier(KernelLogisticRegression(), n_jobs=2),
    ],
    ids=["kernel", "kernel, threads", "any", "any, processes"],
)
def test_every_pair_is_a_step(model, blobs):
    listener = Listener()
    model.set_callbacks(listener).fit(*blobs)
    assert listener.told[:2] == ["setup", "begin fit"]
    assert listener.told[-2:] == ["end fit", "teardown"]
    assert listener.told.count("begin pair") == listener.told.count("end pair") == 6


def test_a_fit_of_chosen_centres_tells_its_passes(blobs):
    listener = Listener()
    model = KernelLogisticRegression(n_centers=10, solver="progressive").set_callbacks(listener).fit(*blobs)
    assert listener.told.count("end pass") >= model.n_iter_ > 0


def test_a_search_tells_every_point_and_the_last_fit(blobs):
    listener = Listener()
    model = KernelLogisticRegressionCV().set_callbacks(listener).fit(*blobs)
    assert listener.told.count("end candidate") == len(model.cv_results_["params"])
    assert listener.told[-2:] == ["end fit", "teardown"]
    assert listener.told.count("end fit of all rows") >= len(model.estimators_)


def test_a_search_of_many_rows_tells_how_far_it_is_and_what_remains():
    X, y = make_blobs(1200, centers=3, cluster_std=4.0, random_state=0)
    steps = []

    class Reader(Listener):
        def on_fit_task_begin(self, estimator, context):  # noqa: ARG002
            steps.append(context.task_name)

    search = KernelLogisticRegressionCV(kernel="rbf", max_rows=100, n_centers=20, random_state=0)
    model = search.set_callbacks(Reader()).fit(X, y)
    last = [step for step in steps if step == "candidate"][-1]
    sizes, scores = model.cv_results_["n_rows"], model.cv_results_["mean_test_score"]
    assert last.n_rows == sizes[-1] > 100
    assert last.best_score in scores[sizes == sizes[-1]] or last.best_score in scores
    whole = steps.index("fit of all rows")
    assert steps[whole].n_rows == 1200
    assert steps[whole].seconds_left > 0
    passes = [step for step in steps[whole:] if step == "pass"]
    assert len(passes) > 5
    assert all(step.rows_per_second > 0 for step in passes)
    folds = [step for step in steps if step == "fit without a fold"]
    assert len(folds) == 4
    assert "1,200 rows" in folds[-1].text
    assert "left" in folds[-1].text
    assert not hasattr(model.best_estimator_, "_reporting_to")


@pytest.mark.parametrize(("seconds", "text"), [(12.2, "12 s"), (600, "10 min"), (9000, "2.5 h")])
def test_durations_are_told_in_few_digits(seconds, text):
    assert FitStep("candidate", seconds_left=seconds).text == f"candidate, about {text} left"


def test_listening_changes_nothing(blobs):
    model = KernelLogisticRegression(multi_class="pairwise")
    alone = model.fit(*blobs).predict_proba(blobs[0])
    heard = model.set_callbacks(Listener()).fit(*blobs).predict_proba(blobs[0])
    np.testing.assert_array_equal(alone, heard)


def test_a_fit_that_fails_lets_its_listeners_go(blobs):
    listener = Listener()
    X, y = blobs
    with pytest.raises(ValueError, match="solved by irls"):
        KernelLogisticRegression(multi_class="pairwise", solver="lbfgs").set_callbacks(listener).fit(X, y)
    assert listener.told[-1] == "teardown"


def test_a_search_over_models_hands_its_progress_bar_on(blobs, capfd):
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar

    search = GridSearchCV(KernelLogisticRegression(multi_class="pairwise"), {"C": [1.0, 10.0]}, cv=2)
    search.set_callbacks(ProgressBar()).fit(*blobs)
    assert "KernelLogisticRegression" in capfd.readouterr().out
