import numpy as np
import pytest

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV


@pytest.fixture(scope="session")
def rows():
    """Three classes in four dimensions, 3000 rows, with weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 4))
    scores = np.stack([np.sin(2 * X[:, 0]), X[:, 1] * X[:, 2], np.zeros(3000)], axis=1) * 2
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X, np.array(["a", "b", "c"])[y], rng.integers(1, 4, 3000).astype(float)


@pytest.fixture
def model():
    """A fit of 40 centres: samples of 800 rows at most, then all rows."""
    return KernelLogisticRegression(C=2.0, n_centers=40, centers="uniform", tol=1e-5, random_state=0)


@pytest.fixture(scope="session")
def in_memory(rows):
    """What the fit from memory predicts."""
    X, y, weight = rows
    fit = KernelLogisticRegression(C=2.0, n_centers=40, centers="uniform", tol=1e-5, random_state=0)
    return fit.fit(X, y, weight).predict_proba(X)


@pytest.fixture(scope="session")
def search():
    """A search of few candidates on 300 rows, then 40 centres; to be cloned."""
    return KernelLogisticRegressionCV(
        Cs=[0.3, 3.0],
        kernel="rbf",
        scale="standard",
        feature_weights=None,
        max_rows=300,
        n_centers=40,
        tol=1e-5,
        random_state=0,
    )
