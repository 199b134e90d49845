"""A contest of classifiers over data sets: means over the splits, ranks, duels and sections of a page."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from kernelproba.report.table import markdown_table

#: (set, contestant) → measure → mean over the splits.
Means = dict[tuple[str, str], dict[str, float]]
#: Contestant → (set, split) → finished run.
Runs = dict[str, dict[tuple[str, int], dict]]


def complete_splits(runs: Runs, models: Collection[str]) -> dict[str, list[int]]:
    """Set → splits that all of these models have run."""
    done = set.intersection(*(set(runs[model]) for model in models))
    names = dict.fromkeys(name for each in runs.values() for name, _ in each)
    found = {name: sorted(split for other, split in done if other == name) for name in names}
    return {name: numbers for name, numbers in found.items() if numbers}


def means_over_splits(runs: Runs, splits: dict[str, list[int]], measures: Collection[str]) -> Means:
    """Means of the models that have run all of these splits of a set."""
    return {
        (name, model): {m: float(np.mean([runs[model][name, i][m] for i in numbers])) for m in measures}
        for name, numbers in splits.items()
        for model in runs
        if all((name, i) in runs[model] for i in numbers)
    }


@dataclass(frozen=True)
class Contest:
    """Means of contestants, of which one is ours, by measures of which less is better.

    Attributes
    ----------
    means : dict
        (set, contestant) → measure → mean over the splits.
    sets, models : list of str
        In the order of the page.
    ours : str
        One of the models.
    measures : dict of str to str
        Measure → its title.
    """

    means: Means
    sets: list[str]
    models: list[str]
    ours: str
    measures: dict[str, str]

    @property
    def rivals(self) -> list[str]:
        """All contestants but ours."""
        return [model for model in self.models if model != self.ours]

    def rank_rows(self, sets: list[str], models: list[str]) -> list[dict]:
        """Mean rank of each of the models by each measure, on sets that all of them have run."""
        label = f"{len(sets)} sets, {len(models)} contestants"
        rows = [{"mean ranks": label, "contestant": model} for model in models]
        for measure, title in self.measures.items():
            values = np.array([[self.means[name, model][measure] for model in models] for name in sets])
            for row, rank in zip(rows, rankdata(values, axis=1).mean(axis=0), strict=True):
                row[title] = float(rank)
        return rows

    def total(self, model: str, measure: str) -> float:
        """Sum over the sets, for seconds."""
        return sum(self.means[name, model][measure] for name in self.sets)

    def section(self, measure: str) -> str:
        """One measure of all sets; the best in bold, and how often ours beats each rival."""
        rows = []
        for name in self.sets:
            values = {m: self.means[name, m][measure] for m in self.models if (name, m) in self.means}
            best = min(values.values())
            cells = {model: f"**{v:.4g}**" if v == best else f"{v:.4g}" for model, v in values.items()}
            rows.append({"data": name} | {model: cells.get(model, "–") for model in self.models})
        rows.append({"data": f"{self.ours} better / worse", self.ours: ""} | self.duels(measure))
        return f"## {self.measures[measure]}\n\n" + markdown_table(rows, ["data", *self.models])

    def duels(self, measure: str) -> dict[str, str]:
        """Rival → on how many sets ours is better and worse."""
        return {rival: self._duel(rival, measure) for rival in self.rivals}

    def _duel(self, rival: str, measure: str) -> str:
        shared = [name for name in self.sets if (name, rival) in self.means]
        gaps = [self.means[name, rival][measure] - self.means[name, self.ours][measure] for name in shared]
        return f"{sum(gap > 0 for gap in gaps)} / {sum(gap < 0 for gap in gaps)}"


def fewer_splits(splits: dict[str, list[int]], planned: int) -> str:
    """Sets of which not all splits were run, in brackets."""
    counts = sorted({len(numbers) for numbers in splits.values()} - {planned})
    names = {count: [name for name in splits if len(splits[name]) == count] for count in counts}
    parts = [f"{count} of {', '.join(names[count])}" for count in counts]
    return f" (so far {'; '.join(parts)})" if parts else ""


def unfinished(runs: Runs, splits: dict[str, list[int]]) -> str:
    """What is said of sets on which not all have run."""
    names = dict.fromkeys(name for each in runs.values() for name, _ in each if name not in splits)
    return f"Not finished, and not counted: {', '.join(names)}.\n\n" if names else ""
