"""Write lines of results into the README and the guide, from the records in docs/results.

python -m benchmarks.readme
"""

import json
import re
from pathlib import Path
from statistics import median

from benchmarks.measure import RESULTS
from benchmarks.rivals import OURS, TUNED
from benchmarks.rivals_table import contest_of_all
from benchmarks.tables_page import MEASURES, tables_contest
from benchmarks.tables_rivals import CATBOOST
from benchmarks.tables_runs import RECORD as tables_record

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
#: Pages that say what a fit costs, and where they find the results.
COST_PAGES = {
    README: "docs/results",
    ROOT / "docs/start/leaving-svc.md": "../results",
    ROOT / "docs/guide/which.md": "../results",
}
#: The page that says what a search costs.
TUNING = ROOT / "docs/guide/tuning.md"
LINE = 116


def rows(name: str) -> list[dict]:
    """The rows of a result."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf8"))["rows"]


def highlights() -> str:
    """The strongest results, a line each, with links to the pages that say more."""
    lines = [tables(), untuned(), official(), million(), stream()]
    return "\n".join(_wrapped(line) for line in lines)


def untuned() -> str:
    """Wins of the self-tuning classifier over today's practice."""
    contest = contest_of_all()
    wins = {rival: duel.split(" /")[0] for rival, duel in contest.duels("log_loss").items()}
    share = contest.total(OURS, "cpu s") / contest.total(TUNED, "cpu s")
    return (
        f"**Nothing tuned**: on {len(contest.sets)} data sets `KernelLogisticRegressionCV()` has a lower log loss than a tuned, calibrated "
        f"SVC on {wins[TUNED]}, boosting on {wins['boosting']}, random forests on {wins['random forest']} and logistic regression on "
        f"{wins['logistic']}, in {share:.0%} of that SVC's time ([more](docs/results/selftuning_rivals.md)); its search was designed on these sets."
    )


def official() -> str:
    """Log losses of pairs and of the calibrated SVC on official splits."""
    table = {(row["data"], row["model"]): row for row in rows("logistic_official")}
    sets = list(dict.fromkeys(data for data, _ in table))
    ours, svc = (
        ", ".join(f"{table[data, model]['log loss']:.2f}".lstrip("0") for data in sets)
        for model in ("KLR pairwise", "SVC calibrated")
    )
    shares = [table[data, "KLR pairwise"]["fit / calibrated"] for data in sets]
    return (
        f"**Official splits** of {', '.join(sets)}: log loss {ours} by pairs, {svc} by a calibrated SVC, in "
        f"{min(shares):.0%} to {max(shares):.0%} of its time ([more](docs/results/logistic_official.md))."
    )


def tables() -> str:
    """Mean ranks of the self-tuning classifier among today's best practice."""
    contest, _, _ = tables_contest(tables_record)
    ranks = {row["contestant"]: row for row in contest.rank_rows(contest.sets, contest.models)}
    mine = [ranks[contest.ours][MEASURES[m]] for m in ("log_loss", "brier", "error", "ece")]
    theirs = [ranks[CATBOOST][MEASURES[m]] for m in ("log_loss", "brier", "error", "ece")]
    return (
        f"**Tables as they come**: on {len(contest.sets)} tables and data sets mean ranks {_listed(mine)} of {len(contest.models)} in log loss, "
        f"Brier score, error and calibration error; CatBoost has {_listed(theirs)} ([more](docs/results/tables.md)); "
        "our search was designed on these."
    )


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def million() -> str:
    """Seconds for a million rows."""
    two = next(row for row in reversed(rows("large_newton")) if row["solver"] == "kernelproba")
    five = rows("large_scale")[-1]
    return (
        f"**A million rows** with 1000 centres: {two['seconds']:.0f} s for two classes, {five['seconds']:.0f} s for five "
        "within 2 GB, on two cores ([more](docs/results/large_newton.md), [more](docs/results/large_scale.md))."
    )


def stream() -> str:
    """A stream through the least-squares classifier."""
    record = json.loads((RESULTS / "least_squares.json").read_text(encoding="utf8"))["stream"]["rows"][-1]
    return (
        f"**A stream** of {record['rows']:,} rows through the least-squares classifier: exact, {record['seconds']:.0f} s, "
        f"{record['memory above start, MB']:.0f} MB ([more](docs/results/least_squares.md))."
    )


def fit_costs(results: str) -> str:
    """What a fit costs beside a bare SVC, with a link to the page in this folder."""
    spans = []
    for model in ("softmax", "pairs"):
        ratios = [row["fit / SVC"] for row in rows("limit_fits") if row["model"] == model]
        spans.append(f"{_ratio(min(ratios))} to {_ratio(max(ratios))}")
    return _wrapped(
        f"Fits by softmax take {spans[0]} times a bare `SVC` without probabilities, by pairs {spans[1]} times "
        f"([limit_fits]({results}/limit_fits.md))."
    )


def search_costs() -> str:
    """What a search costs beside a single fit."""
    spans = []
    for search in ("search", "rbf alone"):
        ratios = [row[f"{search} / fit"] for row in rows("selftuning_cost")]
        spans.append(f"{min(ratios):.0f} to {max(ratios):.0f} times ({median(ratios):.0f} in the median)")
    return _wrapped(
        f"On 200 to 5000 rows the whole search takes {spans[0]} as long as a single fit of the kernel that is chosen, with "
        f'`kernel="rbf"` {spans[1]}; the largest factors are those of fits that take some milliseconds '
        "([selftuning_cost](../results/selftuning_cost.md))."
    )


def _ratio(value: float) -> str:
    return f"{value:.1f}".removeprefix("0")


def _wrapped(line: str) -> str:
    """A list item of lines that are not too long; links stay whole."""
    words, lines = re.findall(r"\(?\[[^\]]*\]\([^)]*\)[^ ]*|\S+", line), ["-"]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > LINE:
            lines.append(" ")
        lines[-1] += f" {word}"
    return "\n".join(lines)


def fill(text: str, name: str, content: str) -> str:
    """The text with this content between the marks of that name."""
    start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
    marked = re.compile(f"{start}.*?{end}", flags=re.DOTALL)
    return marked.sub(lambda _: f"{start}\n{content}\n{end}", text)


def main() -> None:
    text = README.read_text(encoding="utf8")
    README.write_text(fill(text, "results", highlights()), encoding="utf8")
    for page, results in COST_PAGES.items():
        text = page.read_text(encoding="utf8")
        page.write_text(fill(text, "costs", fit_costs(results)), encoding="utf8")
    text = TUNING.read_text(encoding="utf8")
    TUNING.write_text(fill(text, "search", search_costs()), encoding="utf8")


if __name__ == "__main__":
    main()
