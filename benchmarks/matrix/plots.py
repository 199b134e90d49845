"""Pictures of a matrix: log loss against time, and time against size."""

from pathlib import Path

import numpy as np

from benchmarks.matrix.summary import Matrix

MARKERS = "osD^v<>pPX*"
AXIS_NAMES = {"n": "rows n", "d": "features d", "c": "classes c"}


def styles(matrix: Matrix) -> dict[str, dict]:
    """Contestant → its look: ours filled, rivals hollow."""
    looks = {}
    for own in (True, False):
        names = [name for name in matrix.contestants if matrix.facts[name]["own"] == own]
        for i, name in enumerate(names):
            colour = f"C{i % 10}" if i < 10 else "black"
            face = colour if own else "white"
            looks[name] = {"color": colour, "marker": MARKERS[i % len(MARKERS)], "mfc": face, "ms": 6}
    return looks


def draw_tradeoff(matrix: Matrix, path: Path) -> None:
    """One panel per problem: log loss against the seconds to fit, both on logarithmic axes."""
    from matplotlib.figure import Figure

    columns = min(4, len(matrix.problems) + 1)
    lines = -(-(len(matrix.problems) + 1) // columns)  # one place is the legend's
    figure = Figure(figsize=(4 * columns, 3.6 * lines), layout="constrained")
    places = np.ravel(figure.subplots(lines, columns))
    looks = styles(matrix)
    for ax, problem in zip(places, matrix.problems, strict=False):
        for name in matrix.judged("log loss"):
            seconds, loss = (matrix.value(problem, name, measure) for measure in ("fit s", "log loss"))
            ax.plot([seconds], [loss], linestyle="none", label=name, **looks[name])
        ax.set(xscale="log", yscale="log", title=problem, xlabel="seconds to fit", ylabel="log loss")
        _plain_numbers(ax.yaxis, (1, 2, 3, 5))
        _plain_numbers(ax.xaxis, (1,))
        _tidy(ax)
    for ax in places[len(matrix.problems) :]:
        ax.axis("off")
    handles = places[0].get_legend_handles_labels()
    places[len(matrix.problems)].legend(*handles, loc="center", frameon=False, fontsize=8)
    figure.savefig(path, dpi=100)


def draw_growth(matrix: Matrix, path: Path) -> None:
    """Seconds to fit against n, d and c; ours above, rivals below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 8.5), layout="constrained")
    looks = styles(matrix)
    panels = figure.subplots(2, 3, sharex="col", sharey=True)
    for line, own in zip(panels, (True, False), strict=True):
        names = [name for name in matrix.contestants if matrix.facts[name]["own"] == own]
        for ax, axis in zip(line, matrix.content["axes"], strict=True):
            for name in names:
                ax.plot(*matrix.points(axis, name), label=name, lw=1.2, **looks[name])
            _axis(ax, matrix, axis)
        line[0].set_ylabel("seconds to fit, " + ("kernelproba" if own else "rivals"))
        line[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=9)
    figure.savefig(path, dpi=100)


def _axis(ax, matrix: Matrix, axis: str) -> None:
    """Logarithmic, with the measured sizes as ticks and what stays in the title."""
    shapes = np.array([point[:3] for point in matrix.content["axes"][axis]])
    place = "ndc".index(axis)
    rest = ", ".join(f"{'ndc'[i]} = {shapes[0, i]}" for i in range(3) if i != place)
    ax.set(xscale="log", yscale="log", xlabel=AXIS_NAMES[axis], title=rest)
    ax.set_xticks(shapes[:, place], shapes[:, place].astype(str))
    ax.minorticks_off()
    _tidy(ax)


def _plain_numbers(axis, leading: tuple[int, ...]) -> None:
    """Ticks at these multiples of powers of ten, written without exponents."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.set_major_locator(LogLocator(subs=leading))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _tidy(ax) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
