"""What a reproduced paper consists of: tasks, tables, figures, and the words around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Results of finished tasks by their keys, as JSON gives them back: dicts, lists, strings, numbers, None.
Results = Mapping[str, Any]


@dataclass(frozen=True)
class ResultOf:
    """As an argument of a task: the result of another one, which is then done first."""

    key: str


@dataclass(frozen=True)
class Task:
    """A piece of work that is done once: ``function(*arguments)``.

    Parameters
    ----------
    function : callable
        At the top level of a module, so that another process can find it.  What it returns must be made of
        dicts, lists, strings and numbers; arrays become lists and NaN becomes None.
    arguments : tuple
        Likewise; a `ResultOf` stands for the result of another task.
    timed : bool, default=False
        Whether it measures time: it then runs alone, after all others that are ready.
    """

    function: Callable[..., object]
    arguments: tuple = ()
    timed: bool = False

    @property
    def needs(self) -> frozenset[str]:
        """Keys of the tasks whose results it takes."""
        return frozenset(value.key for value in self.arguments if isinstance(value, ResultOf))

    def arguments_from(self, results: Results) -> tuple:
        """Return the arguments with results in their places."""
        return tuple(results[v.key] if isinstance(v, ResultOf) else v for v in self.arguments)


class Table(NamedTuple):
    """A table of a page.

    Attributes
    ----------
    title : str
    rows : list of dict
        The same columns in each.  Cells are texts, numbers, None or an `estimate`.
    """

    title: str
    rows: list[dict[str, Any]]


class Picture(NamedTuple):
    """A figure of a page, saved as PAPER_name.png."""

    name: str
    caption: str
    figure: Figure


def _no_findings(_results: Results) -> str:
    return ""


@dataclass(frozen=True)
class Paper:
    """A paper's experiments as tasks, and how their results are shown beside the printed ones.

    Parameters
    ----------
    name, title, reference : str
        What the command calls it, the head of its page, and the citation.
    summary : str
        One sentence for the list of papers.
    protocol : str
        Markdown: what was done, and where that differs from the paper.
    data : sequence of str
        Names of the data sets, looked for before any work.
    tasks : callable
        quick → {key: Task}.  `quick` asks for a part that takes a minute or two.
    tables : callable
        results → list of Table, with the paper's printed figures beside ours.
    figures : callable
        results → iterable of Picture; may fit small models, in seconds.
    findings : callable, optional
        results → Markdown: what the tables say, in numbers taken from the results.

    Notes
    -----
    With tasks that are `timed`, results may lack those: they can be left out on a busy machine.
    """

    name: str
    title: str
    reference: str
    summary: str
    protocol: str
    data: Sequence[str]
    tasks: Callable[[bool], dict[str, Task]]
    tables: Callable[[Results], list[Table]]
    figures: Callable[[Results], Iterable[Picture]]
    findings: Callable[[Results], str] = _no_findings


def estimate(values: Iterable[float], factor: float = 1.0) -> dict[str, float | None]:
    """Mean of independent repetitions and its standard error, a cell of a table.

    Parameters
    ----------
    values : iterable of float
        One number per repetition.
    factor : float, default=1.0
        Multiplies them: 100 for per cent.

    Examples
    --------
    >>> estimate([0.1, 0.3], 100)
    {'mean': 20.0, 'error': 10.0}
    """
    numbers = factor * np.asarray(list(values), dtype=float)
    error = float(numbers.std(ddof=1) / np.sqrt(len(numbers))) if len(numbers) > 1 else None
    return {"mean": float(numbers.mean()), "error": error}
