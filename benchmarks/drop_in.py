"""scikit-learn's own tests with `KernelLogisticRegression` in the place of `SVC` and `LogisticRegression`.

    python -m benchmarks.drop_in             # modules not on record; writes docs/results/drop_in.md
    python -m benchmarks.drop_in rfe voting  # modules whose name contains a word, again; prints only

Tests of ensembles, searches, calibration, displays, inspection and meta-estimators run with stand-ins; those
that make or fit one count, unless they fail with the originals too.  A finished module is kept at once, in
docs/results/drop_in_runs.jsonl; delete its line to run it again.
"""

import inspect
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import sklearn.linear_model
import sklearn.svm

from benchmarks.drop_in_page import AREAS, RECORD, area_rows, drop_in_page, on_record, reason_list
from benchmarks.measure import machine, write
from kernelproba import KernelLogisticRegression
from kernelproba.report.table import text_table


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


def meets(item: Any, kinds: list[type]) -> bool:
    """Whether a test, its parameters, its fixtures or functions that these call name one of the classes."""
    given = repr(getattr(getattr(item, "callspec", None), "params", ""))
    fixtures = [each.func for found in item._fixtureinfo.name2fixturedefs.values() for each in found]
    named = {kind.__name__ for kind in kinds}
    return any(name in given for name in named) or any(names(f, named) for f in [item.function, *fixtures])


def names(function: Any, named: set[str], depth: int = 3) -> bool:
    """Whether a function, or one of its module that it calls, has one of the names in its source."""
    function = inspect.unwrap(function)
    if not inspect.isroutine(function) or not hasattr(function, "__code__"):
        return True
    if any(name in inspect.getsource(function) for name in named):
        return True
    called = [function.__globals__.get(name) for name in function.__code__.co_names] if depth else []
    near = [each for each in called if getattr(each, "__module__", None) == function.__module__]
    values = [each for each in called if not callable(each) and not inspect.ismodule(each)]
    return any(names(each, named, depth - 1) for each in near if inspect.isroutine(each)) or any(
        name in repr(each) for name in named for each in values
    )


class Recorder:
    """Plugin of pytest that keeps the outcome of each test, and whether it used a stand-in."""

    def __init__(self, kinds: list[type]) -> None:
        self.kinds, self.tests, self.before = kinds, {}, 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out tests that cannot meet a stand-in, which are most of the work."""
        if self.kinds:
            items[:] = [item for item in items if meets(item, self.kinds)]

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


def run_missing(modules: list[str]) -> None:
    """Run modules that are not on record, and keep each at once."""
    for module in modules:
        if module not in on_record():
            run = compared(module)
            with RECORD.open("a", encoding="utf8") as file:
                file.write(json.dumps(run) + "\n")
            print(f"{module}: {run['tests']} tests, {len(run['failures'])} fail", flush=True)


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
        print("written", write("drop_in", *drop_in_page(runs), machine()))


if __name__ == "__main__":
    main(sys.argv[1:])
