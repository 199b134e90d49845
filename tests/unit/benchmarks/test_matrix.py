"""The benchmark matrix: what it measures, what it keeps, and what its page and the README say of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from unit.benchmarks.contestant_stubs import Stub

from benchmarks import readme
from benchmarks.matrix import page, run
from benchmarks.matrix.contestants.kernel_ridge import IndicatorRidge
from benchmarks.matrix.field import Contestant, everyone
from benchmarks.matrix.growth import exponent, name_of, points, waves
from benchmarks.matrix.problems import Bounds, Problem
from benchmarks.matrix.record import Record
from benchmarks.matrix.summary import Matrix
from benchmarks.matrix.worker import OverLimit

RESULTS = Path(__file__).parents[3] / "docs" / "results"
FACTS = {"machine": {"commit": "abc"}}


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    if not (RESULTS / "matrix.json").exists():
        pytest.skip("docs/results/matrix.json has not been measured: python -m benchmarks.matrix")
    return Matrix.read(RESULTS / "matrix.json")


def coin(r: int) -> tuple:
    """Four rows of two classes, three to one."""
    return (
        np.full((4, 1), r) + np.arange(4.0)[:, None],
        np.array([0, 0, 0, 1]),
        np.zeros((2, 1)),
        np.array([0, 1]),
    )


def small_record(cells: dict[tuple[str, str], list[float] | str]) -> Matrix:
    """A matrix of log losses, or of outcomes where a text is given."""
    problems, contestants = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    content = {
        "problems": [{"name": name} for name in problems],
        "contestants": [{"name": name, "own": True, "probabilities": True} for name in contestants],
        "cells": [],
    }
    for (problem, contestant), found in cells.items():
        cell = {"problem": problem, "contestant": contestant, "outcome": "measured"}
        content["cells"].append(
            cell | ({"outcome": found} if isinstance(found, str) else {"log loss": found})
        )
    return Matrix(content)


# ---- processes -------------------------------------------------------------------------------------------


def test_a_contestant_is_measured_in_its_own_process_and_stopped_at_the_limit(tmp_path):
    field = [
        Contestant("large", Stub(megabytes=60), True),
        Contestant("slow", Stub(sleep=60.0), True),
        Contestant("mortal", Stub(dies=True), True),
    ]
    record = Record(tmp_path / "record.json", FACTS)
    run.measure([Problem("coin", 2, "", coin, Bounds(limit=5.0, once_above=5.0))], field, record, 1)
    cells = {c.name: record.cell("coin", c.name) for c in field}
    assert cells["large"]["log loss"] == pytest.approx(2 * [(-np.log(0.75) - np.log(0.25)) / 2], abs=1e-6)
    assert cells["large"]["error"] == [0.5, 0.5]
    assert 50 < max(cells["large"]["MB"]) < 90
    assert cells["slow"]["outcome"] == "over 5 s"
    assert "fit s" not in cells["slow"]
    assert cells["mortal"]["outcome"] == "failed: the process died"
    assert json.loads((tmp_path / "record.json").read_text("utf8")) == record.content


class Answering:
    """A worker without a process, which counts what it is asked."""

    def __init__(self, seconds=0.1, stop_after=None):
        self.seconds, self.stop_after, self.asked = seconds, stop_after, 0

    def measure(self, _X, _y, X_test, limit):
        if self.asked == self.stop_after:
            raise KeyboardInterrupt
        self.asked += 1
        if self.seconds > limit:
            raise OverLimit
        costs = {"fit s": self.seconds, "fit CPU s": self.seconds, "predict s": 0.1, "MB": 1.0}
        return {"labels": np.zeros(len(X_test), dtype=int), "costs": costs, "warned": []}


def test_a_stopped_run_goes_on_without_repeating_a_round(tmp_path):
    problem = Problem("coin", 5, "", coin)
    first, second = {"a": Answering(), "b": Answering(stop_after=2)}, {"a": Answering(), "b": Answering()}
    with pytest.raises(KeyboardInterrupt):
        run.run_rounds(problem, first, Record(tmp_path / "r.json", FACTS))
    resumed = Record(tmp_path / "r.json", {"machine": {"commit": "def"}})
    run.run_rounds(problem, second, resumed)
    assert (first["a"].asked + second["a"].asked, first["b"].asked + second["b"].asked) == (5, 5)
    assert len(resumed.cell("coin", "b")["fit s"]) == 5
    assert resumed.content["commits"] == ["abc", "def"]


def test_a_slow_fit_is_not_repeated(tmp_path):
    worker = Answering(seconds=3.0)
    record = Record(tmp_path / "r.json", FACTS)
    run.run_rounds(Problem("coin", 5, "", coin, Bounds(10.0, 1.0)), {"slow": worker}, record)
    assert worker.asked == 1


def test_growth_gives_up_on_problems_larger_than_one_that_was_over_the_limit(tmp_path):
    record, worker = Record(tmp_path / "r.json", FACTS), Answering(seconds=0.1)
    shapes = {"n": [(10, 2, 3), (20, 2, 3)], "d": [(20, 2, 3), (20, 8, 3)], "c": [(10, 2, 3), (10, 2, 6)]}
    record.cell(name_of((20, 2, 3)), "a")["outcome"] = "over 5 s"
    for problem in points(shapes, 1, Bounds(5.0, 1.0)):
        run.run_rounds(problem, {"a": worker}, record)
    ends = {shape: record.cell(name_of(shape), "a")["outcome"] for axis in shapes.values() for shape in axis}
    assert ends[10, 2, 3] == ends[10, 2, 6] == "measured"
    assert ends[20, 8, 3].startswith("not tried")
    assert worker.asked == 2


# ---- figures ---------------------------------------------------------------------------------------------


def test_a_power_law_has_its_exponent_without_error():
    sizes = [250, 500, 1000, 2000]
    assert exponent(sizes, [3e-6 * n**2.5 for n in sizes]) == pytest.approx((2.5, 0.0), abs=1e-6)


def test_one_point_has_no_exponent():
    assert np.isnan(exponent([250], [1.0])).all()


def test_who_was_over_the_limit_shares_the_last_ranks():
    cells = {("p", "a"): [0.1, 0.3], ("p", "b"): [0.1], ("p", "c"): "over 5 s", ("p", "d"): "over 5 s"}
    cells |= {("q", "a"): [0.1], ("q", "b"): [0.2], ("q", "c"): [0.3], ("q", "d"): [0.4]}
    assert small_record(cells).mean_ranks("log loss") == {"a": 1.5, "b": 1.5, "c": 3.25, "d": 3.75}


def test_the_spread_is_the_standard_error_of_the_rounds():
    assert page.spread([0.1, 0.2, 0.3], 100, 2) == "20.00 ± 5.77"
    assert page.spread([0.25, 0.25], 1, 3) == "0.250"


def test_the_labels_of_the_waves_have_the_stated_probabilities():
    n, d, c = 20_000, 3, 4
    X, y, *_ = waves(0, (n, d, c))
    directions = np.random.default_rng(0).standard_normal((d, 2, c))
    directions /= np.linalg.norm(directions, axis=0)
    F = 2 * np.sin(X @ directions[:, 0]) + 2 * np.sin(X @ directions[:, 1])
    P = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
    # mean of 1{y = k} − p_k, whose standard deviation is at most ½
    assert np.abs(np.eye(c)[y].mean(axis=0) - P.mean(axis=0)).max() < 4 * 0.5 / np.sqrt(n)
    agreement = P[np.arange(n), y].mean() - (P**2).sum(axis=1).mean()
    assert abs(agreement) < 4 * 0.5 / np.sqrt(n)


def test_ridge_on_indicators_labels_rows_by_name():
    X = np.array([[-2.0], [-1.9], [2.0], [2.1], [6.0], [6.1]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    assert (IndicatorRidge(alpha=0.05, kernel="rbf").fit(X, y).predict(X) == y).all()


def test_every_classifier_of_the_package_takes_part():
    import kernelproba

    wrappers = {
        "ConformalClassifier",
        "MinimumRiskClassifier",
        "PairwiseCouplingClassifier",
        "PriorShiftClassifier",
        "TableClassifier",
    }
    tuned = {name for name in kernelproba.__all__ if name.endswith("CV")} - {"KernelLogisticRegressionCV"}
    ours = {
        name
        for name in kernelproba.__all__
        if isinstance(getattr(kernelproba, name), type)
        and hasattr(getattr(kernelproba, name), "predict_proba")
    }
    assert {type(c.model).__name__ for c in everyone() if c.own} == ours - wrappers - tuned


# ---- what is published -----------------------------------------------------------------------------------


def test_a_table_of_the_readme_takes_the_place_of_the_last_and_of_nothing_else():
    text = "a <!-- x: start -->old<!-- x: end --> b <!-- y: start -->kept<!-- y: end -->"
    filled = "a <!-- x: start -->\nnew \\1\n<!-- x: end --> b <!-- y: start -->kept<!-- y: end -->"
    assert readme.fill(text, "x", "new \\1") == filled


def test_the_page_is_that_of_the_record(matrix):
    assert (RESULTS / "matrix.md").read_text("utf8") == page.text(matrix)


def test_the_page_shows_every_error_of_the_record(matrix):
    lines = (RESULTS / "matrix.md").read_text("utf8").splitlines()
    for cell in matrix.content["cells"]:
        if cell["problem"] in matrix.problems and "error" in cell:
            shown = f"{np.mean(100 * np.array(cell['error'])):.2f}"
            assert any(line.startswith(f"| {cell['contestant']} |") and shown in line for line in lines)
