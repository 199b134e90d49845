"""``kernelproba report``: probabilities of any origin and the labels that came true → a report."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.options import Data, Json, Quiet, Target, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelproba.tables.files.table_file import Layout

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba report predictions.csv --target outcome",
    "kernelproba report scores.csv -t churned --probability p_churn -o report.html",
    "kernelproba report new.csv -t outcome --against old.csv -o report.html",
)

_Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Report to write: .html, .md or .json.")
]
_Probability = Annotated[
    str | None,
    typer.Option(
        "--probability",
        "-p",
        metavar="COLUMN",
        help="Of two classes, the column with the probability of the second (by the alphabet).",
    ),
]
_Against = Annotated[
    Path | None,
    typer.Option("--against", metavar="DATA", help="Other probabilities of the same rows, in their order."),
]


@with_groups("layout")
def report(
    data: Data,
    target: Target,
    output: _Output = Path("report.html"),
    probability: _Probability = None,
    against: _Against = None,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Report on probabilities that any model has stated.

    The table has a column of labels and, for each class, one of probabilities: named as the class, or
    probability_CLASS as 'kernelproba predict' names them. Its other columns serve to find where errors are.
    """
    from kernelproba.cli.evaluation import check_report, show_evaluation
    from kernelproba.cli.opponent import stated_opponent
    from kernelproba.cli.stated_probabilities import read_stated
    from kernelproba.report.about import About
    from kernelproba.report.render import write_report
    from kernelproba.report.summary import summarise_predictions

    terminal = Terminal(as_json=as_json, quiet=quiet)
    check_report(output, data, *([against] if against else []))
    start = time.perf_counter()
    with terminal.warnings_as_notes(), terminal.working(f"writing {output.name}"):
        stated = read_stated(data, layout, target, probability)
        others = {}
        if against is not None:
            others = stated_opponent(against, read_stated(against, layout, target, probability), stated)
        rows = "Rows are numbered from 1 as in the file, without the header."
        about = About(
            target, ["kernelproba", *sys.argv[1:]], row_numbers=rows, against=others, source=data.name
        )
        summary = summarise_predictions(stated.y, stated.P, stated.X, classes=stated.classes, about=about)
        write_report(summary, output)
    told = ("scores", "baseline", "classes", "against", "sets", "novelty", "findings")
    facts = {key: value for key, value in summary.items() if key in told} | {
        "rows": len(stated.y),
        "seconds": round(time.perf_counter() - start, 3),
        "report": str(output),
    }
    terminal.notes(summary["findings"])
    terminal.result(facts, lambda screen: show_evaluation(screen, facts, counted="in these rows"))
