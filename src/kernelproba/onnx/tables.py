"""Models of tables as nodes: one input for each column that they use."""

from __future__ import annotations

from collections.abc import Iterator

from kernelproba.onnx.columns import ColumnInput, column_input, encoded
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.posteriors import Rows, log_posterior, posterior_of
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.tables.fitted_column import FittedColumn


def used_columns(encoder: TableEncoder) -> Iterator[tuple[FittedColumn, ColumnInput]]:
    """Walk the columns of a fitted encoder that a graph has inputs for, in their order."""
    for column in encoder._fitted_:
        how = column_input(column)
        if how is not None:
            yield column, how


@posterior_of(TableClassifier)
def _table(model: TableClassifier, rows: Rows) -> Tensor:
    Z = encoded_table(model.encoder_, rows)
    return log_posterior(model.estimator_, Rows.of_matrix(Z, len(model.encoder_.source_)))


def encoded_table(encoder: TableEncoder, rows: Rows) -> Tensor:
    """Return the matrix that an encoder makes of columns (n, 1)."""
    from onnx import TensorProto

    used = list(used_columns(encoder))
    if len(used) != len(rows.variables):
        raise ConversionError(
            f"a table of {len(used)} columns needs as many inputs, got {len(rows.variables)}: convert the "
            "model with kernelproba.onnx.to_onnx, which makes one for each column that the model uses"
        )
    parts = []
    for (column, how), variable in zip(used, rows.variables, strict=True):
        values = Tensor(rows.graph, variable.onnx_name)
        parts.append(encoded(column, values if how.is_text else values.cast(TensorProto.DOUBLE)))
    return rows.graph.concat(parts)
