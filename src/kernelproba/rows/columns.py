"""Names and types of the columns of a store."""

from collections.abc import Iterable, Mapping


def text_names(columns: Iterable[object]) -> list[str] | None:
    """Return the names of columns, or None if they are no texts (pandas numbers columns without names)."""
    names = list(columns)
    texts = [name for name in names if isinstance(name, str)]
    return texts if texts and len(texts) == len(names) else None


def check_numeric(types: Mapping[str, object], place: str) -> None:
    """Refuse columns that are not numbers.

    Parameters
    ----------
    types : mapping of str
        Name → type of a column, whose name in NumPy, pandas or Arrow tells what it is.
    place : str
        What has the columns, for the error.
    """
    for name, kind in types.items():
        if not str(kind).lower().startswith(("int", "uint", "float", "double", "halffloat", "bool")):
            raise ValueError(
                f"{place}: column {name!r} is of type {kind}, which is not numeric. Name the columns that "
                "are features, without the label, and encode categories first."
            )
