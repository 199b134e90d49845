"""Runs of a toy paper: nothing is done twice, whatever happens in between, and no file is half-written."""

import json
import math
import os
import runpy
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from kernelproba.datasets import DATA_VARIABLE, DatasetUnavailable
from kernelproba.papers import (
    Interrupted,
    Paper,
    ResultOf,
    Table,
    Task,
    UnusableRecord,
    WorkerLost,
    reproduce,
)
from kernelproba.papers.page import render_document
from kernelproba.papers.work import workers

SCRIPT = Path(__file__).parent / "toy_run.py"
PAGES = {"toy.json", "toy.md", "toy_squares.png", "toy_tasks.jsonl"}


def toy(tasks, *, data=(), figures=lambda _: ()) -> Paper:
    """A paper of these tasks, whose table lists their results."""
    return Paper(
        name="toy",
        title="Toy",
        reference="",
        summary="",
        protocol="",
        data=data,
        tasks=lambda _quick: tasks,
        tables=lambda results: [Table("All", [{"task": k, "result": str(v)} for k, v in results.items()])],
        figures=figures,
    )


def results(reproduction) -> dict:
    return {row["task"]: row["result"] for row in reproduction.document["tables"][0]["rows"]}


class Counting:
    """A function that counts its calls by argument."""

    def __init__(self, fail_at=None, error=ValueError):
        self.calls, self._fail_at, self._error = Counter(), fail_at, error

    def __call__(self, value):
        self.calls[value] += 1
        if value == self._fail_at:
            raise self._error("no")
        return value


def entries(folder: Path) -> list[dict]:
    """Finished tasks on record, in the order in which they finished."""
    lines = [json.loads(line) for line in (folder / "toy_tasks.jsonl").read_text().splitlines()]
    return [line for line in lines if "key" in line]


def start_script(folder: Path, jobs: int, seconds: float) -> subprocess.Popen:
    command = [sys.executable, str(SCRIPT), str(folder), str(jobs), str(seconds)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for_lines(path: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while not path.exists() or len(path.read_bytes().splitlines()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_after_sigkill_only_what_is_missing_is_done(tmp_path):
    first = start_script(tmp_path, 2, 0.1)
    wait_for_lines(tmp_path / "toy_tasks.jsonl", 4)  # the machine and three tasks
    os.kill(first.pid, signal.SIGKILL)
    first.communicate(timeout=30)  # the pipe closes once the workers have ended, too
    finished = [entry["arguments"][1] for entry in entries(tmp_path)]
    assert 3 <= len(finished) < 10

    paper = runpy.run_path(str(SCRIPT))["paper"](str(tmp_path), 0.1)
    document = reproduce(paper, folder=tmp_path).document

    begun = Counter(int(line) for line in (tmp_path / "begun").read_text().split())
    assert all(begun[number] == 1 for number in finished)
    assert [row["square"] for row in document["tables"][0]["rows"]] == [n**2 for n in range(10)]
    assert {path.name for path in tmp_path.iterdir()} == PAGES | {"begun"}


def test_ctrl_c_ends_workers_at_once_and_tells_what_is_kept(tmp_path):
    run = start_script(tmp_path, 2, 0.5)
    wait_for_lines(tmp_path / "toy_tasks.jsonl", 3)
    os.killpg(run.pid, signal.SIGINT)
    _, told = run.communicate(timeout=30)
    kept = len(entries(tmp_path))
    assert told.splitlines()[-1].endswith(
        f"stopped; {kept} of 10 tasks are kept; run the same command to go on"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"toy_tasks.jsonl", "begun"}


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    stopped = Counting(fail_at=3, error=KeyboardInterrupt)
    with pytest.raises(Interrupted, match="stopped; 3 of 5 tasks are kept; run the same command to go on"):
        reproduce(toy({str(n): Task(stopped, (n,)) for n in range(5)}), folder=tmp_path)
    again = Counting()
    reproduce(toy({str(n): Task(again, (n,)) for n in range(5)}), folder=tmp_path)
    assert again.calls == {3: 1, 4: 1}


def test_a_failing_task_costs_no_finished_one(tmp_path):
    with pytest.raises(ValueError, match="no"):
        reproduce(toy({str(n): Task(Counting(fail_at=2), (n,)) for n in range(4)}), folder=tmp_path)
    assert [entry["key"] for entry in entries(tmp_path)] == ["0", "1"]


def test_a_failing_task_costs_none_that_runs_beside_it(tmp_path):
    tasks = {"bad": Task(math.sqrt, (-1.0,)), "good": Task(time.sleep, (1.0,))}
    tasks |= {f"later {n}": Task(time.sleep, (1.0,)) for n in range(4)}
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        reproduce(toy(tasks), folder=tmp_path, jobs=2)
    kept = [entry["key"] for entry in entries(tmp_path)]
    assert "good" in kept
    assert len(kept) < 5


def test_a_torn_last_line_is_cut_off_and_its_task_done_again(tmp_path):
    tasks = {str(n): Task(abs, (-n,)) for n in range(3)}
    reproduce(toy(tasks), folder=tmp_path)
    record = tmp_path / "toy_tasks.jsonl"
    whole = record.read_bytes()
    for length in range(whole.rindex(b'{"key"') + 1, len(whole)):
        record.write_bytes(whole[:length])
        assert results(reproduce(toy(tasks), folder=tmp_path)) == {"0": "0", "1": "1", "2": "2"}
        assert all(json.loads(line) for line in record.read_text().splitlines())


def test_a_damaged_line_is_named_and_nothing_is_lost(tmp_path):
    tasks = {str(n): Task(abs, (-n,)) for n in range(3)}
    reproduce(toy(tasks), folder=tmp_path)
    record = tmp_path / "toy_tasks.jsonl"
    lines = record.read_text().splitlines()
    damaged = "\n".join([lines[0], lines[1][:20], *lines[2:]]) + "\n"
    record.write_text(damaged)
    with pytest.raises(UnusableRecord, match=r"toy_tasks\.jsonl, line 2 is damaged: delete this line"):
        reproduce(toy(tasks), folder=tmp_path)
    assert record.read_text() == damaged


def test_other_arguments_make_another_task(tmp_path):
    reproduce(toy({"a": Task(abs, (-1,)), "b": Task(abs, (-5,))}), folder=tmp_path)
    changed = Counting()
    found = reproduce(toy({"a": Task(changed, (7,)), "b": Task(changed, (-5,))}), folder=tmp_path)
    assert results(found) == {"a": "7", "b": "5"}
    assert changed.calls == {7: 1}


def test_results_go_from_task_to_task(tmp_path):
    tasks = {"power": Task(pow, (ResultOf("base"), 3)), "base": Task(abs, (-2,))}
    assert results(reproduce(toy(tasks), folder=tmp_path)) == {"power": "8", "base": "2"}


def test_a_resumed_run_sees_the_values_that_the_first_one_saw(tmp_path):
    tasks = {"values": Task(lambda: {"array": np.array([0.1, np.nan]), "tuple": (np.int64(1),)}, ())}
    first = reproduce(toy(tasks), folder=tmp_path)
    assert first.document == reproduce(toy(tasks), folder=tmp_path).document
    assert results(first)["values"] == str({"array": [0.1, None], "tuple": [1]})


def test_processes_give_the_results_of_one_and_timed_tasks_run_alone_afterwards(tmp_path):
    tasks = {"time": Task(os.getpid, (), timed=True)}
    tasks |= {str(n): Task(math.sqrt, (float(n),)) for n in range(4)}
    seen = []
    tell = lambda done, of: seen.append((done, of))  # noqa: E731
    found = results(reproduce(toy(tasks), folder=tmp_path, jobs=2, progress=tell))
    assert found == {"time": str(os.getpid())} | {str(n): str(math.sqrt(n)) for n in range(4)}
    assert [entry["key"] for entry in entries(tmp_path)][-1] == "time"
    assert seen == [(n, 5) for n in range(6)]


def test_timed_tasks_can_be_left_for_later(tmp_path):
    tasks = {"time": Task(abs, (1,), timed=True), "other": Task(abs, (2,))}
    early = reproduce(toy(tasks), folder=tmp_path, timed=False)
    assert early.document["tasks"] == {"done": 1, "of": 2}
    assert "1 of 2 tasks" in early.page.read_text()
    assert results(reproduce(toy(tasks), folder=tmp_path)) == {"time": "1", "other": "2"}
    kept = reproduce(toy(tasks), folder=tmp_path, timed=False)
    assert kept.document["tasks"] == {"done": 2, "of": 2}


def test_a_worker_that_dies_is_reported():
    with pytest.raises(WorkerLost, match="use fewer jobs"), workers(1) as pool:
        pool.submit(os._exit, 9).result()


def test_two_runs_do_not_share_a_record(tmp_path):
    def meanwhile():
        reproduce(toy({}), folder=tmp_path)

    with pytest.raises(UnusableRecord, match="in use by another run"):
        reproduce(toy({"a": Task(meanwhile)}), folder=tmp_path)


def test_drafts_of_a_killed_run_are_removed(tmp_path):
    left, others = tmp_path / ".toy.md.x7.part", tmp_path / ".other.md.x7.part"
    left.touch()
    others.touch()
    reproduce(toy({"a": Task(abs, (1,))}), folder=tmp_path)
    assert not left.exists()
    assert others.exists()


def test_the_page_is_rendered_from_the_json_alone(tmp_path):
    page, document = reproduce(toy({"a": Task(abs, (1,))}), folder=tmp_path)
    stored = json.loads((tmp_path / "toy.json").read_text())
    assert stored == document
    assert page.read_text() == render_document(stored)


def test_warnings_are_counted_on_the_page(tmp_path):
    tasks = {str(n): Task(warnings.warn, (f"number {n}", RuntimeWarning)) for n in range(2)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = reproduce(toy(tasks), folder=tmp_path).page
    assert "Warnings: RuntimeWarning in 2 tasks." in page.read_text()


def test_a_missing_data_set_is_noticed_before_any_work(tmp_path):
    task = Counting()
    with pytest.raises(DatasetUnavailable, match="satimage"):
        reproduce(toy({"a": Task(task, (1,))}, data=["satimage"]), folder=tmp_path, data_dir=tmp_path)
    assert not task.calls


def test_the_data_directory_is_told_to_tasks_and_forgotten_afterwards(tmp_path, monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    tasks = {"told": Task(os.getenv, (DATA_VARIABLE,))}
    assert results(reproduce(toy(tasks), folder=tmp_path, data_dir=tmp_path))["told"] == str(tmp_path)
    assert DATA_VARIABLE not in os.environ


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        reproduce(toy({}), folder=tmp_path / "file" / "folder")


def test_jobs_must_be_a_number_of_processes(tmp_path):
    with pytest.raises(ValueError, match="at least 1, not 0"):
        reproduce(toy({}), folder=tmp_path, jobs=0)
