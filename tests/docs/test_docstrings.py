"""What `numpydoc lint` cannot see: it reads the source, where dataclasses have no signature."""

import importlib
import inspect
import pkgutil

import pytest
from numpydoc.validate import validate

import kernelproba

MODULES = [each.name for each in pkgutil.walk_packages(kernelproba.__path__, "kernelproba.")]


def documented(module: str) -> list[str]:
    """Public classes and functions of a module whose docstring lists parameters."""
    things = vars(importlib.import_module(module)).items()
    own = [(name, each) for name, each in things if getattr(each, "__module__", None) == module]
    return [
        f"{module}.{name}"
        for name, each in own
        if not name.startswith("_")
        and (inspect.isclass(each) or inspect.isfunction(each))
        and "Parameters\n---" in (inspect.getdoc(each) or "")
    ]


@pytest.mark.parametrize("module", [name for name in MODULES if not name.endswith("__main__")])
def test_the_parameters_of_a_docstring_are_those_of_the_signature(module):
    for name in documented(module):
        wrong = [text for code, text in validate(name)["errors"] if code in ("PR01", "PR02", "PR03")]
        assert wrong == [], name
