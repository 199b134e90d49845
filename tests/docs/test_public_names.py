"""Every public name says what it does, and shows it."""

import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))
from api_pages import MODULES, public_names

RELATED = re.compile(r"^([\w.]+) : \S", re.MULTILINE)
PACKAGES = [*MODULES, "kernelproba.conformal", "kernelproba.papers", "kernelproba.typing"]


def public() -> list:
    """All classes and functions that have a page in the API reference."""
    found = [
        (f"{module}.{name}", thing) for module in MODULES for name, thing in public_names(module).items()
    ]
    return [
        pytest.param(thing, id=name)
        for name, thing in found
        if inspect.isclass(thing) or inspect.isroutine(thing)
    ]


@pytest.mark.parametrize("thing", public())
def test_a_public_name_has_an_example(thing):
    assert ">>> " in (inspect.getdoc(thing) or ""), f"{thing.__name__} has no example in its docstring"


def related(thing) -> list[str]:
    """Names in the section See Also of a docstring."""
    _, _, rest = (inspect.getdoc(thing) or "").partition("See Also\n--------\n")
    return RELATED.findall(rest.partition("\n\n")[0])


@pytest.mark.parametrize("thing", public())
def test_a_public_name_points_to_related_ones(thing):
    assert 1 <= len(related(thing)) <= 4, f"{thing.__name__} needs a section See Also with 1 to 4 names"


def test_related_names_exist():
    homes = [importlib.import_module(name) for name in MODULES]
    for module in homes:
        for name in module.__all__:
            for other in related(getattr(module, name)):
                place, _, last = other.rpartition(".")
                home = importlib.import_module(place) if place else module
                assert hasattr(home, last), f"{module.__name__}.{name} points to {other}, which is not there"


@pytest.mark.parametrize("name", PACKAGES)
def test_a_public_package_lists_its_names_and_has_them_all(name):
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__) > 0
    assert not [each for each in module.__all__ if not hasattr(module, each)]
