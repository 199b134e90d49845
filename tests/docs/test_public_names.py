"""Every public name says what it does, and shows it."""

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import kernelproba

sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))
from api_pages import MODULES, public_names

ROOT = Path(__file__).parents[2]
RELATED = re.compile(r"^([\w.]+) : \S", re.MULTILINE)
IMPORTED = re.compile(r"\bfrom (kernelproba[\w.]*) import (?:\(([^)]*)\)|(.+))")
PACKAGES = [*MODULES, "kernelproba.conformal", "kernelproba.papers", "kernelproba.typing"]
#: Packages for the other rooms only.
INNER = [
    package.name
    for package in pkgutil.walk_packages(kernelproba.__path__, "kernelproba.")
    if package.ispkg and package.name not in PACKAGES
]
#: What users read and run.
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]


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


def own_names(source: str) -> set[str]:
    """Public names at the top of a module that this package defines."""
    found: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kernelproba"):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize("name", PACKAGES + INNER)
def test_what_a_package_does_not_list_is_elsewhere_or_private(name):
    module = importlib.import_module(name)
    assert own_names(Path(module.__file__).read_text("utf8")) <= set(getattr(module, "__all__", []))


def imports(text: str) -> list[tuple[str, str]]:
    """Pairs (module, name) that the code of a page imports from this package."""
    found = [(module, (several or one).partition("#")[0]) for module, several, one in IMPORTED.findall(text)]
    return [(module, each.split()[0]) for module, names in found for each in names.split(",") if each.strip()]


def is_public(module: str, name: str) -> bool:
    """Whether a public package lists the name, or the name is a public package."""
    listed = module in PACKAGES and name in importlib.import_module(module).__all__
    return listed or f"{module}.{name}" in PACKAGES


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_and_examples_import_nothing_that_is_private(path):
    found = imports(path.read_text("utf8"))
    assert not [f"{module}.{name}" for module, name in found if not is_public(module, name)]
