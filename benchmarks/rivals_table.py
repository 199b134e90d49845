"""The page of `python -m benchmarks.selftuning rivals`: every set with wins and losses, then mean ranks."""

import numpy as np

from benchmarks.measure import machine, write
from benchmarks.rivals import CONTESTANTS, OURS, SLOW, TUNED
from benchmarks.rivals_contest import (
    Contest,
    Runs,
    complete_splits,
    fewer_splits,
    means_over_splits,
    unfinished,
)
from benchmarks.rivals_runs import RECORD, SLOW_SIZE, SPLITS, TRAINING_ROWS

MEASURES = {
    "log_loss": "Log loss",
    "brier": "Brier score",
    "error": "Error",
    "ece": "Calibration error",
    "cpu s": "Processor seconds of the fit",
}


def write_rivals_table() -> None:
    """Write docs/results/selftuning_rivals from the finished runs."""
    print(write("selftuning_rivals", *rivals_page(), machine()))


def contest_of_all() -> Contest:
    """Means over the splits that all have run but for the slow ones."""
    runs, splits = _finished()
    return Contest(means_over_splits(runs, splits, MEASURES), list(splits), list(CONTESTANTS), OURS, MEASURES)


def rivals_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page: means over splits, rank within each set, mean over sets."""
    runs, splits = _finished()
    contest = contest_of_all()
    shared = [name for name in splits if all((name, model) in contest.means for model in SLOW)]
    rows = contest.rank_rows(shared, contest.models) + contest.rank_rows(contest.sets, _quick())
    text = f"{_headline(rows)}\n\n{unfinished(runs, splits)}{_text(contest, splits)}"
    return "Nothing to tune, against today's practice", text, rows


def _quick() -> list[str]:
    return [name for name in CONTESTANTS if name not in SLOW]


def _finished() -> tuple[Runs, dict[str, list[int]]]:
    runs = {model: RECORD.runs(model) for model in CONTESTANTS}
    return runs, complete_splits(runs, _quick())


def _text(contest: Contest, splits: dict[str, list[int]]) -> str:
    means, sets = contest.means, contest.sets
    ratios = [means[name, OURS]["cpu s"] / means[name, TUNED]["cpu s"] for name in sets]
    missing = [name for name in sets if any((name, model) not in means for model in SLOW)]
    intro = (
        f"Means of {SPLITS} random splits into halves{fewer_splits(splits, SPLITS)}, at most {TRAINING_ROWS} training rows, on all sets of "
        f"scikit-learn and of `kernelproba.datasets` ({len(sets)}). Rivals are `benchmarks/rivals.py`: "
        "scikit-learn's defaults on scaled features, and an SVC tuned on a 3 × 4 grid of C and gamma and calibrated. "
        f"The Gaussian process was run up to {SLOW_SIZE} rows × classes, so not on {', '.join(missing) or 'none'}: "
        "ranks are given among all contestants where all ran, and without it on all sets.\n\n"
        f"Time is processor time of one thread. {OURS} / {TUNED}: median {np.median(ratios):.2f}, from "
        f"{min(ratios):.2f} to {max(ratios):.2f}, at most ½ on {sum(r <= 0.5 for r in ratios)} of {len(sets)} sets; of "
        f"all sets together {contest.total(OURS, 'cpu s') / contest.total(TUNED, 'cpu s'):.2f}.\n\n"
        f"The search of {OURS} was designed on these sets (docs/adr/0008-nothing-to-tune.md), which favours it here; "
        "the rivals are as they come.\n\nRegenerate: `python -m benchmarks.selftuning rivals`."
    )
    return "\n\n".join([intro, *map(contest.section, MEASURES), "## Mean ranks, 1 is best"])


def _headline(rows: list[dict]) -> str:
    """Mean ranks of ours among all contestants, and without the slow ones."""
    titles = [MEASURES[measure] for measure in ("log_loss", "brier", "error")]
    ranks = [
        f"{row['mean ranks']}: " + ", ".join(f"{title.lower()} {row[title]:.2f}" for title in titles)
        for row in rows
        if row["contestant"] == OURS
    ]
    return f"Mean ranks of {OURS}: {'; '.join(ranks)} (all ranks below)."
