"""How deep a fit is: the frames of this package from `fit` to the formula that the method minimises.

    python -m benchmarks.frames

traces a small fit of every classifier and writes the table in docs/architecture.md.  Decorators and
comprehensions do not count; the longer paths lead through line searches.
"""

import re
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import kernelproba as kp
from kernelproba.report.table import markdown_table

PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"
PACKAGE = str(Path(kp.__file__).parent)
MARKS = "<!-- frames: start -->", "<!-- frames: end -->"


#: File and, as a regular expression, names of the functions that are the formula.
LOSS = "losses.py:value_and_gradient"
STACK = "solvers/smooth/stacked_subspaces.py:stacked_subspaces"
EQUATIONS = "solvers/least_squares/normal_equations.py:cholesky_factor|of|solve"
PROGRAMME = "solvers/lp/highs.py:solve|run"
EVIDENCE = "solvers/evidence/laplace.py:.*"
DENSITY = "solvers/loo/density.py:.*"


class Contestant(NamedTuple):
    """A classifier, the functions with the formula that it minimises, what that is, and rows to fit."""

    name: str
    model: Any
    functions: str
    formula: str
    n_rows: int = 60


CONTESTANTS = (
    Contestant("KernelLogisticRegression", kp.KernelLogisticRegression(), LOSS, "loss"),
    Contestant("…, pairwise", kp.KernelLogisticRegression(multi_class="pairwise"), STACK, "loss of a stack"),
    Contestant("…, 20 centres", kp.KernelLogisticRegression(n_centers=20), LOSS, "loss"),
    Contestant("KernelLogisticRegressionCV", kp.KernelLogisticRegressionCV(), LOSS, "loss"),
    Contestant("…, 600 rows", kp.KernelLogisticRegressionCV(), LOSS, "loss", 600),
    Contestant("SparseKernelLogisticRegression", kp.SparseKernelLogisticRegression(), LOSS, "loss"),
    Contestant("SparseKernelLogisticRegressionCV", kp.SparseKernelLogisticRegressionCV(Cs=3), LOSS, "loss"),
    Contestant("BasisLogisticRegression", kp.BasisLogisticRegression(), LOSS, "loss"),
    Contestant(
        "LeastSquaresProbabilisticClassifier",
        kp.LeastSquaresProbabilisticClassifier(),
        EQUATIONS,
        "normal equations",
    ),
    Contestant(
        "LeastSquaresProbabilisticClassifierCV",
        kp.LeastSquaresProbabilisticClassifierCV(),
        EQUATIONS,
        "normal equations",
    ),
    Contestant("MaximumContrastClassifier", kp.MaximumContrastClassifier(), PROGRAMME, "linear programme"),
    Contestant(
        "MaximumContrastClassifierCV",
        kp.MaximumContrastClassifierCV([0.1, 1.0], [0.1, 1.0]),
        PROGRAMME,
        "linear programme",
    ),
    Contestant("LinearProgrammingMachine", kp.LinearProgrammingMachine(), PROGRAMME, "linear programme"),
    Contestant(
        "LinearProgrammingMachineCV",
        kp.LinearProgrammingMachineCV([1.0], [0.1, 1.0]),
        PROGRAMME,
        "linear programme",
    ),
    Contestant("RelevanceVectorClassifier", kp.RelevanceVectorClassifier(), EVIDENCE, "evidence"),
    Contestant("KernelDensityClassifier", kp.KernelDensityClassifier(), DENSITY, "density"),
)


def depths(contestant: Contestant) -> list[int]:
    """Frames from `fit` to every call of the formula, both counted."""
    n = contestant.n_rows
    X, y = np.random.default_rng(0).standard_normal((n, 2)), np.arange(n) % 3
    X[y == 1] += 2
    file, names = contestant.functions.split(":")
    found = []

    def trace(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if (
            event == "call"
            and code.co_filename == f"{PACKAGE}/{file}"
            and re.fullmatch(names, code.co_name)
            and frame.f_back.f_code.co_filename != code.co_filename
        ):
            found.append(_depth(frame))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.setprofile(trace)
        try:
            contestant.model.fit(X, y)
        finally:
            sys.setprofile(None)
    return found


def _depth(frame: FrameType | None) -> int:
    """Frames of the package up to the outermost `fit`."""
    names = []
    while frame is not None:
        code = frame.f_code
        counts = not code.co_filename.endswith("atomic.py") and not code.co_name.startswith("<")
        if code.co_filename.startswith(PACKAGE) and counts:
            names.append(code.co_name)
        frame = frame.f_back
    return len(names) - names[::-1].index("fit") if "fit" in names else len(names)


def table() -> str:
    """All classifiers, as Markdown."""
    rows = []
    for each in CONTESTANTS:
        found = depths(each)
        span = (
            f"{min(found)}–{max(found)}"
            if found and min(found) < max(found)
            else str(max(found, default="–"))
        )
        rows.append({"classifier": each.name, "formula": each.formula, "frames": span})
    return markdown_table(rows, ["classifier", "formula", "frames"])


def main() -> None:
    """Write the table into the page."""
    text, (start, end) = PAGE.read_text(encoding="utf8"), MARKS
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    PAGE.write_text(pattern.sub(lambda _: f"{start}\n{table()}\n{end}", text), encoding="utf8")
    print(table())


if __name__ == "__main__":
    main()
