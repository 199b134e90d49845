"""What can be wrong with a table."""


class TableError(ValueError):
    """A table that cannot be read, learnt from or predicted: the message says what to do."""
