"""Small problems on which every instance of the table can be fitted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel


@dataclass(frozen=True)
class Problem:
    """Training rows, labels, and rows to predict."""

    X: Any
    y: np.ndarray
    query: Any

    def for_model(self, model):
        """The same problem as the model takes it: kernel matrices if its kernel is precomputed."""
        if getattr(model, "kernel", None) != "precomputed":
            return self
        return Problem(rbf_kernel(self.X), self.y, rbf_kernel(self.query, self.X))


def clusters(n=24, n_features=3, labels=(0, 1, 2), seed=0):
    """Overlapping clusters of equal size, none of whose features is constant or exact."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n + 7) % len(labels)
    X = rng.standard_normal((n + 7, n_features)) + 1.2 * np.eye(len(labels), n_features)[codes]
    return Problem(X[:n], np.asarray(labels)[codes[:n]], X[n:])


THREE_CLASSES = clusters()
TWO_CLASSES = clusters(20, 2, ("left", "right"), seed=1)


def answers(model, query):
    """Everything that a fitted model says about rows."""
    methods = ("transform", "decision_function", "predict_proba", "predict_log_proba", "predict")
    return {name: getattr(model, name)(query) for name in methods if hasattr(model, name)}


def assert_same_answers(found, expected, **tolerance):
    """Compare two results of `answers`; exactly, if no tolerance is given."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        if name == "predict" or not tolerance:
            np.testing.assert_array_equal(found[name], values, err_msg=name)
        else:
            np.testing.assert_allclose(found[name], values, err_msg=name, **tolerance)
