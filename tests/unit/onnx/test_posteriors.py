"""Rows, labels and options at the edges."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelproba import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    MaximumContrastClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RelevanceVectorClassifier,
)
from kernelproba.kernels import RBF, Laplacian, Matern, RationalQuadratic
from kernelproba.onnx import register_converters, to_onnx

FAMILIES = [
    KernelLogisticRegression(C=1e4),
    KernelLogisticRegression(C=1e4, multi_class="pairwise"),
    LeastSquaresProbabilisticClassifier(),
    LeastSquaresProbabilisticClassifier(calibration=None, outside="tails"),
    LeastSquaresProbabilisticClassifier(centers="all", n_centers=20),
    KernelDensityClassifier(),
    KernelDensityClassifier("laplacian", priors=[0.5, 0.5, 0.0]),
    MaximumContrastClassifier(alpha=0.1),
    RelevanceVectorClassifier(fit_intercept=True, moderation=1.0),
    BasisLogisticRegression(),
    BasisLogisticRegression(expansion=BasisExpansion("sigmoid")),
]


@pytest.mark.parametrize("model", FAMILIES, ids=lambda model: repr(model)[:60])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_rows_have_probabilities(model, dtype, problem, agree):
    rows = np.array([[0, 0, 0, 0], [1e30, 0, -1e30, 5], [1e-30, 0, 0, 0], [-3e38] * 4, [100.0] * 4], dtype)
    P = agree(model.fit(*problem), rows)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize(
    "kernel",
    [None, RBF(), Laplacian(), Matern(nu=1.5), Matern(nu=2.5), RationalQuadratic(alpha=3.0)],
    ids=str,
)
def test_rows_whose_squares_overflow_are_as_far_as_in_python(kernel, problem, agree):
    model = KernelDensityClassifier() if kernel is None else KernelDensityClassifier(kernel)
    sizes = np.array([1e20, 1e99, 1e101, 1e149, 1e151, 1e155, 1e200, 1e299, 1.7e308])
    rows = np.vstack([np.outer(sizes, ends) for ends in ([1, 1, 1, 1], [-1, 0, 0, 0], [0, 1, -1, 0])])
    agree(model.fit(*problem), rows)


@pytest.mark.parametrize("coupling", ["wu-lin-weng", "hastie-tibshirani"])
def test_many_classes_are_coupled(coupling, agree):
    X, y = make_blobs(140, 4, centers=7, cluster_std=3.0, random_state=0)
    rows = np.random.default_rng(0).normal(size=(500, 4)).astype(np.float32) * 8
    agree(KernelLogisticRegression(C=10, multi_class="pairwise", coupling=coupling).fit(X, y), rows)


@pytest.mark.parametrize(
    "labels", [[3, -1, 7], [True, False, False], [0.0, 1.0, 5.0], ["x", "y", "z"]], ids=str
)
def test_labels_come_back_as_they_are(labels, problem, new_rows, agree):
    X, y = problem
    codes = np.unique(y, return_inverse=True)[1]
    agree(LeastSquaresProbabilisticClassifier().fit(X, np.array(labels)[codes]), new_rows[:500])


def test_double_rows_keep_their_digits(problem, new_rows, run):
    model = KernelLogisticRegressionCV(kernel="rbf", scale="squashed").fit(*problem)
    rows = new_rows[:500].astype(np.float64)
    np.testing.assert_allclose(run(model, rows)[1], model.predict_proba(rows), rtol=1e-9, atol=1e-12)


def test_features_that_are_bent_and_then_weighed(problem, new_rows, agree):
    model = KernelLogisticRegressionCV(kernel="rbf", scale="squashed").fit(*problem)
    model.scaler_.stretch_ = np.linspace(0.5, 1.5, problem[0].shape[1])
    agree(model, new_rows[:500])


def test_features_that_are_seen_along_components_as_well(problem, new_rows, agree):
    X, y = problem
    model = KernelLogisticRegressionCV(kernel="rbf", scale="squashed").fit(X, y)
    model.scaler_.components_ = np.linspace(-1, 2, 2 * X.shape[1]).reshape(-1, 2)
    model.best_estimator_.fit(model.scaler_.transform(X), y)
    agree(model, new_rows[:500])


@pytest.mark.parametrize("opset", [13, 17, 21])
def test_opsets(opset, problem, new_rows, agree):
    agree(KernelLogisticRegression(multi_class="pairwise").fit(*problem), new_rows[:50], target_opset=opset)
    agree(KernelDensityClassifier("laplacian").fit(*problem), new_rows[:50], target_opset=opset)


@pytest.mark.parametrize("reject_cost", [None, 0.8])
def test_decisions_by_cost(reject_cost, problem, new_rows, agree):
    costs = [[0, 1, 5], [2, 0, 1], [1, 20, 0]]
    model = MinimumRiskClassifier(KernelLogisticRegression(), costs, reject_cost=reject_cost).fit(*problem)
    agree(model, new_rows)
    assert ("reject" in model.predict(new_rows)) == (reject_cost is not None)


@pytest.mark.parametrize("priors", [[0.1, 0.1, 0.8], [0.0, 0.3, 0.7]])
def test_other_priors_around_a_pipeline(priors, problem, new_rows, agree):
    inner = make_pipeline(StandardScaler(), KernelLogisticRegression())
    agree(PriorShiftClassifier(inner, priors).fit(*problem), new_rows[:1000])
    agree(PriorShiftClassifier(FrozenEstimator(inner.fit(*problem)), priors).fit(*problem), new_rows[:1000])


def test_wrappers_around_classifiers_of_scikit_learn(problem, new_rows, agree):
    forest = RandomForestClassifier(10, max_depth=4, random_state=0)
    agree(PriorShiftClassifier(forest, "uniform").fit(*problem), new_rows[:1000])
    agree(PairwiseCouplingClassifier(forest).fit(*problem), new_rows[:1000])


def test_a_basis_of_scikit_learn(problem, new_rows, agree):
    from sklearn.preprocessing import PolynomialFeatures

    expansion = make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False))
    agree(BasisLogisticRegression(expansion=expansion).fit(*problem), new_rows[:1000])


def test_skl2onnx_itself_converts_pipelines_with_encoders():
    import onnxruntime
    import pandas as pd
    import skl2onnx

    register_converters()
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"kind": rng.choice(["u", "v", "w"], 80), "size": rng.normal(size=80)})
    y = (table["size"] + (table["kind"] == "u") > 0.5).astype(int)
    columns = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["kind"]), (StandardScaler(), ["size"])
    )
    model = make_pipeline(columns, KernelLogisticRegression()).fit(table, y)
    options, opset = {id(model): {"zipmap": False}}, {"": 18, "ai.onnx.ml": 3}
    graph = skl2onnx.to_onnx(model, table[:1], options=options, target_opset=opset)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    feed = {"kind": table[["kind"]].to_numpy(object), "size": table[["size"]].to_numpy()}
    labels, P = session.run(None, feed)
    np.testing.assert_allclose(P, model.predict_proba(table), atol=1e-5)
    np.testing.assert_array_equal(labels, model.predict(table))


def test_dictionaries_of_probabilities_are_there_for_those_who_ask(problem):
    import onnxruntime
    import skl2onnx

    register_converters()
    X, y = problem
    model = KernelLogisticRegression().fit(X, y)
    graph = skl2onnx.to_onnx(
        model, X[:1].astype(np.float32), options={"zipmap": True}, target_opset={"": 18, "ai.onnx.ml": 3}
    )
    rows = X[:3].astype(np.float32)
    _, P = onnxruntime.InferenceSession(graph.SerializeToString()).run(None, {"X": rows})
    assert list(P[0]) == list(model.classes_)


def test_a_linear_model_is_one_product(problem):
    model = KernelLogisticRegression(kernel="linear").fit(*problem)
    assert to_onnx(model).ByteSize() < 3000


def test_a_foreign_classifier_converts_too(problem, new_rows, agree):
    agree(make_pipeline(StandardScaler(), LogisticRegression()).fit(*problem), new_rows[:1000])
