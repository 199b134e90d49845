"""The command line of the matrix: what is measured, within which bounds, and where it goes."""

import argparse
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.matrix import growth, problems
from benchmarks.matrix.field import everyone
from benchmarks.matrix.page import write_page
from benchmarks.matrix.problems import Problem
from benchmarks.matrix.record import Record
from benchmarks.matrix.run import measure
from benchmarks.measure import RESULTS, machine

THREADS = 1


def main(arguments: list[str] | None = None) -> None:
    options = _options(arguments)
    folder: Path = options.folder or _folder(options.quick)
    try:
        if options.what == "run":
            folder.mkdir(parents=True, exist_ok=True)
            run_all(folder, options.quick)
    except KeyboardInterrupt:
        print("stopped; what was measured is kept, and the same command goes on from there", file=sys.stderr)
        raise SystemExit(130) from None
    except OSError as error:  # data that are not here, a folder that cannot be written
        raise SystemExit(str(error)) from None
    print(write_page(folder))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.matrix", description="Problems × contestants.")
    parser.add_argument("what", nargs="?", choices=["run", "page"], default="run")
    parser.add_argument("--quick", action="store_true", help="a trial of less than a minute")
    parser.add_argument("--folder", type=Path, help="where results go; docs/results unless quick")
    return parser.parse_args(arguments)


def _folder(quick: bool) -> Path:
    return Path(tempfile.gettempdir()) / "kernelproba-matrix" if quick else RESULTS


def run_all(folder: Path, quick: bool) -> None:
    """Measure what an unfinished record lacks; a finished one takes the place of the last."""
    unfinished = folder / "matrix.unfinished.json"
    shapes = growth.TRIAL_SHAPES if quick else growth.SHAPES
    if quick:
        chosen = problems.trial_problems()
        points = growth.points(shapes, growth.TRIAL_ROUNDS, growth.TRIAL_BOUNDS)
    else:
        chosen, points = problems.problems(), growth.points(shapes, growth.ROUNDS, growth.BOUNDS)
    record = Record(unfinished, _facts(chosen, points, shapes, quick))
    record.save()
    # New processes for every problem keep its memory apart, but take most of the time of a trial.
    for group in [chosen + points] if quick else [*([problem] for problem in chosen), points]:
        measure(group, everyone(), record, THREADS)
    unfinished.replace(folder / "matrix.json")


def _facts(
    chosen: list[Problem], points: list[Problem], shapes: dict[str, list[growth.Shape]], quick: bool
) -> dict:
    return {
        "command": "python -m benchmarks.matrix" + (" --quick" if quick else ""),
        "machine": machine() | {"blas_threads": THREADS},
        "bounds": asdict(chosen[0].bounds) | {"threads": THREADS},
        "process for": "all problems" if quick else "each problem",
        "growth bounds": asdict(points[0].bounds) | {"rounds": points[0].rounds},
        "problems": [problem.facts() for problem in chosen],
        "axes": {axis: [[*shape, growth.name_of(shape)] for shape in line] for axis, line in shapes.items()},
        "contestants": [contestant.facts() for contestant in everyone()],
    }
