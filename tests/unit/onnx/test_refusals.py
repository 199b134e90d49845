"""What has no form in ONNX is refused, and told what to do."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import kernels as gp
from sklearn.gaussian_process.kernels import PairwiseKernel
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba import (
    KernelDensityClassifier,
    KernelLogisticRegression,
    MinimumRiskClassifier,
    TableClassifier,
)
from kernelproba.kernels import RBF
from kernelproba.onnx import ConversionError, to_onnx


class MyKernel(RBF):
    """Differs from its parent, perhaps."""


class MyClassifier(LogisticRegression):
    """Unknown to skl2onnx."""


def overlap(X, Z):
    return np.minimum(X[:, None], Z).sum(axis=2)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (overlap, "the kernel function 'overlap' is Python"),
        (MyKernel(), "the kernel MyKernel has no form in ONNX"),
        (RBF() + MyKernel(), "the kernel MyKernel has no form in ONNX"),
        (gp.RBF(1.0) ** 2, "Gaussian-process kernel"),
        (gp.Matern(1.0, nu=0.7), "nu 0.5, 1.5 or 2.5"),
        (PairwiseKernel(metric="rbf"), "Gaussian-process kernel"),
    ],
)
def test_kernels(kernel, message, problem):
    model = KernelLogisticRegression(kernel=kernel, solver="newton-cg").fit(*problem)
    with pytest.raises(ConversionError, match=message):
        to_onnx(model)


def test_precomputed_kernels(problem):
    X, y = problem
    for kind in (KernelLogisticRegression, KernelDensityClassifier):
        model = kind(kernel="precomputed").fit(rbf_kernel(X), y)
        with pytest.raises(ConversionError, match="leaves nothing to export"):
            to_onnx(model)


def test_columns_compared_by_letters():
    import pandas as pd

    rng = np.random.default_rng(0)
    words = pd.DataFrame({"note <i>": [" ".join(rng.choice(list("abcdefgh"), 5)) for _ in range(60)]})
    model = TableClassifier(LogisticRegression()).fit(words, np.arange(60) % 2)
    assert model.encoder_.columns_[0].kind == "text"
    with pytest.raises(ConversionError, match="column 'note <i>' is compared by its letters"):
        to_onnx(model)


def test_classifiers_that_skl2onnx_does_not_know(problem):
    with pytest.raises(ConversionError, match="MyClassifier has no converter"):
        to_onnx(MinimumRiskClassifier(MyClassifier()).fit(*problem))


def test_labels_that_are_fractions(problem):
    X, y = problem
    model = MinimumRiskClassifier(KernelLogisticRegression()).fit(X, y)
    model.estimator_.classes_ = np.array([0.5, 1.0, 2.0])
    with pytest.raises(ConversionError, match=r"labels such as 0.5"):
        to_onnx(model)


def test_opsets_of_long_ago(problem):
    with pytest.raises(ConversionError, match="target_opset=12 is too old"):
        to_onnx(KernelLogisticRegression().fit(*problem), target_opset=12)


def test_models_that_are_not_fitted():
    with pytest.raises(NotFittedError):
        to_onnx(KernelLogisticRegression())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X": np.zeros(2)}, r"X must have shape \(n, d\), but has \(2,\)"),
        ({"X": np.zeros((1, 3))}, "X has 3 columns, but the model was fitted on 2"),
        ({"target_opset": "18"}, "target_opset='18' is no whole number"),
        ({"target_opset": 1000}, "target_opset=1000 is not among the 1 to"),
        ({"target_opset": 0}, "target_opset=0 is not among the 1 to"),
        ({"target_opset": -1}, "target_opset=-1 is not among the 1 to"),
    ],
)
def test_a_graph_that_the_model_could_not_fill_is_refused(options, message):
    model = KernelLogisticRegression().fit(np.eye(2), [0, 1])
    with pytest.raises(ConversionError, match=message):
        to_onnx(model, **options)


@pytest.mark.parametrize(
    "X", [[["a", "b"]], np.array([[1j, 2.0]]), np.zeros((1, 2), "datetime64[s]"), np.array([["1", "2"]])]
)
def test_rows_that_are_no_numbers_are_refused_by_their_type(X):
    model = KernelLogisticRegression().fit(np.arange(8.0).reshape(4, 2), [0, 1, 0, 1])
    with pytest.raises(ConversionError, match="X must hold numbers"):
        to_onnx(model, X)


def test_numbers_as_objects_are_numbers():
    X = np.arange(8.0).reshape(4, 2)
    to_onnx(KernelLogisticRegression().fit(X, [0, 1, 0, 1]), X.astype(object))
