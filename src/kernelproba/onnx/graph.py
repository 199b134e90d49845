"""Formulas as nodes of an ONNX graph: arithmetic on `Tensor` writes nodes, all numbers in double precision.

| in code                  | node                       |
|--------------------------|----------------------------|
| ``A @ B``, ``A + 1.0``   | MatMul, Add                |
| ``graph("Exp", A)``      | Exp                        |
| ``A.sum(axis)``          | ReduceSum, axis kept       |
| ``A.columns([0, 2])``    | Gather                     |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto, ValueInfoProto
    from skl2onnx.common._container import ModelComponentContainer
    from skl2onnx.common._topology import Scope

#: From this opset on all reductions take their axes as an input; sums did so earlier.
AXES_AS_INPUT = 18
#: The oldest opset in which the graphs can be written.
OLDEST_OPSET = 13
#: Domain of the operators for tables and trees.
ML_DOMAIN = "ai.onnx.ml"
#: Operators of it that we use are the same since this version.
ML_VERSION = 2

#: What ONNX calls types of numbers by.
INT64, BOOL, DOUBLE = 7, 9, 11

#: How names of tensors and nodes begin.
OURS = "kp_"

#: What a node may be given: what another has made, or numbers.
Operand: TypeAlias = "Tensor | float | np.ndarray"


@dataclass(frozen=True)
class Tensor:
    """What a node of a graph makes.

    Attributes
    ----------
    graph : Graph
        Where the node is.
    name : str
        Unique in the graph.
    """

    graph: Graph
    name: str

    def __add__(self, other: Operand) -> Tensor:
        return self.graph("Add", self, other)

    def __sub__(self, other: Operand) -> Tensor:
        return self.graph("Sub", self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return self.graph("Sub", other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return self.graph("Mul", self, other)

    def __truediv__(self, other: Operand) -> Tensor:
        return self.graph("Div", self, other)

    def __matmul__(self, other: Operand) -> Tensor:
        return self.graph("MatMul", self, other)

    def __neg__(self) -> Tensor:
        return self.graph("Neg", self)

    def exceeds(self, other: float) -> Tensor:
        """Tell where entries are larger than a number."""
        return self.graph("Greater", self, other)

    def is_below(self, other: float) -> Tensor:
        """Tell where entries are smaller than a number."""
        return self.graph("Less", self, other)

    def clip(self, low: float, high: float) -> Tensor:
        """Bound all entries."""
        return self.graph("Min", self.graph("Max", self, low), high)

    def at_least(self, low: Operand) -> Tensor:
        """Return the larger of the entries and `low`."""
        return self.graph("Max", self, low)

    def at_most(self, high: Operand) -> Tensor:
        """Return the smaller of the entries and `high`."""
        return self.graph("Min", self, high)

    def sum(self, axis: int = 1) -> Tensor:
        """Sum along an axis, which stays with length one."""
        return self.graph.reduce("ReduceSum", self, axis)

    def max(self, axis: int = 1) -> Tensor:
        """Return the largest along an axis, which stays with length one."""
        return self.graph.reduce("ReduceMax", self, axis)

    def mean(self, axis: int = 1) -> Tensor:
        """Return the mean along an axis, which stays with length one."""
        return self.graph.reduce("ReduceMean", self, axis)

    def columns(self, index: Sequence[int] | np.ndarray, axis: int = 1) -> Tensor:
        """Return the entries at places of an axis."""
        return self.graph("Gather", self, self.graph.integers(index), axis=axis)

    def reshape(self, *shape: int) -> Tensor:
        """Return the same entries in another shape, −1 for what is left."""
        return self.graph("Reshape", self, self.graph.integers(shape))

    def transpose(self, *axes: int) -> Tensor:
        """Return the axes in another order."""
        return self.graph("Transpose", self, perm=list(axes))

    def cast(self, onnx_type: int) -> Tensor:
        """Return the entries as numbers of another type."""
        return self.graph("Cast", self, to=onnx_type)


class Graph:
    """Where nodes are written to: the graph of a model, by the means of skl2onnx.

    Parameters
    ----------
    scope : skl2onnx Scope
        Gives names.
    container : skl2onnx ModelComponentContainer
        Takes nodes.
    """

    #: Whether there is an operator LetterFrequencies, which ONNX has not.
    counts_letters = False

    def __init__(self, scope: Scope, container: ModelComponentContainer):
        self.scope, self.container = scope, container
        self.opset: int = container.target_opset

    def __call__(self, operator: str, *operands: Operand, domain: str = "", **attributes: object) -> Tensor:
        """Write a node, and return what it makes."""
        result = Tensor(self, self.unique_name(operator.lower()))
        names = [self.tensor(each).name for each in operands]
        self.write(operator, names, [result.name], domain, attributes)
        return result

    def tensor(self, operand: Operand) -> Tensor:
        """Return an operand as a tensor: numbers become constants in double precision."""
        return operand if isinstance(operand, Tensor) else self.constant(np.asarray(operand, np.float64))

    def integers(self, values: Sequence[int] | np.ndarray) -> Tensor:
        """Return whole numbers as a constant."""
        return self.constant(np.asarray(values, dtype=np.int64))

    def constant(self, values: np.ndarray) -> Tensor:
        """Return an array, as it is, as a constant."""
        from onnx import numpy_helper

        name = self.unique_name("constant")
        self.keep(numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), name))
        return Tensor(self, name)

    def reduce(self, operator: str, tensor: Tensor, axis: int) -> Tensor:
        """Reduce along an axis, which stays with length one."""
        if self.opset < AXES_AS_INPUT and operator != "ReduceSum":
            return self(operator, tensor, axes=[axis], keepdims=1)
        return self(operator, tensor, self.integers([axis]), keepdims=1)

    def where(self, condition: Tensor, yes: Operand, no: Operand) -> Tensor:
        """Choose entry by entry."""
        return self("Where", condition, yes, no)

    def concat(self, parts: Sequence[Tensor], axis: int = 1) -> Tensor:
        """Join along an axis."""
        return parts[0] if len(parts) == 1 else self("Concat", *parts, axis=axis)

    def n_rows(self, X: Tensor) -> Tensor:
        """Return the number of rows of X, of shape (1,)."""
        return self("Gather", self("Shape", X), self.integers([0]), axis=0)

    def filled(self, X: Tensor, row: np.ndarray) -> Tensor:
        """Return a constant row (k,) for each row of X, (n, k)."""
        shape = self.concat([self.n_rows(X), self.integers([len(row)])], axis=0)
        return self("Expand", row[np.newaxis], shape)

    def body(self) -> Body:
        """Return an empty inner graph, for a loop."""
        return Body(self)

    def unique_name(self, base: str) -> str:
        """Return a name that no other tensor has."""
        return self.scope.get_unique_variable_name(f"{OURS}{base}")

    def keep(self, constant: TensorProto) -> None:
        """Take a constant in."""
        texts = list(constant.string_data)  # which skl2onnx does not copy with the rest
        self.container.add_initializer(
            constant.name, constant.data_type, list(constant.dims), texts or constant
        )

    def write(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",
        attributes: dict[str, object] | None = None,
    ) -> None:
        """Write a node from names to names."""
        self.container.add_node(
            operator,
            list(inputs),
            list(outputs),
            op_domain=domain,
            op_version=ML_VERSION if domain == ML_DOMAIN else self.opset,
            name=self.scope.get_unique_operator_name(f"{OURS}{operator}"),
            **(attributes or {}),
        )


class Body(Graph):
    """The inner graph of a loop, which sees nothing but its inputs and constants of its own.

    Parameters
    ----------
    outer : Graph
        The graph that it is a part of.
    """

    def __init__(self, outer: Graph):
        self.opset, self._outer = outer.opset, outer
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def unique_name(self, base: str) -> str:
        return self._outer.unique_name(base)

    def keep(self, constant: TensorProto) -> None:
        self._constants.append(constant)

    def write(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",
        attributes: dict[str, object] | None = None,
    ) -> None:
        from onnx import helper

        node = helper.make_node(operator, list(inputs), list(outputs), domain=domain)
        for name, value in (attributes or {}).items():
            node.attribute.append(helper.make_attribute(name, value))
        self._nodes.append(node)

    def proto(
        self, inputs: Sequence[tuple[Tensor, int, int]], outputs: Sequence[tuple[Tensor, int, int]]
    ) -> object:
        """Return the finished graph; inputs and outputs with their types and numbers of axes."""
        from onnx import helper

        def described(tensors: Sequence[tuple[Tensor, int, int]]) -> list[ValueInfoProto]:
            return [helper.make_tensor_value_info(t.name, kind, [None] * axes) for t, kind, axes in tensors]

        return helper.make_graph(
            self._nodes, "body", described(inputs), described(outputs), initializer=self._constants
        )


def sum_over_features(
    term: Callable[[Tensor, Tensor], Tensor], X: Tensor, Z: np.ndarray, graph: Graph
) -> Tensor:
    """Σₖ term(xₖ, zₖ) of rows X (n, d) and centres Z (m, d), (n, m), one feature at a time.

    All differences at once would take n·m·d numbers.
    """
    body = graph.body()
    total, x, z = (Tensor(body, body.unique_name(name)) for name in ("total", "x", "z"))
    added = total + term(body("Unsqueeze", x, body.integers([1])), body("Unsqueeze", z, body.integers([0])))
    proto = body.proto([(total, DOUBLE, 2), (x, DOUBLE, 1), (z, DOUBLE, 1)], [(added, DOUBLE, 2)])
    start = graph.filled(X, np.zeros(Z.shape[0]))
    return graph(
        "Scan", start, X, np.ascontiguousarray(Z.T), body=proto, num_scan_inputs=2, scan_input_axes=[1, 0]
    )
