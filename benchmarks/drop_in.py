"""scikit-learn's own tests with `KernelLogisticRegression` in the place of `SVC` and `LogisticRegression`.

    python -m benchmarks.drop_in             # modules not on record; writes docs/results/drop_in.md
    python -m benchmarks.drop_in rfe voting  # modules whose name contains a word, again; prints only

Tests of ensembles, searches, calibration, displays, inspection and meta-estimators run with stand-ins; those
that make or fit one count, unless they fail with the originals too.  A finished module is kept at once, in
docs/results/drop_in_runs.jsonl; delete its line to run it again.
"""

import inspect
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sklearn.linear_model
import sklearn.svm

from benchmarks.measure import RESULTS, machine, write
from kernelproba import KernelLogisticRegression
from kernelproba.report.table import text_table

#: Room of scikit-learn → its modules of tests.
AREAS = {
    "calibration": ["tests.test_calibration"],
    "displays": [
        "metrics._plot.tests.test_common_curve_display",
        "metrics._plot.tests.test_confusion_matrix_display",
        "metrics._plot.tests.test_det_curve_display",
        "metrics._plot.tests.test_precision_recall_display",
        "metrics._plot.tests.test_roc_curve_display",
        "inspection._plot.tests.test_boundary_decision_display",
    ],
    "ensembles": [
        "ensemble.tests.test_bagging",
        "ensemble.tests.test_base",
        "ensemble.tests.test_common",
        "ensemble.tests.test_stacking",
        "ensemble.tests.test_voting",
        "ensemble.tests.test_weight_boosting",
    ],
    "feature selection": ["feature_selection.tests.test_rfe", "feature_selection.tests.test_from_model"],
    "inspection": [
        "inspection.tests.test_partial_dependence",
        "inspection.tests.test_permutation_importance",
    ],
    "meta-estimators": [
        "tests.test_base",
        "tests.test_metaestimators",
        "tests.test_multiclass",
        "tests.test_multioutput",
        "tests.test_pipeline",
        "frozen.tests.test_frozen",
        "semi_supervised.tests.test_self_training",
        "utils.tests.test_response",
    ],
    "scorers": ["metrics.tests.test_score_objects"],
    "searches": [
        "model_selection.tests.test_classification_threshold",
        "model_selection.tests.test_search",
        "model_selection.tests.test_split",
        "model_selection.tests.test_successive_halving",
        "model_selection.tests.test_validation",
    ],
}
#: Finished modules, a line each.
RECORD = RESULTS / "drop_in_runs.jsonl"
PAGE = """
scikit-learn's own tests of what is built around a classifier, with `KernelLogisticRegression` in the place of `SVC` and,
with `kernel="linear"`, of `LogisticRegression`: `python -m benchmarks.drop_in`. Counted are tests that use one of the two
and do not fail with the originals. Names of scikit-learn's solvers mean `solver="auto"` here; parameters that
`KernelLogisticRegression` does not have (`penalty`, `dual`, `probability`, `shrinking`, …) are accepted and do nothing.
"""


def stand_in(original: type, **defaults: Any) -> type:
    """`KernelLogisticRegression` under the name of `original`, taking its parameters too."""
    own = dict(inspect.signature(KernelLogisticRegression).parameters)
    theirs = dict(inspect.signature(original).parameters)
    own |= {name: own[name].replace(default=default) for name, default in defaults.items()}
    extra = {name: parameter for name, parameter in theirs.items() if name not in own}
    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([p.replace(kind=keyword) for p in (own | extra).values()])
    solvers = KernelLogisticRegression._parameter_constraints["solver"][0].options

    class StandIn(KernelLogisticRegression):
        used = 0

        def __init__(self, **params: Any) -> None:
            StandIn.used += 1
            bound = signature.bind(**params)
            bound.apply_defaults()
            vars(self).update(bound.arguments)

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            StandIn.used += 1
            given = self.solver, self.max_iter
            self.solver = self.solver if self.solver in solvers else "auto"
            self.max_iter = max(self.max_iter, 200)
            try:
                return super().fit(X, y, sample_weight)
            finally:
                self.solver, self.max_iter = given

    StandIn.__init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *signature.parameters.values()]
    )
    StandIn.__name__ = StandIn.__qualname__ = original.__name__
    return StandIn


class Recorder:
    """Plugin of pytest that keeps the outcome of each test, and whether it used a stand-in."""

    def __init__(self, kinds: list[type]) -> None:
        self.kinds, self.tests, self.before = kinds, {}, 0

    def _used(self) -> int:
        return sum(kind.used for kind in self.kinds)

    def pytest_runtest_setup(self) -> None:
        """Remember how often stand-ins were used before a test."""
        self.before = self._used()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what became of a test."""
        if report.when != "call" and report.passed:
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        self.tests[report.nodeid] = {
            "outcome": report.outcome,
            "used": self._used() > self.before,
            "reason": "" if crash is None else crash.message.split("\n")[0],
        }


def run_tests(names: list[str], path: Path, *, replaced: bool) -> None:
    """Run modules or single tests of scikit-learn in this process, and write their outcomes."""
    kinds = []
    if replaced:
        kinds = [
            stand_in(sklearn.svm.SVC),
            stand_in(sklearn.linear_model.LogisticRegression, kernel="linear"),
        ]
        sklearn.svm.SVC, sklearn.linear_model.LogisticRegression = kinds
    recorder = Recorder(kinds)
    root = Path(sklearn.__file__).parents[1]
    options = ["-q", "-p", "no:cacheprovider", "--tb=short", f"--rootdir={root}", "-c", "/dev/null"]
    pytest.main([*options, "-W", "ignore", "--pyargs", *names], plugins=[recorder])
    path.write_text(json.dumps(recorder.tests), encoding="utf8")


def outcomes(names: list[str], kind: str) -> dict[str, dict]:
    """Outcomes of the tests in a process of its own; `kind` is "original" or "replaced"."""
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tests.json"
        command = [sys.executable, "-m", "benchmarks.drop_in", kind, str(path), *names]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return json.loads(path.read_text(encoding="utf8"))


def compared(module: str) -> dict:
    """Run a module's tests: how many use a stand-in, and which of them fail, but not with the originals."""
    after = outcomes([f"sklearn.{module}"], "replaced")
    root = Path(sklearn.__file__).parents[1]
    failed = {name: test for name, test in after.items() if test["outcome"] == "failed" and test["used"]}
    before = outcomes([f"{root}/{name}" for name in failed], "original")
    hopeless = {name for name, test in before.items() if test["outcome"] == "failed"}
    used = {name for name, test in after.items() if test["used"] and test["outcome"] != "skipped"}
    failures = [{"test": name, "reason": failed[name]["reason"]} for name in failed if name not in hopeless]
    return {"module": module, "tests": len(used - hopeless), "failures": failures}


def on_record() -> dict[str, dict]:
    """Module → what became of its tests."""
    lines = RECORD.read_text("utf8").splitlines() if RECORD.exists() else []
    return {run["module"]: run for run in map(json.loads, lines)}


def run_missing(modules: list[str]) -> None:
    """Run modules that are not on record, and keep each at once."""
    for module in modules:
        if module not in on_record():
            run = compared(module)
            with RECORD.open("a", encoding="utf8") as file:
                file.write(json.dumps(run) + "\n")
            print(f"{module}: {run['tests']} tests, {len(run['failures'])} fail", flush=True)


def reason(failure: dict) -> str:
    """What a failure says, without what differs from test to test."""
    text = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "…", failure["reason"])
    return text if len(text) <= 110 else text[:109] + "…"


def area_rows(runs: dict[str, dict]) -> list[dict]:
    """Counts for each area."""
    rows = []
    for area, modules in AREAS.items():
        found = [runs[module] for module in modules if module in runs]
        tests, failed = sum(run["tests"] for run in found), sum(len(run["failures"]) for run in found)
        rows.append({"area": area, "tests": tests, "pass": tests - failed, "fail": failed})
    total = {key: sum(row[key] for row in rows) for key in ("tests", "pass", "fail")}
    return [*rows, {"area": "all", **total}]


def reason_list(runs: dict[str, dict]) -> str:
    """Why tests fail, the frequent reasons first, as a list in Markdown."""
    failures = [failure for run in runs.values() for failure in run["failures"]]
    examples = {reason(failure): failure["test"].split("/")[-1] for failure in failures}
    counts = Counter(map(reason, failures)).most_common()
    return "\n".join(f"- {count} × `{text}`, such as `{examples[text]}`" for text, count in counts)


def main(arguments: list[str]) -> None:
    """Compare, and print or write the page."""
    if arguments and arguments[0] in ("original", "replaced"):
        run_tests(arguments[2:], Path(arguments[1]), replaced=arguments[0] == "replaced")
        return
    modules = [module for area in AREAS.values() for module in area]
    if arguments:
        chosen = [module for module in modules if any(word in module for word in arguments)]
        runs = {module: compared(module) for module in chosen}
    else:
        run_missing(modules)
        runs = on_record()
    rows, reasons = area_rows(runs), reason_list(runs)
    print(text_table(rows, list(rows[0])), reasons, sep="\n\n")
    if not arguments:
        text = f"{PAGE.strip()}\n\nWhy tests fail:\n\n{reasons}"
        print("written", write("drop_in", "In the place of SVC", text, rows, machine()))


if __name__ == "__main__":
    main(sys.argv[1:])
