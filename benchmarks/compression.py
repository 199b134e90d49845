"""Models with fewer centres: log loss, time and bytes against the share of centres that is kept.

    python -m benchmarks.compression satimage usps letter           to several sizes
    python -m benchmarks.compression satimage usps letter --moved   to a tenth, with centres that move

Each data set is a softmax model and one of pairs, compressed to several sizes; every line is added to
docs/results/compression.json as it is done, and the page and its picture are written anew.  KERNELPROBA_DATA
names the directory of the data sets.
"""

import argparse
import pickle
import time

import numpy as np
from sklearn.metrics import log_loss

from benchmarks.logistic import PROBLEMS, load
from benchmarks.measure import RESULTS, interleaved, machine, recorded, write
from kernelproba import KernelLogisticRegression
from kernelproba.compression import compress

NAME = "compression"
#: Shares of the centres that are kept.
SHARES = (0.5, 0.2, 0.1, 0.05, 0.02)
#: C and gamma where the page of official splits has none.
SOFTMAX = {"letter": (1000, 2.0)}
#: Training rows, and rows to judge by, at most.
ROWS, NEW_ROWS = 3000, 3000


def problem(name: str):
    """Return training and test rows of a data set, scaled as for the official splits, and the settings."""
    is_scaled, softmax, pairs, _ = PROBLEMS[name]
    X, y, X_test, y_test = load(name, is_scaled)
    rng = np.random.default_rng(0)
    own, other = rng.permutation(len(y))[:ROWS], rng.permutation(len(y_test))[:NEW_ROWS]
    settings = {"softmax": softmax or SOFTMAX[name], "pairwise": pairs}
    return X[own].astype(np.float64), y[own], X_test[other].astype(np.float64), y_test[other], settings


def measure(name: str, kinds: list[str], moves: bool) -> None:
    """Fit models of a data set and compress them: to all sizes, or to a tenth with centres that move."""
    X, y, X_test, y_test, settings = problem(name)
    for kind in kinds:
        C, gamma = settings[kind]
        multi_class = "multinomial" if kind == "softmax" else "pairwise"
        model = KernelLogisticRegression(C, gamma=gamma, multi_class=multi_class).fit(X, y)
        models = {1.0: model}
        for share in (0.1,) if moves else SHARES:
            models[share] = compress(model, n_centers=round(share * len(y)), move_centers=moves)
        runs = {str(share): lambda m=m: m.predict_proba(X_test) for share, m in models.items()}
        times = interleaved(runs, 3, time.process_time)
        shares = [share for share in models if share < 1 or not moves]
        add([line(name, kind, share, models, times, y_test) | {"moved": moves} for share in shares])


def line(name: str, kind: str, share: float, models: dict, times: dict, y_test) -> dict:
    """Return the facts of one compressed model."""
    model, whole, own = models[share], models[1.0], times[str(share)]
    loss, before = (log_loss(y_test, times[str(s)]["result"], labels=whole.classes_) for s in (share, 1.0))
    P = own["result"]
    return {
        "data": name,
        "model": kind,
        "centres": len(model.support_),
        "share": share,
        "log loss": float(loss),
        "rise": float(loss / before - 1),
        "error": float((model.classes_[P.argmax(axis=1)] != y_test).mean()),
        "stated KL": float(model.compression_["mean_kl"]) if share < 1 else 0.0,
        "share of time": own["seconds"] / times["1.0"]["seconds"],
        "share of bytes": size(model) / size(whole),
    }


def size(model) -> int:
    """Bytes of what a prediction needs."""
    parts = model.support_vectors_, model.dual_coef_, model.intercept_
    return len(pickle.dumps(parts))


def add(lines: list[dict]) -> None:
    """Put lines on record, in the place of earlier ones of the same model, and write the page."""
    keys = {_key(each) for each in lines}
    rows = [each for each in recorded(NAME) if _key(each) not in keys] + lines
    rows.sort(key=lambda each: (each["data"], each["model"] != "softmax", -each["share"], each["moved"]))
    write(NAME, "Models with fewer centres", text(rows), rows, machine())
    picture(rows)


def _key(line: dict) -> tuple:
    return line["data"], line["model"], line["share"], line["moved"]


def _told(rows: list[dict], moved: bool) -> str:
    tenths = [each for each in rows if each["share"] == 0.1 and each["moved"] == moved]
    met = sum(each["rise"] < 0.03 for each in tenths)
    names = ", ".join(f"{each['data']} {each['model']} {100 * each['rise']:+.1f} %" for each in tenths)
    return f"{met} of {len(tenths)} models ({names})"


def text(rows: list[dict]) -> str:
    """Return what the page says, from its rows."""
    return (
        f"`compress(model, n_centers=…)` of kernel logistic regressions on {ROWS:,} rows of each data set (C and gamma "
        f"as on the page of official splits), judged by {NEW_ROWS:,} rows of the official test part, at most. *Rise*: of the "
        "log loss of these rows, relative to the model with all centres. *Stated KL*: the mean divergence from that "
        "model that `compression_` states, on training rows that had no part in fitting the coefficients. *Share of "
        "time*: of `predict_proba`, processor time, three rounds in turn on a machine that did other work: trust "
        "the ratios only. *Share of bytes*: of centres and coefficients."
        "\n\nAt a tenth of the centres the log loss rises by less than 3 % of itself in "
        f"{_told(rows, False)} with centres that are training rows, and in {_told(rows, True)} with "
        "`move_centers=True`."
        "\n\n![Rise of the log loss against the share of centres](compression.png)"
        "\n\nCommands: `python -m benchmarks.compression satimage usps letter`, the same with `--moved`."
    )


def picture(rows: list[dict]) -> None:
    """Draw the rise of the log loss against the share of centres."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    colours = dict(zip(sorted({each["data"] for each in rows}), ("C0", "C1", "C2"), strict=False))
    for data, kind in sorted({(each["data"], each["model"]) for each in rows}):
        own = [
            e for e in rows if (e["data"], e["model"]) == (data, kind) and e["share"] < 1 and not e["moved"]
        ]
        style = "-" if kind == "softmax" else "--"
        shares, rises = [e["share"] for e in own], [100 * e["rise"] for e in own]
        axes.plot(shares, rises, style, marker="o", color=colours[data], label=f"{data}, {kind}")
        far = [e for e in rows if (e["data"], e["model"], e["moved"]) == (data, kind, True)]
        points = [e["share"] for e in far], [100 * e["rise"] for e in far]
        face = colours[data] if kind == "softmax" else "w"
        axes.plot(*points, "*", markersize=11, color=colours[data], markerfacecolor=face)
    axes.axhline(3, color="0.6", linewidth=1)
    axes.set(xscale="log", xlabel="share of centres kept", ylabel="rise of the log loss, %")
    axes.set_yscale("symlog", linthresh=3)
    axes.set_yticks([0, 3, 10, 30, 100], ["0", "3", "10", "30", "100"])
    axes.set_ylim(bottom=-0.5)
    for label, face in (("softmax", "0.4"), ("pairwise", "w")):
        axes.plot([], [], "*", markersize=11, color="0.4", markerfacecolor=face, label=f"moved, {label}")
    axes.set_xticks(SHARES, [f"{100 * share:g} %" for share in SHARES])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(RESULTS / f"{NAME}.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", choices=["satimage", "usps", "letter"])
    parser.add_argument("--kinds", nargs="+", default=["softmax", "pairwise"])
    parser.add_argument("--moved", action="store_true", help="to a tenth, with centres that move")
    given = parser.parse_args()
    for each in given.data:
        measure(each, given.kinds, given.moved)
