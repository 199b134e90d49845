"""What users gave: labels, positive numbers such as strengths and widths, levels of confidence."""

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets

from kernelproba.number_range import LARGEST, SMALLEST

#: Constraint on a positive parameter whose products with other numbers must be numbers still.
POSITIVE = Interval(Real, SMALLEST, LARGEST, closed="both")


class _PenalisedC(Interval):
    """Constraint on a C that must be finite: without a penalty many kernels fit any labels exactly."""

    def __str__(self) -> str:
        return (
            f"{super().__str__()} (a linear model without a penalty, C=inf, is "
            "BasisLogisticRegression(C=numpy.inf, expansion='passthrough'))"
        )


#: Constraint on the C of a penalised logistic model.
PENALISED_C = _PenalisedC(Real, SMALLEST, LARGEST, closed="both")


def positive_numbers(values: ArrayLike, name: str, *, finite: bool = True) -> list[float]:
    """One or more positive numbers as a list, or an error that names the argument.

    Parameters
    ----------
    values : float or array-like
        What the user gave.
    name : str
        Of the argument.
    finite : bool, default=True
        Whether infinity is refused.
    """
    numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    large = (numbers <= LARGEST) | (not finite) & np.isposinf(numbers)
    if numbers.ndim != 1 or not len(numbers) or not ((numbers >= SMALLEST) & large).all():
        raise ValueError(
            f"{name} must be positive: one or more numbers from {SMALLEST:g} to {LARGEST:g}, got {values!r}."
        )
    return numbers.tolist()


def check_present(y: ArrayLike) -> None:
    """Refuse labels (n,) some of which are missing, before an array of texts makes classes "nan" of them."""
    may_lack = isinstance(y, list | tuple) or type(y).__module__.startswith("pandas")
    if not may_lack and getattr(getattr(y, "dtype", None), "kind", "") != "O":
        return
    labels = np.asarray(y, dtype=object).tolist()
    missing = [row for row, label in enumerate(labels) if is_missing(label)]
    if missing:
        more = f", and {len(missing) - 1} more are" if len(missing) > 1 else ""
        raise ValueError(
            f"y contains NaN, None or NA: the label of row {missing[0]} is missing{more}. Leave these rows "
            "out of X and y."
        )


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA, which are not equal to themselves, or will not say."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | np.datetime64) and value != value


def reads_as_number(text: str) -> bool:
    """Whether a text is a number to Python."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_labels(y: np.ndarray) -> None:
    """Refuse targets (n,) that are no labels, or labels that have no common order."""
    try:
        with np.errstate(invalid="ignore"):  # scikit-learn asks whether 1e300 is a whole number
            check_classification_targets(y)
        np.unique(y)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in np.asarray(y).ravel().tolist()})
        raise ValueError(
            f"y has labels of types {', '.join(kinds)}, which have no common order: use one type, for "
            "instance y.astype(str)."
        ) from error


def check_confidence(confidence: float) -> float:
    """Return a level in (0, 1), or refuse what is none."""
    if not Interval(Real, 0, 1, closed="neither").is_satisfied_by(confidence):
        raise ValueError(f"confidence must be a number in (0, 1), such as 0.9; got {confidence!r}")
    return float(confidence)
