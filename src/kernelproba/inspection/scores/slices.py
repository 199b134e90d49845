"""Where a model errs most: rows that share a value or a range of one column, and their log loss.

Two questions are asked of every slice S against the other rows R:

* Is it harder?  The means of the losses ℓᵢ = −log p(yᵢ) in S and in R are compared by Welch's test.
* Is it harder than the model knows?  If its probabilities are true, the loss of row i has the mean
  Hᵢ = −Σ_k p_k log p_k and the variance Σ_k p_k log² p_k − Hᵢ².  The same test compares ℓᵢ − Hᵢ, its
  variances never taken smaller than these.  Swapped labels fail it, rows that are merely hard do not.

Both tests are one-sided.  There are as many looks as slices, so that p-values are Holm's: if nothing is the
matter, the chance that any of them is below α is at most α, however slices overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from scipy.stats import t as student

from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_columns, check_whole_numbers
from kernelproba.inspection.scores.predictions import Predictions, check_predictions
from kernelproba.plain_text import number_text, shorten
from kernelproba.scoring import row_errors, row_log_losses
from kernelproba.tables.columns import Column, columns_of, is_frame
from kernelproba.tables.readings import distinct_texts
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: What is told of a slice, in the order of `_Judged.line`.
_MEASURES = (
    "rows",
    "error",
    "log_loss",
    "low",
    "high",
    "elsewhere",
    "frequencies",
    "expected",
    "p_value",
    "p_unexpected",
)

#: Ranges of a column of numbers or dates.
N_BINS = 4

#: Numbers of at most so many different values are levels.
_LEVELS = 6


def error_slices(
    y: ArrayLike,
    P: ArrayLike,
    X: MatrixLike,
    *,
    classes: ArrayLike | None = None,
    n_bins: int = N_BINS,
    min_rows: int = 20,
) -> pd.DataFrame:
    """Tell in which slices of the rows predictions are worst.

    Parameters
    ----------
    y, P
        Labels and probabilities of rows that the model has not seen, as in `expected_calibration_error`.
    X : data frame or array of shape (n, d)
        The rows; columns that the model does not take may be among them.
    classes
        As in `expected_calibration_error`.
    n_bins : int, default=4
        Ranges of a column of numbers or dates, each with the same number of rows, about.
    min_rows : int, default=20
        Slices of fewer rows are not looked at, nor are those that leave fewer.

    Returns
    -------
    DataFrame
        One line per slice, that whose log loss exceeds that of the other rows most first:

        - ``column``, ``slice`` (in words), ``rows``; ``error`` and ``log_loss`` of its rows, the latter with
          the ends ``low`` and ``high`` of its 95 % interval.
        - ``elsewhere``: log loss of the other rows; ``frequencies``: log loss in the slice of stating the
          class frequencies of all rows; ``expected``: what `P` leads one to expect in the slice.
        - ``p_value``: of the slice being no harder than other rows; ``p_unexpected``: of it being no harder
          than `P` leads one to expect.  Both are corrected for the number of slices (Holm).

    See Also
    --------
    permutation_importance : Which columns the predictions owe most to.
    suspects : Which single labels look wrong.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.tile([0.1, 0.9], 100)
    >>> y = np.tile([0, 1], 100)
    >>> y[:50] = 1 - y[:50]  # labels swapped in the first quarter
    >>> worst = error_slices(y, p, np.arange(200)[:, None]).iloc[0]
    >>> worst["slice"], bool(worst["p_unexpected"] < 0.001)
    ('from 0 to 49', True)
    """
    with extra("tables"):
        import pandas as pd

    check_whole_numbers(2, n_bins=n_bins, min_rows=min_rows)
    check_columns(X=X)
    judged = _Judged(check_predictions(y, P, classes))
    columns = columns_of(X if is_frame(X) else np.asarray(X))
    if columns and len(columns[0].values) != judged.n:
        raise ValueError(f"X must hold the {judged.n} rows of P, but has {len(columns[0].values)}")
    lines = [
        (column.name, words, *judged.line(inside))
        for column in columns
        for words, inside in slices_of(column, n_bins)
        if min_rows <= inside.sum() <= judged.n - min_rows
    ]
    table = pd.DataFrame(lines, columns=["column", "slice", *_MEASURES])
    for test in ("p_value", "p_unexpected"):
        table[test] = holm(table[test].to_numpy(dtype=float))
    worst = np.argsort(table["elsewhere"] - table["log_loss"], kind="stable")
    return table.iloc[worst].reset_index(drop=True)


class _Judged:
    """Losses of the rows, what was to be expected of them, and comparisons of some with the others."""

    def __init__(self, checked: Predictions):
        P = checked.P.astype(np.float64)
        log_P = np.log(np.maximum(P, np.finfo(float).tiny))
        self.n = len(P)
        self._losses, self._errors = row_log_losses(P, checked.codes), row_errors(P, checked.codes)
        self._expected = -(P * log_P).sum(axis=1)
        self._variance = (P * log_P**2).sum(axis=1) - self._expected**2
        shares = np.bincount(checked.codes, minlength=P.shape[1]) / self.n
        self._frequencies = -np.log(shares[checked.codes])

    def line(self, inside: NDArray) -> tuple[float, ...]:
        """Return what `error_slices` tells of the rows that `inside` (n,) marks, p-values not corrected."""
        means = (self._errors, self._losses, self._frequencies, self._expected)
        error, loss, frequencies, expected = (float(each[inside].mean()) for each in means)
        harder = _p_larger(self._losses, inside, np.zeros(self.n))
        unexpected = _p_larger(self._losses - self._expected, inside, self._variance)
        rows, elsewhere = int(inside.sum()), float(self._losses[~inside].mean())
        half = ndtri(0.975) * float(self._losses[inside].std(ddof=1)) / np.sqrt(rows)
        ends = max(0.0, loss - half), loss + half
        return rows, error, loss, *ends, elsewhere, frequencies, expected, harder, unexpected


def _p_larger(values: NDArray, inside: NDArray, variance: NDArray) -> float:
    """Return the p-value of the mean inside being no larger: Welch's, with variances of at least these."""
    sizes = np.array([inside.sum(), (~inside).sum()])
    parts = (
        np.array([max(values[each].var(ddof=1), variance[each].mean()) for each in (inside, ~inside)]) / sizes
    )
    gap, total = values[inside].mean() - values[~inside].mean(), parts.sum()
    if total <= 0:
        return 0.0 if gap > 0 else 1.0
    freedom = total**2 / (parts**2 / (sizes - 1)).sum()
    return float(student.sf(gap / np.sqrt(total), freedom))


def holm(p_values: NDArray) -> NDArray:
    """Return p-values (m,) corrected for their number: step k of m multiplies the k-th smallest by m − k + 1.

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, 0.03])).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(p_values))
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected[order] = np.maximum.accumulate(steps).clip(max=1)
    return corrected


def slices_of(column: Column, n_bins: int) -> Iterator[tuple[str, NDArray]]:
    """Yield the slices of a column in words and as marks (n,): its levels or ranges, and its gaps."""
    missing = column.missing
    if missing.any():
        yield "missing", missing
    if column.values.dtype == object:
        yield from _texts(column.values)
    elif len(values := np.unique(column.values[~missing])) <= _LEVELS:
        for value in values:
            yield f"equal to {_shown(value)}", column.values == value
    else:
        yield from _ranges(column.values, missing, n_bins)


def _texts(values: NDArray) -> Iterator[tuple[str, NDArray]]:
    levels, codes = distinct_texts(values)
    for k, level in enumerate(levels):
        yield f"equal to “{shorten(level, 40)}”", codes == k


def _ranges(values: NDArray, missing: NDArray, n_bins: int) -> Iterator[tuple[str, NDArray]]:
    """Yield ranges of about as many rows each; equal values stay together."""
    known = np.sort(values[~missing])
    cuts = known[(np.arange(1, n_bins) * len(known) // n_bins)]
    bins = np.where(missing, -1, np.searchsorted(cuts, values, side="right"))
    for k in range(n_bins):
        inside = bins == k
        if inside.any():
            ends = values[inside].min(), values[inside].max()
            words = f"from {_shown(ends[0])} to {_shown(ends[1])}"
            yield words if ends[0] < ends[1] else f"equal to {_shown(ends[0])}", inside


def _shown(value: np.generic) -> str:
    """A number with four digits, a moment without what is zero."""
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[s]")).removesuffix("T00:00:00")
    return number_text(float(value))
