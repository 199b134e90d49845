"""corona2016: fixed basis functions make a curved boundary of a straight one; Newton–Raphson finds it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.linear_model import LogisticRegression

from kernelproba.datasets import Gaussian, Mixture, three_gaussians_problem
from kernelproba.estimators import BasisExpansion, BasisLogisticRegression
from kernelproba.inspection.displays.colours import class_colours
from kernelproba.papers.paper import Paper, Picture, Results, Table, Task, estimate

CENTERS, WIDTH = np.array([[-1.0, -1.0], [0.0, 0.0]]), 0.5
TRAINING_ROWS, TEST_ROWS = 200, 10_000

PROTOCOL = """
The lecture shows two classes in the plane, two Gaussian basis functions φ₁, φ₂ with their centres and
contours, the straight boundary of a logistic regression in the plane of (φ₁, φ₂), and the curve that this
boundary is in the plane of x. It prints neither the rows nor any figure. Ours are 200 rows of a mixture of
five Gaussians whose posterior is known: one class lies around the centres of the basis functions, (−1, −1)
and (0, 0), the other around the first. The three classes are those of `three_gaussians_problem`, with a
grid of 3 × 3 Gaussians.

`BasisLogisticRegression(C=inf)` is maximum likelihood by Newton–Raphson with the full Hessian (20) over all
classes, whose sign is misprinted there. Errors and log losses are of 10,000 further rows, ± one standard
error over the draws of the training rows. *Best possible* are those of the true posterior. *Difference* is
the largest between our probabilities and those of scikit-learn's `LogisticRegression`, without a penalty,
on the same basis functions.
"""


def two_classes_problem() -> Mixture:
    """One class around the two centres, and another around the first."""
    inner = [Gaussian(center, 0.09 * np.eye(2)) for center in CENTERS]
    outer = [Gaussian(mean, 0.09 * np.eye(2)) for mean in ([-1.0, 0.3], [0.3, -1.0], [1.0, 0.6])]
    return Mixture([inner, outer])


PROBLEMS = {"two classes": two_classes_problem, "three classes": three_gaussians_problem}


def expansions(problem: str) -> dict:
    """The basis functions that are compared, by name."""
    if problem == "two classes":
        return {"x itself": "passthrough", "two Gaussians": BasisExpansion(centers=CENTERS, width=WIDTH)}
    grid = np.stack(np.meshgrid(*[[-3.0, 0.0, 3.0]] * 2), axis=-1).reshape(-1, 2)
    return {"x itself": "passthrough", "nine Gaussians": BasisExpansion(centers=grid, width=2.0)}


def fitted(expansion, X: np.ndarray, y: np.ndarray) -> BasisLogisticRegression:
    """Maximum likelihood on basis functions."""
    return BasisLogisticRegression(np.inf, expansion=expansion).fit(X, y)


def tasks(quick: bool) -> dict[str, Task]:
    """One per problem and draw."""
    draws = range(5 if quick else 50)
    return {f"{problem} {draw}": Task(_draw, (problem, draw)) for problem in PROBLEMS for draw in draws}


def _draw(problem: str, draw: int) -> dict:
    truth = PROBLEMS[problem]()
    X, y = truth.sample(TRAINING_ROWS, random_state=draw)
    X_test, y_test = truth.sample(TEST_ROWS, random_state=10_000 + draw)
    models = {name: fitted(expansion, X, y) for name, expansion in expansions(problem).items()}
    records = {
        name: {
            **_scores(model.predict_proba(X_test), y_test),
            "steps": int(np.max(model.n_iter_)),
            "difference": _difference(model, X, y, X_test),
        }
        for name, model in models.items()
    }
    return {**records, "best possible": _scores(truth.posterior(X_test), y_test)}


def _scores(P: np.ndarray, y: np.ndarray) -> dict[str, float]:
    return {
        "error": float(np.mean(P.argmax(axis=1) != y)),
        "log loss": float(-np.mean(np.log(P[np.arange(len(y)), y]))),
    }


def _difference(model: BasisLogisticRegression, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> float:
    """Against software that we did not write, on the same basis functions."""
    expand = (lambda A: A) if model.expansion == "passthrough" else model.expansion.fit(X).transform
    peer = LogisticRegression(C=np.inf, solver="newton-cg", tol=1e-10, max_iter=1000).fit(expand(X), y)
    return float(abs(peer.predict_proba(expand(X_test)) - model.predict_proba(X_test)).max())


def tables(results: Results) -> list[Table]:
    """Scores of every model, the true posterior included."""
    rows = []
    for problem in PROBLEMS:
        draws = [result for key, result in results.items() if key.startswith(problem)]
        rows += [_row(problem, name, [draw[name] for draw in draws]) for name in draws[0]]
    return [Table("Logistic regression on fixed basis functions", rows)]


def _row(problem: str, name: str, records: list[dict]) -> dict:
    steps = [record["steps"] for record in records if "steps" in record]
    return {
        "problem": problem,
        "basis functions": name,
        "draws": len(records),
        "error %": estimate([record["error"] for record in records], 100),
        "log loss": estimate([record["log loss"] for record in records]),
        "Newton steps": f"{min(steps)}–{max(steps)}" if steps else None,
        "difference": max(r["difference"] for r in records) if steps else None,
        "paper's": "a figure" if name == "two Gaussians" else "",
    }


def figures(_results: Results) -> Iterable[Picture]:
    """The lecture's figure: the plane of x, and the plane of the basis functions."""
    from matplotlib.figure import Figure

    X, y = two_classes_problem().sample(TRAINING_ROWS, random_state=0)
    expansion = expansions("two classes")["two Gaussians"].fit(X)
    model = fitted(expansion, X, y)
    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_plane(left, model, expansion)
    _draw_features(right, model)
    colours = class_colours(2)
    for ax, points in ((left, X), (right, expansion.transform(X))):
        for label in range(2):
            ax.scatter(*points[y == label].T, s=16, color=colours[label], alpha=0.8, label=f"class {label}")
        ax.set_aspect("equal")
    right.legend(frameon=False)
    caption = "Left: rows, contours of the two basis functions, curved boundary. Right: straight boundary"
    yield Picture("basis", caption, figure)


def _draw_plane(ax, model: BasisLogisticRegression, expansion: BasisExpansion) -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(-2.2, 2.0, 200)] * 2), axis=-1)
    flat = grid.reshape(-1, 2)
    ax.contour(*np.moveaxis(grid, 2, 0), model.decision_function(flat).reshape(200, 200), [0], colors="k")
    for phi in expansion.transform(flat).T:
        ax.contour(
            *np.moveaxis(grid, 2, 0), phi.reshape(200, 200), [0.3, 0.6, 0.9], colors="g", linewidths=0.8
        )
    ax.plot(*CENTERS.T, "g+", markersize=14, markeredgewidth=2)
    ax.set(xlabel="x₁", ylabel="x₂", title="the boundary is curved in x …")


def _draw_features(ax, model: BasisLogisticRegression) -> None:
    """Draw the line w₁φ₁ + w₂φ₂ + b = 0."""
    (w1, w2), (b,) = np.ravel(model.coef_), np.ravel(model.intercept_)
    phi = np.array([0.0, 1.0])
    ax.plot(phi, -(w1 * phi + b) / w2, "k")
    ax.set(xlabel="φ₁(x)", ylabel="φ₂(x)", xlim=(-0.05, 1.05), ylim=(-0.05, 1.05))
    ax.set_title("… and straight in the basis functions")


PAPER = Paper(
    name="corona2016",
    title="Logistic regression on fixed basis functions (corona2016)",
    reference="F. Corona. Probabilistic discriminative models: linear models for classification. Lecture "
    "notes, Federal University of Ceará, 2016.",
    summary="Two Gaussian basis functions and the curved boundary that they give; Newton–Raphson.",
    protocol=PROTOCOL,
    data=(),
    tasks=tasks,
    tables=tables,
    figures=figures,
)
