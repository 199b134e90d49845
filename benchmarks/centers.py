"""Which rows to choose as centres: everywhere, class by class, or near the decision boundary.

    python -m benchmarks.centers

All rules give m of n rows to the same fit; what differs is the log loss of rows held out.  Each fit is kept at once in
docs/results/centers_runs/RULE.jsonl, and the page is written from what is there.
"""

import time
from functools import partial

import numpy as np
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import RESULTS, machine, write
from benchmarks.rivals_record import RunRecord
from benchmarks.sizes_data import letter, waves_block
from kernelproba import KernelLogisticRegression
from kernelproba.basis.centers import choose_centers
from kernelproba.datasets import load
from kernelproba.kernels import RBF
from kernelproba.rows import MemoryRows

RECORD = RunRecord(RESULTS / "centers_runs")
ROWS, TEST_ROWS, C = 6000, 4000, 30.0
COUNTS = (125, 500)
DRAWS = 2


def five_waves():
    X, y, _ = waves_block(0, 5, ROWS + TEST_ROWS)
    return X.astype(float), y


def two_waves():
    X, y, _ = waves_block(0, 2, ROWS + TEST_ROWS)
    return X.astype(float), y


def some_letters():
    table = letter(0)
    return table.X[: ROWS + TEST_ROWS], table.y[: ROWS + TEST_ROWS]


def rare_waves():
    """Two classes of which one has a twentieth of the rows."""
    X, y, log_P = waves_block(1, 2, 4 * (ROWS + TEST_ROWS))
    rng = np.random.default_rng(0)
    rare = rng.uniform(size=len(y)) < np.exp(log_P[:, 1]) ** 4 * 0.35
    return X[: ROWS + TEST_ROWS].astype(float), rare[: ROWS + TEST_ROWS].astype(int)


def satimage():
    X, y = load("satimage", download=False).all_rows()
    order = np.random.default_rng(0).permutation(len(y))
    return np.asarray(X, dtype=float)[order], np.asarray(y)[order]


PROBLEMS = {each.__name__: each for each in (two_waves, five_waves, rare_waves, satimage, some_letters)}


def everywhere(kernel, X, _y, m, seed, rule="rpcholesky"):
    """Randomly pivoted Cholesky, or chance, among all rows."""
    return choose_centers(rule, kernel, MemoryRows(X), m, seed)[0]


def by_class(kernel, X, y, m, seed, equal=False):
    """The same within each class, by its share of the rows or as many of each."""
    labels, counts = np.unique(y, return_counts=True)
    shares = np.full(len(labels), m / len(labels)) if equal else m * counts / len(y)
    parts = [
        everywhere(kernel, X[y == label], None, max(1, round(share)), seed)
        for label, share in zip(labels, shares, strict=True)
    ]
    return np.concatenate(parts)


def near_boundary(kernel, X, y, m, seed):
    """Randomly pivoted Cholesky among half of the rows, drawn by how unsure a model of a quarter of the centres is of them."""
    pilot = _model(kernel, everywhere(kernel, X, y, m // 4, seed)).fit(X, y)
    P = np.sort(pilot.predict_proba(X), axis=1)
    doubt = 1 - (P[:, -1] - P[:, -2]) + 1e-3
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(X), len(X) // 2, replace=False, p=doubt / doubt.sum())
    return everywhere(kernel, X[drawn], None, m, seed)


RULES = {
    "rpcholesky": everywhere,
    "uniform": partial(everywhere, rule="uniform"),
    "class by class": by_class,
    "as many of each class": partial(by_class, equal=True),
    "near the boundary": near_boundary,
}


def _model(kernel, Z):
    return KernelLogisticRegression(C, kernel=kernel, centers=Z, random_state=0)


def run_missing() -> None:
    """Fit what is not on record."""
    for name, problem in PROBLEMS.items():
        X, y = problem()
        n = min(ROWS, int(0.6 * len(y)))
        X = StandardScaler().fit(X[:n]).transform(X)
        kernel = RBF(np.sqrt(X.shape[1]))
        for draw in range(DRAWS):
            for m in COUNTS:
                for rule, choose in RULES.items():
                    key = f"{name}, {m} centres"
                    if (key, draw) in RECORD.runs(rule):
                        continue
                    start = time.process_time()
                    model = _model(kernel, choose(kernel, X[:n], y[:n], m, draw)).fit(X[:n], y[:n])
                    seconds = time.process_time() - start
                    P = model.predict_proba(X[n:])
                    loss = float(log_loss(y[n:], P, labels=model.classes_))
                    RECORD.keep(rule, {"data": key, "split": draw, "log_loss": loss, "cpu s": seconds})


def page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page."""
    rows = []
    runs = {rule: RECORD.runs(rule) for rule in RULES}
    for key in dict.fromkeys(key for key, _ in runs["rpcholesky"]):
        losses = {
            rule: [run["log_loss"] for (data, _), run in found.items() if data == key]
            for rule, found in runs.items()
        }
        if all(losses.values()):
            rows.append({"problem": key} | {rule: f"{np.mean(each):.4f}" for rule, each in losses.items()})
    counted = sum(len(found) for found in runs.values())
    means = {
        rule: float(np.mean([float(row[rule]) / float(row["rpcholesky"]) for row in rows])) for rule in RULES
    }
    rows.append(
        {"problem": "mean ratio to rpcholesky"} | {rule: f"{mean:.3f}" for rule, mean in means.items()}
    )
    text = (
        f"Log loss of rows held out, Gaussian kernel of length √d on standardised features, C = {C:g}, the same fit with m of at most {ROWS} rows "
        f"as centres; means of {DRAWS} draws, {counted} fits. *rpcholesky* draws rows by what the ones before leave unexplained of the kernel; "
        "*class by class* does so within each class, by its share of the rows, and *as many of each class* alike for all; *near the boundary* "
        "among half of the rows, drawn by how unsure of them a first model with a quarter of the centres is. *rare_waves* has a class of few "
        "rows.\n\nRegenerate: `python -m benchmarks.centers`."
    )
    return "Which rows to choose as centres", text, rows


def main() -> None:
    run_missing()
    write("centers", *page(), machine())


if __name__ == "__main__":
    main()
