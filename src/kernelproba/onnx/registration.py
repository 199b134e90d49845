"""Our models made known to skl2onnx, so that they convert alone, in pipelines and inside other models."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.estimators import BasisExpansion, RecursiveFeatureAddition
from kernelproba.extras import extra
from kernelproba.onnx import densities, machines, tables, wrappers
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import OLDEST_OPSET, Graph, Tensor
from kernelproba.onnx.posteriors import GraphRows, known_classifiers, log_posterior
from kernelproba.tables import TableEncoder

if TYPE_CHECKING:
    from skl2onnx.common._container import ModelComponentContainer
    from skl2onnx.common._topology import Operator, Scope, Variable

#: Modules that register classifiers when they are imported.
FAMILIES = (machines, densities, wrappers, tables)

#: Options of skl2onnx that our classifiers have; the first values are the defaults.
OPTIONS = {"zipmap": [False, True, "columns"], "output_class_labels": [False, True], "nocl": [False]}


@cache
def register_converters() -> None:
    """Make the models of this package known to skl2onnx.

    `kernelproba.onnx.to_onnx` does so by itself; call it before ``skl2onnx.to_onnx`` on a pipeline.

    See Also
    --------
    to_onnx : Converts a model.

    Examples
    --------
    >>> from kernelproba.onnx import register_converters
    >>> register_converters()
    """
    with extra("onnx"):
        from skl2onnx import update_registered_converter

    for kind in known_classifiers():
        update_registered_converter(
            kind,
            f"Kernelproba{kind.__name__}",
            _classifier_shapes,
            _convert_classifier,
            parser=_parse_classifier,
            options={
                "zipmap": [False, True, "columns"],
                "output_class_labels": [False, True],
                "nocl": [False],
            },
        )
    for transformer in (BasisExpansion, RecursiveFeatureAddition, TableEncoder):
        alias = f"Kernelproba{transformer.__name__}"
        update_registered_converter(transformer, alias, _transformer_shapes, _convert_transformer)


def _parse_classifier(
    scope: Scope, model: BaseEstimator, inputs: list[Variable], custom_parsers: object = None
) -> list[Variable]:
    """Declare the outputs of a classifier: a label and a matrix of probabilities, unless asked otherwise."""
    from skl2onnx._parse import _parse_sklearn_classifier, _parse_sklearn_simple_model

    options = scope.get_options(model, {"zipmap": False})
    plain = options["zipmap"] is False and not options.get("output_class_labels", False)
    parse = _parse_sklearn_simple_model if plain else _parse_sklearn_classifier
    return parse(scope, model, inputs, custom_parsers=custom_parsers)


def _classifier_shapes(operator: Operator) -> None:
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType

    model, n_rows = operator.raw_operator, operator.inputs[0].get_first_dimension()
    is_text = labels_of(model.classes_).dtype == object
    operator.outputs[0].type = (StringTensorType if is_text else Int64TensorType)([n_rows])
    operator.outputs[1].type = _number_type(operator)([n_rows, len(model.classes_)])


def _transformer_shapes(operator: Operator) -> None:
    model = operator.raw_operator
    width = {
        BasisExpansion: lambda: len(model.get_feature_names_out()),
        RecursiveFeatureAddition: lambda: int(model.support_.sum()),
        TableEncoder: lambda: len(model.source_),
    }[type(model)]()
    operator.outputs[0].type = _number_type(operator)([operator.inputs[0].get_first_dimension(), width])


def _number_type(operator: Operator) -> type:
    """Numbers that come out are as those that go in: single if none of them are double."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    double = any(isinstance(each.type, DoubleTensorType) for each in operator.inputs)
    return DoubleTensorType if double else FloatTensorType


def _convert_classifier(scope: Scope, operator: Operator, container: ModelComponentContainer) -> None:
    graph, model = checked_graph(scope, container), operator.raw_operator
    log_P = log_posterior(model, GraphRows(graph, operator.inputs))
    chosen, table = wrappers.decision(model, log_P)
    labels = graph("Gather", graph.constant(labels_of(table)), chosen, axis=0)
    graph.write("Identity", [labels.name], [operator.outputs[0].full_name])
    _write_numbers(graph, graph("Exp", log_P), operator.outputs[1])


def _convert_transformer(scope: Scope, operator: Operator, container: ModelComponentContainer) -> None:
    graph, model = checked_graph(scope, container), operator.raw_operator
    rows = GraphRows(graph, operator.inputs)
    if isinstance(model, TableEncoder):
        features = tables.encoded_table(model, rows)
    elif isinstance(model, BasisExpansion):
        features = wrappers.expanded(model, rows.matrix)
    else:
        features = rows.matrix.columns(np.flatnonzero(model.support_))
    _write_numbers(graph, features, operator.outputs[0])


def checked_graph(scope: Scope, container: ModelComponentContainer) -> Graph:
    """Return a graph to write to, of an opset that has all operators."""
    graph = Graph(scope, container)
    if graph.opset < OLDEST_OPSET:
        raise ConversionError(
            f"target_opset={graph.opset} is too old for kernel machines: choose {OLDEST_OPSET} or later"
        )
    return graph


def labels_of(classes: np.ndarray) -> np.ndarray:
    """Return labels as ONNX has them: int64, or texts."""
    if classes.dtype.kind in "biu":
        return classes.astype(np.int64)
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(object)
    numbers = classes.astype(np.float64)
    if (numbers == np.rint(numbers)).all() and (np.abs(numbers) < 2**53).all():
        return numbers.astype(np.int64)
    raise ConversionError(
        f"labels such as {classes.tolist()[0]!r} have no form in ONNX: fit with texts or whole numbers"
    )


def _write_numbers(graph: Graph, numbers: Tensor, output: Variable) -> None:
    from skl2onnx.common.data_types import guess_proto_type

    graph.write("Cast", [numbers.name], [output.full_name], attributes={"to": guess_proto_type(output.type)})
