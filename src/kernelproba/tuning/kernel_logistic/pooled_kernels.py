"""Which kernels are pooled, and on which scales of the features."""

import numpy as np

from kernelproba.tuning.scaling import MIXED_RULES, has_two_values
from kernelproba.typing import Matrix

#: Kernels that kernel="auto" pools, and the scales of the features that suit them, the likelier first.
POOLED_KERNELS: dict[str, list[str | None]] = {
    "rbf": ["mixed", "standard", "squashed-mixed", "squashed", None],
    "laplacian": ["squashed-mixed", "squashed"],
    "linear": ["standard"],
}


#: Columns for each row from which on rows are wide.
WIDE = 20


def is_wide(X: Matrix) -> bool:
    """Whether rows X (n, d) have so many columns that some linear function separates any labels of them."""
    return isinstance(X, np.ndarray) and X.shape[1] >= WIDE * X.shape[0]


def suited_scales(X: np.ndarray, given: str | None) -> dict[str, list[str | None]]:
    """Scales to try for each kernel; without features of two values "mixed" would say the same."""
    if given != "auto":
        return {name: [given] for name in POOLED_KERNELS}
    mixed = has_two_values(X)
    if not mixed.any() or mixed.all():
        drop = {("rbf", rule) for rule in MIXED_RULES} | {("laplacian", rule) for rule in MIXED_RULES}
    else:
        drop = {("rbf", "squashed")}
    return {
        name: [scale for scale in scales if (name, scale) not in drop]
        for name, scales in POOLED_KERNELS.items()
    }
