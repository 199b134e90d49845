"""The command line of the matrix: what is measured, within which bounds, and where it goes."""

import argparse
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from ..measure import RESULTS, machine
from .field import everyone
from .growth import SHAPES, TRIAL_SHAPES, Shape, measure_growth, name_of
from .page import write_page
from .problems import Problem, problems, trial_problems
from .record import Record
from .run import Bounds, measure

BOUNDS = {False: Bounds(40.0, 5.0, 1), True: Bounds(5.0, 1.0, 1)}
#: Of a point of growth.
GROWTH_BOUNDS = {False: Bounds(10.0, 2.0, 1), True: Bounds(2.0, 0.5, 1)}
GROWTH_ROUNDS = {False: 3, True: 1}


def main(arguments: list[str] | None = None) -> None:
    options = _options(arguments)
    folder: Path = options.folder or _folder(options.quick)
    if options.what == "run":
        folder.mkdir(parents=True, exist_ok=True)
        try:
            run_all(folder, options.quick)
        except KeyboardInterrupt:
            print(
                "stopped; what was measured is kept, and the same command goes on from there", file=sys.stderr
            )
            raise SystemExit(130) from None
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
    chosen, shapes = (trial_problems(), TRIAL_SHAPES) if quick else (problems(), SHAPES)
    record = Record(unfinished, _facts(chosen, shapes, quick))
    record.save()
    field = everyone()
    # New processes for every problem cost two seconds each: a trial does without.
    for group in [chosen] if quick else [[problem] for problem in chosen]:
        measure(group, field, record, BOUNDS[quick])
    points = sorted({shape for axis in shapes.values() for shape in axis})
    measure_growth(points, field, record, GROWTH_BOUNDS[quick], GROWTH_ROUNDS[quick])
    record.save()
    unfinished.replace(folder / "matrix.json")


def _facts(chosen: list[Problem], shapes: dict[str, list[Shape]], quick: bool) -> dict:
    return {
        "command": "python -m benchmarks.matrix" + (" --quick" if quick else ""),
        "machine": machine() | {"blas_threads": BOUNDS[quick].threads},
        "bounds": asdict(BOUNDS[quick]),
        "growth bounds": asdict(GROWTH_BOUNDS[quick]) | {"rounds": GROWTH_ROUNDS[quick]},
        "problems": [problem.facts() for problem in chosen],
        "axes": {axis: [[*shape, name_of(shape)] for shape in line] for axis, line in shapes.items()},
        "contestants": [contestant.facts() for contestant in everyone()],
    }
