"""Pages of one file: templates, and a policy that lets no script run but the page's own."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from kernelproba.extras import extra
from kernelproba.plain_text import number_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def environment(package: str) -> Environment:
    """Return the templates of a package, with everything that is put into them escaped."""
    with extra("report"):
        from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["number_text"] = number_text
    return templates


def source(environment: Environment, name: str) -> str:
    """Return the text of a template as it is."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def policy(script: str) -> Markup:
    """Return a page's policy (CSP): nothing is loaded, and no script runs but its own, known by its hash."""
    with extra("report"):
        from markupsafe import Markup

    digest = base64.b64encode(hashlib.sha256(script.encode("utf8")).digest()).decode("ascii")
    return Markup(
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
