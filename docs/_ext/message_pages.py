"""A page for every error and warning of the package, collected from its source, with the cure.

A message says what is wrong and what to do; ``message_cures.md`` says more of those that need it, under
headings that are pieces of the messages.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from api_pages import write_if_changed

import kernelproba

PACKAGE = Path(kernelproba.__file__).parent
CURES = Path(__file__).parent.parent / "message_cures.md"
WARN = {"warnings.warn", "warn", "warn_caller"}
#: What a message says it was given, where others give advice.
GIVEN = re.compile(r"^(?:got|not|unknown:|missing:) [^.;:]*(?:[.;:] |\.?$)")


@dataclass
class Message:
    """What a user may read, with … where values stand."""

    text: str
    kind: str
    modules: list[str] = field(default_factory=list)

    @property
    def slug(self) -> str:
        """A name for its file."""
        words = re.findall(r"[a-z0-9_]+", self.text.lower().replace("…", " "))
        return "-".join(words[:10])[:90].strip("-_") or "message"

    @property
    def own_cure(self) -> str:
        """What the message itself advises: what follows its first colon or stop, if that is no report."""
        parts = re.split(r"(?<=[\w)'’…])(?:: |; |\. )", self.text, maxsplit=1)
        advice = GIVEN.sub("", parts[1]) if len(parts) > 1 else ""
        return advice if len(re.findall(r"[a-z]{2,}", advice)) > 1 else ""


def text_of(node: ast.expr) -> str:
    """The text of an expression, … standing for what is only known at run time."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return "…"


def messages_in(path: Path) -> Iterator[tuple[str, str]]:
    """(kind, text) of all that a module raises or warns of."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield ast.unparse(node.exc.func).split(".")[-1], text_of(node.exc.args[0])
        elif isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in WARN:
            kind = ast.unparse(node.args[1]).split(".")[-1] if len(node.args) > 1 else "UserWarning"
            yield kind, text_of(node.args[0])


def collect(package: Path = PACKAGE) -> list[Message]:
    """All messages of the package; one that several modules have is listed once."""
    found: dict[str, Message] = {}
    for path in sorted(package.rglob("*.py")):
        module = ".".join(["kernelproba", *path.relative_to(package).with_suffix("").parts])
        module = module.removesuffix(".__init__")
        for kind, text in messages_in(path):
            if len(re.findall(r"[a-z]{2,}", text)) > 2:
                found.setdefault(text, Message(text, kind)).modules.append(module)
    return list(found.values())


def cures(text: str) -> dict[str, str]:
    """{piece of a message: what to do} of the headings and paragraphs of ``message_cures.md``."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return {title.strip(): body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def cure_of(message: Message, known: dict[str, str]) -> str:
    """The longest heading that is part of the message decides; else what the message itself says."""
    fitting = [piece for piece in known if piece in message.text]
    if fitting:
        return known[max(fitting, key=len)]
    own = message.own_cure
    return own[:1].upper() + own[1:] + ("" if own.endswith((".", "?")) else ".") if own else ""


def page(message: Message, cure: str) -> str:
    """One message."""
    places = ", ".join(f"`{module}`" for module in message.modules)
    title = escape(message.text if len(message.text) < 90 else message.text[:85].rsplit(" ", 1)[0] + " …")
    return (
        f"# {title}\n\n`{message.kind}`, from {places}\n\n"
        f"```text\n{message.text}\n```\n\n… stands for a value.\n\n## What to do\n\n{cure}\n"
    )


def escape(text: str) -> str:
    """Text without meaning for Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|$])", r"\\\1", text)


def index(slugs: dict[str, Message]) -> str:
    """All messages by the rooms that raise them."""
    rooms: dict[str, list[str]] = {}
    for slug, message in slugs.items():
        room = ".".join(message.modules[0].split(".")[1:3]) or "kernelproba"
        rooms.setdefault(room, []).append(slug)
    parts = [
        "# Messages and their cures\n",
        "Every error and warning of the package, … standing for a value. Look for a few words of yours by "
        "the browser's search, or that of this site.\n",
    ]
    for room in sorted(rooms):
        rows = [f"- [{escape(slugs[slug].text)}]({slug}.md)" for slug in rooms[room]]
        parts.append(f"## {room}\n\n" + "\n".join(rows) + "\n")
    entries = "\n".join(slugs)
    return "\n".join(parts) + f"\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def pages() -> dict[str, str]:
    """{file name: text} of the whole folder."""
    known = cures(CURES.read_text(encoding="utf8"))
    slugs: dict[str, Message] = {}
    for message in sorted(collect(), key=lambda m: m.modules[0]):
        slug, n = message.slug, 2
        while slug in slugs:
            slug, n = f"{message.slug}-{n}", n + 1
        slugs[slug] = message
    written = {slug: page(message, cure_of(message, known)) for slug, message in slugs.items()}
    return written | {"index": index(slugs)}


def write_pages(app, _config):
    """Write ``errors/*.md`` and remove those of messages that are no more."""
    folder = Path(app.srcdir) / "errors"
    new = pages()
    for path in folder.glob("*.md"):
        if path.stem not in new:
            path.unlink()
    for name, text in new.items():
        write_if_changed(folder / f"{name}.md", text)


def setup(app):
    """Connect to the events of Sphinx."""
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
