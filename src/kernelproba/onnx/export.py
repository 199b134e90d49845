"""Fitted models as files that run without Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba import __version__
from kernelproba.extras import extra
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.registration import register_converters
from kernelproba.onnx.tables import used_columns
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    from onnx import ModelProto

#: Opset of the graphs unless another is asked for: that of ONNX 1.13 (2022) and ONNX Runtime 1.14 (2023).
OPSET = 18
#: Version of the operators for tables and trees.
ML_OPSET = 3
#: Name of the input of models that take a matrix.
MATRIX = "X"


def to_onnx(
    model: BaseEstimator, X: MatrixLike | None = None, *, target_opset: int | None = None
) -> ModelProto:
    """Convert a fitted model, or a pipeline that ends in one, to ONNX.

    Parameters
    ----------
    model : estimator
        A classifier or transformer of this package, a pipeline of scikit-learn with one of them, or any other
        model that skl2onnx converts.
    X : array-like of shape (n, d), optional
        Some rows, for the type of the input: double precision for float64, single for float32 and all else.
        None: single precision and as many features as the model was fitted with.  Models of tables need none:
        they have one input per column that they use.
    target_opset : int, optional
        Version of the operators, 13 at least; None: 18, which ONNX Runtime has since 1.14.

    Returns
    -------
    onnx_model : onnx.ModelProto
        Outputs are the label (n,) and the probabilities (n, c), columns in the order of ``classes_``.  To keep
        it, write ``onnx_model.SerializeToString()`` to a file.

    See Also
    --------
    register_converters : For conversions by skl2onnx itself.
    kernelproba.persistence.save_model : Files that Python opens again.

    Notes
    -----
    Kernels are computed in double precision whatever the input, so that probabilities equal those of
    ``predict_proba`` to rounding.  Rows are not checked: NaN makes NaN.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.onnx import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(KernelLogisticRegression().fit(X, y)).graph
    >>> [each.name for each in graph.input], [each.name for each in graph.output]
    (['X'], ['label', 'probabilities'])
    """
    check_is_fitted(model)
    register_converters()
    with extra("onnx"):
        from skl2onnx import convert_sklearn

    inputs = _table_inputs(model) if _encoder(model) is not None else [(MATRIX, _matrix_type(model, X))]
    versions = {"": OPSET if target_opset is None else target_opset, "ai.onnx.ml": ML_OPSET}
    converted = convert_sklearn(
        model, name="kernelproba", initial_types=inputs, target_opset=versions, options=_no_dictionaries(model)
    )
    for key, value in _notes(model).items():
        note = converted.metadata_props.add()
        note.key, note.value = key, value
    return converted


def _no_dictionaries(model: BaseEstimator) -> dict[int, dict[str, object]]:
    """Options by which a classifier of scikit-learn at the end of a pipeline returns a matrix as well."""
    return {id(model): {"zipmap": False}} if hasattr(model, "classes_") else {}


def _encoder(model: BaseEstimator) -> TableEncoder | None:
    """Return the encoder of a table that a model begins with."""
    while hasattr(model, "estimator_") and not isinstance(model, TableClassifier):
        model = model.estimator_
    if isinstance(model, TableClassifier):
        return model.encoder_
    return model if isinstance(model, TableEncoder) else None


def _table_inputs(model: BaseEstimator) -> list[tuple[str, object]]:
    from skl2onnx.common.data_types import DoubleTensorType, StringTensorType

    encoder = _encoder(model)
    assert encoder is not None
    return [
        (column.description.name, (StringTensorType if how.is_text else DoubleTensorType)([None, 1]))
        for column, how in used_columns(encoder)
    ]


def _matrix_type(model: BaseEstimator, X: MatrixLike | None) -> object:
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    n_features = getattr(model, "n_features_in_", None) if X is None else np.shape(X)[1]
    if n_features is None:
        raise ConversionError(f"{type(model).__name__} does not tell its number of features: pass rows as X")
    double = X is not None and getattr(X, "dtype", None) == np.float64
    return (DoubleTensorType if double else FloatTensorType)([None, n_features])


def _notes(model: BaseEstimator) -> dict[str, str]:
    """What the file says of itself: version, labels, and what goes into each column."""
    notes = {"kernelproba_version": __version__}
    if hasattr(model, "classes_"):
        notes["classes"] = json.dumps(model.classes_.tolist(), ensure_ascii=False)
    encoder = _encoder(model)
    if encoder is not None:
        meaning = {column.description.name: how.meaning for column, how in used_columns(encoder)}
        notes["inputs"] = json.dumps(meaning, ensure_ascii=False)
    return notes
