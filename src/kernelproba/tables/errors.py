"""What can be wrong with a table."""


class TableError(ValueError):
    """A table that cannot be read, learnt from or predicted: the message says what to do.

    See Also
    --------
    read_table : Raises it.

    Examples
    --------
    >>> from kernelproba.tables import read_table
    >>> read_table("lost.csv")
    Traceback (most recent call last):
    kernelproba.tables.errors.TableError: there is no file lost.csv
    """
