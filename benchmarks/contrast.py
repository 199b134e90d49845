"""Maximum contrast: speed, and wrong labels.

``python -m benchmarks.contrast speed`` and ``noise`` write docs/results/contrast_*; the paper's tables and figure are
``kernelproba papers meinicke2002``.  KERNELPROBA_DATA names the directory of the data sets, as everywhere.
"""

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_wine, make_moons
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.measure import interleaved, machine, mean_and_error, write
from kernelproba import MaximumContrastClassifier, MaximumContrastClassifierCV
from kernelproba.datasets import load, two_gaussians_problem
from kernelproba.papers.contrast_protocols import first_programme

# -- speed ------------------------------------------------------------------------------------------------


def speed(repeats: int) -> None:
    """Against SVC at 5000 rows, and against the dense programme at 2000."""
    rows = _against_svc(repeats) + _against_dense()
    write("contrast_speed", "Maximum contrast: time and memory", SPEED_TEXT, rows, machine())


SPEED_TEXT = """
Rows of satimage, standardised, drawn at random.  Times are medians of interleaved runs; *ratio* is to the first row
of each size.  Memory is the peak of a process of its own that imports, loads the data and fits once.  The dense
programme has the same optimum, to the difference shown.
"""


def _satimage(n: int, *, binary: bool = False) -> tuple[np.ndarray, np.ndarray]:
    X, y = load("satimage").all_rows()
    chosen = np.random.default_rng(0).permutation(len(y))[:n]
    X = StandardScaler().fit_transform(X[chosen].astype(float))
    return X, (y[chosen] <= 2).astype(int) if binary else y[chosen]


SPEED_SETTINGS = {
    "default": {},
    "gamma 1/7, alpha 1": {"gamma": 1 / 7},
    "sparse": {"gamma": 1 / 7, "alpha": 1.0, "l1_ratio": 0.99},
}


def _against_svc(repeats: int) -> list[dict]:
    X, y = _satimage(5000)
    contestants = {"SVC": lambda: SVC().fit(X, y)}
    for label, params in SPEED_SETTINGS.items():
        contestants[label] = lambda params=params: MaximumContrastClassifier(**params).fit(X, y)
    timed = interleaved(contestants, repeats)
    rows = []
    for label, run in timed.items():
        model, ratio = run["result"], run["seconds"] / timed["SVC"]["seconds"]
        rows.append(
            {
                "rows": 5000,
                "classes": 6,
                "model": label if label == "SVC" else f"MCC {label}",
                "seconds": run["seconds"],
                "ratio": ratio,
                "peak MB": _peak_memory(label),
                "programmes": getattr(model, "n_iter_", "") if label != "SVC" else "",
                "gap or difference": f"{model.duality_gap_:.0e}" if label != "SVC" else "",
            }
        )
    return rows


def _peak_memory(label: str) -> int:
    """Peak memory of a process that fits once."""
    command = [sys.executable, "-m", "benchmarks.contrast", "peak", label]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def peak(label: str) -> None:
    """Fit once and print the peak memory in megabytes."""
    X, y = _satimage(5000)
    (SVC() if label == "SVC" else MaximumContrastClassifier(**SPEED_SETTINGS[label])).fit(X, y)
    # Unlike ru_maxrss, the high-water mark does not count what the parent held at the fork.
    status = Path("/proc/self/status").read_text(encoding="utf8")
    print(int(status.split("VmHWM:")[1].split()[0]) // 1024)


def _against_dense() -> list[dict]:
    X, y = _satimage(2000, binary=True)
    rows = []
    for alpha in (1.0, 0.1):
        params = {"alpha": alpha, "gamma": 1 / 36}
        contestants = {
            solver: partial(first_programme, X, y, solver=solver, **params)
            for solver in ("restricted", "dense")
        }
        timed = interleaved(contestants, 1)
        values = [timed[solver]["result"].contrast_path_[-1] for solver in ("restricted", "dense")]
        rows += [
            {
                "rows": 2000,
                "classes": 2,
                "model": f"MCC alpha {alpha}, {solver}",
                "seconds": timed[solver]["seconds"],
                "ratio": timed[solver]["seconds"] / timed["restricted"]["seconds"],
                "peak MB": "",
                "programmes": 1,
                "gap or difference": f"{abs(values[1] - values[0]):.0e}",
            }
            for solver in ("restricted", "dense")
        ]
    return rows


# -- wrong labels -----------------------------------------------------------------------------------------


def noise(repeats: int) -> None:
    """Flip a tenth of the labels; who is suspected, and what does it cost."""
    rows = []
    for problem in ("two gaussians", "two moons", "wine"):
        runs = [_noisy_run(problem, seed) for seed in range(repeats)]
        table = {key: 100 * np.array([run[key] for run in runs]) for key in runs[0]}
        off = table["deactivated"].sum()
        rows.append(
            {
                "problem": problem,
                "repeats": repeats,
                "flipped rows found %": mean_and_error(table["found"]),
                "deactivated": table["deactivated"].mean() / 100,
                "of them flipped %": 100 * table["rightly"].sum() / off if off else "",
                "test error %, clean": mean_and_error(table["clean"]),
                "test error %, noisy": mean_and_error(table["noisy"]),
                "points lost": mean_and_error(table["noisy"] - table["clean"]),
            }
        )
    write("contrast_noise", "Maximum contrast and wrong labels", NOISE_TEXT, rows, machine())


NOISE_TEXT = """
A tenth of the training labels is moved to another class.  `MaximumContrastClassifierCV` chooses width and alpha by accuracy on
the corrupted labels.  *Found*: share of the flipped rows among as many rows of lowest margin, of which the
deactivated ones are the first.  The clean fit chooses its own setting on the clean labels.  ± is one standard error
over the repeats, of the difference itself for *points lost*: one draw of wine tells little.  300 training rows
(two Gaussians four standard deviations apart; two moons, noise 0.2) and 3000 test rows; wine: a stratified third
of its 178 rows is the test set.
"""


def _noisy_run(problem: str, seed: int) -> dict:
    X, y, X_test, y_test = _noise_problem(problem, seed)
    rng, classes = np.random.default_rng(seed), int(y.max()) + 1
    flipped = rng.choice(len(y), round(0.1 * len(y)), replace=False)
    corrupted = y.copy()
    corrupted[flipped] = (y[flipped] + rng.integers(1, classes, size=len(flipped))) % classes
    search = MaximumContrastClassifierCV(scoring="accuracy")
    clean, noisy = (clone(search).fit(X, labels).best_estimator_ for labels in (y, corrupted))
    lowest = np.argsort(noisy.margin_, kind="stable")[: len(flipped)]
    off = noisy.deactivated_
    return {
        "found": np.isin(flipped, lowest).mean(),
        "deactivated": len(off),
        "rightly": np.isin(off, flipped).sum(),
        "clean": 1 - clean.score(X_test, y_test),
        "noisy": 1 - noisy.score(X_test, y_test),
    }


def _noise_problem(problem: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    if problem == "two moons":
        train, test = (
            make_moons(n, noise=0.2, random_state=s) for n, s in ((300, seed), (3000, 1000 + seed))
        )
        return *train, *test
    if problem == "two gaussians":
        truth = two_gaussians_problem(distance=4.0)
        return *truth.sample(300, random_state=seed), *truth.sample(3000, random_state=1000 + seed)
    X, y = load_wine(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    parts.add_parser("speed").add_argument("--repeats", type=int, default=5)
    parts.add_parser("noise").add_argument("--repeats", type=int, default=30)
    parts.add_parser("peak").add_argument("label")
    options = parser.parse_args()
    if options.part == "peak":
        peak(options.label)
    else:
        {"speed": speed, "noise": noise}[options.part](options.repeats)


if __name__ == "__main__":
    main()
