"""Reproduce a paper: do its tasks, keep every result, write its page."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kernelproba.datasets import DATA_VARIABLE, load
from kernelproba.papers.page import write_page
from kernelproba.papers.paper import Paper, Task
from kernelproba.papers.record import Record, open_record
from kernelproba.papers.registry import find
from kernelproba.papers.work import Progress, Work

#: Where pages go unless the user says otherwise.
FOLDER = "kernelproba-papers"


class Reproduction(NamedTuple):
    """Where the page of a paper is, and its content.

    Attributes
    ----------
    page : Path
        The Markdown; JSON and PNG are beside it.
    document : dict
        What is in the JSON.
    """

    page: Path
    document: dict[str, Any]


class Interrupted(KeyboardInterrupt):
    """The user stopped a run; what was done is kept."""


def reproduce(
    paper: str | Paper,
    *,
    quick: bool = False,
    folder: str | os.PathLike[str] = FOLDER,
    jobs: int = 1,
    timed: bool = True,
    data_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run a paper's experiments and write its tables and figures beside the printed ones.

    Every finished task is kept at once in FOLDER/NAME_tasks.jsonl.  However a run ends, the same call goes on
    where it stopped.

    Parameters
    ----------
    paper : str or Paper
        One of `names`.
    quick : bool, default=False
        A part of the protocol that takes a minute or two, in files of its own (NAME_quick.*).
    folder : path, default="kernelproba-papers"
        Where NAME.md, NAME.json and NAME_*.png go; made if it is not there.
    jobs : int, default=1
        Processes.  With more than one, a script needs the usual ``if __name__ == "__main__":``.
    timed : bool, default=True
        Whether to do the tasks that measure time, each alone.  Leave them out where other programs run.
    data_dir : path, optional
        Directory of the data sets; by default the one that the environment variable KERNELPROBA_DATA names.
    progress : callable, optional
        Called with the numbers of finished and of all tasks.

    Returns
    -------
    Reproduction
        The page's path and content.

    Raises
    ------
    ValueError
        No paper has this name.
    DatasetUnavailable
        A data set is missing or damaged; nothing was computed.
    Interrupted
        Ctrl-C; it tells how many tasks are kept.
    """
    paper = find(paper) if isinstance(paper, str) else paper
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError("the figures of papers need matplotlib: pip install 'kernelproba[plot]'")
    place, stem = Path(folder), f"{paper.name}_quick" if quick else paper.name
    place.mkdir(parents=True, exist_ok=True)
    tasks = paper.tasks(quick)
    with _data_directory(data_dir), open_record(place / f"{stem}_tasks.jsonl") as record:
        _remove_drafts(place, stem)
        _check_data(paper, tasks, record)
        work = Work(tasks, record, jobs=jobs, timed=timed, progress=progress or (lambda _done, _of: None))
        with _reporting_kept_tasks(tasks, record):
            results = work.do()
            facts = _facts(paper, quick, record, list(results), len(tasks))
            document = write_page(paper, results, facts, place, stem)
    return Reproduction(place / f"{stem}.md", document)


@contextmanager
def _reporting_kept_tasks(tasks: dict[str, Task], record: Record) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        kept = f"{sum(key in record for key in tasks)} of {len(tasks)} tasks are kept"
        raise Interrupted(f"stopped; {kept}; run the same command to go on") from None


def _facts(paper: Paper, quick: bool, record: Record, keys: list[str], of: int) -> dict[str, object]:
    return {
        "mode": "quick" if quick else "full",
        "command": f"kernelproba papers {paper.name}" + (" --quick" if quick else ""),
        "tasks": {"done": len(keys), "of": of},
        "warnings": record.warnings(keys),
        "machines": record.machines(keys),
    }


@contextmanager
def _data_directory(data_dir: str | os.PathLike[str] | None) -> Iterator[None]:
    """Name the directory to all tasks, also to those in other processes."""
    before = os.environ.get(DATA_VARIABLE)
    if data_dir is not None:
        if not Path(data_dir).is_dir():
            raise NotADirectoryError(20, "is no directory of data sets", str(data_dir))
        os.environ[DATA_VARIABLE] = os.fspath(data_dir)
    try:
        yield
    finally:
        if before is not None:
            os.environ[DATA_VARIABLE] = before
        elif data_dir is not None:
            del os.environ[DATA_VARIABLE]


def _check_data(paper: Paper, tasks: dict[str, Task], record: Record) -> None:
    """Fail before hours of work, not after, if a data set is missing or damaged."""
    if not all(key in record for key in tasks):
        for name in paper.data:
            load(name)


def _remove_drafts(folder: Path, stem: str) -> None:
    """Remove what a killed process left; none is at work here now, because the record is ours."""
    for ending in ("json", "md", "png"):
        for draft in folder.glob(f".{stem}*.{ending}.*.part"):
            draft.unlink(missing_ok=True)
