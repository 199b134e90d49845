"""Two ways to choose widths and penalties on the sets of meinicke2002: by inner folds, by the paper's scan.

The paper takes the setting with the least *test* error on the first five partitions, a coarse scan first and
a fine one around its best, and of equal errors the sparsest; that setting then serves all partitions.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelproba.datasets import load
from kernelproba.estimators import KernelDensityClassifier, MaximumContrastClassifier
from kernelproba.kernels import median_distance
from kernelproba.tuning import MaximumContrastClassifierCV
from kernelproba.typing import Classifier

SETS = ("breast_cancer", "heart", "thyroid", "diabetes")
METHODS = ("MCC", "SVM", "KDC")
SCANNED = 5
#: The plain sum of both norms for classes of about 100 rows, and equal priors: see the page's text.
MCC = {"l1_ratio": 0.99, "priors": "uniform"}
#: Inner folds: multiples of the median distance, multiples of the number of rows, and C.
WIDTHS = np.geomspace(0.15, 2.0, 6)
PENALTIES = np.array([np.inf, *10.0 ** -np.arange(1.5, 4.0, 0.5)])
CS = 10.0 ** np.arange(-1, 3, 0.5)
#: The paper's scan: as many settings along each axis, and where they lie.
SCAN = 8
SCAN_WIDTHS, SCAN_PENALTIES, SCAN_CS = (0.1, 4.0), (10**-1.0, 10**-4.0), (10**-1.0, 10**3.0)


@dataclass(frozen=True)
class Partition:
    """Standardised training and test rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def partitions(name: str, numbers: range) -> Iterator[Partition]:
    """Read some partitions of a set, each standardised by its training rows."""
    data = load(f"raetsch_{name}")
    assert data.partitions is not None
    for train, test in [data.partitions[number] for number in numbers]:
        scaler = StandardScaler().fit(data.X[train])
        X, X_test = scaler.transform(data.X[train]), scaler.transform(data.X[test])
        yield Partition(X, data.y[train], X_test, data.y[test])


def gammas_of(widths: np.ndarray, X: np.ndarray) -> np.ndarray:
    """1/(2ℓ²) of widths ℓ given as multiples of the median distance."""
    return 0.5 / (widths * median_distance(X)) ** 2


def honest(method: str, part: Partition) -> dict:
    """Choose on the training rows, read the test rows once."""
    n, gammas = len(part.y), gammas_of(WIDTHS, part.X)
    if method == "MCC":
        search = MaximumContrastClassifierCV(PENALTIES * n, gammas, scoring="accuracy", **MCC)
        search.fit(part.X, part.y)
        return _contrast_record(search.best_estimator_, search.alpha_, search.gamma_, part)
    model: Classifier = SVC()
    grid: dict[str, object] = {"gamma": gammas, "C": CS}
    if method == "KDC":
        model, grid = KernelDensityClassifier(), {"gamma": gammas, "priors": [None, "uniform"]}
    search = GridSearchCV(model, grid, cv=5).fit(part.X, part.y)
    return _record(search.best_estimator_, part)


def fixed(method: str, setting: dict, part: Partition) -> dict:
    """Fit one setting and read the test rows."""
    if method == "MCC":
        model = MaximumContrastClassifier(setting["alpha"], gamma=setting["gamma"], **MCC).fit(part.X, part.y)
        return _contrast_record(model, setting["alpha"], setting["gamma"], part)
    kind = SVC if method == "SVM" else KernelDensityClassifier
    return _record(kind(**setting).fit(part.X, part.y), part)


def _record(model, part: Partition) -> dict:
    accuracy = float(model.score(part.X_test, part.y_test))
    return {"accuracy": accuracy, "support": len(model.support_) / len(part.y)}


def _contrast_record(model, alpha: float, gamma: float, part: Partition) -> dict:
    """What Table 1 lists, the figures after the first linear programme included."""
    first = first_programme(part.X, part.y, alpha=alpha, gamma=gamma, **MCC)
    steps = {"iterations": model.n_iter_, "deactivated": len(model.deactivated_)}
    start = {f"first {key}": value for key, value in _record(first, part).items()}
    return {**_record(model, part), **steps, **start}


def first_programme(X: np.ndarray, y: np.ndarray, **params) -> MaximumContrastClassifier:
    """Stop after one linear programme, before any row is switched off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MaximumContrastClassifier(max_iter=1, **params).fit(X, y)


def papers_setting(method: str, name: str) -> dict:
    """The setting of least test error on the first partitions: a coarse scan and a fine one."""
    parts = list(partitions(name, range(SCANNED)))
    axes = _coarse_axes(method, parts[0])
    for _ in range(2):
        results = [_scan(method, axes, part) for part in parts]
        errors, support = (np.mean([result[k] for result in results], axis=0) for k in range(2))
        best = np.where(errors <= errors.min() + 1e-12, support, np.inf).argmin()
        chosen = np.unravel_index(best, errors.shape)
        setting = {key: axis[i] for (key, axis), i in zip(axes.items(), chosen, strict=True)}
        axes = {key: _around(axes[key], int(i)) for key, i in zip(axes, chosen, strict=True)}
    return {key: value if isinstance(value, str) else float(value) for key, value in setting.items()}


def _coarse_axes(method: str, part: Partition) -> dict:
    axes: dict = {"gamma": gammas_of(np.geomspace(*SCAN_WIDTHS, SCAN), part.X)}
    if method == "MCC":
        axes["alpha"] = len(part.y) * np.geomspace(*SCAN_PENALTIES, SCAN)
    elif method == "SVM":
        axes["C"] = np.geomspace(*SCAN_CS, SCAN)
    else:
        axes["priors"] = ["uniform"]
    return axes


def _around(axis, i: int):
    """A finer axis between the neighbours of the best value."""
    if isinstance(axis, list):
        return axis
    return np.geomspace(axis[max(i - 1, 0)], axis[min(i + 1, len(axis) - 1)], SCAN)


def _scan(method: str, axes: dict, part: Partition) -> tuple[np.ndarray, np.ndarray]:
    """Test errors and shares of non-zero weights at all settings, in the order of the axes."""
    if method == "MCC":
        n, m = len(part.y), len(part.y_test)
        split = [(np.arange(n), np.arange(n, n + m))]
        search = MaximumContrastClassifierCV(
            axes["alpha"], axes["gamma"], cv=split, scoring="accuracy", **MCC
        ).fit(np.r_[part.X, part.X_test], np.r_[part.y, part.y_test])
        # One line per candidate, for each gamma the alphas from the largest down.
        order = np.argsort(np.argsort(-axes["alpha"]))
        shape = len(axes["gamma"]), len(axes["alpha"])
        accuracy, support = (
            search.cv_results_[name].reshape(shape)[:, order] for name in ("mean_test_score", "mean_support")
        )
        return 1 - accuracy, support
    (first, rows), (second, columns) = axes.items()
    table = [[fixed(method, {first: a, second: b}, part) for b in columns] for a in rows]
    errors = np.array([[1 - cell["accuracy"] for cell in row] for row in table])
    return errors, np.array([[cell["support"] for cell in row] for row in table])
