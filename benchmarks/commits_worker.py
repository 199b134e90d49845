"""Fit and predict with whatever kernelproba is on the path: ``python commits_worker.py MODEL`` prints JSON.

Without a name it prints the names.  Beside kernelproba it imports nothing of this project, so that the code of
an older commit can be measured by it.
"""

import json
import statistics
import sys
import time
import warnings

from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import kernelproba

SETS = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
MODELS = [
    "KernelLogisticRegression",
    "KernelLogisticRegressionCV",
    "LeastSquaresProbabilisticClassifier",
    "LeastSquaresProbabilisticClassifierCV",
    "SparseKernelLogisticRegression",
    "RelevanceVectorClassifier",
    "MaximumContrastClassifier",
    "KernelDensityClassifier",
    "BasisLogisticRegression",
]


#: Fits that last milliseconds are repeated, up to so many seconds and times; the median counts.
REPEATED_SECONDS, MOST_REPEATS = 1.0, 15


def measure(model, load) -> dict:
    """Medians of repeated runs."""
    runs = [measure_once(model, load)]
    while sum(run["fit s"] for run in runs) < REPEATED_SECONDS and len(runs) < MOST_REPEATS:
        runs.append(measure_once(model, load))
    return {what: statistics.median(run[what] for run in runs) for what in runs[0]}


def measure_once(model, load) -> dict:
    X, X_new, y, y_new = train_test_split(*load(return_X_y=True), test_size=0.5, random_state=0)
    scaler = StandardScaler().fit(X)
    X, X_new = scaler.transform(X), scaler.transform(X_new)
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    P = model.predict_proba(X_new)
    done = time.process_time()
    return {"fit s": fitted - start, "predict s": done - fitted, "log loss": log_loss(y_new, P)}


def main() -> None:
    if len(sys.argv) == 1:
        print(json.dumps(MODELS))
        return
    warnings.simplefilter("ignore")
    kind = getattr(kernelproba, sys.argv[1])
    measure(kind(), load_wine)  # imports and threads are not what is measured
    print(json.dumps({name: measure(kind(), load) for name, load in SETS.items()}))


if __name__ == "__main__":
    main()
