"""Which part of a graph a classifier becomes: from rows to log-probabilities, by the type of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import DOUBLE, OURS, Graph, Tensor
from kernelproba.onnx.probabilities import finite_log

if TYPE_CHECKING:
    from skl2onnx.common._topology import Operator, Variable

Model = TypeVar("Model", bound=BaseEstimator)

_POSTERIORS: dict[type[BaseEstimator], Callable[..., Tensor]] = {}


class Named(Protocol):
    """What goes into a model by the name of a tensor."""

    @property
    def onnx_name(self) -> str:
        """Name of the tensor."""


class GraphRows:
    """What a model is given inside a graph.

    Parameters
    ----------
    graph : Graph
        Where nodes are written to.
    variables : sequence of skl2onnx Variable, or of others with a name in the graph
        A matrix, or columns.
    """

    def __init__(self, graph: Graph, variables: Sequence[Named]):
        self.graph, self.inputs = graph, [Tensor(graph, each.onnx_name) for each in variables]

    @classmethod
    def of_matrix(cls, X: Tensor) -> GraphRows:
        """Rows X (n, d) that other nodes have made, in double precision."""
        rows = cls(X.graph, [])
        rows.inputs, rows.__dict__["matrix"] = [X], X
        return rows

    def declared(self, n_features: int | None) -> list[Variable]:
        """Return the rows as skl2onnx knows what it is to work on."""
        from skl2onnx.common.data_types import DoubleTensorType

        scope = self.graph.scope
        variable = scope.declare_local_variable(f"{OURS}rows", DoubleTensorType([None, n_features]))
        self.graph.write("Identity", [self.matrix.name], [variable.onnx_name])
        return [variable]

    @cached_property
    def matrix(self) -> Tensor:
        """Rows (n, d) in double precision."""
        return self.graph.concat([each.cast(DOUBLE) for each in self.inputs])


def converts(kind: type[Model]) -> Callable[[Callable[[Model, GraphRows], Tensor]], Callable]:
    """Register a function from a fitted model and rows to log-probabilities (n, c)."""

    def register(function: Callable[[Model, GraphRows], Tensor]) -> Callable:
        _POSTERIORS[kind] = function
        return function

    return register


def known_classifiers() -> list[type[BaseEstimator]]:
    """Return the classifiers that have been registered."""
    return list(_POSTERIORS)


def log_posterior(model: BaseEstimator, rows: GraphRows) -> Tensor:
    """Return log-probabilities (n, c) by a fitted classifier, of ours or of any that skl2onnx converts."""
    if isinstance(model, FrozenEstimator):
        return log_posterior(model.estimator, rows)
    if type(model) in _POSTERIORS:
        return _POSTERIORS[type(model)](model, rows)
    return finite_log(_foreign_posterior(model, rows))


def _foreign_posterior(model: BaseEstimator, rows: GraphRows) -> Tensor:
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType

    scope, operator = rows.graph.scope, _operator(model, rows)
    label = scope.declare_local_variable(f"{OURS}label", Int64TensorType())
    proba = scope.declare_local_variable(f"{OURS}proba", DoubleTensorType())
    operator.outputs.extend([label, proba])
    # Sums in single precision may end a little below 0.
    return Tensor(rows.graph, proba.onnx_name).cast(DOUBLE).clip(0.0, 1.0)


def foreign_features(transformer: BaseEstimator, rows: GraphRows) -> Tensor:
    """Return what a fitted transformer makes of rows, (n, p), in double precision."""
    from skl2onnx.common.data_types import DoubleTensorType

    scope, operator = rows.graph.scope, _operator(transformer, rows)
    features = scope.declare_local_variable(f"{OURS}features", DoubleTensorType())
    operator.outputs.append(features)
    return Tensor(rows.graph, features.onnx_name).cast(DOUBLE)


def _operator(model: BaseEstimator, rows: GraphRows) -> Operator:
    """Declare a part of the graph that skl2onnx writes."""
    from skl2onnx._supported_operators import sklearn_operator_name_map

    alias = sklearn_operator_name_map.get(type(model))
    if alias is None:
        raise ConversionError(
            f"{type(model).__name__} has no converter to ONNX: register one with "
            "skl2onnx.update_registered_converter, or wrap a classifier of kernelproba or scikit-learn"
        )
    operator = rows.graph.scope.declare_local_operator(alias, model)
    n_features = getattr(model, "n_features_in_", None)
    operator.inputs = rows.declared(n_features)
    return operator


def label_numbers(log_P: Tensor) -> Tensor:
    """Return the number of the most probable class, (n,), of log-probabilities (n, c)."""
    return log_P.graph("ArgMax", log_P.graph("Exp", log_P), axis=1, keepdims=0)
