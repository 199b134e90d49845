"""What the core does without any extra: run by the Python of an environment that has none.

python core_alone.py              in such an environment
python core_alone.py --hidden     elsewhere: the modules of the extras are hidden first
"""

import importlib
import sys

#: Module → the extra that brings it.
EXTRAS = {
    "dask": "cluster",
    "distributed": "cluster",
    "jinja2": "report",
    "matplotlib": "plot",
    "openpyxl": "excel",
    "pandas": "tables",
    "polars": "tables",
    "pyarrow": "parquet",
    "rich": "cli",
    "skops": "model-files",
    "typer": "cli",
}
ROOMS = [
    "coupling",
    "datasets",
    "decision",
    "inspection",
    "kernels",
    "papers",
    "persistence",
    "report.summary",
    "rows",
    "tables",
]


class Hidden:
    """An import hook for which the modules of the extras are not there."""

    def find_spec(self, name, _path=None, _target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def check_that_no_extra_is_there() -> None:
    for module in EXTRAS:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        raise SystemExit(f"{module} is installed: this is not the core alone")


def fit_every_classifier() -> int:
    import kernelproba
    from kernelproba.inspection import probability_scores

    rows = [[float(k % 2), float(k % 5) + 4 * (k % 2)] for k in range(40)]
    labels = [k % 2 for k in range(40)]
    classes = [getattr(kernelproba, name) for name in kernelproba.__all__]
    models = [thing for thing in classes if hasattr(thing, "predict_proba")]
    for model in models:
        wraps = "estimator" in model.__init__.__annotations__ or model.__name__ in WRAPPERS
        made = model(kernelproba.KernelLogisticRegression()) if wraps else model()
        P = made.fit(rows, labels).predict_proba(rows)
        assert P.shape == (40, 2)
        assert probability_scores(labels, P)["error"] <= 0.2, model
    return len(models)


WRAPPERS = {
    "ConformalClassifier",
    "MinimumRiskClassifier",
    "PairwiseCouplingClassifier",
    "PriorShiftClassifier",
}


def what_is_missing() -> list[str]:
    """Messages of what needs an extra; each must name it."""
    from kernelproba import BasisLogisticRegression, KernelLogisticRegressionCV
    from kernelproba.inspection import (
        CoverageDisplay,
        PosteriorDisplay,
        ReliabilityDisplay,
        explain,
        suspects,
    )
    from kernelproba.inspection.displays.reliability import reliability_tables
    from kernelproba.persistence import save_model
    from kernelproba.report.comparison import compare
    from kernelproba.rows import ParquetRows
    from kernelproba.tables import read_table

    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.0]] * 5, [0, 0, 1, 1] * 5
    model, basis = KernelLogisticRegressionCV().fit(X, y), BasisLogisticRegression().fit(X, y)
    display = ReliabilityDisplay(reliability_tables(y, model.predict_proba(X)))
    coverage = CoverageDisplay.from_predictions([0, 1], [[[True, False], [True, True]]], [0.9])
    file = __file__  # there, and never written
    attempts = {
        "tables": [
            model.cv_results_.frame,
            basis.summary,
            display.frame,
            coverage.frame,
            lambda: read_table(file),
            lambda: explain(model, X[:1]),
            lambda: suspects(model, X, y),
        ],
        "plot": [display.plot, coverage.plot, lambda: PosteriorDisplay.from_estimator(model, X, y)],
        "model-files": [lambda: save_model(model, file)],
        "report": [lambda: compare(X, y, {"basis": basis})],
        "parquet": [lambda: ParquetRows(file)],
    }
    return [message(attempt, name) for name, calls in attempts.items() for attempt in calls]


def message(attempt, name: str) -> str:
    said = f"{attempt} worked without it"
    try:
        attempt()
    except ImportError as error:
        said = str(error)
    assert f"pip install 'kernelproba[{name}]'" in said, said
    return said


def main() -> None:
    if "--hidden" in sys.argv:
        sys.meta_path.insert(0, Hidden())
    check_that_no_extra_is_there()
    for room in ROOMS:
        importlib.import_module(f"kernelproba.{room}")
    n_models = fit_every_classifier()
    messages = what_is_missing()
    print(f"{n_models} classifiers fit without extras; {len(messages)} messages name the extra to install")


if __name__ == "__main__":
    main()
