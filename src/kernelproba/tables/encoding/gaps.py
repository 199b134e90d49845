"""Gaps that come together count together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def share_gaps(encoders: Sequence[Any], missing: Sequence[NDArray], weight: NDArray) -> None:
    """Divide the weight of gaps among columns that have them in the same rows.

    Rows of which a laboratory measured nothing would otherwise differ from all others by as many gaps as it
    measures values.  A column's gaps weigh 1 / Σₖ r²ⱼₖ, with r the correlation of its gaps with those of
    column k: all if no others come with them, 1/m if those of m columns are the same.

    Parameters
    ----------
    encoders : sequence of encoders
        Those that mark gaps have `has_gaps_` and `scale_gaps`.
    missing : sequence of ndarray of shape (n,)
        Which values each of their columns lacks.
    weight : ndarray of shape (n,)
        Of the rows.
    """
    marking = [j for j, encoder in enumerate(encoders) if getattr(encoder, "has_gaps_", False)]
    if len(marking) < 2:
        return
    gaps = np.column_stack([missing[j] for j in marking]).astype(np.float64)
    share = weight / weight.sum()
    centred = gaps - share @ gaps
    covariance = (centred * share[:, None]).T @ centred
    deviation = np.sqrt(covariance.diagonal())
    deviation[deviation == 0] = 1.0  # missing in every row: dropped, but a user may insist
    correlation = covariance / np.outer(deviation, deviation)
    for j, shared in zip(marking, np.square(correlation).sum(axis=1), strict=True):
        encoders[j].scale_gaps(float(np.sqrt(2.0 / max(shared, 1.0))))
