"""What is not part of the core is imported where it is needed, and its absence names the extra to install."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Name an extra of this package if an import inside the block fails for want of a module.

    Parameters
    ----------
    name : str
        The extra in ``pip install 'kernelproba[name]'``.

    Examples
    --------
    >>> with extra("plot"):
    ...     import module_that_is_not_there
    Traceback (most recent call last):
    ModuleNotFoundError: module_that_is_not_there is not installed: pip install 'kernelproba[plot]'
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{missing.name} is not installed: pip install 'kernelproba[{name}]'", name=missing.name
        ) from None
