"""The pages of `benchmarks.sizes`, from the runs on record."""

from itertools import pairwise
from pathlib import Path

from benchmarks.measure import RESULTS, machine, write
from benchmarks.sizes_runs import RECORD, SIZED
from benchmarks.tables_rivals import OURS

#: How runs on rows on disk are called on record.
ON_DISK = "kernelproba on disk"
PICTURE = "sizes_time.png"

Runs = dict[str, dict[tuple[str, int], dict]]


def finished() -> Runs:
    """Contestant → (table, rows) → run, without what was left out."""
    return {
        model: {key: run for key, run in RECORD.runs(model).items() if "log_loss" in run} for model in SIZED
    }


def sizes_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page of log loss against rows."""
    runs = finished()
    problems = sorted({key for found in runs.values() for key in found}, key=lambda key: (key[0], key[1]))
    rows = []
    for name, size in problems:
        cells = {model: _cell(found.get((name, size))) for model, found in runs.items()}
        least = next((found[name, size]["least"] for found in runs.values() if (name, size) in found), None)
        rows.append(
            {"table": name, "rows": size}
            | cells
            | {"true posterior": "" if least is None else f"{least:.4f}"}
        )
    return "Log loss against rows and time", _text(runs, problems), rows


def disk_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page of self-tuned fits of rows on disk."""
    rows = [
        {
            "table": name,
            "rows": size,
            "memory_limit": run["memory_limit"],
            "max_time": run["max_time"] or "",
            "peak memory, MB": int(run["MB"]),
            "above libraries, MB": int(run["MB above data"]),
            "threads": run.get("threads", 1),
            "seconds": run["seconds"],
            "processor s": run["cpu s"],
            "search s": run["tuning s"],
            "final fit s": run["final fit s"],
            "search / final fit": run["tuning s"] / run["final fit s"],
            "fits without folds s": run["folds s"],
            "steps": run["steps over all rows"],
            "rows/s": int(size / run["seconds"]),
            "log loss": run["log_loss"],
            "promised": run["promised"],
            "true posterior": run["least"],
            "centres": " + ".join(str(model["centers"]) for model in run["models"]),
            "stopped early": "yes" if run["stopped early"] else "no",
        }
        for (name, size), run in sorted(RECORD.runs(ON_DISK).items())
    ]
    text = (
        "`KernelLogisticRegressionCV(random_state=0, memory_limit=…)` on a folder of Parquet files: two classes (*waves*) or five drawn from a known posterior, 20 "
        "features, everything left to the search. *Peak memory* is the resident size of the whole process; *above libraries* what "
        "it grew by during the fit. *Search* is all candidates, on samples; *final fit* that of all rows by every model of the pool, and *fits "
        "without folds* those by which all rows are judged; *steps* count the passes of both, on samples and on all rows. *Seconds* and *rows/s* are by the clock, the parts in processor time, on a machine that did other work.\n\n"
        "Regenerate: `python -m benchmarks.sizes --parquet ROWS [--classes 2]`."
    )
    return "Self-tuned fits of rows on disk", text, rows


def write_pages() -> None:
    """Write what there is."""
    runs = finished()
    if any(runs.values()):
        draw(runs, RESULTS / PICTURE)
        write("sizes", *sizes_page(), machine())
    if RECORD.runs(ON_DISK):
        write("sizes_disk", *disk_page(), machine())


def _cell(run: dict | None) -> str:
    return "" if run is None else f"{run['log_loss']:.4f} ({run['cpu s']:.3g} s, {run['MB']:.0f} MB)"


def _text(runs: Runs, problems: list[tuple[str, int]]) -> str:
    whole = [key for key in problems if all(key in found for found in runs.values())]
    compared = [
        key for key in problems if key in runs[OURS] and sum(key in found for found in runs.values()) > 1
    ]
    best = [key for key in compared if runs[OURS][key]["log_loss"] <= _least_loss(runs, key)]
    within = [key for key in compared if runs[OURS][key]["log_loss"] <= 1.03 * _least_loss(runs, key)]
    trees = [key for key in compared if key in runs["HistGradientBoosting"]]
    ratios = sorted(runs[OURS][key]["cpu s"] / runs["HistGradientBoosting"][key]["cpu s"] for key in trees)
    grown = [
        f"{name} {runs[OURS][name, small]['log_loss']:.4f} → {runs[OURS][name, large]['log_loss']:.4f}"
        for (name, small), (other, large) in pairwise(compared)
        if name == other
    ]
    cells = "Each cell: log loss of rows held out (processor time of the fit, peak memory of the process, data and libraries included)."
    return (
        f"{cells} One thread, one run each; the machine did other work, so times are rough, and those of ours were made with several successive commits. A run that has not been made leaves its cell empty: "
        f"{sum(map(len, runs.values()))} runs, {len(whole)} of {len(problems)} lines complete.\n\n"
        f"- Lowest log loss of those that ran on {len(best)} of {len(compared)} lines; within 3 % of the lowest on {len(within)}.\n"
        f"- Processor time relative to HistGradientBoosting: from {ratios[0]:.1f} to {ratios[-1]:.0f} times, {ratios[len(ratios) // 2]:.0f} in the median.\n"
        f"- Our own model with more rows: {'; '.join(grown) or 'not yet run'}.\n\n"
        f"Ours is `KernelLogisticRegressionCV(random_state=0)`, in `TableClassifier` for mixed tables (*diamonds*: quality of the cut; *flights*: "
        "more than 15 minutes late, by the timetable alone). Boosting as in [tables](tables.md); *logistic* with C = 1; *Nystroem* with 1000 "
        "landmarks, gamma and C by a fifth of at most 20,000 rows. *waves* and *five_waves* are drawn from a known posterior, whose own log "
        f"loss is in the last column.\n\n![Log loss against processor time]({PICTURE})\n\nRegenerate: `python -m benchmarks.sizes`, which runs what is missing."
    )


def _least_loss(runs: Runs, key: tuple[str, int]) -> float:
    return min(found[key]["log_loss"] for found in runs.values() if key in found)


def draw(runs: Runs, path: Path) -> None:
    """A panel for each table: log loss against processor time, a line for each contestant, a point for each size."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    names = sorted({name for found in runs.values() for name, _ in found})
    figure, axes = plt.subplots(
        1, len(names), figsize=(3.1 * len(names), 3.2), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes[0], names, strict=True):
        for number, (model, found) in enumerate(runs.items()):
            points = sorted(
                (size, run["cpu s"], run["log_loss"]) for (other, size), run in found.items() if other == name
            )
            if points:
                _, seconds, losses = zip(*points, strict=True)
                ours = model == OURS
                axis.plot(
                    seconds,
                    losses,
                    "o-",
                    color=f"C{number}",  # the same in panels in which others are missing
                    label=model,
                    lw=2.2 if ours else 1.2,
                    ms=6 if ours else 4,
                    zorder=3 if ours else 2,
                )
        least = next(
            (run["least"] for found in runs.values() for (other, _), run in found.items() if other == name),
            None,
        )
        if least is not None:
            axis.axhline(least, color="0.5", ls=":", lw=1)
        axis.set(xscale="log", title=name, xlabel="processor seconds of the fit")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.25)
    axes[0, 0].set_ylabel("log loss of rows held out")
    handles = {
        text: line for axis in axes[0] for line, text in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=6, frameon=False, fontsize=9
    )
    figure.savefig(path, dpi=110)
    plt.close(figure)
