"""The figures of sugiyama2010: densities, decisions and posteriors of its example; errors and times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.datasets import three_gaussians_problem
from kernelproba.inspection.displays.colours import MARKERS, class_colours
from kernelproba.papers.posterior_protocol import FULL, KLR, LSPC, METHODS, PLAIN, TOY_ROWS, build

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 160
#: Training rows lie within the inner square, and posteriors are drawn far beyond it, as in the paper.
_NEAR, _FAR = 6.0, 10.0
_STYLES = {LSPC: ("C0", "o"), FULL: ("C1", "s"), KLR: ("C2", "v"), PLAIN: ("C3", "^")}


class Curve(NamedTuple):
    """What was measured at one point of the curves.

    Attributes
    ----------
    name : str
        Of the data set.
    n, c : int
        Training rows and classes.
    errors, seconds : dict of str to list of float
        Of every draw, by method.
    """

    name: str
    n: int
    c: int
    errors: dict[str, list[float]]
    seconds: dict[str, list[float]]


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _grid(reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Values along an axis, and the rows of the grid that they span."""
    line = np.linspace(-reach, reach, _POINTS)
    return line, np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)


def _models(settings: dict[str, dict[str, float]]) -> dict[str, BaseEstimator]:
    """The truth, and every method on the first draw of the example."""
    truth = three_gaussians_problem()
    X, y = truth.sample(TOY_ROWS, random_state=0)
    return {"truth": truth} | {method: build(method, settings[method]).fit(X, y) for method in METHODS}


def draw_densities() -> Figure:
    """Figure 4: a panel for each class."""
    figure, (line, rows) = _figure(12, 3.8), _grid(_NEAR)
    densities = np.exp(three_gaussians_problem().log_density(rows))
    for y, ax in enumerate(figure.subplots(1, 3, sharey=True)):
        image = ax.contourf(line, line, densities[:, y].reshape(_POINTS, _POINTS), 12, cmap="Blues")
        ax.set(title=f"p(x | y = {y + 1})", xlabel="x₁", aspect="equal")
        figure.colorbar(image, ax=ax, shrink=0.8)
    return figure


def draw_decisions(settings: dict[str, dict[str, float]]) -> Figure:
    """Figure 5: regions by the truth and by every method, and the training rows."""
    figure, (line, rows) = _figure(15, 4.8), _grid(_NEAR)
    X, y = three_gaussians_problem().sample(TOY_ROWS, random_state=0)
    colours = class_colours(3)
    for ax, (name, model) in zip(figure.subplots(1, 4, sharey=True), _models(settings).items(), strict=True):
        labels = model.predict_proba(rows).argmax(axis=1).reshape(_POINTS, _POINTS)
        ax.imshow(1 - 0.35 * (1 - colours[labels]), extent=[line[0], line[-1]] * 2, origin="lower")
        for label in range(3):
            points = X[y == label].T
            ax.scatter(*points, s=14, color=colours[label], marker=MARKERS[label], label=f"y = {label + 1}")
        ax.set(title=name, xlabel="x₁", xlim=(-_NEAR, _NEAR), ylim=(-_NEAR, _NEAR))
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def draw_posteriors(settings: dict[str, dict[str, float]]) -> Figure:
    """Figure 6: a row of panels for the truth and for every method, a column for each class."""
    figure, (line, rows) = _figure(10, 12.5), _grid(_FAR)
    panels = figure.subplots(4, 3, sharex=True, sharey=True)
    for axes, (name, model) in zip(panels, _models(settings).items(), strict=True):
        P = model.predict_proba(rows)
        for y, ax in enumerate(axes):
            levels = np.linspace(0, 1, 11)
            image = ax.contourf(line, line, P[:, y].reshape(_POINTS, _POINTS), levels, cmap="viridis")
            ax.set(title=f"{name}: y = {y + 1}", aspect="equal")
    figure.colorbar(image, ax=panels, shrink=0.5, label="p(y | x)")
    return figure


def draw_curves(curves: list[Curve], axis: str) -> Figure:
    """Figure 7 or 8: for each set a panel of errors and, once all are measured, one of times."""
    names = list(dict.fromkeys(curve.name for curve in curves))
    columns = 2 if all(curve.seconds for curve in curves) else 1
    figure = _figure(5 * columns, 2.9 * len(names))
    for line, name in zip(figure.subplots(len(names), columns, squeeze=False), names, strict=True):
        part = [curve for curve in curves if curve.name == name]
        for ax, draw in zip(line, (_draw_errors, _draw_times), strict=False):
            draw(ax, part, axis)
        for ax in line:
            ax.set_title(f"{name}, c = {part[0].c}" if axis == "n" else f"{name}, n = {part[0].n}")
            _dress(ax, [getattr(curve, axis) for curve in part], axis)
    handles = _handles(METHODS if columns == 1 else tuple(_STYLES))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
    return figure


def _draw_errors(ax, part: list[Curve], axis: str) -> None:
    places = [getattr(curve, axis) for curve in part]
    for method in METHODS:
        colour, marker = _STYLES[method]
        values = [100 * np.array(curve.errors[method]) for curve in part]
        spread = [v.std(ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0 for v in values]
        ax.errorbar(places, [v.mean() for v in values], spread, color=colour, marker=marker, capsize=2)
    ax.set_ylabel("error, %")
    ax.set_ylim(bottom=0)


def _draw_times(ax, part: list[Curve], axis: str) -> None:
    places = [getattr(curve, axis) for curve in part]
    for method, (colour, marker) in _STYLES.items():
        ax.plot(places, [np.median(curve.seconds[method]) for curve in part], color=colour, marker=marker)
    ax.set_yscale("log")
    ax.set_ylabel("seconds to fit")


def _dress(ax, places: list[int], axis: str) -> None:
    if axis == "n":
        ax.set_xscale("log")
    ax.set_xticks(places, [str(place) for place in places])
    ax.xaxis.set_minor_locator(_no_ticks())
    ax.set_xlabel("training rows n" if axis == "n" else "classes c")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)


def _no_ticks():
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _handles(methods: tuple[str, ...]) -> list:
    from matplotlib.lines import Line2D

    styles = {method: _STYLES[method] for method in methods}
    return [Line2D([], [], color=c, marker=m, label=method) for method, (c, m) in styles.items()]
