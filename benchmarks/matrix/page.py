"""docs/results/matrix.md: tables and pictures from matrix.json alone."""

from pathlib import Path

import numpy as np

from benchmarks.matrix.growth import exponent
from benchmarks.matrix.plots import draw_growth, draw_tradeoff
from benchmarks.matrix.summary import Matrix
from kernelproba.atomic_file import replacing
from kernelproba.report.table import markdown_table

#: Table → measure, factor and decimals.
SCORES = {
    "Error, %": ("error", 100.0, 2),
    "Log loss": ("log loss", 1.0, 3),
    "Brier score": ("Brier", 1.0, 3),
    "Expected calibration error": ("ECE", 1.0, 3),
}
TRADEOFF = "Log loss against the seconds to fit, lower left is better; filled marks are this package's, hollow ones rivals'."
COSTS = {"Seconds to fit": "fit s", "Seconds to predict the test rows": "predict s"}


def write_page(folder: Path) -> Path:
    """Write matrix.md and its pictures beside matrix.json; return the page."""
    path = folder / "matrix.json"
    if not path.exists():
        raise SystemExit(f"{path} is missing: measure first, with python -m benchmarks.matrix")
    matrix = Matrix.read(path)
    for name, draw in (("tradeoff", draw_tradeoff), ("growth", draw_growth)):
        draw(matrix, folder / f"matrix_{name}.png")
    with replacing(folder / "matrix.md") as page:
        page.write_text(text(matrix), encoding="utf8")
    return folder / "matrix.md"


def text(matrix: Matrix) -> str:
    """The whole page."""
    sections = [_head(matrix), _overview(matrix)]
    sections += [_scores(matrix, title, *column) for title, column in SCORES.items()]
    sections.append(f"{TRADEOFF}\n\n![Log loss against time](matrix_tradeoff.png)")
    sections += [_costs(matrix, title, measure) for title, measure in COSTS.items()]
    sections += [_memory(matrix), _growth(matrix), _troubles(matrix), _settings(matrix), _machine(matrix)]
    return "\n\n".join(section for section in sections if section) + "\n"


def overview(matrix: Matrix) -> list[dict]:
    """One line per contestant: mean ranks, seconds over all problems, and how many it finished."""
    ranks = {measure: matrix.mean_ranks(measure) for measure in ("log loss", "Brier", "ECE", "error")}
    rows = []
    for name in matrix.contestants:
        row = {"contestant": name}
        for measure, mean in ranks.items():
            row[f"rank, {measure}"] = f"{mean[name]:.1f}" if name in mean else "–"
        for title, measure in (("fit s", "fit s"), ("predict s", "predict s")):
            seconds, complete = matrix.total(name, measure)
            row[title] = f"{seconds:.3g}" if complete else f"({seconds:.3g})"
        row["problems"] = f"{matrix.n_measured(name)} of {len(matrix.problems)}"
        rows.append(row)
    return rows


def _table(rows: list[dict]) -> str:
    return markdown_table(rows, list(rows[0]))


def _head(matrix: Matrix) -> str:
    bounds, facts = matrix.content["bounds"], matrix.content["problems"]
    shown = [{key: str(value) for key, value in problem.items()} for problem in facts]
    return f"""# The benchmark matrix

Every classifier of this package and its rivals on the same rows. Regenerate: `{matrix.content["command"]}`; this page alone,
from `matrix.json`: `python -m benchmarks.matrix page`.

**One setting for all.** Features are standardised by the training rows. Kernel methods use exp(−‖x − z‖²/d), and those that
minimise C Σ loss + ½‖f‖² use C = 10; those that choose centres have 300. Methods with another penalty, and methods without a
kernel, keep the defaults of their class. Three find their widths on the training rows: `KernelLogisticRegressionCV`, which also
chooses C, `KernelDensityClassifier`, and `BasisLogisticRegression`, here with 100 Gaussians. The settings, listed below,
were declared before any score was seen, and nothing was tuned on test rows; at its own best setting a method may do better.

**How it was measured.** Each contestant has a process of its own for {matrix.content["process for"]}, with {bounds["threads"]} thread for BLAS
and OpenMP, and has fitted some other rows before, so that imports are not counted. In each round all contestants
fit and predict in turn. A fit that took more than {bounds["once_above"]:g} s is not repeated; a contestant that needs more than
{bounds["limit"]:g} s for fit and predictions is stopped and reported as over {bounds["limit"]:g} s. Times are wall-clock.

{_table(shown)}"""


def _overview(matrix: Matrix) -> str:
    return f"""## Overview

Mean ranks over the problems, 1 is best; who was over the limit or failed shares the last places. Seconds are summed over
the problems, in parentheses where some are missing, for the reason in the tables below: such sums are too small.

{_table(overview(matrix))}"""


def _scores(matrix: Matrix, title: str, measure: str, factor: float, digits: int) -> str:
    names = matrix.judged(measure)
    values = np.array([[matrix.value(p, name, measure) for p in matrix.problems] for name in names])
    best = np.nanmin(np.where(np.isnan(values), np.inf, values), axis=0)
    rows = []
    for name, line in zip(names, values, strict=True):
        row = {"contestant": name}
        for problem, value, least in zip(matrix.problems, line, best, strict=True):
            cell = matrix.cell(problem, name)
            shown = spread(cell.get(measure, []), factor, digits) if not np.isnan(value) else _outcome(cell)
            row[problem] = f"**{shown}**" if value == least else shown
        rows.append(row)
    return f"## {title}\n\n{REMARKS.get(measure, '')}\n\n{_table(rows)}".replace("\n\n\n\n", "\n\n")


REMARKS = {
    "error": "Of the most probable label. ± is one standard error over the rounds, where they differ in their rows; elsewhere an "
    "error of p % on m test rows has a standard error of √(p(100 − p)/m) points. The least in bold.",
    "log loss": "Probabilities below the rounding unit are raised to it, as in scikit-learn: one certain mistake costs 36.",
    "Brier": "Sum over the classes: between 0 and 2.",
    "ECE": "Top label, 15 bins of equal width; positive by chance even for true probabilities.",
}


def spread(rounds: list[float], factor: float, digits: int) -> str:
    """Mean of the rounds, and its standard error if they differ."""
    values = factor * np.array(rounds)
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.{digits}f}" + (f" ± {error:.{digits}f}" if error >= 0.5 * 10**-digits else "")


def _outcome(cell: dict) -> str:
    return cell["outcome"].split(":")[0]


def _costs(matrix: Matrix, title: str, measure: str) -> str:
    rows = []
    for name in matrix.contestants:
        cells = {problem: matrix.cell(problem, name) for problem in matrix.problems}
        rows.append({"contestant": name} | {p: seconds(c.get(measure), c) for p, c in cells.items()})
    return f"## {title}\n\nMedian of the rounds (least–most).\n\n{_table(rows)}"


def seconds(rounds: list[float] | None, cell: dict) -> str:
    """Median (least–most); one round alone, or why there is none."""
    if not rounds:
        return _outcome(cell)
    middle = f"{np.median(rounds):.2g}"
    return middle if len(rounds) == 1 else f"{middle} ({min(rounds):.2g}–{max(rounds):.2g})"


def _memory(matrix: Matrix) -> str:
    rows = []
    for name in matrix.contestants:
        row = {"contestant": name}
        for problem in matrix.problems:
            value = matrix.value(problem, name, "MB")
            shown = f"{value:.0f}" if value >= 1 else "< 1"
            row[problem] = _outcome(matrix.cell(problem, name)) if np.isnan(value) else shown
        rows.append(row)
    return (
        "## Peak memory, MB\n\nResident memory at its peak during fit and predictions, above what the process held before "
        f"them, its data among it; the most of all rounds.\n\n{_table(rows)}"
    )


def _growth(matrix: Matrix) -> str:
    bounds = matrix.content["growth bounds"]
    rows = []
    for name in matrix.contestants:
        row = {"contestant": name}
        for axis, points in matrix.content["axes"].items():
            sizes, times = matrix.points(axis, name)
            slope, error = exponent(sizes, times)
            row[f"exponent of {axis}"] = "–" if np.isnan(slope) else f"{slope:.2f}" + _plus_minus(error)
            place = "ndc".index(axis)
            known = dict(zip(sizes, times, strict=True))
            shown = [f"{known[p[place]]:.2g}" if p[place] in known else "–" for p in points]
            row[f"seconds at {axis} = " + ", ".join(str(p[place]) for p in points)] = ", ".join(shown)
        rows.append(row)
    return f"""## How the time to fit grows

Problems with known posteriors (`benchmarks/matrix/growth.py`), medians of {bounds["rounds"]} interleaved rounds, one where a fit
takes more than {bounds["once_above"]:g} s; one process per contestant for all of them. The exponent a of seconds ∝ sizeᵃ is the
slope of the least-squares line through the logarithms, ± its standard error; small problems, where fixed costs rule, count
as much as large ones. – is over {bounds["limit"]:g} s, not tried because a smaller problem was, or a failure listed below.

![Time to fit against rows, features and classes: ours above, rivals below](matrix_growth.png)

{_table(rows)}"""


def _plus_minus(error: float) -> str:
    return "" if np.isnan(error) else f" ± {error:.2f}"


def _troubles(matrix: Matrix) -> str:
    """Failures in full, and who warned where; growth included."""
    lines = [
        f"- {cell['contestant']} on {cell['problem']} {cell['outcome']}"
        for cell in matrix.content["cells"]
        if cell["outcome"].startswith("failed")
    ]
    for name in matrix.contestants:
        mine = [cell for cell in matrix.content["cells"] if cell["contestant"] == name]
        for kind in sorted({warning for cell in mine for warning in cell["warned"]}):
            where = [cell["problem"] for cell in mine if kind in cell["warned"]]
            lines.append(f"- {name}: {kind} on {'; '.join(where)}")
    return "## Failures and warnings\n\n" + ("\n".join(lines) or "None.")


def _settings(matrix: Matrix) -> str:
    rows = [{"contestant": name, "setting": f"`{fact['setting']}`"} for name, fact in matrix.facts.items()]
    return f"## Settings\n\n{_table(rows)}"


def _machine(matrix: Matrix) -> str:
    facts = matrix.content["machine"] | {"commit": " and ".join(matrix.content["commits"])}
    shares = [
        wall / cpu
        for cell in matrix.content["cells"]
        for wall, cpu in zip(cell.get("fit s", ()), cell.get("fit CPU s", ()), strict=True)
        if wall > 0.1
    ]
    idle = (
        f" Wall-clock time of fits longer than 0.1 s over their CPU time: median {np.median(shares):.2f}, most {max(shares):.2f} "
        "(1 on an idle machine)."
        if shares
        else ""
    )
    return "## Machine\n\n" + ", ".join(f"{key} {value}" for key, value in facts.items()) + f".{idle}"
