"""A name means one thing: no two modules define public classes or functions of the same name."""

import ast
from collections import defaultdict
from pathlib import Path

import kernelproba

SOURCE = Path(kernelproba.__file__).parent
#: Every paper has the same parts, those of a `kernelproba.papers.paper.Paper`.
PARTS_OF_A_PAPER = {"tasks", "tables", "figures", "findings"}
#: Every protocol has the same steps, so that one can be read beside the other.
STEPS_OF_A_PROTOCOL = {"draw", "build", "choose", "times"}
#: Users write ``datasets.names()`` and ``papers.names()``: the package is part of the name.
LISTS_OF_A_PACKAGE = {"names"}


def is_entry_point(path: Path, name: str) -> bool:
    """Whether a name is given by the place: a part or step of a paper, or a command, named as its module."""
    if name in LISTS_OF_A_PACKAGE:
        return path in (SOURCE / "datasets" / "loader.py", SOURCE / "papers" / "registry.py")
    if path.parent == SOURCE / "papers":
        return name in PARTS_OF_A_PAPER | STEPS_OF_A_PROTOCOL
    return path.parent == SOURCE / "cli" / "commands" and name == path.stem


def public_definitions(path: Path) -> list[str]:
    """Names of the classes and functions at the top of a module, without private ones."""
    defined = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    body = ast.parse(path.read_text("utf8")).body
    return [node.name for node in body if isinstance(node, defined) and not node.name.startswith("_")]


def test_no_two_modules_define_the_same_public_name():
    homes: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for name in public_definitions(path):
            if not is_entry_point(path, name):
                homes[name].add(str(path.relative_to(SOURCE)))
    assert {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1} == {}
