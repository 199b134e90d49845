"""Finished runs of contestants: one file of JSON lines for each, which a stopped benchmark goes on from."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunRecord:
    """Runs that are kept in a folder, each a dict with ``data`` and ``split`` among its entries."""

    folder: Path

    def runs(self, model: str) -> dict[tuple[str, int], dict]:
        """(set, split) → finished run of a contestant."""
        file = self._file(model)
        lines = file.read_text("utf8").splitlines() if file.exists() else []
        return {(run["data"], run["split"]): run for run in map(json.loads, lines)}

    def keep(self, model: str, run: dict) -> None:
        """Add a run at once, and say so."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._file(model).open("a", encoding="utf8") as file:
            file.write(json.dumps(run) + "\n")
        print(model, {k: round(v, 4) if isinstance(v, float) else v for k, v in run.items()}, flush=True)

    def forget(self, model: str, names: Collection[str]) -> None:
        """Delete a contestant's runs on some sets, so that they are run again."""
        kept = [json.dumps(run) + "\n" for (name, _), run in self.runs(model).items() if name not in names]
        if self._file(model).exists():
            self._file(model).write_text("".join(kept), encoding="utf8")

    def _file(self, model: str) -> Path:
        return self.folder / f"{model.lower().replace(' ', '_')}.jsonl"
