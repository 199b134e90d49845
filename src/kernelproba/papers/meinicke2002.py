"""meinicke2002: maximum contrast, SVM and kernel densities on four sets of 100 partitions; its Figure 1."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from kernelproba.datasets import two_gaussians_problem
from kernelproba.estimators import MaximumContrastClassifier
from kernelproba.inspection.displays.contrast import ContrastDisplay
from kernelproba.papers import contrast_protocols as protocols
from kernelproba.papers.paper import Paper, Picture, ResultOf, Results, Table, Task, estimate

PARTITIONS, QUICK_PARTITIONS = 100, 4
HONEST, PAPERS = "inner 5-fold", "paper's scan"
#: Accuracy %, non-zero %, iterations, deactivated rows as printed.
PRINTED: dict[tuple[str, str], tuple[float, ...]] = {
    ("MCC", "breast_cancer"): (74.3, 13.6, 2.23, 2.6),
    ("MCC", "heart"): (84.3, 20.4, 3.10, 6.4),
    ("MCC", "thyroid"): (95.5, 46.1, 1.00, 0.0),
    ("MCC", "diabetes"): (76.6, 5.3, 5.86, 40.7),
    ("SVM", "breast_cancer"): (74.5, 58.5),
    ("SVM", "heart"): (84.4, 60.9),
    ("SVM", "thyroid"): (95.7, 15.8),
    ("SVM", "diabetes"): (76.7, 53.6),
    ("KDC", "breast_cancer"): (73.1, 100.0),
    ("KDC", "heart"): (84.1, 100.0),
    ("KDC", "thyroid"): (95.6, 100.0),
    ("KDC", "diabetes"): (74.2, 100.0),
}
PROTOCOL = """
Tables 1 and 2. *Inner 5-fold* chooses width and penalty on the training rows of each partition; *paper's
scan* takes the setting of least **test** error on the first five partitions, as the paper did, for all
partitions, which flatters every method. ± is one standard error over the partitions. The published 100
partitions could not be had: ten of breast-cancer and heart are the published ones, the others were drawn
with the published sizes, so that means are comparable and not identical.

MCC: `MaximumContrastClassifier(l1_ratio=0.99, priors="uniform")`. The paper's penalty (12) is unreadable in
the copy at hand; 0.99 is the plain sum of the 1-norm and the maximum norm for classes of about 100 rows,
and gives weights as sparse as the paper's. With the class frequencies as priors wide kernels see little but
the priors. Both were settled beforehand with a look at a few of these partitions, which is not honest in
the honest protocol; KDC chooses its priors in the inner folds. The scan tries 8 × 8 settings twice, the
paper's 1600. SVM: `SVC`, KDC: `KernelDensityClassifier` with one width. *Minus SVM* is the mean difference
on the same partitions.

Figure 1: 300 rows of two Gaussians, whose distance is unreadable in the copy at hand (2 here, with standard
deviation 1), and the two penalties of the paper, 0.2 and 4.2, in our form of the penalty.
"""


def tasks(quick: bool) -> dict[str, Task]:
    """Every partition with settings by inner folds; the scans; every partition with the scans' settings."""
    numbers = range(QUICK_PARTITIONS if quick else PARTITIONS)
    parts = list(product(protocols.SETS, numbers))
    honest = {f"{name} {k} {HONEST}": Task(_honest, (name, k)) for name, k in parts}
    if quick:
        return honest
    scans = {
        _scan_key(name, method): Task(protocols.papers_setting, (method, name))
        for name, method in product(protocols.SETS, protocols.METHODS)
    }
    settings = {name: [ResultOf(_scan_key(name, m)) for m in protocols.METHODS] for name in protocols.SETS}
    fixed = {f"{name} {k} {PAPERS}": Task(_fixed, (name, k, *settings[name])) for name, k in parts}
    return honest | scans | fixed


def _scan_key(name: str, method: str) -> str:
    return f"{name} {method} setting"


def _honest(name: str, number: int) -> dict:
    (part,) = protocols.partitions(name, range(number, number + 1))
    return {method: protocols.honest(method, part) for method in protocols.METHODS}


def _fixed(name: str, number: int, *settings: dict) -> dict:
    (part,) = protocols.partitions(name, range(number, number + 1))
    pairs = zip(protocols.METHODS, settings, strict=True)
    return {method: protocols.fixed(method, setting, part) for method, setting in pairs}


def _partitions(results: Results, name: str, protocol: str) -> list[dict]:
    """Records of a set's partitions under a protocol."""
    return [r for key, r in results.items() if key.startswith(f"{name} ") and key.endswith(protocol)]


def tables(results: Results) -> list[Table]:
    """Table 2, and what Table 1 has beside it."""
    found = [
        (name, protocol, records)
        for name, protocol in product(protocols.SETS, (HONEST, PAPERS))
        if (records := _partitions(results, name, protocol))
    ]
    compared = [
        _row(name, method, protocol, records)
        for method in protocols.METHODS
        for name, protocol, records in found
    ]
    compared.sort(key=lambda row: protocols.SETS.index(row["set"]))
    programmes = [_programmes(name, protocol, records) for name, protocol, records in found]
    return [
        Table("Table 2: accuracy and sparseness", compared),
        Table("Table 1: the programmes of MCC", programmes),
    ]


def _row(name: str, method: str, protocol: str, records: list[dict]) -> dict:
    accuracy, rival = (_accuracies(records, m) for m in (method, "SVM"))
    printed = PRINTED[method, name]
    return {
        "set": name,
        "method": method,
        "protocol": protocol,
        "partitions": len(records),
        "accuracy %": estimate(accuracy),
        "paper's": printed[0],
        "difference": f"{accuracy.mean() - printed[0]:+.2f}",
        "minus SVM": None if method == "SVM" else estimate(accuracy - rival),
        "non-zero %": _mean(records, method, "support", 100),
        "paper's non-zero": printed[1],
    }


def _programmes(name: str, protocol: str, records: list[dict]) -> dict:
    _, _, iterations, deactivated = PRINTED["MCC", name]
    return {
        "set": name,
        "protocol": protocol,
        "accuracy %": _mean(records, "MCC", "accuracy", 100),
        "after the first programme": _mean(records, "MCC", "first accuracy", 100),
        "non-zero %": _mean(records, "MCC", "support", 100),
        "after the first": _mean(records, "MCC", "first support", 100),
        "programmes": _mean(records, "MCC", "iterations"),
        "paper's": iterations,
        "deactivated rows": _mean(records, "MCC", "deactivated"),
        "in the paper": deactivated,
    }


def _mean(records: list[dict], method: str, key: str, factor: float = 1.0) -> float:
    return round(factor * float(np.mean([record[method][key] for record in records])), 2)


def _accuracies(records: list[dict], method: str) -> np.ndarray:
    return 100 * np.array([record[method]["accuracy"] for record in records])


def findings(results: Results) -> str:
    """Where the printed figures are reached, what a choice by test rows is worth, and how sparse MCC is."""
    lines = [_reached(results, protocol) for protocol in (HONEST, PAPERS)]
    lines += [_worth(results), _sparser(results), _settings(results)]
    return "\n".join(f"- {line}" for line in lines if line)


def _reached(results: Results, protocol: str) -> str:
    below: list[tuple[str, float]] = []
    level: list[tuple[str, float]] = []
    for name in protocols.SETS:
        if records := _partitions(results, name, protocol):
            ours = estimate(_accuracies(records, "MCC"))
            gap = PRINTED["MCC", name][0] - (ours["mean"] or 0)
            (level if gap <= (ours["error"] or 0) else below).append((name, gap))
    if not level and not below:
        return ""
    text = f"{protocol}: MCC is as accurate as printed or better, to one standard error, on {_names(level)}"
    return text + (
        f"; below on {', '.join(f'{name} (by {gap:.1f})' for name, gap in below)}." if below else "."
    )


def _names(pairs: list[tuple[str, float]]) -> str:
    return ", ".join(name for name, _ in pairs) or "no set"


def _worth(results: Results) -> str:
    """Points gained by settings that were chosen by test rows."""
    gains = []
    for name in protocols.SETS:
        honest, scanned = (_partitions(results, name, protocol) for protocol in (HONEST, PAPERS))
        if scanned:
            points = [_accuracies(scanned, m).mean() - _accuracies(honest, m).mean() for m in ("MCC", "SVM")]
            gains.append(f"{name} {points[0]:+.1f} and {points[1]:+.1f}")
    return f"A setting chosen by test rows is worth, to MCC and SVM: {'; '.join(gains)}." if gains else ""


def _sparser(results: Results) -> str:
    texts = []
    for protocol in (HONEST, PAPERS):
        found = [
            name
            for name in protocols.SETS
            if (records := _partitions(results, name, protocol))
            and np.mean([r["MCC"]["support"] - r["SVM"]["support"] for r in records]) < 0
        ]
        if found:
            texts.append(f"{', '.join(found)} ({protocol})")
    return f"MCC is sparser than the SVM on {'; '.join(texts)}; in print, on all but thyroid."


def _settings(results: Results) -> str:
    scans = {key.removesuffix(" setting"): r for key, r in results.items() if key.endswith(" setting")}
    texts = [f"{key}: {', '.join(f'{k} {_short(v)}' for k, v in r.items())}" for key, r in scans.items()]
    return f"Settings of the paper's scan: {'; '.join(texts)}." if texts else ""


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.3g}"


def figures(_results: Results) -> Iterable[Picture]:
    """Figure 1: two Gaussians, a weak and a strong penalty."""
    from matplotlib.figure import Figure

    X, y = two_gaussians_problem(distance=2.0).sample(300, random_state=0)
    figure = Figure(figsize=(13, 5), layout="constrained")
    for ax, alpha in zip(figure.subplots(1, 2, sharex=True, sharey=True), (0.2, 4.2), strict=True):
        model = MaximumContrastClassifier(alpha, gamma=0.5, **protocols.MCC).fit(X, y)
        ContrastDisplay.from_estimator(model, X, y, ax=ax)
        ax.set_title(f"alpha = {alpha}: {ax.get_title()}")
    yield Picture("figure1", "Figure 1: maximum contrast for two penalties", figure)


PAPER = Paper(
    name="meinicke2002",
    title="Maximum contrast on the sets of meinicke2002",
    reference="P. Meinicke, T. Twellmann, H. Ritter. Discriminative densities from maximum contrast "
    "estimation. Advances in Neural Information Processing Systems 15, 2002.",
    summary="Maximum contrast, SVM and kernel densities on four sets, 100 partitions each; Figure 1.",
    protocol=PROTOCOL,
    data=tuple(f"raetsch_{name}" for name in protocols.SETS),
    tasks=tasks,
    tables=tables,
    figures=figures,
    findings=findings,
)
