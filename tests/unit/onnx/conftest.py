"""Graphs run by ONNX Runtime."""

import numpy as np
import pytest

pytest.importorskip("skl2onnx")
runtime = pytest.importorskip("onnxruntime")

from sklearn.datasets import make_classification  # noqa: E402

from kernelproba.onnx import to_onnx  # noqa: E402


@pytest.fixture
def run():
    """Convert a fitted model and return its outputs for rows, or for columns by name."""

    def call(model, rows, **options):
        given = rows if isinstance(rows, np.ndarray) and rows.dtype == np.float64 else None
        graph = to_onnx(model, given, **options)
        session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        feed = rows if isinstance(rows, dict) else {session.get_inputs()[0].name: rows}
        return session.run(None, feed)

    return call


@pytest.fixture
def agree(run):
    """Hold a fitted classifier and its graph against each other: labels exactly, probabilities to 1e-5."""

    def check(model, rows, **options):
        labels, P = run(model, rows, **options)
        expected = model.predict_proba(rows)
        assert P.dtype == rows.dtype
        np.testing.assert_allclose(P, expected, rtol=0, atol=1e-5)
        # Of classes that tie, as far from all data of a relevance vector machine, rounding picks one.
        second, first = np.sort(expected, axis=1)[:, -2:].T
        clear = first - second > 1e-12
        np.testing.assert_array_equal(labels[clear], model.predict(rows)[clear])
        return P

    return check


@pytest.fixture(scope="session")
def problem():
    """Training rows and their labels, texts that are hostile to markup, of three classes."""
    X, y = make_classification(
        60, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )
    return X, np.array(["a", "<b>&", "ü ✓"])[y]


@pytest.fixture(scope="session")
def new_rows():
    """10,000 rows in single precision, some far from all training rows."""
    rng = np.random.default_rng(0)
    return (rng.normal(size=(10_000, 4)) * rng.choice([1, 2, 30], size=(10_000, 1))).astype(np.float32)
