"""What has been computed so far: a file with one line of JSON per finished task.

    {"machine": {…}}                                                where the lines below it come from
    {"key": …, "arguments": […], "result": …, "warnings": […]}      a finished task

Lines are only appended, each at once.  A process that is killed leaves at most a torn last line, which the
next one cuts off.  A result serves a task of the same key *and* arguments: if these change, it is done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from kernelproba.papers.machine import machine
from kernelproba.report.json_values import json_value

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


class UnusableRecord(Exception):
    """The record cannot be used: the message says why and what to do."""


@contextmanager
def open_record(path: Path) -> Iterator[Record]:
    """Open the file for reading and appending, and keep other processes from doing so."""
    with path.open("a+b") as stream:
        _lock(stream, path)
        yield Record(stream, path)


class Record:
    """Finished tasks, by key.

    Parameters
    ----------
    stream : binary file
        Open for reading and appending.
    path : Path
        Its name, for messages.
    """

    def __init__(self, stream: BinaryIO, path: Path):
        self._stream = stream
        self._entries: dict[str, dict[str, Any]] = {}
        self._machine: dict[str, object] | None = None
        stream.seek(0)
        whole = 0
        for number, line in enumerate(stream, start=1):
            if line.endswith(b"\n"):
                self._take(_parse(line, f"{path}, line {number}"))
                whole += len(line)
        stream.truncate(whole)
        self._is_announced = False

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def find(self, key: str, arguments: tuple) -> dict[str, object] | None:
        """Return the entry of a task, if it was done with the same arguments."""
        entry = self._entries.get(key)
        return entry if entry is not None and entry["arguments"] == _as_json(arguments) else None

    def add(self, key: str, arguments: tuple, result: object, warnings: Iterable[str]) -> object:
        """Keep a result; return it as it will be read again."""
        if not self._is_announced:
            self._append({"machine": machine()})
            self._is_announced = True
        entry = {"key": key, "arguments": arguments, "result": result, "warnings": list(warnings)}
        self._append(entry)
        return self._entries[key]["result"]

    def machines(self, keys: Iterable[str]) -> list[dict[str, object]]:
        """Return what these tasks were done on, each once, in the order of the record."""
        chosen = set(keys)
        found = [entry["machine"] for key, entry in self._entries.items() if key in chosen]
        return [facts for place, facts in enumerate(found) if facts not in found[:place]]

    def warnings(self, keys: Iterable[str]) -> dict[str, int]:
        """Count the tasks that warned, by the text of the warning."""
        texts = [text for key in keys for text in self._entries[key].get("warnings", [])]
        return {text: texts.count(text) for text in dict.fromkeys(texts)}

    def _append(self, line: dict[str, object]) -> None:
        text = json.dumps(json_value(line), ensure_ascii=False, allow_nan=False)
        self._stream.write(text.encode() + b"\n")
        self._stream.flush()
        self._take(json.loads(text))
        os.fsync(self._stream.fileno())

    def _take(self, line: dict[str, Any]) -> None:
        if "machine" in line:
            self._machine = line["machine"]
        else:
            self._entries[line["key"]] = {**line, "machine": self._machine}


def _parse(line: bytes, place: str) -> dict[str, object]:
    try:
        entry = json.loads(line)
        if isinstance(entry, dict) and ("machine" in entry or {"key", "arguments", "result"} <= entry.keys()):
            return entry
    except ValueError:
        pass
    raise UnusableRecord(f"{place} is damaged: delete this line, and its task is done again")


def _as_json(arguments: tuple) -> list:
    return json.loads(json.dumps(json_value(arguments)))


def _lock(stream: BinaryIO, path: Path) -> None:
    """Refuse what another process is using; the system unlocks it when that ends, in whatever way."""
    if fcntl is None:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise UnusableRecord(
            f"{path} is in use by another run: wait for its end, or take another folder"
        ) from error
