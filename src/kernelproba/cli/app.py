"""The application: its commands, and the one place where errors become a line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer
from typer.main import get_command

from kernelproba import __version__
from kernelproba.cli.commands import (
    compare,
    compress,
    demo,
    evaluate,
    explain,
    export,
    fit,
    page,
    papers,
    predict,
    report,
    serve,
)
from kernelproba.cli.errors import INTERRUPTED, UNEXPECTED, USAGE, described, drop_output, is_debugging
from kernelproba.plain_text import name

_COMMANDS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "fit": (fit.fit, fit.EXAMPLES),
    "predict": (predict.predict, predict.EXAMPLES),
    "evaluate": (evaluate.evaluate, evaluate.EXAMPLES),
    "compare": (compare.compare, compare.EXAMPLES),
    "report": (report.report, report.EXAMPLES),
    "explain": (explain.explain, explain.EXAMPLES),
    "export": (export.export, export.EXAMPLES),
    "compress": (compress.compress, compress.EXAMPLES),
    "page": (page.page, page.EXAMPLES),
    "serve": (serve.serve, serve.EXAMPLES),
    "papers": (papers.papers, papers.EXAMPLES),
    "demo": (demo.demo, demo.EXAMPLES),
}

app = typer.Typer(
    name="kernelproba",
    help="Kernel classifiers with trustworthy probabilities: from a table to probabilities one can defend.",
    epilog="Start: kernelproba fit DATA --target COLUMN -o model.skops. Each command has its own --help. "
    "--jobs is for commands that fit: fit, compare, evaluate, papers, demo. The others are one process; its "
    "products of matrices use as many cores as OMP_NUM_THREADS allows.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, (_command, _examples) in _COMMANDS.items():
    _epilog = "\n\n".join(["Examples:", *_examples])
    app.command(_name, epilog=_epilog, no_args_is_help=_name not in ("papers", "demo"))(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"kernelproba {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[  # its callback does the work
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Take the options that come before a command."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code; what goes wrong is one line on the standard error.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands behind ``kernelproba``; by default that of the process.
    """
    try:
        code = get_command(app).main(args=arguments, prog_name="kernelproba", standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()  # while an error can still be told
        return int(code or 0)
    except BrokenPipeError:  # the reader has seen enough
        drop_output()
        return UNEXPECTED
    except Exception as error:
        if is_debugging():
            raise
        return _tell(error)
    except KeyboardInterrupt as error:
        return _tell(error)


def _tell(error: BaseException) -> int:
    """Print an error and return its exit code; typer's own errors know how to describe themselves."""
    usage: Callable[[], str] | None = getattr(error, "format_message", None)
    if usage is not None and not usage():  # no arguments at all: the help has been printed
        return USAGE
    text, code = described(error) if usage is None else (_usage(error, usage()), USAGE)
    print(f"error: {name(text)}", file=sys.stderr)
    return code


def _usage(error: object, message: str) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "kernelproba"
    return f"{message.rstrip('.')}: see {command} --help"
