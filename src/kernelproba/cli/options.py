"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelproba.cli import methods
from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    from kernelproba.tables.files.table_file import Layout

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="Table: .csv, .tsv (also .gz, .bz2, .xz, .zst, .zip), .parquet, .feather, .jsonl, .json, .xlsx, "
        "a folder of .parquet, or - for the standard input.",
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file made by 'kernelproba fit'.")]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="Column with the labels.")]
MaxRows = Annotated[
    int | None, typer.Option("--max-rows", min=2, help="Draw so many rows at random if the table has more.")
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="Hold out whole groups, such as patients; the column is not learnt from.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of everything that is drawn at random.")]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=1, help="Processes at once, for folds and in methods that can.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only (and the result of --json).")]

#: How files are laid out, the same for every command that reads tables.
_LAYOUT = {
    "delimiter": Annotated[
        str | None,
        typer.Option("--delimiter", "-d", metavar="CHAR", help="Between fields; found out if not given."),
    ],
    "header": Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line names the columns."),
    ],
    "encoding": Annotated[
        str | None,
        typer.Option("--encoding", metavar="NAME", help="Of a text file; found out if not given."),
    ],
    "sheet": Annotated[
        str | None, typer.Option("--sheet", metavar="NAME", help="Of a workbook; the first if not given.")
    ],
}

#: Which columns are learnt from and how they are read, the same for every command that learns.
_COLUMNS = {
    "exclude": Annotated[
        list[str] | None,
        typer.Option("--exclude", "-x", metavar="COLUMN", help="Column to leave out; may be repeated."),
    ],
    "only": Annotated[
        list[str] | None,
        typer.Option("--only", metavar="COLUMN", help="Use only these columns; may be repeated."),
    ],
    "kind": Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="COLUMN=KIND",
            help="What a column is, if not what is found: number, category, date, time, text, flag, dropped, "
            "or its levels in order, as in size=small<medium<large; may be repeated.",
        ),
    ],
    "decimal": Annotated[
        str | None,
        typer.Option("--decimal", metavar="CHAR", help="Decimal sign, where 1,234 leaves it open."),
    ],
    "day_first": Annotated[
        bool | None,
        typer.Option("--day-first/--month-first", help="What comes first, where 03/04/2020 leaves it open."),
    ],
}


def _as_layout(given: dict[str, Any]) -> Layout:
    from kernelproba.tables.files.table_file import Layout

    return Layout(**given)


def _as_columns(given: dict[str, Any]) -> dict[str, object]:
    """Return the options as arguments of `TableSelection`."""
    if given["decimal"] not in (None, ".", ","):
        raise CommandError(f"--decimal {given['decimal']}: it is either . or ,")
    kinds = _parsed_kinds(given.pop("kind") or [])
    return given | {"kinds": kinds, "exclude": given["exclude"] or (), "only": given["only"] or ()}


_GROUPS: dict[str, tuple[Mapping[str, object], Callable[[dict[str, Any]], object]]] = {
    "layout": (_LAYOUT, _as_layout),
    "columns": (_COLUMNS, _as_columns),
}


def with_groups(*groups: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command groups of options, each of which it takes as one argument of the group's name.

    Parameters
    ----------
    *groups : {"layout", "columns"}
        ``layout`` arrives as a `Layout`, ``columns`` as a dict of arguments of `TableSelection`.
    """

    def give(command: Callable[..., None]) -> Callable[..., None]:
        for group in groups:  # types of the group are known to programs only
            command.__annotations__.pop(group)
        signature = inspect.signature(command, eval_str=True)
        own = [each for each in signature.parameters.values() if each.name not in groups]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for group in groups
            for name, annotation in _GROUPS[group][0].items()
        ]

        @functools.wraps(command)
        def parsed(**arguments: object) -> None:
            for group in groups:
                options, build = _GROUPS[group]
                arguments[group] = build({name: arguments.pop(name) for name in options})
            command(**arguments)

        parsed.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        parsed.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
        del parsed.__wrapped__  # typer would look at that
        return parsed

    return give


def _parsed_kinds(pairs: list[str]) -> dict[str, str | list[str]]:
    """Return COLUMN=KIND pairs as a dict; levels in order, as in low<high, are a list."""
    kinds: dict[str, str | list[str]] = {}
    for pair in pairs:
        name, equals, kind = pair.rpartition("=")
        if not equals or not name or not kind:
            raise CommandError(f"--kind {pair}: write it as COLUMN=KIND, such as --kind age=number")
        kinds[name] = [level.strip() for level in kind.split("<")] if "<" in kind else kind
    return kinds


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Offer the names of methods to the shell."""
    return [(name, method.summary) for name, method in methods.METHODS.items() if name.startswith(incomplete)]
