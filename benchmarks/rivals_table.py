"""The page of `python -m benchmarks.selftuning rivals`: every set with wins and losses, then mean ranks."""

import numpy as np
from scipy.stats import rankdata

from benchmarks.measure import machine, write
from benchmarks.rivals import CONTESTANTS, OURS, SLOW, TUNED
from benchmarks.rivals_runs import SLOW_SIZE, SPLITS, TRAINING_ROWS, runs_of
from kernelproba.report.table import markdown_table

MEASURES = {
    "log_loss": "Log loss",
    "brier": "Brier score",
    "error": "Error",
    "ece": "Calibration error",
    "cpu s": "Processor seconds of the fit",
}

#: (set, contestant) → measure → mean over the splits.
Means = dict[tuple[str, str], dict[str, float]]


def write_rivals_table() -> None:
    """Means over splits, rank within each set, mean over sets."""
    quick = [name for name in CONTESTANTS if name not in SLOW]
    runs = {model: {(run["data"], run["split"]): run for run in runs_of(model)} for model in CONTESTANTS}
    splits = _complete_splits(runs, quick)
    means = _means(runs, splits)
    shared = [name for name in splits if all((name, model) in means for model in SLOW)]
    rows = _rank_rows(means, shared, list(CONTESTANTS)) + _rank_rows(means, list(splits), quick)
    started = dict.fromkeys(name for each in runs.values() for name, _ in each if name not in splits)
    text = f"{_headline(rows)}\n\n{_unfinished(list(started))}{_text(means, splits)}"
    print(write("selftuning_rivals", "Nothing to tune, against today's practice", text, rows, machine()))


def _complete_splits(runs: dict, models: list[str]) -> dict[str, list[int]]:
    """Set → splits that all models have run."""
    done = set.intersection(*(set(runs[model]) for model in models))
    names = dict.fromkeys(name for name, _ in runs[models[0]] if any(name == other for other, _ in done))
    return {name: sorted(split for other, split in done if other == name) for name in names}


def _means(runs: dict, splits: dict[str, list[int]]) -> Means:
    return {
        (name, model): {m: float(np.mean([runs[model][name, i][m] for i in numbers])) for m in MEASURES}
        for name, numbers in splits.items()
        for model in CONTESTANTS
        if all((name, i) in runs[model] for i in numbers)
    }


def _rank_rows(means: Means, sets: list[str], models: list[str]) -> list[dict]:
    """Mean rank of each contestant by each measure."""
    rows = [
        {"mean ranks": f"{len(sets)} sets, {len(models)} contestants", "contestant": model}
        for model in models
    ]
    for measure, title in MEASURES.items():
        values = np.array([[means[name, model][measure] for model in models] for name in sets])
        for row, rank in zip(rows, rankdata(values, axis=1).mean(axis=0), strict=True):
            row[title] = float(rank)
    return rows


def _text(means: Means, splits: dict[str, list[int]]) -> str:
    sets = list(splits)
    ratios = [means[name, OURS]["cpu s"] / means[name, TUNED]["cpu s"] for name in sets]
    missing = [name for name in sets if any((name, model) not in means for model in SLOW)]
    intro = (
        f"Means of {SPLITS} random splits into halves{_fewer(splits)}, at most {TRAINING_ROWS} training rows, on all sets of "
        f"scikit-learn and of `kernelproba.datasets` ({len(sets)}). Rivals are `benchmarks/rivals.py`: "
        "scikit-learn's defaults on scaled features, and an SVC tuned on a 3 × 4 grid of C and gamma and calibrated. "
        f"The Gaussian process was run up to {SLOW_SIZE} rows × classes, so not on {', '.join(missing) or 'none'}: "
        "ranks are given among all contestants where all ran, and without it on all sets.\n\n"
        f"Time is processor time of one thread. {OURS} / {TUNED}: median {np.median(ratios):.2f}, from "
        f"{min(ratios):.2f} to {max(ratios):.2f}, at most ½ on {sum(r <= 0.5 for r in ratios)} of {len(sets)} sets; of "
        f"all sets together {_total(means, sets, OURS) / _total(means, sets, TUNED):.2f}.\n\n"
        f"The search of {OURS} was designed on these sets (docs/adr/0008-nothing-to-tune.md), which favours it here; "
        "the rivals are as they come.\n\nRegenerate: `python -m benchmarks.selftuning rivals`."
    )
    return "\n\n".join(
        [intro, *(_section(means, sets, measure) for measure in MEASURES), "## Mean ranks, 1 is best"]
    )


def _total(means: Means, sets: list[str], model: str) -> float:
    """Seconds of one split of all sets."""
    return sum(means[name, model]["cpu s"] for name in sets)


def _fewer(splits: dict[str, list[int]]) -> str:
    """Sets of which not all splits were run, in brackets."""
    counts = sorted({len(numbers) for numbers in splits.values()} - {SPLITS})
    names = {count: [name for name in splits if len(splits[name]) == count] for count in counts}
    parts = [f"{count} of {', '.join(names[count])}" for count in counts]
    return f" (so far {'; '.join(parts)})" if parts else ""


def _unfinished(names: list[str]) -> str:
    """What is said of sets on which not all have run."""
    return f"Not finished, and not counted: {', '.join(names)}.\n\n" if names else ""


def _headline(rows: list[dict]) -> str:
    """Mean ranks of ours among all contestants, and without the slow ones."""
    titles = [MEASURES[measure] for measure in ("log_loss", "brier", "error")]
    ranks = [
        f"{row['mean ranks']}: " + ", ".join(f"{title.lower()} {row[title]:.2f}" for title in titles)
        for row in rows
        if row["contestant"] == OURS
    ]
    return f"Mean ranks of {OURS}: {'; '.join(ranks)} (all ranks below)."


def _section(means: Means, sets: list[str], measure: str) -> str:
    """One measure of all sets; the best in bold, and how often ours beats each rival."""
    rows = []
    for name in sets:
        values = {model: means[name, model][measure] for model in CONTESTANTS if (name, model) in means}
        best = min(values.values())
        cells = {model: f"**{v:.4g}**" if v == best else f"{v:.4g}" for model, v in values.items()}
        rows.append({"data": name} | {model: cells.get(model, "–") for model in CONTESTANTS})
    rows.append({"data": f"{OURS} better / worse"} | _duels(means, sets, measure))
    return f"## {MEASURES[measure]}\n\n" + markdown_table(rows, list(rows[0]))


def _duels(means: Means, sets: list[str], measure: str) -> dict[str, str]:
    duels = {OURS: ""}
    for rival in (name for name in CONTESTANTS if name != OURS):
        gaps = [
            means[name, rival][measure] - means[name, OURS][measure]
            for name in sets
            if (name, rival) in means
        ]
        duels[rival] = f"{sum(gap > 0 for gap in gaps)} / {sum(gap < 0 for gap in gaps)}"
    return duels
