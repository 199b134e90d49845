"""Pages of one file: templates, and a policy that lets no script run but the page's own."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from kernelproba.extras import extra

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(package: str) -> Environment:
    """Return the templates of a package, with everything that is put into them escaped."""
    with extra("report"):
        from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def source(environment: Environment, name: str) -> str:
    """Return the text of a template as it is."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def script_hash(script: str) -> str:
    """Return what a page's policy knows its own script by: no other will run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf8")).digest()).decode("ascii")
