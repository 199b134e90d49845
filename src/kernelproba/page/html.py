"""The page around a model's description."""

from __future__ import annotations

import json
import re

from kernelproba.plain_text import name
from kernelproba.report.self_contained import environment, policy, source


def page_html(described: dict[str, object]) -> str:
    """Return the page, in ASCII.

    Parameters
    ----------
    described : dict
        From `kernelproba.page.description`.
    """
    own, reports = environment("kernelproba.page"), environment("kernelproba.report")
    from markupsafe import Markup

    style = source(reports, "report.css") + source(own, "page.css")
    script = "\n".join([source(reports, "theme.js"), source(own, "evaluate.js"), source(own, "page.js")])
    text = own.get_template("page.html").render(
        card=described["card"],
        fields=described["fields"],
        levels=list(described["sets"]["thresholds"]),  # type: ignore[index]
        novelty=described["novelty"],
        reasons=bool(described["reasons"]),
        rows=described["rows"] is not None,
        name=name,
        style=Markup(style),
        script=Markup(script),
        policy=policy(script),
        data=Markup(json_for_script(described)),
    )
    return _ascii(text)


def json_for_script(value: object) -> str:
    r"""Return JSON that stays inside a script element and is ASCII; NaN and infinities are null.

    Examples
    --------
    >>> print(json_for_script({"</script>": "\u2028&"}))
    {"\u003c/script\u003e":"\u2028\u0026"}
    """
    text = json.dumps(_finite(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


def _ascii(text: str) -> str:
    """Return HTML with what is not ASCII as character references, outside of scripts and styles.

    Those have none: their sources are ASCII, and JSON escapes it.
    """
    return re.sub(r"[^\x00-\x7f]", lambda found: f"&#{ord(found[0])};", text)
