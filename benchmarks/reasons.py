"""Reasons against what they approximate: contributions of columns beside shap's, influence beside refits.

    python -m benchmarks.reasons                 # both pages; needs shap (pip install 'kernelproba[bench]')
    python -m benchmarks.reasons contributions
    python -m benchmarks.reasons influence

Times are processor time of one thread, of ours and of shap in turn, each explaining the same rows against the same
hundred others.
"""

import sys
import time
import warnings
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import machine, write
from benchmarks.tables_data import folder, tables
from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV, TableClassifier
from kernelproba.inspection import column_contributions, row_influence

ROWS, BACKGROUND, EXPLAINED, SEEDS, REPEATS = 600, 100, 10, 2, 5

#: Name → table, columns (None: all).  Six columns: also by brute force over all orders.
CONTRIBUTIONS = {
    "birthwt, six columns": ("birthwt", 6),
    "pbc, six columns": ("pbc", 6),
    "star": ("star", None),
    "birthwt": ("birthwt", None),
    "hdma": ("hdma", None),
    "mroz": ("mroz", None),
    "chile": ("chile", None),
    "pbc": ("pbc", None),
}


class CodedTable:
    """A table as numbers, the place of each value among those of its column: what shap can mix."""

    def __init__(self, X: pd.DataFrame):
        self._names, self._values, codes = list(X.columns), [], []
        for name in self._names:
            number, values = pd.factorize(X[name], use_na_sentinel=False)
            codes.append(number)
            self._values.append(values)
        self.codes = np.column_stack(codes).astype(float)

    def frame(self, codes: np.ndarray) -> pd.DataFrame:
        columns = zip(self._names, self._values, codes.astype(int).T, strict=True)
        return pd.DataFrame({name: values.take(number) for name, values, number in columns})


def log_odds(model: TableClassifier, X: pd.DataFrame, k: int) -> np.ndarray:
    P = model.predict_proba(X).clip(1e-300)
    return np.log(P[:, k]) - np.log(np.delete(P, k, axis=1).sum(axis=1))


def by_all_orders(value: Callable[[frozenset], float], d: int) -> np.ndarray:
    """Shapley's definition: the mean gain of each column over all d! orders."""
    cache: dict[frozenset, float] = {}
    shares, orders = np.zeros(d), list(permutations(range(d)))
    for order in orders:
        before = frozenset()
        for j in order:
            after = before | {j}
            for members in (before, after):
                if members not in cache:
                    cache[members] = value(members)
            shares[j] += (cache[after] - cache[before]) / len(orders)
            before = after
    return shares


def timed(call: Callable) -> tuple[object, float]:
    start = time.process_time()
    return call(), time.process_time() - start


def contributions_of(name: str) -> dict:
    import shap

    table, size = CONTRIBUTIONS[name]
    X, y = tables(folder())[table]
    X, y = X.iloc[:, :size], np.asarray(y)
    train = np.random.default_rng(0).permutation(len(X))[:ROWS]
    model = TableClassifier(KernelLogisticRegressionCV(random_state=0)).fit(X.iloc[train], y[train])
    coded = CodedTable(X.iloc[train])
    rows, background = coded.codes[:EXPLAINED], coded.codes[EXPLAINED : EXPLAINED + BACKGROUND]
    k = int(model.predict_proba(coded.frame(rows))[0].argmax())

    def f(codes: np.ndarray) -> np.ndarray:
        return log_odds(model, coded.frame(codes), k)

    parts = coded.frame(rows), coded.frame(background)

    def ours() -> pd.DataFrame:
        return column_contributions(model, *parts, label=model.classes_[k])

    def as_arrays(lines: pd.DataFrame) -> np.ndarray:
        table = lines.dropna(subset="column").pivot(
            index="explained", columns="column", values=["contribution", "error"]
        )
        return np.stack([table[part][list(X.columns)].to_numpy(float) for part in ("contribution", "error")])

    def peers(seed: int) -> np.ndarray:
        np.random.seed(seed)  # shap draws from the global generator  # noqa: NPY002
        return np.asarray(shap.KernelExplainer(f, background).shap_values(rows, silent=True, l1_reg=False))

    shares, errors = as_arrays(ours())  # imports, too
    own_times, runs = [], []
    for seed in range(SEEDS):
        own_times += [timed(ours)[1] for _ in range(REPEATS)]
        runs.append(timed(lambda seed=seed: peers(seed)))
    theirs = np.array([run for run, _ in runs])
    own_time, shap_time = float(np.median(own_times)), float(np.median([t for _, t in runs]))

    def value(members: frozenset) -> float:
        mixed = background.copy()
        mixed[:, sorted(members)] = rows[0, sorted(members)]
        return float(f(mixed).mean())

    brute = abs(by_all_orders(value, X.shape[1]) - shares[0]).max() if size == 6 else None
    odds = f(rows) - f(background).mean()
    return {
        "table": name,
        "columns": X.shape[1],
        "classes": len(model.classes_),
        "largest share": float(abs(shares).max()),
        "do not add up by": float(abs(shares.sum(axis=1) - odds).max()),
        "from all orders": "–" if brute is None else float(brute),
        "our error": float(errors.max()),
        "from shap": float(abs(theirs.mean(axis=0) - shares).max()),
        "error of shap": float(theirs.std(axis=0, ddof=1).max()),
        "ours s": own_time,
        "shap s": shap_time,
        "shap / ours": shap_time / own_time,
    }


def contributions() -> None:
    where = machine()
    rows = []
    for name in CONTRIBUTIONS:
        rows.append(contributions_of(name))
        print(rows[-1], flush=True)
    text = f"""
`python -m benchmarks.reasons contributions`. A `TableClassifier` that tunes itself is fitted to at most {ROWS} rows of a table; {EXPLAINED} rows
are explained against {BACKGROUND} others, by `column_contributions` and by shap's `KernelExplainer` (its default number of samples, no
selection of features; tables are coded as numbers for it), {SEEDS} times in turn, ours {REPEATS} times at each turn; medians are stated.

*From all orders*: largest difference from Shapley's definition, the mean over all 720 orders of six columns. *Our error*: standard
error of contributions that are sampled (many columns and more than two classes), 0 if they are exact. *From shap*: largest difference from the
mean of shap's runs; *error of shap*: largest standard deviation of a contribution between its runs, 0 where it values all sets.
Times are processor time of one thread on a machine with other work; only their ratio is meant.
"""
    print(write("reasons", "Contributions of columns, beside shap's", text, rows, where))


def scaled(loader: Callable) -> tuple[np.ndarray, np.ndarray]:
    X, y = loader(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(y))[:150]
    return StandardScaler().fit_transform(X[chosen]), y[chosen]


INFLUENCE = {
    "moons": lambda: make_moons(150, noise=0.3, random_state=0),
    "breast cancer": lambda: scaled(load_breast_cancer),
    "iris": lambda: scaled(load_iris),
    "wine": lambda: scaled(load_wine),
}


def influence_on(name: str, explained: int = 10) -> dict:
    X, y = INFLUENCE[name]()
    (rows, X), y = (X[:explained], X[explained:]), y[explained:]
    template = KernelLogisticRegression(tol=1e-8)
    model = clone(template).fit(X, y)

    def odds(fitted: KernelLogisticRegression) -> np.ndarray:
        P = fitted.predict_proba(rows)[:, 1]
        return np.log(P) - np.log1p(-P)

    def refits() -> np.ndarray:
        without = [odds(clone(template).fit(np.delete(X, i, 0), np.delete(y, i))) for i in range(len(y))]
        return (odds(model) - np.array(without)).T

    def formulas() -> np.ndarray:
        lines = row_influence(model, rows, label=1, top=None)
        return lines.pivot(index="explained", columns="row", values="influence").to_numpy()

    expected, slow = timed(refits)
    found, quick = timed(formulas)
    correlations = [np.corrcoef(one, two)[0, 1] for one, two in zip(found, expected, strict=True)]
    return {
        "set": name,
        "training rows": len(y),
        "classes": len(model.classes_),
        "rows explained": explained,
        "least correlation": float(min(correlations)),
        "mean correlation": float(np.mean(correlations)),
        "of all together": float(np.corrcoef(found.ravel(), expected.ravel())[0, 1]),
        "largest influence": float(abs(expected).max()),
        "largest difference": float(abs(found - expected).max()),
        "refits / formulas, time": slow / quick,
    }


def influence() -> None:
    where = machine()
    rows = [influence_on(name) for name in INFLUENCE]
    text = """
`python -m benchmarks.reasons influence`. By how much each training row raises the log-odds of the second class, for rows that were not
trained on: by the formulas of `row_influence`, and by as many fits, each without one row. Correlations are over training rows, one
for each row explained, and one for all of them together.
"""
    print(
        write("reasons_influence", "Influence of training rows, beside fits without them", text, rows, where)
    )


def main(which: list[str]) -> None:
    warnings.filterwarnings("ignore")
    for page in which or ["influence", "contributions"]:
        {"contributions": contributions, "influence": influence}[page]()


if __name__ == "__main__":
    main(sys.argv[1:])
