"""Tables as people have them, and numeric sets: the self-tuning classifiers against today's best practice.

    python -m benchmarks.tables                            run what has not been run, then write docs/results/tables.md
    python -m benchmarks.tables --only CatBoost logistic   run these contestants alone
    python -m benchmarks.tables --tables pbc star          run on these problems alone
    python -m benchmarks.tables --redo kernelproba         forget its runs (on the problems of --tables), run it again
    python -m benchmarks.tables --page                     run nothing, write the page

KERNELPROBA_DATA names the directory of the data sets, with the tables in its folder ``tables``.  Finished runs are kept in
docs/results/tables_runs.
"""

import argparse
import warnings
from collections.abc import Sequence

from benchmarks.tables_data import Problem, problems
from benchmarks.tables_page import write_page
from benchmarks.tables_rivals import CONTESTANTS
from benchmarks.tables_runs import RECORD, run_missing


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, run and write."""
    options = _parser().parse_args(arguments)
    if not options.page:
        chosen = _chosen(problems(), options.tables)
        for model in options.redo:
            RECORD.forget(model, [problem.name for problem in chosen])
        run_missing(chosen, options.redo or options.only or CONTESTANTS)
    print(write_page(RECORD))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.tables")
    for option, text in {
        "--only": "run these alone",
        "--redo": "forget their runs and run these alone",
    }.items():
        parser.add_argument(
            option, nargs="+", default=[], choices=CONTESTANTS, metavar="CONTESTANT", help=text
        )
    parser.add_argument("--tables", nargs="+", default=[], metavar="NAME", help="run on these problems alone")
    parser.add_argument("--page", action="store_true", help="run nothing, write the page")
    return parser


def _chosen(found: list[Problem], names: list[str]) -> list[Problem]:
    missing = set(names) - {problem.name for problem in found}
    if missing:
        raise SystemExit(f"not here: {', '.join(sorted(missing))}")
    return [problem for problem in found if not names or problem.name in names]


if __name__ == "__main__":
    warnings.filterwarnings("ignore")  # rivals that do not converge, or fold a class of two rows
    main()
