"""Fitted models as files that run without Python."""

from __future__ import annotations

import contextlib
import json
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba import __version__
from kernelproba.estimators.base.meta import PosteriorWrapper
from kernelproba.extras import extra
from kernelproba.inspection.arguments import shape_of
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.registration import register_converters
from kernelproba.onnx.tables import column_types, name_columns
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.typing import ArrayLike

if TYPE_CHECKING:
    from onnx import ModelProto

#: Opset of the graphs unless another is asked for: that of ONNX 1.13 (2022) and ONNX Runtime 1.14 (2023).
OPSET = 18
#: Version of the operators for tables and trees.
ML_OPSET = 3
#: Name of the input of models that take a matrix.
MATRIX = "X"


def to_onnx(
    model: BaseEstimator, X: ArrayLike | None = None, *, target_opset: int | None = None
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
        Outputs are the label (n,) and the probabilities (n, c), columns in the order of ``classes_``.  Write
        ``onnx_model.SerializeToString()`` to a file to keep it.

    See Also
    --------
    register_converters : For conversions by skl2onnx itself.
    kernelproba.persistence.save_model : Files that Python opens again.

    Notes
    -----
    Kernels are computed in double precision whatever the input, so that probabilities equal those of
    ``predict_proba`` to rounding.  Scalers of scikit-learn before a model work in the precision of the input,
    and single precision may cost a few 1e-5 there: pass double rows as `X` for more digits.  Rows are not
    checked: NaN makes NaN.

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

    encoder = _encoder(model)
    inputs = [(MATRIX, _matrix_type(model, X))] if encoder is None else column_types(encoder)
    versions = {"": _checked_opset(target_opset), "ai.onnx.ml": ML_OPSET}
    # Classifiers of scikit-learn would return dictionaries, ours do not.
    options = {id(model): {"zipmap": False}} if hasattr(model, "classes_") else {}
    converted = convert_sklearn(model, "kernelproba", inputs, target_opset=versions, options=options)
    notes = {"kernelproba_version": __version__}
    if hasattr(model, "classes_"):
        notes["classes"] = json.dumps(model.classes_.tolist(), ensure_ascii=False)
    if encoder is not None:
        notes["inputs"] = json.dumps(name_columns(converted.graph, encoder), ensure_ascii=False)
    for key, value in notes.items():
        note = converted.metadata_props.add()
        note.key, note.value = key, value
    return converted


def _checked_opset(wanted: int | None) -> int:
    from onnx.defs import onnx_opset_version

    if wanted is None:
        return OPSET
    if not isinstance(wanted, Integral):
        raise ConversionError(f"target_opset={wanted!r} is no whole number: choose {OPSET}, or None")
    newest = onnx_opset_version()
    if not 1 <= wanted <= newest:
        raise ConversionError(
            f"target_opset={wanted} is not among the 1 to {newest} of this onnx: choose {OPSET}, or None"
        )
    return int(wanted)


def _encoder(model: BaseEstimator) -> TableEncoder | None:
    """Return the encoder of a table that a model begins with."""
    if isinstance(model, FrozenEstimator):
        return _encoder(model.estimator)
    if isinstance(model, TableClassifier):
        return model.encoder_
    if isinstance(model, PosteriorWrapper) and hasattr(model, "estimator_"):
        return _encoder(model.estimator_)
    return model if isinstance(model, TableEncoder) else None


def _matrix_type(model: BaseEstimator, X: ArrayLike | None) -> object:
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    fitted = getattr(model, "n_features_in_", None)
    n_features = fitted if X is None else _width(X)
    if n_features is None:
        raise ConversionError(f"{type(model).__name__} does not tell its number of features: pass rows as X")
    if fitted is not None and n_features != fitted:
        raise ConversionError(
            f"X has {n_features} columns, but the model was fitted on {fitted}: pass such rows, or none"
        )
    double = X is not None and _number_type(X) == np.float64
    return (DoubleTensorType if double else FloatTensorType)([None, n_features])


def _number_type(X: ArrayLike) -> np.dtype:
    """Return the type of rows X that are numbers, possibly as objects; refuse others."""
    values = np.asarray(X)
    dtype = values.dtype
    with contextlib.suppress(TypeError, ValueError):
        dtype = values.astype(np.float32).dtype if dtype.kind == "O" else dtype
    if dtype.kind not in "fiub":
        raise ConversionError(
            f"X must hold numbers, as the rows of the fit did, but is of type {dtype}: pass those, or none"
        )
    return dtype


def _width(X: ArrayLike) -> int:
    shape = shape_of(X)
    if len(shape) != 2:
        raise ConversionError(f"X must have shape (n, d), but has {shape}: pass some rows, or none")
    return shape[1]
