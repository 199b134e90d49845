"""What a user says of gamma to a search: nothing, some values, or a kernel that has none."""

from collections.abc import Callable
from typing import Any

from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.kernels import Kernel


def given_gammas(
    gammas: Any, kernel: Any, kernel_of: Callable[[float], Kernel]
) -> list[float] | list[None] | None:
    """Values to choose from; [None] for a kernel that has no gamma, None if gamma is to be searched.

    Parameters
    ----------
    gammas : str or array-like
        A name stands for a search.
    kernel : str, callable or Kernel
        What the user named.
    kernel_of : callable
        gamma → the kernel with that gamma, if it has one.
    """
    has_gamma = isinstance(kernel, str) and kernel_of(1.0) != kernel_of(2.0)
    if isinstance(gammas, str):
        return None if has_gamma else [None]
    if not has_gamma:
        raise ValueError(
            f"gammas are for named kernels that have a gamma, which kernel={kernel!r} has not: leave them "
            "out, or name another kernel."
        )
    return positive_numbers(gammas, "gammas")
