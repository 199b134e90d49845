"""docs/results/least_squares.md: tables, verdicts and pictures from least_squares.json."""

import json

import numpy as np

from benchmarks.measure import RESULTS, machine
from kernelproba import KernelLogisticRegression, LeastSquaresProbabilisticClassifier
from kernelproba.datasets import three_gaussians, three_gaussians_problem
from kernelproba.report.table import markdown_table

RECORD = RESULTS / "least_squares.json"
LSPC, SHARED = "LSPC", "LSPC, 1000 shared centres"
PLAIN, OWN = "KLR, plain L-BFGS", "KernelLogisticRegression"


def record(part: str, rows: list[dict]) -> None:
    """Put one part of the results in the place of its predecessor."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    results = _read()
    results[part] = {"machine": machine(), "rows": rows}
    RECORD.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")


def _read() -> dict:
    return json.loads(RECORD.read_text(encoding="utf8")) if RECORD.exists() else {}


def render() -> None:
    """Write the page from what has been measured so far."""
    (RESULTS / "least_squares.md").write_text(page(_read()), encoding="utf8")


def page(results: dict) -> str:
    """The page of a record."""
    sections = [SECTIONS[part](results[part]["rows"]) for part in SECTIONS if part in results]
    machines = {part: results[part]["machine"] for part in results}
    facts = "\n".join(
        f"- {part}: " + ", ".join(f"{k} {v}" for k, v in m.items()) for part, m in machines.items()
    )
    return "\n\n".join([HEAD, *sections, OUTSIDE, "## Machine\n\n" + facts]) + "\n"


HEAD = """# The least-squares probabilistic classifier: results

Regenerate: `python -m benchmarks.least_squares all`; the numbers are in `least_squares.json`. The curves of the paper's
Figures 7 and 8, against the number of rows and of classes, are on the page of [sugiyama2010](sugiyama2010.md)."""

OUTSIDE = """## Far from the data

![Posteriors of the toy problem, drawn far beyond the training rows](least_squares_outside.png)

Three classes, 200 rows in the inner square (the toy problem of the paper). Far outside, the paper's model
normalises what is left of the Gaussian tails, and one class gets nearly everything: `calibration=None,
outside="tails"`. `outside="prior"`, the default, turns to the class priors (¼, ¼, ½) instead; kernel logistic
regression turns to its intercepts."""


def _table(rows: list[dict]) -> str:
    def cell(value):
        return f"{value:.3g}" if isinstance(value, float) else str(value)

    return markdown_table([{k: cell(v) for k, v in row.items()} for row in rows], list(rows[0]))


def _verdict(claim: str, holds: bool) -> str:
    return f"- {claim}: {'holds' if holds else 'does not hold'}."


def _wide(rows: list[dict], key: tuple[str, ...], value: str) -> list[dict]:
    """One line per data set and size, one column per model."""
    lines: dict[tuple, dict] = {}
    for row in rows:
        line = lines.setdefault(tuple(row[k] for k in key), {k: row[k] for k in key})
        line[row["model"]] = row[value]
    return list(lines.values())


def _speed(rows: list[dict]) -> str:
    seconds, errors = (_wide(rows, ("data", "n"), value) for value in ("seconds", "error"))
    for line in seconds:
        for name, model in (("LSPC", LSPC), ("shared", SHARED), ("our KLR", OWN)):
            line[f"plain KLR / {name}"] = line[PLAIN] / line[model]
    largest = max(row["n"] for row in rows)
    verdicts = []
    for name, model in (("LSPC", LSPC), ("LSPC with 1000 shared centres", SHARED)):
        ratios = {r["data"]: r[PLAIN] / r[model] for r in seconds if r["n"] == largest}
        gaps = {r["data"]: 100 * (r[model] - r[PLAIN]) for r in errors if r["n"] == largest}
        claim = f"at n = {largest} {name} is at least 50 times as fast to train as plain KLR"
        verdicts.append(_verdict(f"{claim} ({_each(ratios, '.0f')})", min(ratios.values()) >= 50))
        claim = "with an error at most one point higher"
        verdicts.append(_verdict(f"{claim} ({_each(gaps, '+.1f')} points)", max(gaps.values()) <= 1))
    text = """\
Protocol of the paper: ⌊n/c⌋ rows per class, 100 test rows per class, standardised features, width and penalty
by 2-fold cross-validation over its grid (for KLR on 500 rows).  *LSPC, 1000 shared centres* is
`centers="all", n_centers=1000` with smaller penalties (1e-6 … 1e-2) to choose from, by leave-one-out.
Medians over three draws, interleaved; kernel matrices included.  *KLR, plain L-BFGS* minimises over the raw
kernel coefficients, as the paper did."""
    parts = ["## Training time and error (Figure 7 of the paper)", text, "Seconds:", _table(seconds)]
    return "\n\n".join([*parts, "Error:", _table(errors), "\n".join(verdicts)])


def _each(values: dict[str, float], form: str) -> str:
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def _grid(rows: list[dict]) -> str:
    grid, auto = (max(row["fits"] for row in rows if row["penalties"] == name) for name in ("paper", "auto"))
    text = """\
Nine widths by five penalties by closed-form leave-one-out, scoring, the final fit and its leave-one-out
probabilities of all rows included, against one fit with the same options; n = 2000,
processor seconds of one thread, medians of five interleaved runs.  The small penalties of *wide*
(1e-6 … 1e-2) need double precision.  *auto*, the default, walks from coarse to fine on samples of 300 and 800 rows and on
all of them, on both scales of the features."""
    verdicts = [
        _verdict(f"the paper's grid costs at most 15 fits (most: {grid:.1f})", grid <= 15),
        _verdict(f"the default search costs at most 3 fits (most: {auto:.1f})", auto <= 3),
    ]
    return "\n\n".join(["## The cost of a 9 × 5 grid", text, _table(rows), "\n".join(verdicts)])


def _stream(rows: list[dict]) -> str:
    row = rows[0]
    text = """\
`partial_fit` on blocks of 20,000 rows × 20 features, 5 classes with 500 centres each, beside bare BLAS calls of
the same shapes (products of rows and centres, and rank-k updates) in the same run."""
    memory = row["memory above start, MB"]
    verdicts = [
        _verdict(f"memory above the start below 600 MB ({memory:.0f})", memory < 600),
        _verdict(f"time within 2.5 times that of BLAS ({row['ratio']:.2f})", row["ratio"] <= 2.5),
    ]
    return "\n\n".join(["## A stream of rows", text, _table(rows), "\n".join(verdicts)])


def _calibration(rows: list[dict]) -> str:
    found = {(row["data"], row["posterior"]): row for row in rows}
    bounds = (("satimage", "ECE", 0.03), ("satimage", "log loss", 0.3), ("letter", "ECE", 0.05))
    verdicts = [
        _verdict(f"{name}: {measure} at most {bound} ({row[measure]:.3f})", row[measure] <= bound)
        for name, measure, bound in bounds
        if (row := found.get((name, "calibrated")))
    ]
    text = """\
Official splits, X in [−1, 1]; width and penalty by closed-form leave-one-out on the training rows.  ECE: top
label, 15 bins."""
    picture = "![Reliability of raw and recalibrated posteriors](least_squares_calibration.png)"
    return "\n\n".join(["## Calibration", text, _table(rows), picture, "\n".join(verdicts)])


SECTIONS = {"speed": _speed, "grid": _grid, "stream": _stream, "calibration": _calibration}


def draw_reliability(drawn: list[tuple]) -> None:
    """Reliability diagrams of (name, y, P, classes)."""
    from matplotlib.figure import Figure

    from kernelproba.inspection import ReliabilityDisplay

    figure = Figure(figsize=(4 * len(drawn), 4.6), layout="constrained")
    for ax, (name, y, P, classes) in zip(np.ravel(figure.subplots(1, len(drawn))), drawn, strict=True):
        ReliabilityDisplay.from_predictions(y, P, classes=classes, n_bins=15, ax=ax)
        ax.set_title(name)
    figure.savefig(RESULTS / "least_squares_calibration.png", dpi=100)


def draw_outside() -> None:
    """The toy problem of sugiyama2010 §3.1, drawn far beyond its rows."""
    from matplotlib.figure import Figure

    from kernelproba.inspection import PosteriorDisplay

    X, y = three_gaussians(200, random_state=1)
    shared = {"alpha": 1e-2, "gamma": 0.25}
    models = {
        "true posterior": three_gaussians_problem(),
        'calibration=None, outside="tails" (the paper)': {"calibration": None, "outside": "tails"},
        'calibration=None, outside="prior"': {"calibration": None, "outside": "prior"},
        'calibration="power", outside="prior" (default)': {},
        "KernelLogisticRegression": KernelLogisticRegression(10, gamma=0.25).fit(X, y),
    }
    figure = Figure(figsize=(4 * len(models), 4.3), layout="constrained")
    corners = np.array([[-14.0, -14.0], [14.0, 14.0]])
    for ax, (name, model) in zip(figure.subplots(1, len(models)), models.items(), strict=True):
        if isinstance(model, dict):
            model = LeastSquaresProbabilisticClassifier(**shared, **model).fit(X, y)
        PosteriorDisplay.from_estimator(model, corners, ax=ax)
        ax.scatter(*X.T, s=2, c="k", linewidths=0)
        ax.set_title(name, fontsize=10)
        ax.set_aspect("equal")
        legend = ax.get_legend()
        legend.remove()
    labels = [f"class {text.get_text()}" for text in legend.get_texts()]
    figure.legend(legend.legend_handles, labels, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(RESULTS / "least_squares_outside.png", dpi=100)
