"""Labels and their positions, and the label of a row that is left undecided."""

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray


def label_index(y: ArrayLike, classes: ArrayLike) -> NDArray[np.intp]:
    """Return the position (n,) of every label of `y` in `classes`; unknown labels are an error.

    See Also
    --------
    label_table : Numbers of classes as labels.

    Examples
    --------
    >>> from kernelproba.decision import label_index
    >>> label_index(["well", "ill"], ["ill", "well"])
    array([1, 0])
    """
    y, classes = np.asarray(y), np.asarray(classes)
    order = np.argsort(classes)
    found = order[np.searchsorted(classes, y, sorter=order).clip(max=len(classes) - 1)]
    unknown = classes[found] != y
    if unknown.any():
        raise ValueError(
            f"y holds the labels {np.unique(y[unknown]).tolist()[:6]} that are not among the classes "
            f"{classes.tolist()} of the model: leave those rows out or fit with them"
        )
    return found


def as_reject_label(label: object, classes: NDArray) -> object:
    """Return the label of rejected rows, checked against `classes` (c,).

    Parameters
    ----------
    label : str, number or None
        A string among strings, a number among numbers, and none of the classes.  None: ``"reject"`` or
        ``-1``.
    classes : ndarray of shape (c,)
        The labels of decided rows.

    See Also
    --------
    label_table : Labels with that of rejected rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import as_reject_label
    >>> as_reject_label(None, np.array(["ill", "well"])), as_reject_label(None, np.array([0, 1]))
    ('reject', -1)
    """
    if classes.dtype.kind == "b":
        raise ValueError("boolean labels leave no value for rejected rows: encode y as integers or strings")
    kind, noun = _label_kind(classes)
    if label is None:
        label = "reject" if kind is str else -1
    if not isinstance(label, kind) or isinstance(label, bool):
        raise ValueError(
            f"reject_label={label!r} does not go with the labels {classes.tolist()}: choose a {noun}"
        )
    if label in classes.tolist():
        raise ValueError(f"reject_label={label!r} is one of the classes: choose another")
    return label


def _label_kind(classes: NDArray) -> tuple[type, str]:
    """Return the type, and its name, that a label beside `classes` must have."""
    if all(isinstance(label, str) for label in classes.tolist()):
        return str, "string"
    return (Integral, "whole number") if classes.dtype.kind in "iu" else (Real, "number")


def label_table(classes: NDArray, reject_label: object) -> NDArray:
    """Return `classes` followed by the reject label, (c + 1,), so that the index −1 means rejected.

    See Also
    --------
    as_reject_label : Checks the label of rejected rows.
    label_index : Labels as numbers of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import label_table
    >>> label_table(np.array(["ill", "well"]), "reject").tolist()
    ['ill', 'well', 'reject']
    """
    # Without the dtype a string among objects would turn all labels into fixed-width strings.
    last = np.array([reject_label], dtype=object if classes.dtype == object else None)
    return np.concatenate([classes, last])
