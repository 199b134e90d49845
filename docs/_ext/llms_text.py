"""``llms.txt``: the site for programs that read: pages by their plain source, public names by a line."""

import inspect
from pathlib import Path

from api_pages import is_constant, public_modules, public_names

SECTIONS: dict[str, str | tuple[str, ...]] = {
    "Start here": "start/",
    "User guide": "guide/",
    "Gallery": "gallery/",
    "Maths": "maths/",
    "Results": "results/",
    "Decisions": "adr/",
    "Project": ("project/", "architecture", "papers", "reliability"),
}
SUMMARY = """\
# kernelproba

> Kernel classifiers with trustworthy probabilities and the API of scikit-learn: what SVC(probability=True)
> was for, with probabilities from the model itself. KernelLogisticRegressionCV() needs no tuning.

Install by `pip install kernelproba`; `pip install 'kernelproba[cli]'` adds the command `kernelproba`.
"""


def page_lines(env, folder: str | tuple[str, ...]) -> list[str]:
    """Links to the sources of the pages whose names begin so."""
    found = sorted(name for name in env.found_docs if name.startswith(folder))
    suffix = {name: Path(env.doc2path(name)).suffix for name in found}
    return [f"- [{env.titles[name].astext()}](_sources/{name}{suffix[name]}.txt)" for name in found]


def name_lines(module: str) -> list[str]:
    """A line for every public name of a module."""
    lines = []
    for name, thing in public_names(module).items():
        doc = "" if is_constant(thing) else (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
        lines.append(f"- [{module}.{name}](api/generated/{module}.{name}.html): {doc}".rstrip(": "))
    return lines


def text(env) -> str:
    """The whole file."""
    parts = [SUMMARY]
    for title, folder in SECTIONS.items():
        parts.append(f"## {title}\n\n" + "\n".join(page_lines(env, folder)) + "\n")
    for module, title in public_modules().items():
        parts.append(f"## API: {title} ({module})\n\n" + "\n".join(name_lines(module)) + "\n")
    parts.append("## Optional\n\n- [Every error message and its cure](_sources/errors/index.md.txt)\n")
    return "\n".join(parts)


def write(app, exception):
    """Write ``llms.txt`` beside the start page."""
    if exception is None and app.builder.name == "html":
        (Path(app.outdir) / "llms.txt").write_text(text(app.env), encoding="utf8")


def setup(app):
    """Connect to the events of Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
