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
            same = doctest.OutputChecker().check_output(shown, printed, FLAGS)
            assert same or not shown.strip(), f"{path}:{block.line}: {command} printed\n{printed}"


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
