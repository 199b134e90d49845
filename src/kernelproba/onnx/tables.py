"""Models of tables as nodes: one input for each column that they use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernelproba.onnx.columns import ColumnInput, column_input, encoded
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import DOUBLE, OURS, Tensor
from kernelproba.onnx.posteriors import GraphRows, converts, log_posterior
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.tables.fitted_column import FittedColumn

if TYPE_CHECKING:
    from onnx import GraphProto


def used_columns(encoder: TableEncoder) -> Iterator[tuple[FittedColumn, ColumnInput]]:
    """Walk the columns of a fitted encoder that a graph has inputs for, in their order."""
    for column in encoder._fitted_:
        how = column_input(column)
        if how is not None:
            yield column, how


def column_types(encoder: TableEncoder) -> list[tuple[str, object]]:
    """Return a name and a type for the input of each column; names as in the table come at the end."""
    from skl2onnx.common.data_types import DoubleTensorType, StringTensorType

    return [
        (f"{OURS}column_{j}", (StringTensorType if how.is_text else DoubleTensorType)([None, 1]))
        for j, (_, how) in enumerate(used_columns(encoder))
    ]


def name_columns(graph: GraphProto, encoder: TableEncoder) -> list[dict[str, str]]:
    """Give inputs the names of their columns, whatever those are; return what each holds, for people.

    A name that is empty, or that another tensor has or may have, is changed.
    """
    taken = {name for node in graph.node for name in (*node.input, *node.output)}
    taken |= {constant.name for constant in graph.initializer}
    names, described = {}, []
    for each, (column, how) in zip(graph.input, used_columns(encoder), strict=True):
        given = column.description.name
        name = f"column_{given}" if given.startswith(OURS) else given
        while not name or name in taken:
            name += "_column"
        taken.add(name)
        names[each.name], each.name = name, name
        described.append({"column": given, "input": name, "holds": how.meaning})
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
    return described


@converts(TableClassifier)
def _table(model: TableClassifier, rows: GraphRows) -> Tensor:
    Z = encoded_table(model.encoder_, rows)
    return log_posterior(model.estimator_, GraphRows.of_matrix(Z))


def encoded_table(encoder: TableEncoder, rows: GraphRows) -> Tensor:
    """Return the matrix (n, k) that an encoder makes of columns (n, 1), or of one matrix of numbers."""
    used = list(used_columns(encoder))
    columns = _columns(encoder, rows)
    return rows.graph.concat(
        [encoded(column, values) for (column, _), values in zip(used, columns, strict=True)]
    )


def _columns(encoder: TableEncoder, rows: GraphRows) -> list[Tensor]:
    """Return the columns that are used, texts as they are and numbers in double precision."""
    used, inputs = list(used_columns(encoder)), rows.inputs
    if len(inputs) == len(used):
        texts = [how.is_text for _, how in used]
        return [v if text else v.cast(DOUBLE) for v, text in zip(inputs, texts, strict=True)]
    if len(inputs) == 1 and not any(how.is_text for _, how in used):
        places = [j for j, column in enumerate(encoder._fitted_) if column_input(column) is not None]
        return [rows.matrix.columns([j]) for j in places]
    raise ConversionError(
        f"a table of {len(used)} columns needs as many inputs, got {len(inputs)}: convert the model "
        "by itself with kernelproba.onnx.to_onnx, which makes an input for each column that it uses"
    )
