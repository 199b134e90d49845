"""The tour behind ``make demo``: kernel logistic regression beside the SVC that it replaces.

On data that ships with scikit-learn, both models get the same scaled rows and choose C among the same values
by the same cross-validated log loss; then each is fitted once, timed, and scored on held-out rows.
"""

import time
from pathlib import Path

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ..estimators import KernelLogisticRegression
from ..inspection import ReliabilityDisplay, probability_scores
from .table import markdown_table, text_table

FOLDER = Path("kernelproba-demo")
DATA = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
COLUMNS = ["data", "model", "C", "error", "log loss", "Brier", "ECE", "fit seconds"]
PENALTIES = [1.0, 10.0, 100.0, 1000.0]

INTRODUCTION = """\
kernelproba: kernel classifiers with trustworthy probabilities.

Each data set that ships with scikit-learn is split in two. Both models see the same standardised rows and
choose C among 1, 10, 100, 1000 by the log loss of three-fold cross-validation; the table shows the rest.
"""
NEXT = """\
Where to go next
  from kernelproba import KernelLogisticRegression      # change the name SVC, drop probability=True
  README.md               use, and the table for leaving SVC(probability=True)
  docs/architecture.md    how the project is built
  make bench              the comparison with other classifiers, measured on this machine
"""


def models() -> dict[str, tuple]:
    """Name → (estimator, name of its C in a search)."""
    calibrated = CalibratedClassifierCV(SVC(), method="sigmoid", ensemble=False)
    return {
        "KernelLogisticRegression": (KernelLogisticRegression(), "kernellogisticregression__C"),
        "SVC, calibrated": (calibrated, "calibratedclassifiercv__estimator__C"),
    }


def compare(X: np.ndarray, y: np.ndarray) -> tuple[list[dict], dict]:
    """One row of figures per model on one data set, and the predictions behind them."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    rows, predictions = [], {}
    for name, (estimator, parameter) in models().items():
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        pipeline = make_pipeline(StandardScaler(), estimator)
        search = GridSearchCV(pipeline, {parameter: PENALTIES}, scoring="neg_log_loss", cv=folds, refit=False)
        search.fit(X, y)
        start = time.perf_counter()
        model = pipeline.set_params(**search.best_params_).fit(X, y)
        seconds = time.perf_counter() - start
        P = model.predict_proba(X_test)
        scores = probability_scores(y_test, P, classes=model.classes_)
        rows.append(
            {
                "model": name,
                "C": f"{search.best_params_[parameter]:g}",
                "error": f"{scores['error']:.2%}",
                "log loss": f"{scores['log_loss']:.4f}",
                "Brier": f"{scores['brier']:.4f}",
                "ECE": f"{scores['ece']:.4f}",
                "fit seconds": f"{seconds:.3f}",
            }
        )
        predictions[name] = (y_test, P)
    return rows, predictions


def run(folder: Path = FOLDER) -> Path:
    """Print the comparison and write it as a report; return the report's path."""
    print(INTRODUCTION)
    rows, predictions = [], {}
    for name, load in DATA.items():
        figures, predictions[name] = compare(*load(return_X_y=True))
        rows += [{"data": name} | row for row in figures]
        print(f"  {name} done")
    print("\n" + text_table(rows, COLUMNS))
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.md"
    picture = _draw(predictions["digits"], folder / "reliability.png")
    report.write_text(_render(rows, picture), encoding="utf8")
    print(f"\nReport: {report}\n\n{NEXT}")
    return report


def _render(rows: list[dict], picture: Path) -> str:
    return (
        "# kernelproba: the demo\n\n"
        + INTRODUCTION.partition("\n\n")[2]
        + "\n"
        + markdown_table(rows, COLUMNS)
        + f"\n\n![Reliability on digits]({picture.name})\n\nMade by `make demo`.\n"
    )


def _draw(predictions: dict, path: Path) -> Path:
    """Reliability of both models on one data set, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5.5), layout="constrained")
    for axes, (name, (y, P)) in zip(figure.subplots(1, 2), predictions.items(), strict=True):
        ReliabilityDisplay.from_predictions(y, P, ax=axes, name=name, n_bins=15, histogram=False)
        axes.set_title(name)
    figure.savefig(path, dpi=120)
    return path


if __name__ == "__main__":
    run()
