"""Prediction beside the bare products and exponentials of its blocks, and beside SVC.predict at equal centres.

    python -m benchmarks.prediction

writes docs/results/prediction.json and .md.
"""

import time

import numpy as np
from sklearn.svm import SVC

from benchmarks.measure import interleaved, machine, write
from kernelproba import KernelLogisticRegression
from kernelproba.kernels.blocks import row_blocks

ROWS, FEATURES, CENTERS, REPEATS = 100_000, 20, 2000, 5
#: Share of the bare time that is aimed at, and multiple of SVC's speed.
GOAL, SVC_GOAL = 0.6, 3.0


def bare(X: np.ndarray, Z: np.ndarray) -> float:
    """Do what no prediction can do without: a product and an exponential for every block, in its precision."""
    out = np.empty((max(each.stop - each.start for each in row_blocks(len(X), len(Z))), len(Z)), X.dtype)
    T = np.ascontiguousarray(Z.T)
    for rows in row_blocks(len(X), len(Z)):
        block = out[: rows.stop - rows.start]
        np.matmul(X[rows], T, out=block)
        np.exp(block, out=block)
    return float(block[0, 0])


def problem(c: int, dtype: type):
    """Return rows of noise with two or more labels, a support-vector machine, and a model of its centres."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(CENTERS, FEATURES)), rng.integers(c, size=CENTERS)
    svc = SVC(gamma=1 / FEATURES).fit(X, y)
    own = svc.support_
    model = KernelLogisticRegression(gamma=1 / FEATURES, tol=0.1).fit(X[own].astype(dtype), y[own])
    return rng.normal(size=(ROWS, FEATURES)).astype(dtype) / 3, svc, model


def measured(c: int, dtype: type) -> dict:
    """Return the times of one number of classes and precision."""
    X, svc, model = problem(c, dtype)
    Z = np.asarray(model.support_vectors_, dtype=dtype)
    runs = {
        "bare": lambda: bare(X, Z),
        "predict_proba": lambda: model.predict_proba(X),
        "predict": lambda: model.predict(X),
    }
    times = interleaved(runs, REPEATS, time.process_time)
    # A fifth of the rows is enough to see SVC's time.
    part = X[: ROWS // 5]
    both = interleaved(
        {"SVC": lambda: svc.predict(part), "ours": lambda: model.predict(part)}, REPEATS, time.process_time
    )
    return {
        "precision": np.dtype(dtype).name,
        "classes": c,
        "centres": len(Z),
        "bare, s": times["bare"]["seconds"],
        "predict_proba, s": times["predict_proba"]["seconds"],
        "bare / predict_proba": times["bare"]["seconds"] / times["predict_proba"]["seconds"],
        "SVC.predict / predict": both["SVC"]["seconds"] / both["ours"]["seconds"],
    }


def main() -> None:
    rows = [measured(c, dtype) for c in (2, 5) for dtype in (np.float64, np.float32)]
    for row in rows:
        print(row)
    shares, speeds = ([row[key] for row in rows] for key in ("bare / predict_proba", "SVC.predict / predict"))
    text = (
        f"{ROWS:,} rows of {FEATURES} features, RBF kernel, one thread; processor time, median of {REPEATS} rounds in "
        "turn, on a machine that did other work: trust the ratios only. *Bare*: for every block of rows the product "
        "with the centres by BLAS and NumPy's exponential, in the precision of the rows, and nothing else: no "
        "distances, no sums over centres, no checks, no softmax. The SVC has the same centres as our model, and "
        "predicts labels."
        f"\n\nThe bare time is {min(shares):.0%} to {max(shares):.0%} of that of `predict_proba` (goal: {GOAL:.0%}); "
        f"`predict` is {min(speeds):.1f} to {max(speeds):.1f} times as fast as that of SVC (goal: {SVC_GOAL:g})."
        "\n\nCommand: `python -m benchmarks.prediction`."
    )
    write("prediction", "Prediction beside its own arithmetic, and beside SVC", text, rows, machine())


if __name__ == "__main__":
    main()
