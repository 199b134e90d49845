"""docs/results/papers.md: the papers' printed figures and ours in one table, from the JSON of every paper's page.

python -m benchmarks.papers_table
"""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.measure import RESULTS
from kernelproba.report.table import markdown_table

COLUMNS = ["paper", "data", "method", "figure", "paper's", "ours", "protocol"]
HEAD = """# The papers' figures and ours

± is one standard error. Each line is taken from the JSON of the paper's page, which says more; made by
`python -m benchmarks.papers_table` after `kernelproba papers all -o docs/results`. What the figures mean:
[README.md](README.md).
"""
STAND_IN = "COIL-20 stands in for the MPI chairs, which are not public: other objects, 9 views per class for training"
OWN_GENES = "genes chosen on training rows alone; the paper does not say"
SPLITS = "50 splits as in the paper, stratified; grids are ours"
DRAWS = "five draws; mnist has all 784 pixels, the paper 717"


def lines() -> list[dict[str, str]]:
    """All rows of the table whose papers have been run."""
    return [
        {"paper": f"[{name}]({name}.md)"} | dict(zip(COLUMNS[1:], cells, strict=True))
        for name, rows in PAPERS.items()
        if (RESULTS / f"{name}.json").exists()
        for cells in rows(_tables(name))
    ]


def _tables(name: str) -> list[list[dict[str, Any]]]:
    document = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf8"))
    return [table["rows"] for table in document["tables"]]


def _roth2001(tables) -> Iterator[tuple]:
    for row in tables[0]:
        chairs = str(row["data"]).startswith("coil20")
        protocol = STAND_IN if chairs else "official split; settings by folds of speakers"
        yield row["data"], row["method"], "error %", row["paper's %"], _text(row["error %"]), protocol


def _shim2007(tables) -> Iterator[tuple]:
    for row in tables[0]:
        genes = row["set"] in ("leukemia", "lymphoma", "brain")
        method = f"{row['method']}, by {row['tuned by']}"
        protocol = f"{SPLITS}; {OWN_GENES}" if genes else SPLITS
        yield row["set"], method, "error %", row["paper's"], _text(row["error %"]), protocol
        yield row["set"], method, "kernels", row["paper's kernels"], _text(row["kernels"]), "as above"


def _sugiyama2010(tables) -> Iterator[tuple]:
    _, errors, times, _, by_classes = tables
    last = max(row["n"] for row in errors)
    for row in (row for row in errors if row["n"] == last):
        ours = ", ".join(f"{method} {_text(row[method])}" for method in ("LSPC", "LSPC(full)", "KLR"))
        yield row["set"], "all three", f"error %, n = {last}", "LSPC ≈ LSPC(full) ≈ KLR", ours, DRAWS
    for row in (row for row in times if row["n"] == last):
        ours = f"{row['plain KLR / LSPC']:.0f} by plain L-BFGS, {row['KLR / LSPC']:.1f} by our solver"
        yield row["set"], "KLR / LSPC", f"time to fit, n = {last}", row["paper's KLR / LSPC"], ours, DRAWS
    for name in dict.fromkeys(row["set"] for row in by_classes):
        own = {row["c"]: 1e3 * row["LSPC"] for row in by_classes if row["set"] == name}
        ours = ", ".join(f"{c}: {ms:.0f} ms" for c, ms in own.items())
        n = by_classes[0]["n"]
        yield name, "LSPC", f"time by classes, n = {n}", "falls with c", ours, "times of one draw"


def _meinicke2002(tables) -> Iterator[tuple]:
    for row in tables[0]:
        protocol = f"{row['partitions']} partitions, {row['protocol']}; not all are the published ones"
        ours = _text(row["accuracy %"])
        yield row["set"], row["method"], "accuracy %", row["paper's"], ours, protocol
        yield row["set"], row["method"], "non-zero %", row["paper's non-zero"], row["non-zero %"], "as above"


def _corona2016(tables) -> Iterator[tuple]:
    for row in tables[0]:
        if row["Newton steps"] is not None:
            ours = f"error {_text(row['error %'])} %, {row['Newton steps']} Newton steps"
            yield (
                row["problem"],
                row["basis functions"],
                "error, steps",
                "figures only",
                ours,
                "a mixture of ours",
            )


PAPERS = {
    "roth2001": _roth2001,
    "shim2007": _shim2007,
    "sugiyama2010": _sugiyama2010,
    "corona2016": _corona2016,
    "meinicke2002": _meinicke2002,
}


def _text(value: Any) -> str:
    """An estimate with its standard error, if it has one."""
    if not isinstance(value, dict):
        return str(value)
    error = "" if value["error"] is None else f" ± {value['error']:.2f}"
    return f"{value['mean']:.2f}{error}"


def page() -> str:
    return f"{HEAD}\n{markdown_table(lines(), COLUMNS)}\n"


if __name__ == "__main__":
    (RESULTS / "papers.md").write_text(page(), encoding="utf8")
    print(RESULTS / "papers.md")
