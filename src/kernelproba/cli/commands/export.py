"""``kernelproba export``: a model file → a graph of ONNX, which runs without Python."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Json, Model, Quiet
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from onnx import ModelProto
    from sklearn.base import BaseEstimator

#: Shown by ``--help``.
EXAMPLES = ("kernelproba export model.skops model.onnx", "kernelproba export model.skops model.onnx --json")


def export(
    model: Model,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="Where to, such as model.onnx.")],
    opset: Annotated[
        int | None,
        typer.Option(
            "--opset",
            min=13,
            help="Version of the operators; 18 by default, for ONNX Runtime 1.14 and later.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model as a graph of ONNX, for runtimes in any language.

    The graph has one input for each column that the model uses, under its name, and gives the label and the
    probability of every class. Numbers are doubles, NaN if missing; categories are texts without blanks
    around them, empty if missing; dates are days since 1970. A model that was saved from Python, such as a
    pipeline, has one input for its rows, in single precision.
    """
    from kernelproba.atomic_file import replacing
    from kernelproba.cli.prediction_file import check_output
    from kernelproba.cli.table_model import TableModel, open_model

    terminal = Terminal(as_json=as_json, quiet=quiet)
    check_output(output, model)
    with terminal.warnings_as_notes():
        opened = open_model(model)
        graph = _converted(opened.model if isinstance(opened, TableModel) else opened, opset)
    with replacing(output) as temporary:
        temporary.write_bytes(graph.SerializeToString())
    facts = _Facts.of(graph, output)
    terminal.result(vars(facts), facts.show)


def _converted(model: BaseEstimator, opset: int | None) -> ModelProto:
    if not hasattr(model, "classes_"):
        raise CommandError(f"{type(model).__name__} is no classifier: convert it by kernelproba.onnx.to_onnx")
    try:
        from kernelproba.onnx import to_onnx

        return to_onnx(model, target_opset=opset)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("kernelproba"):
            raise
        raise CommandError(f"export needs {missing.name}: pip install 'kernelproba[onnx]'") from None


@dataclass(frozen=True)
class _Facts:
    """What was written, for people and programs."""

    inputs: list[dict[str, str]]
    classes: list[str | int]
    opset: int
    bytes: int
    output: str

    @classmethod
    def of(cls, graph: ModelProto, output: Path) -> _Facts:
        notes = {each.key: each.value for each in graph.metadata_props}
        (opset,) = (each.version for each in graph.opset_import if each.domain == "")
        classes = json.loads(notes["classes"])
        inputs = json.loads(notes["inputs"]) if "inputs" in notes else [_rows(graph)]
        return cls(inputs, classes, opset, graph.ByteSize(), str(output))

    def show(self, screen: Terminal) -> None:
        screen.table(["input", "holds"], [(each["input"], each["holds"]) for each in self.inputs])
        screen.line(f"outputs: label (n,) and probabilities (n, {len(self.classes)}), in the order of the")
        screen.line(f"classes: {', '.join(map(str, self.classes))}")
        screen.line(f"{self.bytes:,} bytes, opset {self.opset}, written to {self.output}")


def _rows(graph: ModelProto) -> dict[str, str]:
    """Describe the only input of a graph that takes a matrix."""
    (each,) = graph.graph.input
    width = each.type.tensor_type.shape.dim[1].dim_value
    return {
        "input": each.name,
        "holds": f"rows (n, {width}) of the columns that the model was fitted on, float",
    }
