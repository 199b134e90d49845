"""Models without Python: graphs of ONNX beside the models they were made from, and beside scikit-learn's.

    python -m benchmarks.export equality   every classifier, alone, behind scalers and with weighed rows: 10,000 rows
    python -m benchmarks.export speed      satimage: time, size and log loss beside SVC, random forest and boosting

Each writes docs/results/export_*.json and .md.  KERNELPROBA_DATA names the directory of the data sets.
"""

import argparse
import time
import warnings

import numpy as np
import onnxruntime
import skl2onnx
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import has_fit_parameter

from benchmarks.measure import interleaved, machine, write
from benchmarks.sparse import satimage
from kernelproba import (
    BasisLogisticRegression,
    ConformalClassifier,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachine,
    LinearProgrammingMachineCV,
    MaximumContrastClassifier,
    MaximumContrastClassifierCV,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
    SparseKernelLogisticRegressionCV,
    TableClassifier,
)
from kernelproba.compression import compress
from kernelproba.onnx import to_onnx

CLASSIFIERS = {
    "KernelLogisticRegression": KernelLogisticRegression(),
    "…, pairwise": KernelLogisticRegression(multi_class="pairwise"),
    "…, pairwise, Hastie–Tibshirani": KernelLogisticRegression(
        multi_class="pairwise", coupling="hastie-tibshirani"
    ),
    "…, 50 centres": KernelLogisticRegression(n_centers=50),
    "KernelLogisticRegressionCV": KernelLogisticRegressionCV(),
    "…, weights of features": KernelLogisticRegressionCV(kernel="rbf", feature_weights="auto"),
    "LeastSquaresProbabilisticClassifier": LeastSquaresProbabilisticClassifier(),
    "LeastSquaresProbabilisticClassifierCV": LeastSquaresProbabilisticClassifierCV(),
    "SparseKernelLogisticRegression": SparseKernelLogisticRegression(),
    "SparseKernelLogisticRegressionCV": SparseKernelLogisticRegressionCV(Cs=3, cv=3),
    "RelevanceVectorClassifier": RelevanceVectorClassifier(),
    "…, pairwise ": RelevanceVectorClassifier(multi_class="pairwise"),
    "KernelDensityClassifier": KernelDensityClassifier(),
    "MaximumContrastClassifier": MaximumContrastClassifier(),
    "MaximumContrastClassifierCV": MaximumContrastClassifierCV([0.1, 1.0], [0.1, 1.0], cv=3),
    "LinearProgrammingMachine": LinearProgrammingMachine(),
    "LinearProgrammingMachineCV": LinearProgrammingMachineCV([1.0, 10.0], [0.1, 1.0], cv=3),
    "BasisLogisticRegression": BasisLogisticRegression(),
    "PairwiseCouplingClassifier": PairwiseCouplingClassifier(KernelLogisticRegression()),
    "ConformalClassifier": ConformalClassifier(KernelLogisticRegression()),
    "MinimumRiskClassifier": MinimumRiskClassifier(
        KernelLogisticRegression(), [[0, 1, 2], [4, 0, 1], [1, 1, 0]], reject_cost=0.6
    ),
    "PriorShiftClassifier": PriorShiftClassifier(KernelLogisticRegression(), [0.6, 0.3, 0.1]),
    "TableClassifier": TableClassifier(),
}


def session(graph) -> onnxruntime.InferenceSession:
    """Return a session of one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(graph.SerializeToString(), options, ["CPUExecutionProvider"])


# --- equality ---------------------------------------------------------------------------------------------


def equality(n: int = 150, n_new: int = 10_000) -> None:
    """Every classifier in every setting, on rows near and far from those of training."""
    X, y = make_classification(
        n, 6, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )
    rng = np.random.default_rng(0)
    far = rng.choice([1.0, 2.0, 10.0], (n_new, 1))
    new = (rng.normal(size=(n_new, 6)) * far).astype(np.float32)
    weights = rng.integers(1, 4, n).astype(float)
    rows = []
    for name, model in CLASSIFIERS.items():
        row: dict[str, object] = {"model": name.strip()}
        for setting, (fitted, own) in settings(model, X, y, weights).items():
            gap, wrong, ties = compared(fitted, own if own is not None else new)
            row |= {f"{setting}: largest gap": gap, f"{setting}: other labels": f"{wrong} ({ties} ties)"}
        rows.append(row)
        print(row, flush=True)
    text = (
        f"Models of {n} rows of three classes with six features; {n_new:,} rows in single precision, a third of them "
        "ten times as far out. *Largest gap*: of any probability between ONNX Runtime and `predict_proba`. *Other "
        "labels*: rows that are labelled otherwise, ties (classes whose probabilities differ by less than 1e-12, of "
        "which rounding picks one) counted apart. *Alone*: the model on float32 rows; *pipeline*: behind "
        "`StandardScaler` and `MinMaxScaler`; *weighed*: fitted with weights of 1 to 3, where `fit` takes them. A "
        "`TableClassifier` has an input for every column."
        "\n\nCommand: `python -m benchmarks.export equality`."
    )
    write("export_equality", "Graphs of ONNX say what the models say", text, rows, machine())


def settings(model, X, y, weights) -> dict:
    """The model fitted in three settings; a table is no matrix, and is given as one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        takes = has_fit_parameter(model, "sample_weight")
        return {
            "alone": (clone(model).fit(X, y), None),
            "pipeline": (
                make_pipeline(StandardScaler(), MinMaxScaler((-2, 2)), clone(model)).fit(X, y),
                None,
            ),
            "weighed": (clone(model).fit(X, y, **({"sample_weight": weights} if takes else {})), None),
        }


def compared(model, new) -> tuple[float, int, int]:
    """Largest gap of a probability, rows with another label, and ties among those."""
    graph = to_onnx(model)
    runtime = session(graph)
    names = [each.name for each in runtime.get_inputs()]
    feed = {names[0]: new} if len(names) == 1 else dict(zip(names, columns(new), strict=True))
    labels, P = runtime.run(None, feed)
    given = new if len(names) == 1 else new.astype(np.float64)
    expected = model.predict_proba(given)
    other = labels != model.predict(given)
    second, first = np.sort(expected, axis=1)[:, -2:].T
    ties = other & (first - second < 1e-12)
    return float(np.abs(P - expected).max()), int((other & ~ties).sum()), int(ties.sum())


def columns(new) -> list[np.ndarray]:
    return [column[:, np.newaxis] for column in new.astype(np.float64).T]


# --- speed ------------------------------------------------------------------------------------------------


def speed(n: int = 2000, repeats: int = 5) -> None:
    """satimage: our graphs beside those that skl2onnx makes of scikit-learn's models."""
    X, y, X_test, y_test = satimage(n)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    klr, pairs = KernelLogisticRegression(C=10.0), KernelLogisticRegression(C=10.0, multi_class="pairwise")
    models = {
        "SVC(probability=True)": SVC(C=10.0, probability=True, random_state=0),
        "RandomForestClassifier(500)": RandomForestClassifier(500, random_state=0),
        "GradientBoostingClassifier": GradientBoostingClassifier(random_state=0),
        "KernelLogisticRegression": klr,
        "KernelLogisticRegression, pairwise": pairs,
        "KernelLogisticRegression(n_centers=200)": KernelLogisticRegression(C=10.0, n_centers=200),
        "SparseKernelLogisticRegression": SparseKernelLogisticRegression(C=1.0),
        "LeastSquaresProbabilisticClassifier": LeastSquaresProbabilisticClassifier(),
        "KernelDensityClassifier": KernelDensityClassifier(),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models.values():
            model.fit(X, y)
    models["KernelLogisticRegression, compressed to 200"] = compress(klr, n_centers=200)
    models["KernelLogisticRegression, pairwise, compressed to 200"] = compress(pairs, n_centers=200)
    graphs = {name: converted(model, X) for name, model in models.items()}
    sessions = {name: session(graph) for name, graph in graphs.items()}
    runs = {
        name: lambda own=own: own.run(None, {own.get_inputs()[0].name: X_test})
        for name, own in sessions.items()
    }
    times = interleaved(runs, repeats, time.process_time)
    base = times["SVC(probability=True)"]["seconds"]
    rows = [
        {
            "model": name,
            "log loss": log_loss(y_test, P := np.asarray(times[name]["result"][1], dtype=np.float64)),
            "error": float((np.unique(y)[P.argmax(axis=1)] != y_test).mean()),
            "MB": graphs[name].ByteSize() / 1e6,
            "µs per row": 1e6 * times[name]["seconds"] / len(X_test),
            "share of SVC's time": times[name]["seconds"] / base,
        }
        for name in models
    ]
    text = (
        f"satimage, {n:,} training rows, {len(X_test):,} rows at once in single precision, ONNX Runtime with one "
        f"thread; processor time, median of {repeats} rounds in turn, on a machine that did other work: trust the "
        "ratios only. The models of scikit-learn are converted by skl2onnx, to single precision; ours compute in "
        "double precision whatever the input. Settings are not tuned. (Of `HistGradientBoostingClassifier` this skl2onnx "
        "writes no graph with scikit-learn 1.9.)"
        "\n\nCommand: `python -m benchmarks.export speed`."
    )
    write("export_speed", "Graphs of ONNX: time and size beside scikit-learn's", text, rows, machine())


def converted(model, X):
    if type(model).__module__.startswith("kernelproba"):
        return to_onnx(model)
    options = {id(model): {"zipmap": False}}
    return skl2onnx.to_onnx(model, X[:1], options=options, target_opset={"": 18, "ai.onnx.ml": 3})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["equality", "speed"])
    {"equality": equality, "speed": speed}[parser.parse_args().what]()
