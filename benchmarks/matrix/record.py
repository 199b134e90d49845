"""What has been measured: one JSON file, replaced as a whole after every run."""

import json
from pathlib import Path

from kernelproba.atomic_file import replacing

#: Lists of a cell that hold one value per round.
MEASURES = ("fit s", "fit CPU s", "predict s", "MB", "error", "log loss", "Brier", "ECE")


class Record:
    """A dictionary on disk: facts, the commits that measured, and a cell for each problem and contestant.

    A cell has lists of the rounds' values, ``warned`` (names of warnings), and ``outcome``: ``"measured"``, or why it
    has no further rounds.
    """

    def __init__(self, path: Path, facts: dict):
        self.path = path
        kept = json.loads(path.read_text(encoding="utf8")) if path.exists() else {"commits": [], "cells": []}
        commits = list(dict.fromkeys([*kept["commits"], facts["machine"]["commit"]]))
        self.content = facts | {"commits": commits, "cells": kept["cells"]}
        self._cells = {(cell["problem"], cell["contestant"]): cell for cell in self.content["cells"]}

    def cell(self, problem: str, contestant: str) -> dict:
        """The cell, empty if nothing has been measured."""
        found = self._cells.get((problem, contestant))
        if found is None:
            found = {"problem": problem, "contestant": contestant, "outcome": "measured", "warned": []}
            self._cells[problem, contestant] = found
            self.content["cells"].append(found)
        return found

    def save(self) -> None:
        with replacing(self.path) as path:
            path.write_text(_text(self.content), encoding="utf8")


def _text(content: dict) -> str:
    """JSON with one line per cell."""
    cells = ",\n  ".join(json.dumps(cell, ensure_ascii=False) for cell in content["cells"])
    rest = json.dumps(content | {"cells": []}, indent=1, ensure_ascii=False)
    return rest.replace('"cells": []', f'"cells": [\n  {cells}\n ]') + "\n"


def add_run(cell: dict, values: dict, warned: list[str]) -> None:
    """One more round."""
    for name in MEASURES:
        if name in values:
            cell.setdefault(name, []).append(round(values[name], 6))
    cell["warned"] = sorted({*cell["warned"], *warned})


def n_runs(cell: dict) -> int:
    return len(cell.get("fit s", ()))
