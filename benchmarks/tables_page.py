"""The page of `python -m benchmarks.tables`: what was claimed, what was measured, every problem and every loss."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.measure import machine, write
from benchmarks.rivals import TUNED
from benchmarks.rivals_contest import (
    Contest,
    Runs,
    complete_splits,
    means_over_splits,
    unfinished,
)
from benchmarks.rivals_record import RunRecord
from benchmarks.tables_data import FEWEST_SPLITS, TEST_ROWS, TESTED_ROWS, TRAINING_ROWS, TRAINING_SHARE
from benchmarks.tables_rivals import CATBOOST, CONTESTANTS, OURS, SETTINGS
from kernelproba.report.table import markdown_table

MEASURES = {
    "log_loss": "Log loss",
    "brier": "Brier score",
    "error": "Error",
    "ece": "Calibration error",
    "cpu s": "Processor seconds of fit and prediction",
}
#: Bounds that the self-tuning classifiers are to keep.
RANK, RATIO, OF_TUNED, OF_CATBOOST = 1.8, 1.1, 1.0, 0.25
#: A promise is kept if it differs by at most SLACK + SHARE × log loss of the test rows.
SLACK, SHARE = 0.02, 0.1
#: Standard errors of a gap between promise and log loss that chance explains.
ERRORS = 2

#: What must be known of the published times.
TIMES = (
    "Time is processor time of one thread. The published runs were made on a loaded machine on which ours had priority over "
    "the rivals: contention inflates processor time, so that the ratios of times flatter us, by a factor of up to about 1.5."
)


def write_page(record: RunRecord) -> Path | str:
    """Write docs/results/tables.md and tables.json from the finished runs; return the path, or why there is none."""
    if not set.intersection(*(set(record.runs(model)) for model in CONTESTANTS)):
        return "no page yet: no problem that all contestants have run"
    return write("tables", *tables_page(record), machine())


def tables_contest(record: RunRecord) -> tuple[Contest, Runs, dict[str, list[int]]]:
    """What all contestants have run, the runs, and the splits of each problem."""
    runs = {model: record.runs(model) for model in CONTESTANTS}
    splits = complete_splits(runs, list(CONTESTANTS))
    means = means_over_splits(runs, splits, MEASURES)
    return Contest(means, list(splits), list(CONTESTANTS), OURS, MEASURES), runs, splits


def tables_page(record: RunRecord) -> tuple[str, str, list[dict]]:
    """Title, text, and one row for each problem."""
    contest, runs, splits = tables_contest(record)
    rows = problem_rows(contest, runs, splits)
    parts = [
        markdown_table(claims(contest, rows), ["claim", "measured", "kept"]),
        losses(rows),
        unfinished(runs, splits) + _protocol(splits),
        "## Mean ranks, 1 is best\n\n" + _shown(rank_rows(contest, runs)),
        "## Time\n\n" + _shown(time_rows(contest)),
        *map(contest.section, MEASURES),
        "## Problem by problem\n\n" + _legend(),
    ]
    return "Tables as they come", "\n\n".join(parts), rows


def problem_rows(contest: Contest, runs: Runs, splits: dict[str, list[int]]) -> list[dict]:
    """One row for each problem: ours, the best rival, the promise."""
    rows = []
    for name, numbers in splits.items():
        facts = runs[OURS][name, numbers[0]]
        values = {model: contest.means[name, model]["log_loss"] for model in contest.models}
        best = min(contest.rivals, key=values.__getitem__)
        ours = [run for (data, _), run in runs[OURS].items() if data == name]
        promise, found = (float(np.mean([run[key] for run in ours])) for key in ("promise", "log_loss"))
        rows.append(
            {"data": name, "kind": "mixed" if facts["mixed"] else "numeric"}
            | {"training rows": facts["rows"], "classes": facts["classes"]}
            | {"log loss": values[OURS], "best rival": best, "its log loss": values[best]}
            | {
                "ratio": values[OURS] / values[best],
                "rank": 1 + sum(v < values[OURS] for v in values.values()),
            }
            | {"own splits": len(ours), "promise": promise, "their log loss": found}
            | {"s.e. of the gap": gap_error(ours), "kept": "yes" if kept(promise, found) else "no"}
        )
    return rows


def kept(promise: float, log_loss: float) -> bool:
    """Whether leave-one-out said what the test rows say."""
    return abs(promise - log_loss) <= SLACK + SHARE * log_loss


def gap_error(runs: Sequence[dict]) -> float:
    """Standard error of promise minus log loss, the mean of splits, as if these had no rows in common."""
    variances = [run["promise se"] ** 2 + run["log_loss se"] ** 2 for run in runs]
    return float(np.sqrt(np.sum(variances)) / len(variances))


def is_beyond_chance(row: dict) -> bool:
    """Whether a promise is not kept by more than chance explains."""
    return (
        row["kept"] == "no" and abs(row["promise"] - row["their log loss"]) > ERRORS * row["s.e. of the gap"]
    )


def rank_rows(contest: Contest, runs: Runs) -> list[dict]:
    """Mean ranks on all problems, and on mixed and on numeric ones alone."""
    mixed = {name: run["mixed"] for (name, _), run in runs[OURS].items()}
    groups = {
        "all": contest.sets,
        "mixed": [name for name in contest.sets if mixed[name]],
        "numeric": [name for name in contest.sets if not mixed[name]],
    }
    return [
        {"problems": f"{kind} ({len(sets)})"} | {key: row[key] for key in row if key != "mean ranks"}
        for kind, sets in groups.items()
        if sets
        for row in contest.rank_rows(sets, contest.models)
    ]


def time_rows(contest: Contest) -> list[dict]:
    """Total seconds of all problems, and their ratios to two rivals."""
    totals = {model: contest.total(model, "cpu s") for model in contest.models}
    return [
        {"contestant": model, "processor s, all problems once": total}
        | {f"/ {rival}": total / totals[rival] for rival in (TUNED, CATBOOST)}
        for model, total in totals.items()
    ]


def claims(contest: Contest, rows: list[dict]) -> list[dict]:
    """What the self-tuning classifiers are to show, and whether they do."""
    ranks = contest.rank_rows(contest.sets, contest.models)
    lost = [row for row in rows if row["ratio"] > RATIO]
    broken = [row["data"] for row in rows if row["kept"] == "no"]
    surely = [row["data"] for row in rows if is_beyond_chance(row)]
    worst = max(rows, key=lambda row: row["ratio"])
    return [
        _rank_claim(ranks, "log_loss", RANK),
        *(_rank_claim(ranks, measure) for measure in ("brier", "error", "ece")),
        _claim(
            f"log loss at most {RATIO:.2f} times that of the best rival, on every problem",
            f"on {len(rows) - len(lost)} of {len(rows)}; worst {worst['ratio']:.3f} ({worst['data']})",
            not lost,
        ),
        _claim(
            f"`loo_scores_` within {SLACK} + {SHARE:.0%} of the test log loss, on every problem",
            f"on {len(rows) - len(broken)} of {len(rows)}" + (f"; not {', '.join(broken)}" if broken else ""),
            not broken,
        ),
        _claim(
            f"the same, or within {ERRORS} standard errors, on every problem",
            f"on {len(rows) - len(surely)} of {len(rows)}" + (f"; not {', '.join(surely)}" if surely else ""),
            not surely,
        ),
        _time_claim(contest, TUNED, OF_TUNED),
        _time_claim(contest, CATBOOST, OF_CATBOOST),
    ]


def _rank_claim(ranks: list[dict], measure: str, bound: float | None = None) -> dict:
    """First by a measure, or with a mean rank of at most a bound."""
    title = MEASURES[measure]
    values = {row["contestant"]: row[title] for row in ranks}
    rival = min((model for model in values if model != OURS), key=values.__getitem__)
    what = "least of all" if bound is None else f"at most {bound} of {len(values)}"
    return _claim(
        f"mean rank by {title.lower()} {what}",
        f"{values[OURS]:.2f}; best rival {values[rival]:.2f} ({rival})",
        values[OURS] < values[rival] if bound is None else values[OURS] <= bound,
    )


def _time_claim(contest: Contest, rival: str, bound: float) -> dict:
    ratio = contest.total(OURS, "cpu s") / contest.total(rival, "cpu s")
    return _claim(f"total time at most {bound:g} times that of {rival}", f"{ratio:.2f}", ratio <= bound)


def _claim(claim: str, measured: str, holds: bool) -> dict:
    return {"claim": claim, "measured": measured, "kept": "yes" if holds else "**no**"}


def losses(rows: list[dict]) -> str:
    """Every problem on which a rival has less log loss, the worst first."""
    lost = sorted((row for row in rows if row["ratio"] > 1), key=lambda row: -row["ratio"])
    named = [f"{row['data']} {row['ratio']:.3f} ({row['best rival']})" for row in lost]
    return (
        f"{OURS} has the least log loss on {len(rows) - len(lost)} of {len(rows)} problems. Where a rival has less, "
        f"ours as a multiple of the best rival's: {'; '.join(named) or 'nowhere'}. The worst of these against the same rival on "
        "further splits: [tables_rematch](tables_rematch.md)."
    )


def _protocol(splits: dict[str, list[int]]) -> str:
    return (
        f"{len(splits)} problems: mixed tables, and the numeric sets of [selftuning_rivals](selftuning_rivals.md). Means of "
        f"stratified random splits, more of small tables so that {TESTED_ROWS} rows are tested: {counted_splits(splits)}; {TRAINING_SHARE:.0%} of the rows for training but at most "
        f"{TRAINING_ROWS}, at most {TEST_ROWS} test rows, the same for all. {OURS} was designed on these problems, which favours it "
        "here; the rivals' settings were chosen on other splits of some of them.\n\n"
        f"{SETTINGS}\n\n{TIMES}\n\nRegenerate: `python -m benchmarks.tables`."
    )


def counted_splits(splits: dict[str, list[int]]) -> str:
    """How many splits of which problems."""
    counts = sorted({len(numbers) for numbers in splits.values()} - {FEWEST_SPLITS}, reverse=True)
    named = [f"{n} of {', '.join(name for name in splits if len(splits[name]) == n)}" for n in counts]
    return "; ".join([*named, f"{FEWEST_SPLITS} of the others"])


def _legend() -> str:
    return (
        f'Ratio: log loss of {OURS} to that of the best rival. Promise: `loo_scores_["log_loss"]`, the mean of all splits that {OURS} has run, '
        f"more of small problems than the rivals have; kept if it differs from the log loss of their test rows by at most {SLACK} + {SHARE:.0%}. The standard error of the gap is that of both means "
        "over rows, divided by the root of the number of splits as if these had no rows in common, which makes it rather too small."
    )


def _shown(rows: list[dict]) -> str:
    cells = [{k: f"{v:.3g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows]
    return markdown_table(cells, list(rows[0]))
