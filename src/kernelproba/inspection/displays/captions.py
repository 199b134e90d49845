"""Names of classes and features as text on a figure, whatever they contain."""

from __future__ import annotations


def caption(name: object, limit: int = 32) -> str:
    r"""One line of at most `limit` characters that matplotlib shows as it is.

    matplotlib reads dollar signs as mathematics, and leaves names with a leading
    underscore out of legends.

    Examples
    --------
    >>> caption("_hidden"), caption("5$"), caption("a long name", limit=6)
    (' _hidden', '5\\$', 'a lon…')
    """
    text = " ".join(str(name).split())
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
