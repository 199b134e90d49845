"""Pages of the API reference, written from ``__all__`` of the public modules before Sphinx reads anything.

Classes and functions have pages by autosummary; a constant has one that shows its value.
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import kernelproba

#: Public modules in the order of the reference.
MODULES = {
    "kernelproba": "Classifiers",
    "kernelproba.tables": "Tables",
    "kernelproba.kernels": "Kernels",
    "kernelproba.inspection": "Scores, reasons and displays",
    "kernelproba.decision": "Costs, rejection and priors",
    "kernelproba.coupling": "Pairwise coupling",
    "kernelproba.rows": "Rows in memory, on disk and on clusters",
    "kernelproba.datasets": "Data sets and toys",
    "kernelproba.compression": "Smaller models",
    "kernelproba.persistence": "Model files",
    "kernelproba.onnx": "Models without Python",
    "kernelproba.page": "Pages to try models on",
    "kernelproba.report": "Reports",
}

GROUPS = {
    "Classifiers that tune themselves": lambda o: _is_classifier(o) and o.__name__.endswith("CV"),
    "Around any classifier": lambda o: _is_classifier(o) and _wraps(o),
    "Classifiers": lambda o: _is_classifier(o),
    "Displays": lambda o: inspect.isclass(o) and o.__name__.endswith("Display"),
    "Errors": lambda o: inspect.isclass(o) and issubclass(o, Exception),
    "Classes": inspect.isclass,
    "Functions": callable,
    "Constants": lambda _: True,
}
ORDER = ["Classifiers", "Classifiers that tune themselves", "Around any classifier"]


def _is_classifier(thing) -> bool:
    return inspect.isclass(thing) and hasattr(thing, "predict_proba")


def _wraps(thing) -> bool:
    return "estimator" in inspect.signature(thing).parameters


def public_modules() -> dict[str, str]:
    """{module: title} of those that are installed."""
    present = {f"kernelproba.{m.name}" for m in pkgutil.iter_modules(kernelproba.__path__)} | {"kernelproba"}
    return {name: title for name, title in MODULES.items() if name in present}


def public_names(module: str) -> dict[str, object]:
    """{name: object} of a module's ``__all__``, without what the package itself offers."""
    loaded = importlib.import_module(module)
    names = set(loaded.__all__) - (set() if loaded is kernelproba else set(kernelproba.__all__))
    return {name: getattr(loaded, name) for name in loaded.__all__ if name in names}


def grouped(names: dict[str, object]) -> dict[str, list[str]]:
    """Names under the first group that takes them."""
    groups: dict[str, list[str]] = {group: [] for group in [*ORDER, *GROUPS]}
    for name, thing in sorted(names.items(), key=lambda item: item[0].lower()):
        groups[next(group for group, takes in GROUPS.items() if takes(thing))].append(name)
    return {group: members for group, members in groups.items() if members}


def is_constant(thing: object) -> bool:
    """Whether autosummary has nothing to say of it."""
    return not (inspect.isclass(thing) or inspect.isroutine(thing))


def heading(text: str, line: str = "=") -> str:
    """A title in reStructuredText."""
    return f"{text}\n{line * len(text)}\n"


def module_page(module: str, title: str) -> str:
    """The page of a module: its docstring and tables of its names."""
    names = public_names(module)
    parts = [heading(title), f".. py:module:: {module}", f".. currentmodule:: {module}", introduction(module)]
    for group, members in grouped(names).items():
        rows = "\n".join(f"   {member}" for member in members)
        listed = f".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n{rows}"
        if group == "Constants":
            listed = f".. toctree::\n   :maxdepth: 1\n\n{constants(module, members)}"
        parts += [heading(group, "-"), listed]
    return "\n\n".join(parts) + "\n"


def constants(module: str, members: list[str]) -> str:
    """Entries of a toctree."""
    return "\n".join(f"   {member} <generated/{module}.{member}>" for member in members)


def introduction(module: str) -> str:
    """``from MODULE import …``, and the module's docstring."""
    text = inspect.getdoc(importlib.import_module(module)) or ""
    return f"``from {module} import …``\n\n{text}"


def constant_page(module: str, name: str, value: object) -> str:
    """The page of a constant: what it says of itself, its value, and an example."""
    return "\n\n".join(
        [
            heading(name),
            f".. currentmodule:: {module}",
            f".. py:data:: {name}\n   :value: {value!r}\n\n   {comment_of(name)}",
            ".. rubric:: Examples",
            f">>> from {module} import {name}\n>>> {name}\n{value!r}",
        ]
    )


def comment_of(name: str) -> str:
    """The ``#:`` comment above the definition of a constant, wherever in the package it stands."""
    defined = re.compile(rf"((?:^#: .*\n)+)^{name}\b.*=", flags=re.MULTILINE)
    for path in sorted(Path(kernelproba.__file__).parent.rglob("*.py")):
        if found := defined.search(path.read_text(encoding="utf8")):
            return " ".join(line.removeprefix("#: ") for line in found[1].splitlines())
    return ""


def index_page(modules: dict[str, str]) -> str:
    """All modules with all their names."""
    links = "\n".join(f"   {module}" for module in modules)
    intro = "Every public name, with its parameters and an example that runs. What is not here is not public."
    return f"{heading('API reference')}\n{intro}\n\n.. toctree::\n   :maxdepth: 2\n\n{links}\n"


def write_pages(app, _config=None):
    """Write ``api/*.rst``; pages that have not changed are left alone, so that Sphinx need not read them."""
    folder = Path(app.srcdir) / "api"
    modules = public_modules()
    pages = {"index": index_page(modules)}
    for module, title in modules.items():
        pages[module] = module_page(module, title)
        for name, value in public_names(module).items():
            if is_constant(value):
                pages[f"generated/{module}.{name}"] = constant_page(module, name, value)
    for name, text in pages.items():
        write_if_changed(folder / f"{name}.rst", text)


def write_if_changed(path: Path, text: str) -> None:
    """Write a file unless it holds that text already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf8") != text:
        path.write_text(text, encoding="utf8")


#: Roles that scikit-learn's docstrings use and that point into its own site.
FOREIGN_ROLE = re.compile(r":(?:ref|term|class|func|meth|mod):`~?([^`<]*?)\s*(?:<[^`]*>)?`")

#: The name in a line that defines one attribute, by which numpydoc finds it.
DEFINITION = re.compile(r"\w+(?= :|$)")


def escape_underscores(line: str) -> str:
    """A word such as gamma_ is an attribute of ours, not a link, outside of literals."""
    name = DEFINITION.match(line)
    kept = name[0] if name else ""
    parts = re.split(r"(``.*?``|`[^`]*`)", line.removeprefix(kept))
    parts[::2] = [re.sub(r"(?<=\w)_(?=\W|$)", r"\\_", part) for part in parts[::2]]
    return kept + "".join(parts)


def plain_roles(app, what, name, obj, options, lines):  # noqa: ARG001 - the arguments of a Sphinx event
    """Text in place of links that lead nowhere here, in what is inherited from scikit-learn."""
    if (getattr(obj, "__module__", None) or "").startswith("sklearn"):
        lines[:] = [FOREIGN_ROLE.sub(r"``\1``", line) for line in lines]
    doctest = [line.lstrip().startswith(">>>") for line in lines]
    lines[:] = [line if code else escape_underscores(line) for line, code in zip(lines, doctest, strict=True)]


def setup(app):
    """Connect to the events of Sphinx."""
    app.connect("config-inited", write_pages)
    app.connect("autodoc-process-docstring", plain_roles, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
