"""Whatever is in the package, ONNX Runtime says what it says."""

import warnings

import numpy as np
import pytest
from common.instances import INSTANCES
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from kernelproba import TableClassifier, TableEncoder

CONVERTIBLE = [model for model in INSTANCES if model.get_params().get("kernel") != "precomputed"]
CLASSIFIERS = [model for model in CONVERTIBLE if is_classifier(model)]
TRANSFORMERS = [model for model in CONVERTIBLE if not is_classifier(model)]


def of_matrices(models):
    """Models whose input is a matrix, not columns."""
    return [model for model in models if not isinstance(model, TableClassifier | TableEncoder)]


def fitted(model, X, y, **weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of 60 rows not all there is can be learnt
        return clone(model).fit(X, y, **weights)


def short(model):
    return repr(model)[:60]


@pytest.mark.parametrize("model", of_matrices(CLASSIFIERS), ids=short)
def test_three_classes(model, problem, new_rows, agree):
    agree(fitted(model, *problem), new_rows)


@pytest.mark.filterwarnings("ignore:.*at the same place as others")  # they are copies
@pytest.mark.parametrize("model", CLASSIFIERS, ids=short)
def test_two_classes_of_weighed_rows_in_a_pipeline_behind_a_scaler(model, problem, new_rows, agree):
    X, y = problem
    weight = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    step = type(model).__name__.lower()
    weights = {f"{step}__sample_weight": weight} if has_fit_parameter(model, "sample_weight") else {}
    agree(fitted(make_pipeline(StandardScaler(), model), 5 + 3 * X, y == "a", **weights), new_rows[:3000])


@pytest.mark.parametrize("model", of_matrices(TRANSFORMERS), ids=short)
def test_transformers(model, problem, new_rows, run):
    transformer = fitted(model, *problem)
    (Z,) = run(transformer, new_rows)
    expected = transformer.transform(new_rows)
    np.testing.assert_allclose(Z, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", [TableEncoder(), *of_matrices(TRANSFORMERS)], ids=short)
def test_transformers_before_a_classifier_of_scikit_learn(model, problem, new_rows, agree):
    near = new_rows[np.abs(new_rows).max(axis=1) < 8]  # the last step is in single precision
    agree(fitted(make_pipeline(model, LogisticRegression(C=0.1)), *problem), near)
