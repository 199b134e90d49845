"""From the rounds of a record to the figures of its tables."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

#: How the rounds become one figure: times by their median, memory by its peak, scores by their mean.
COMBINE: dict[str, Callable] = {
    "fit s": np.median,
    "fit CPU s": np.median,
    "predict s": np.median,
    "MB": max,
    "error": np.mean,
    "log loss": np.mean,
    "Brier": np.mean,
    "ECE": np.mean,
}


class Matrix:
    """A finished record, read only."""

    def __init__(self, content: dict):
        self.content = content
        self.problems = [problem["name"] for problem in content["problems"]]
        self.contestants = [contestant["name"] for contestant in content["contestants"]]
        self.facts = {contestant["name"]: contestant for contestant in content["contestants"]}
        self._cells = {(cell["problem"], cell["contestant"]): cell for cell in content["cells"]}

    @classmethod
    def read(cls, path: Path) -> "Matrix":
        return cls(json.loads(path.read_text(encoding="utf8")))

    def cell(self, problem: str, contestant: str) -> dict:
        return self._cells[problem, contestant]

    def value(self, problem: str, contestant: str, measure: str) -> float:
        """One figure of a cell; NaN if it has none."""
        rounds = self.cell(problem, contestant).get(measure)
        return float(COMBINE[measure](rounds)) if rounds else float("nan")

    def judged(self, measure: str) -> list[str]:
        """Contestants that the measure is meant for: error and costs for all, the others need probabilities."""
        everyone = measure in ("error", "fit s", "predict s", "MB")
        return [name for name in self.contestants if everyone or self.facts[name]["probabilities"]]

    def mean_ranks(self, measure: str) -> dict[str, float]:
        """Mean over the problems of the rank among those judged; 1 is best.

        Who has no figure, having been over the limit or having failed, shares the last places.
        """
        judged = self.judged(measure)
        table = np.array([[self.value(p, name, measure) for name in judged] for p in self.problems])
        ranks = rankdata(np.where(np.isnan(table), np.inf, table), axis=1).mean(axis=0)
        return dict(zip(judged, ranks.tolist(), strict=True))

    def total(self, contestant: str, measure: str) -> tuple[float, bool]:
        """Sum of seconds over the problems that were measured, and whether these are all."""
        values = np.array([self.value(problem, contestant, measure) for problem in self.problems])
        return float(np.nansum(values)), bool(not np.isnan(values).any())

    def n_measured(self, contestant: str) -> int:
        return sum(bool(self.cell(problem, contestant).get("fit s")) for problem in self.problems)

    def points(self, axis: str, contestant: str) -> tuple[list[int], list[float]]:
        """Sizes along an axis of growth and median seconds to fit, as far as measured."""
        place = "ndc".index(axis)
        found = [
            (point[place], self.value(point[3], contestant, "fit s")) for point in self.content["axes"][axis]
        ]
        kept = [(size, seconds) for size, seconds in found if not np.isnan(seconds)]
        return [size for size, _ in kept], [seconds for _, seconds in kept]
