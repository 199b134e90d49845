"""The code blocks of a page in Markdown, run from top to bottom, in one folder and one namespace."""

import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```", flags=re.DOTALL | re.M
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
#: What a command prints anew each time, or in other digits with other versions of other packages: patterns.
VARIES = {
    r"\.\.\.": r".*?",
    r"\d[\d.]* (?:ms|s|min)\b": r"\d[\d.]* (?:ms|s|min)\b",
    r"\d+\.\d+": r"(\d+\.\d+)",
    r"\s+": r"\s+",
}
#: Kinds of blocks that are shown, not run.
SHOWN = {"text", "toml", "yaml"}
#: Programs that change the machine, or wait for others, are shown and not run.
NOT_RUN = {"pip", "conda", "make", "git", "cd", "dask", "pre-commit"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, its text, and the line it begins at."""

    kind: str
    code: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """All fenced blocks but directives."""
    for found in FENCE.finditer(text):
        kind = found["kind"].strip()
        if not kind.startswith("{"):
            yield Block(kind, found["code"], text[: found.start()].count("\n") + 2)


def run_page(path: Path) -> None:
    """Run every block of a page; the first that fails ends it."""
    names: dict = {"__name__": "page"}
    for block in blocks(path.read_text(encoding="utf8")):
        if block.kind == "python":
            run_python(block, names, path)
        elif block.kind == "console":
            run_console(block, path)
        else:
            assert block.kind in SHOWN, (
                f"{path}:{block.line}: a block is python, console or text, not {block.kind!r}"
            )


def run_python(block: Block, names: dict, path: Path) -> None:
    """Compare a session with what it shows, or execute a script."""
    if ">>>" not in block.code:
        exec(compile("\n" * (block.line - 1) + block.code, str(path), "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(block.code, names, path.name, str(path), block.line - 1)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said: list[str] = []
    runner.run(example, out=said.append, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures, "".join(said)


def run_console(block: Block, path: Path) -> None:
    """Run the commands that follow a $; output that is shown must be printed."""
    for command, shown in commands(block.code):
        program, *arguments = shlex.split(command, comments=True)
        assert program in NOT_RUN or program == "kernelproba", f"{path}:{block.line}: {program} is not known"
        if program == "kernelproba":
            code, printed = kernelproba(arguments)
            assert code == 0, f"{path}:{block.line}: {command} ended with {code}:\n{printed}"
            same = not shown.strip() or is_like(printed, shown)
            assert same, f"{path}:{block.line}: {command} printed\n{printed}"


def is_like(printed: str, shown: str) -> bool:
    """Whether words and whole numbers are those shown, decimals within a fifth or two in the last place."""
    parts = re.split(f"({'|'.join(VARIES)})", shown.strip())
    pattern = "".join(as_pattern(part) for part in parts)
    found = re.fullmatch(pattern, printed.strip(), flags=re.DOTALL)
    decimals = [part for part in parts if re.fullmatch(r"\d+\.\d+", part)]
    return found is not None and all(is_near(*pair) for pair in zip(found.groups(), decimals, strict=True))


def as_pattern(part: str) -> str:
    """A piece of what is shown as a regular expression."""
    return next((to for kind, to in VARIES.items() if re.fullmatch(kind, part)), re.escape(part))


def is_near(got: str, want: str) -> bool:
    """Whether a decimal number is the one shown but for what other versions of other packages change."""
    last_place = 10.0 ** -len(want.partition(".")[2])
    return abs(float(got) - float(want)) <= max(0.2 * float(want), 2.0001 * last_place)


def commands(code: str) -> Iterator[tuple[str, str]]:
    """(command, output that is shown) of a console session."""
    for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def kernelproba(arguments: list[str]) -> tuple[int, str]:
    """Exit code and standard output of the command line, in this process."""
    from contextlib import redirect_stdout
    from io import StringIO

    app = pytest.importorskip("kernelproba.cli.app", reason="the command line is not installed")
    printed = StringIO()
    with redirect_stdout(printed):
        code = app.run(arguments)
    return code, printed.getvalue()
