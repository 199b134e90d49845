"""Every public name says what it does, and shows it."""

import importlib
import inspect

import pytest

MODULES = ["", ".coupling", ".datasets", ".decision", ".inspection", ".kernels", ".persistence", ".rows"]


def public() -> list:
    """(module.name, object) of all classes and functions in ``__all__`` of the public modules."""
    modules = [importlib.import_module(f"kernelproba{name}") for name in MODULES]
    names = [(module, name) for module in modules for name in module.__all__]
    found = [pytest.param(getattr(module, name), id=f"{module.__name__}.{name}") for module, name in names]
    return [case for case in found if inspect.isclass(case.values[0]) or inspect.isroutine(case.values[0])]


@pytest.mark.parametrize("thing", public())
def test_a_public_name_has_an_example(thing):
    assert ">>> " in (inspect.getdoc(thing) or ""), f"{thing.__name__} has no example in its docstring"
