"""The pairwise meta-estimator: scikit-learn's checks, weights, routing, inputs of every kind, refusals."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from threadpoolctl import threadpool_info

from kernelproba.coupling import METHODS, couple
from kernelproba.estimators import pairwise_coupling as pairwise
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.pairwise_coupling import PairwiseCouplingClassifier

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
both_methods = pytest.mark.parametrize("coupling", METHODS)


def logistic(**options):
    return LogisticRegression(tol=1e-10, max_iter=1000, **options)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier that remembers what its fit received."""

    def fit(self, X, y, sample_weight=None, tag=None, constant=None):
        self.classes_, self.n_ = np.unique(y), len(X)
        self.seen_ = {"y": y, "sample_weight": sample_weight, "tag": tag, "constant": constant}
        self.threads_ = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


class Binary(GaussianNB):
    """A classifier that refuses a third class."""

    def fit(self, X, y, sample_weight=None):
        assert_array_equal(np.unique(y), [0, 1])
        return super().fit(X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class Stuck(Recorder):
    """A classifier whose probabilities are NaN."""

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


@both_methods
def test_labels_agree_with_one_vs_one_on_easy_data(coupling):
    X_easy, y_easy = make_blobs(300, centers=5, cluster_std=0.5, random_state=0)
    ours = PairwiseCouplingClassifier(logistic(), coupling).fit(X_easy, y_easy)
    assert_array_equal(
        ours.predict(X_easy), OneVsOneClassifier(logistic()).fit(X_easy, y_easy).predict(X_easy)
    )


@both_methods
def test_the_posterior_is_the_coupling_of_the_pairs(coupling):
    model = PairwiseCouplingClassifier(logistic(), coupling).fit(X[:120], y[:120])
    assert_array_equal(model.pairs_, [[0, 1], [0, 2], [1, 2]])
    r = [
        logistic().fit(X[:120][own], y[:120][own]).predict_proba(X)[:, 0]
        for own in [np.isin(y[:120], pair) for pair in model.pairs_]
    ]
    counts = np.array([50, 50, 20])
    weights = counts[:, None] + counts if coupling == "hastie-tibshirani" else None
    assert_allclose(model.predict_proba(X), couple(np.transpose(r), coupling, weights), atol=1e-8)


def test_two_classes_are_the_estimator_itself():
    own = y < 2
    model = PairwiseCouplingClassifier(logistic()).fit(X[own], y[own])
    assert_allclose(model.predict_proba(X), logistic().fit(X[own], y[own]).predict_proba(X), rtol=1e-12)


@both_methods
def test_labels_may_be_text_and_are_the_argmax_of_the_posterior(coupling):
    model = PairwiseCouplingClassifier(logistic(), coupling).fit(X, NAMES[y])
    assert_array_equal(model.classes_, NAMES)
    assert_array_equal(model.predict(X), NAMES[model.predict_proba(X).argmax(axis=1)])
    assert model.score(X, NAMES[y]) > 0.95


@both_methods
def test_a_class_of_one_row_is_enough(coupling):
    rows = np.r_[0:50, 75, 149]
    P = PairwiseCouplingClassifier(logistic(), coupling).fit(X[rows], y[rows]).predict_proba(X)
    assert_allclose(P.sum(axis=1), 1)


@both_methods
def test_a_weight_of_two_is_a_row_seen_twice_and_of_zero_a_row_not_seen(coupling):
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    for class_weight in (None, "balanced", {0: 2, 1: 1, 2: 0.5}):
        make = PairwiseCouplingClassifier(logistic(), coupling, class_weight=class_weight)
        P = make.fit(X, y, sample_weight=weight).predict_proba(X)
        assert_allclose(P, make.fit(X[again], y[again]).predict_proba(X), atol=1e-6)


@both_methods
def test_class_weights_are_sample_weights(coupling):
    factors = np.array([3.0, 1.0, 0.2])
    by_class = PairwiseCouplingClassifier(logistic(), coupling, class_weight=dict(enumerate(factors)))
    by_row = PairwiseCouplingClassifier(logistic(), coupling)
    P = by_class.fit(X, y).predict_proba(X)
    assert_allclose(P, by_row.fit(X, y, sample_weight=factors[y]).predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("inner", [logistic(), GaussianNB()], ids=repr)
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}, {0: 1e80}], ids=repr)
@pytest.mark.parametrize("size", [1e-320, 1e-101, 1e101, 1e300, np.finfo(float).max])
def test_weights_beyond_what_can_be_computed_are_refused_by_name_before_any_pair_is_fitted(
    inner, class_weight, size
):
    model = PairwiseCouplingClassifier(inner, class_weight=class_weight)
    with pytest.raises(ValueError, match=r"sample_weight reaches from .* between 1e-100 and 1e"):
        model.fit(X, y, sample_weight=np.full(len(y), size))
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_product_of_weights_beyond_what_can_be_computed_is_refused_by_name():
    model = PairwiseCouplingClassifier(logistic(), class_weight={0: 1e80})
    with pytest.raises(ValueError, match="sample_weight times class_weight reaches"):
        model.fit(X, y, sample_weight=np.full(len(y), 1e80))


def test_a_class_without_weight_is_left_out():
    model = PairwiseCouplingClassifier(logistic()).fit(X, NAMES[y], sample_weight=(y != 1) * 1.0)
    assert_array_equal(model.classes_, NAMES[[0, 2]])


@pytest.mark.usefixtures("routing")
def test_metadata_are_divided_among_the_pairs():
    estimator = Recorder().set_fit_request(sample_weight=True, tag=True, constant=True)
    weight, tag = np.linspace(1, 2, len(y)), np.arange(len(y))
    model = PairwiseCouplingClassifier(estimator).fit(X, y, sample_weight=weight, tag=tag, constant="c")
    for (i, j), fitted in zip(model.pairs_, model.estimators_, strict=True):
        own = (y == i) | (y == j)
        assert_array_equal(fitted.seen_["y"], (y == j)[own])
        assert_array_equal(fitted.seen_["tag"], tag[own])
        assert_array_equal(fitted.seen_["sample_weight"], weight[own])
        assert fitted.seen_["constant"] == "c"


@pytest.mark.usefixtures("routing")
def test_metadata_that_nobody_requested_are_refused():
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        PairwiseCouplingClassifier(Recorder()).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(TypeError, match="unknown"):
        PairwiseCouplingClassifier(Recorder()).fit(X, y, unknown=1)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_cross_validation_and_pipelines():
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    steps = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False), logistic().set_fit_request(sample_weight=True)
    )
    model = (
        PairwiseCouplingClassifier(steps)
        .set_fit_request(sample_weight=True)
        .set_score_request(sample_weight=True)
    )
    found = cross_validate(
        model, X, y, cv=3, params={"sample_weight": weight}, return_estimator=True, return_indices=True
    )
    for fitted, train in zip(found["estimator"], found["indices"]["train"], strict=True):
        by_hand = model.fit(X[train], y[train], sample_weight=weight[train])
        assert_allclose(fitted.predict_proba(X), by_hand.predict_proba(X))
        assert not np.allclose(by_hand.predict_proba(X), model.fit(X[train], y[train]).predict_proba(X))


def test_without_routing_weights_need_an_estimator_that_takes_them():
    model = PairwiseCouplingClassifier(KNeighborsClassifier())
    with pytest.raises(ValueError, match="takes no sample_weight"):
        model.fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match=r"class_weight reaches the pairs .* choose one that does"):
        model.set_params(class_weight="balanced").fit(X, y)


@pytest.mark.usefixtures("routing")
def test_with_routing_class_weights_need_a_request():
    model = PairwiseCouplingClassifier(logistic(), class_weight="balanced")
    with pytest.raises(ValueError, match=r"class_weight .* set_fit_request\(sample_weight=True\)"):
        model.fit(X, y)
    model.set_params(estimator=logistic().set_fit_request(sample_weight=True)).fit(X, y)


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csc_array, np.ndarray.tolist, np.float32])
def test_sparse_rows_lists_and_single_precision_are_read(convert):
    model = PairwiseCouplingClassifier(logistic()).fit(convert(X), y)
    expected = PairwiseCouplingClassifier(logistic()).fit(X, y).predict_proba(X)
    assert_allclose(model.predict_proba(convert(X)), expected, atol=1e-4)


def test_data_frames_reach_the_estimators_as_they_are():
    frame = pd.DataFrame({"colour": NAMES[y], "size": X[:, 0]})
    code = OneHotEncoder(handle_unknown="ignore")
    columns = ColumnTransformer([("code", code, ["colour"])], remainder="passthrough")
    model = PairwiseCouplingClassifier(make_pipeline(columns, logistic())).fit(frame, y)
    assert_array_equal(model.feature_names_in_, ["colour", "size"])
    assert model.n_features_in_ == 2
    assert model.score(frame, y) == 1.0
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"size": "weight"}))


def test_precomputed_kernels_lose_the_columns_of_other_classes():
    K = X @ X.T
    ours = PairwiseCouplingClassifier(KernelLogisticRegression(kernel="precomputed")).fit(K[::2, ::2], y[::2])
    plain = PairwiseCouplingClassifier(KernelLogisticRegression(kernel="linear")).fit(X[::2], y[::2])
    assert_allclose(ours.predict_proba(K[:, ::2]), plain.predict_proba(X), atol=1e-4)


def test_an_estimator_of_two_classes_becomes_one_of_many():
    model = PairwiseCouplingClassifier(Binary())
    assert not get_tags(Binary()).classifier_tags.multi_class
    assert get_tags(model).classifier_tags.multi_class
    assert model.fit(X, y).score(X, y) > 0.9


@both_methods
def test_prediction_in_blocks_is_prediction_at_once(coupling, monkeypatch):
    model = PairwiseCouplingClassifier(GaussianNB(), coupling).fit(X, y)
    whole = model.predict_proba(X)
    monkeypatch.setattr(pairwise, "BLOCK_SIZE", 7 * 9)
    for rows in (X, X.tolist(), pd.DataFrame(X)):
        assert_allclose(model.predict_proba(rows), whole, atol=1e-12)


def test_parallel_jobs_fit_the_same_pairs_and_share_the_blas_threads(monkeypatch):
    alone = PairwiseCouplingClassifier(logistic()).fit(X, y).predict_proba(X)
    with parallel_config(backend="threading"):
        assert_array_equal(PairwiseCouplingClassifier(logistic(), n_jobs=2).fit(X, y).predict_proba(X), alone)
        monkeypatch.setattr(pairwise, "cpu_count", lambda: 2)
        models = PairwiseCouplingClassifier(Recorder(), n_jobs=2).fit(X, y).estimators_
    assert {threads for model in models for threads in model.threads_} <= {1}


def test_verbose_reports_the_progress(capsys):
    PairwiseCouplingClassifier(GaussianNB(), verbose=50).fit(X, y)
    assert re.search(r"Done +3 ", "".join(capsys.readouterr()))  # tasks, or out of 3, as joblib words it
    PairwiseCouplingClassifier(GaussianNB()).fit(X, y)
    assert "".join(capsys.readouterr()) == ""


def test_parameters_of_the_estimator_can_be_searched():
    search = GridSearchCV(
        PairwiseCouplingClassifier(logistic()), {"estimator__C": [1e-4, 1.0], "coupling": METHODS}, cv=3
    )
    assert search.fit(X, y).best_params_["estimator__C"] == 1.0


@pytest.mark.parametrize("constant", [0, 1])
@both_methods
def test_certain_pairs_still_give_distributions(coupling, constant):
    estimator = DummyClassifier(strategy="constant", constant=constant)
    P = PairwiseCouplingClassifier(estimator, coupling).fit(X, y).predict_proba(X)
    assert_allclose(P, np.tile(np.eye(3)[2 * constant], (len(X), 1)), atol=1e-8)


def test_an_estimator_without_probabilities_is_refused():
    with pytest.raises(ValueError, match=r"LinearSVC.* has no predict_proba; wrap it in .*Calibrated"):
        PairwiseCouplingClassifier(LinearSVC()).fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"1 class\(es\).*add rows of another class"):
        PairwiseCouplingClassifier(logistic()).fit(X, np.zeros(len(X)))


def test_unknown_couplings_are_refused():
    with pytest.raises(ValueError, match="coupling must be one of"):
        PairwiseCouplingClassifier(logistic(), coupling="vote").fit(X, y)


def test_probabilities_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match=r"Stuck\(\).*not finite"):
        PairwiseCouplingClassifier(Stuck()).fit(X, y).predict(X)


def test_an_unfitted_model_says_so():
    for method in ("predict", "predict_proba", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(PairwiseCouplingClassifier(logistic()), method)(X)


@pytest.mark.parametrize("form", ["array", "read-only", "series", "list"])
def test_class_weights_leave_the_weights_of_the_caller_alone(form):
    X, y = load_iris(return_X_y=True)
    given = np.linspace(0.5, 2.0, len(y))
    weight = given.copy()
    weight.flags.writeable = form != "read-only"
    if form == "series":
        weight = pytest.importorskip("pandas").Series(weight)
    passed = weight.tolist() if form == "list" else weight
    model = PairwiseCouplingClassifier(LogisticRegression(max_iter=500), class_weight={0: 1, 1: 2, 2: 3})
    P = model.fit(X, y, sample_weight=passed).predict_proba(X)
    np.testing.assert_array_equal(passed, given)
    factored = PairwiseCouplingClassifier(LogisticRegression(max_iter=500))
    expected = factored.fit(X, y, sample_weight=given * (1 + y)).predict_proba(X)
    np.testing.assert_allclose(P, expected, atol=1e-12)
