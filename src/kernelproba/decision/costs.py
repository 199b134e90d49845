"""What a wrong decision costs: every way of writing a loss matrix becomes one array.

``L[i, j]`` is the cost of deciding class j when the truth is class i, both in the order of
`classes`.  Costs may be negative (gains) and the diagonal need not be zero.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelproba.typing import Rectangle

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def zero_one_loss(n_classes: int) -> NDArray[np.float64]:
    """Return the (c, c) matrix under which every error costs 1.

    See Also
    --------
    as_loss_matrix : Other costs.

    Examples
    --------
    >>> from kernelproba.decision import zero_one_loss
    >>> zero_one_loss(2)
    array([[0., 1.],
           [1., 0.]])
    """
    return 1.0 - np.eye(n_classes)


#: Costs as users give them: by (truth, decision), as an array, or as a data frame with labels.
LossMatrixLike: TypeAlias = ArrayLike | Mapping[tuple[object, object], float] | Rectangle


def as_loss_matrix(
    loss_matrix: LossMatrixLike | None, classes: ArrayLike, n_rows: int | None = None
) -> NDArray[np.float64]:
    """Return costs as an array in the order of `classes`.

    Parameters
    ----------
    loss_matrix : None, array-like, mapping or frame
        None: the zero-one loss.  Array (c, c), in the order of `classes`; or (n, c, c), one matrix
        per row, where `n_rows` is given.  Mapping ``{(truth, decision): cost}``: every pair of
        different classes must be there, a missing pair (k, k) costs 0.  pandas frame: index =
        truths, columns = decisions.  polars frame (which has no index): columns = decisions, named
        ``str(label)``, preceded by one column of truths; without that column the rows are taken in
        the order of the columns.  Labels that are not in `classes` are left out.
    classes : array-like of shape (c,)
        The labels.
    n_rows : int, optional
        The number of rows that costs per row must have; None refuses costs per row.

    Returns
    -------
    ndarray of shape (c, c) or (n_rows, c, c)
        Cost of each decision (column) for each truth (row).

    See Also
    --------
    minimum_risk : Decides by such costs.
    zero_one_loss : Costs of one for every mistake.

    Examples
    --------
    >>> from kernelproba.decision import as_loss_matrix
    >>> as_loss_matrix({("ill", "well"): 20, ("well", "ill"): 1}, ["ill", "well"])
    array([[ 0., 20.],
           [ 1.,  0.]])
    """
    classes = np.asarray(classes)
    if loss_matrix is None:
        return zero_one_loss(len(classes))
    if isinstance(loss_matrix, Mapping):
        loss_matrix = _from_mapping(loss_matrix, classes)
    elif hasattr(loss_matrix, "columns"):
        loss_matrix = _from_frame(cast("pd.DataFrame | pl.DataFrame", loss_matrix), classes)
    try:
        costs = np.asarray(loss_matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "loss_matrix must hold one number for each (truth, decision): pass a square array of numbers, "
            f"a mapping {{(truth, decision): cost}} or a labelled frame; {error}"
        ) from error
    return _checked(costs, classes, n_rows)


def _checked(costs: NDArray[np.float64], classes: NDArray, n_rows: int | None) -> NDArray[np.float64]:
    square = (len(classes), len(classes))
    allowed = [square] if n_rows is None else [square, (n_rows, *square)]
    if costs.shape not in allowed:
        raise ValueError(
            f"loss_matrix must have shape {' or '.join(map(str, allowed))}, a row per truth and a column per "
            f"decision in the order of classes {classes.tolist()}; got shape {costs.shape}"
        )
    if not np.isfinite(costs).all():
        raise ValueError("loss_matrix must be finite: replace NaN or infinity by a large finite cost")
    return costs


def _from_mapping(costs: Mapping, classes: NDArray) -> list[list[float]]:
    labels = classes.tolist()
    missing = [(i, j) for i in labels for j in labels if i != j and (i, j) not in costs]
    if missing:
        raise ValueError(
            f"loss_matrix lacks the (truth, decision) pairs {missing[:6]}"
            f"{' and more' if len(missing) > 6 else ''}: give every pair of different classes a cost"
        )
    return [[costs.get((i, j), 0.0) for j in labels] for i in labels]


def _from_frame(frame: "pd.DataFrame | pl.DataFrame", classes: NDArray) -> NDArray:
    labels = classes.tolist()
    columns = list(frame.columns)
    values = frame.to_numpy()
    if hasattr(frame, "index"):
        rows = list(frame.index)
    else:
        labels, rows = [str(label) for label in labels], columns
        if columns and columns[0] not in labels:
            rows, columns, values = [str(label) for label in frame[columns[0]]], columns[1:], values[:, 1:]
    for side, names in (("rows (truths)", rows), ("columns (decisions)", columns)):
        absent = [label for label in labels if names.count(label) != 1]
        if absent:
            raise ValueError(
                f"loss_matrix must name every class once in its {side}; {absent} of {labels} are missing "
                f"or repeated among {names}"
            )
    return values[np.ix_([rows.index(i) for i in labels], [columns.index(j) for j in labels])]
