"""What the commands print: results for people or for programs, notes, warnings and progress."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import TimeRemainingColumn as TimeLeftColumn
from rich.table import Table

from kernelproba.plain_text import name, shorten

#: Columns of text where there is no terminal that has a width of its own.
_WIDTH = 160

#: Characters of a table's cell, at most.
_CELL = 90


class Terminal:
    """Results go to the standard output; all else goes to the standard error.

    Parameters
    ----------
    as_json : bool
        Print results as one JSON object.
    quiet : bool
        Print neither notes nor progress.  Results are printed if they are JSON.
    without_results : bool
        Print no results: the standard output is taken.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False, without_results: bool = False):
        self._as_json, self._quiet, self._without_results = as_json, quiet, without_results
        self._notes: list[str] = []
        self._out, self._err = _console(stderr=False), _console(stderr=True)

    def result(self, facts: dict[str, object], show: Callable[[Terminal], None]) -> None:
        """Print a result.

        Parameters
        ----------
        facts : dict
            For programs, which get the notes so far as well.
        show : callable
            Prints it for people, by `line` and `table`.
        """
        if self._as_json:
            from kernelproba.report.json_values import json_value

            print(json.dumps(json_value(facts | {"notes": self._notes}), ensure_ascii=False, indent=2))
        elif not self._quiet and not self._without_results:
            show(self)

    def line(self, text: str = "", style: str | None = None) -> None:
        """Print a line of a result."""
        self._out.print(name(text), style=style, soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
        """Print a table of a result; cells that begin with a digit or a sign stand to the right."""
        self._out.print(_table(columns, rows, title))

    def notes(self, texts: Iterable[str]) -> None:
        """Print what the user should know."""
        for text in texts:
            self._notes.append(text)
            if not self._quiet:
                self._err.print(f"note: {name(text)}", style="yellow", soft_wrap=True)

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Print each warning of Python once, as a note."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            warnings.filterwarnings("ignore", category=FutureWarning)
            yield
        self.notes(dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught))

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show that something of unknown length is under way, and since when."""
        columns = (SpinnerColumn(), _description(), TimeElapsedColumn())
        with self._display(*columns) as progress:
            progress.add_task(name(text), total=None)
            yield

    @contextmanager
    def counting(self, text: str) -> Iterator[Callable[[int, int | None, str], None]]:
        """Show steps that are taken: a bar with the time left where it is known how many, else their number.

        What is given takes the number of steps done, that of all, or None, and what is known of the next one.
        """
        columns = (
            SpinnerColumn(),
            _description(),
            BarColumn(),
            TimeElapsedColumn(),
            TimeLeftColumn(),
        )
        with self._display(*columns) as progress:
            task = progress.add_task(name(text), total=None)

            def update(done: int, total: int | None, what: str) -> None:
                said = text if total is not None or not done else f"{text}, {done} steps"
                said = f"{said}: {what}" if what else said
                progress.update(task, completed=done, total=total, description=name(said))

            yield update

    @contextmanager
    def progress(self, text: str) -> Iterator[Callable[[float], None]]:
        """Show a bar with the time left; what is given sets it to a share between 0 and 1."""
        columns = (_description(), BarColumn(), TaskProgressColumn(), TimeLeftColumn())
        with self._display(*columns) as progress:
            task = progress.add_task(name(text), total=1.0)
            yield lambda share: progress.update(task, completed=share)

    @contextmanager
    def _display(self, *columns: ProgressColumn) -> Iterator[Progress]:
        """Show progress on a terminal; elsewhere not even the empty line that older rich ends with."""
        progress = Progress(*columns, console=self._err, transient=True)
        if self._is_silent():
            yield progress
            return
        with progress:
            yield progress

    @contextmanager
    def watching(self, text: str) -> Iterator[LiveTable]:
        """Show a table that grows, above a bar with the time left."""
        columns = (_description(), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeLeftColumn())
        progress = Progress(*columns, console=self._err, disable=self._is_silent())
        watch = LiveTable(progress, text)
        if self._is_silent():
            yield watch
            return
        with Live(watch, console=self._err, transient=True, refresh_per_second=4):
            yield watch

    def _is_silent(self) -> bool:
        return self._quiet or not self._err.is_terminal


class LiveTable:
    """A table of results so far, and how far the work is.

    Parameters
    ----------
    progress : Progress
        Bar.
    text : str
        What is under way.
    """

    def __init__(self, progress: Progress, text: str):
        self._progress, self._text = progress, text
        self._task = progress.add_task(name(text), total=1.0)
        self._table: Table | None = None

    def update(self, what: str, share: float) -> None:
        """Set the bar to a share between 0 and 1, reached by `what`."""
        self._progress.update(self._task, completed=share, description=name(f"{self._text}: {what}"))

    def show(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Replace the table."""
        self._table = _table(columns, rows)

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> Iterator[RenderableType]:
        if self._table is not None:
            yield self._table
        yield self._progress.get_renderable()


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> Table:
    cells = [list(row) for row in rows]
    table = Table(
        title=None if title is None else name(title),
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    for number, column in enumerate(columns):
        numeric = all(_is_numeric(row[number]) for row in cells)
        table.add_column(
            shorten(name(column), _CELL),
            justify="right" if numeric else "left",
            overflow="fold",
            header_style="bold",
        )
    for row in cells:
        table.add_row(*(shorten(name(cell), _CELL) for cell in row))
    return table


def _console(*, stderr: bool) -> Console:
    """Return a console that shows texts as they are: names of classes are no markup."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def _description() -> TextColumn:
    """Return the column that says what is under way: names of files are no markup."""
    return TextColumn("{task.description}", markup=False)


def _is_numeric(cell: str) -> bool:
    """Whether a cell is a number, perhaps with a unit or an interval, and no sentence."""
    sentence = any(len(word) > 3 and word.isalpha() for word in cell.split())
    return cell == "" or (not sentence and (cell[:1].isdigit() or cell[:1] in "+-−–"))
