"""The nodes of `kernelproba.onnx` written down for a page, whose script runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import AXES_AS_INPUT, Body, Graph, Operand, Tensor
from kernelproba.page.packing import packed_numbers

#: A node: operator, names that go in, names that come out, settings.
Node = tuple[str, list[str], list[str], dict[str, object]]


class WrittenNodes(Graph):
    """A graph that keeps its nodes as they are."""

    nodes: list[Node]

    def write(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",  # noqa: ARG002
        attributes: dict[str, object] | None = None,
    ) -> None:
        self.nodes.append((operator, list(inputs), list(outputs), attributes or {}))


class PageGraph(WrittenNodes):
    """A graph that keeps its nodes and constants as they are; what was said before is not said again.

    Attributes
    ----------
    nodes : list of tuples
        In the order in which they run.
    arrays : dict of str to ndarray
        Constants.
    """

    counts_letters = True

    def __init__(self) -> None:
        self.opset = AXES_AS_INPUT
        self.nodes = []
        self.arrays: dict[str, np.ndarray] = {}
        self._names: dict[object, str] = {}
        self._count = 0

    @property
    def scope(self) -> None:
        """Where skl2onnx would write."""
        raise ConversionError(
            "a page runs models of kernelproba alone, in pipelines with scalers of scikit-learn at most: "
            "use kernelproba.onnx for the others"
        )

    def __call__(self, operator: str, *operands: Operand, domain: str = "", **attributes: object) -> Tensor:
        names = [self.tensor(each).name for each in operands]
        key = (operator, *names, repr(sorted(attributes.items())))
        if key not in self._names:
            self._names[key] = self.unique_name(operator)
            self.write(operator, names, [self._names[key]], domain, attributes)
        return Tensor(self, self._names[key])

    def constant(self, values: np.ndarray) -> Tensor:
        content = repr(values.tolist()) if values.dtype == object else values.tobytes()
        key = (values.dtype.str, values.shape, content)
        if key not in self._names:
            self._names[key] = f"c{len(self.arrays)}"
            self.arrays[self._names[key]] = values
        return Tensor(self, self._names[key])

    def body(self) -> Body:
        return PageBody(self)

    def unique_name(self, base: str) -> str:  # noqa: ARG002
        self._count += 1
        return f"t{self._count}"

    def described(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> dict[str, object]:
        """Return nodes and constants that lead to the outputs, as JSON has them."""
        needed, nodes = {each.name for each in outputs}, []
        for node in reversed(self.nodes):
            if needed & {*node[2]}:
                needed |= {*node[1], *_inside(node)}
                nodes.append(node)
        return {
            "inputs": [each.name for each in inputs],
            "outputs": [each.name for each in outputs],
            "nodes": [node if node[3] else node[:3] for node in reversed(nodes)],
            "constants": {
                name: packed_numbers(values) for name, values in self.arrays.items() if name in needed
            },
        }


class PageBody(WrittenNodes, Body):
    """The inner graph of a loop; its constants are kept by the graph around it.

    Parameters
    ----------
    outer : PageGraph
        The graph that it is a part of.
    """

    def __init__(self, outer: PageGraph):
        self.opset, self._around, self._count = outer.opset, outer, 0
        self.nodes = []

    def constant(self, values: np.ndarray) -> Tensor:
        return Tensor(self, self._around.constant(values).name)

    def unique_name(self, base: str) -> str:  # noqa: ARG002
        self._count += 1
        return f"b{self._count}"

    def proto(
        self, inputs: Sequence[tuple[Tensor, int, int]], outputs: Sequence[tuple[Tensor, int, int]]
    ) -> object:
        return {
            "inputs": [tensor.name for tensor, _, _ in inputs],
            "outputs": [tensor.name for tensor, _, _ in outputs],
            "nodes": self.nodes,
        }


def _inside(node: Node) -> list[str]:
    """Names that the inner graph of a node needs."""
    body = node[3].get("body")
    if not isinstance(body, Mapping):
        return []
    return [name for inner in body["nodes"] for name in inner[1]]
