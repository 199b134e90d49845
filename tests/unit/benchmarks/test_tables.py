"""The benchmark of mixed tables: its splits, its rivals' preparation, its record and its page."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.utils.fixes import parse_version
from unit.benchmarks.contestant_stubs import Stub

from benchmarks import tables, tables_boosting, tables_page, tables_rivals, tables_runs
from benchmarks.rivals_contest import Contest, complete_splits, fewer_splits, means_over_splits
from benchmarks.rivals_record import RunRecord
from benchmarks.tables_data import Problem
from benchmarks.tables_data import tables as read_tables
from benchmarks.tables_preparation import one_hot, with_calendar, with_categories, with_texts
from benchmarks.tables_rivals import CONTESTANTS, OURS

ROWS = 300
FILE = """when,size,colour,kind
2012-01-01,1.5,red,1
2012-07-01,,blue,2
2013-01-01,2.5,,1
"""


@pytest.fixture
def frame() -> pd.DataFrame:
    """Some rows with a date, a number with gaps and a text with gaps, which tells the class."""
    colours = np.array(["red", "blue", None], dtype=object)[np.arange(ROWS) % 3]
    sizes = np.where(np.arange(ROWS) % 7 == 0, np.nan, np.arange(float(ROWS)))
    return pd.DataFrame({"when": pd.date_range("2020-01-01", periods=ROWS), "size": sizes, "colour": colours})


@pytest.fixture
def problem(frame) -> Problem:
    return Problem("small", frame, np.where(frame["colour"] == "red", "yes", "no"))


# ---- problems --------------------------------------------------------------------------------------------


def test_a_table_keeps_numbers_texts_dates_and_gaps_apart(tmp_path):
    (tmp_path / "targets.json").write_text('{"small": "kind", "whole": "b"}')
    (tmp_path / "small.csv").write_text(FILE)
    (tmp_path / "whole.csv").write_text('a,b\n1,NA\n2,"x"\n')
    found = read_tables(tmp_path)
    X, y = found["small"]
    assert y.tolist() == ["1", "2", "1"]
    assert X["when"].dt.month.tolist() == [1, 7, 1]
    assert X["size"].isna().tolist() == [False, True, False]
    assert X["colour"].isna().tolist() == [False, False, True]
    X, y = found["whole"]
    assert (X.tolist(), y.tolist()) == ([[1.0], [2.0]], ["NA", "x"])


def test_splits_are_stratified_bounded_and_the_same_every_time():
    y = np.repeat([0, 1], [9000, 1000])
    first, second = (Problem("large", np.zeros((10_000, 1)), y).splits for _ in range(2))
    for (train, test), (same, _) in zip(first, second, strict=True):
        assert (len(train), len(test)) == (2000, 3000)
        assert (y[train].mean(), y[test].mean()) == (0.1, 0.1)
        assert not set(train) & set(test)
        assert train.tolist() == same.tolist()
    assert first[0][0].tolist() != first[1][0].tolist()
    assert len(Problem("small", np.zeros((100, 1)), y[::100]).splits[0][0]) == 70


# ---- preparation and rivals ------------------------------------------------------------------------------


def test_encoded_columns_are_standardised_numbers_and_one_column_for_each_level(frame):
    Z = one_hot(frame, scale=True).fit_transform(frame)
    assert Z[:, :3].tolist() == [[row == "blue", row == "red", pd.isna(row)] for row in frame["colour"]]
    assert np.isfinite(Z).all()
    assert np.abs(Z[:, 3:].mean(axis=0)).max() < 1e-12


def test_trees_get_numbers_as_they_are(frame):
    Z = one_hot(frame, scale=False).fit_transform(frame)
    assert np.array_equal(Z[:, 3], frame["size"], equal_nan=True)


def test_dates_become_numbers_for_every_rival(frame):
    assert with_calendar(frame)["when day"].diff().dropna().eq(1).all()
    for prepare in (with_categories, with_texts):
        assert not prepare(frame).select_dtypes("datetime").columns.size
    assert not with_texts(frame)["colour"].isna().any()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CONTESTANTS if name != OURS])
def test_a_rival_takes_gaps_levels_it_has_not_seen_and_dates(name, problem, monkeypatch):
    monkeypatch.setattr(tables_boosting, "USUAL", replace(tables_boosting.USUAL, rounds=60))
    monkeypatch.setattr(tables_rivals, "TREES", 30)
    if name in ("HistGradientBoosting", "logistic") and parse_version(sklearn.__version__) < parse_version(
        "1.8"
    ):
        pytest.skip("the benchmark's rivals are those of scikit-learn 1.8 and later")
    for package in {"CatBoost": ["catboost"], "LightGBM": ["lightgbm"]}.get(name, []):
        pytest.importorskip(package)
    X, y = problem.X, problem.y
    model = CONTESTANTS[name](X).fit(X, y)
    strange = X.assign(colour="green", size=np.nan).iloc[:2]
    P = model.predict_proba(pd.concat([X, strange]))
    assert np.allclose(P.sum(axis=1), 1)
    assert (model.classes_[P[:ROWS].argmax(axis=1)] == y).mean() > 0.95


# ---- runs ------------------------------------------------------------------------------------------------


@pytest.fixture
def stubs(monkeypatch) -> dict:
    made = dict.fromkeys(CONTESTANTS, 0)

    def make(name):
        def counted(_X):
            made[name] += 1
            return Stub()

        return counted

    for name in CONTESTANTS:
        monkeypatch.setitem(CONTESTANTS, name, make(name))
    return made


def test_a_finished_task_is_not_run_again_until_it_is_forgotten(tmp_path, stubs, problem):
    pytest.importorskip("lightgbm", reason="a record names the versions of the rivals")
    record = RunRecord(tmp_path)
    other = Problem("other", problem.X, problem.y)
    for _ in range(2):
        tables_runs.run_missing([problem, other], ["logistic"], record)
    n = problem.n_splits
    assert stubs["logistic"] == 2 * n
    record.forget("logistic", ["other"])
    assert set(record.runs("logistic")) == {("small", split) for split in range(n)}
    tables_runs.run_missing([problem, other], ["logistic", "LightGBM"], record)
    assert (stubs["logistic"], stubs["LightGBM"]) == (3 * n, 2 * n)


def test_small_tables_are_split_more_often():
    small = Problem("small", np.zeros((60, 2)), np.repeat([0, 1], 30))
    large = Problem("large", np.zeros((2000, 2)), np.repeat([0, 1], 1000))
    wide = Problem("wide", np.zeros((40, 1000)), np.repeat([0, 1], 20))
    assert (small.n_splits, large.n_splits, wide.n_splits) == (10, 2, 5)


def test_a_run_tells_scores_seconds_and_versions(stubs, problem):
    run = tables_runs.run(problem, 0, "logistic")
    assert stubs["logistic"] == 1
    # Class shares of one to two are what the stub says of every row.
    assert run["log_loss"] == pytest.approx(-(np.log(1 / 3) + 2 * np.log(2 / 3)) / 3, abs=0.01)
    assert run["error"] == pytest.approx(1 / 3, abs=0.01)
    assert run["cpu s"] == run["fit s"] + run["predict s"]
    assert "scikit-learn" in run["versions"]
    assert "promise" not in run


def test_a_promise_is_that_of_the_classifier_or_of_the_one_inside(monkeypatch, problem):
    class Promising(Stub):
        loo_scores_ = property(lambda _: {"log_loss": 0.25})
        loo_label_proba_ = property(lambda _: np.exp([-0.1, -0.4]))

    class Around(Stub):
        estimator_ = Promising()

    for make in (Promising, Around):
        monkeypatch.setitem(CONTESTANTS, "logistic", lambda _X, make=make: make())
        run = tables_runs.run(problem, 0, "logistic")
        assert run["promise"] == 0.25
        assert run["promise se"] == pytest.approx(0.15)  # √2 · 0.15/√2
        assert run["log_loss se"] == pytest.approx(
            np.log(2) * np.sqrt(2 / 9 / len(problem.splits[0][1])), rel=0.05
        )


def test_an_unknown_problem_is_refused(monkeypatch, problem):
    monkeypatch.setattr(tables, "problems", lambda: [problem])
    with pytest.raises(SystemExit, match="not here: nowhere"):
        tables.main(["--tables", "nowhere"])


# ---- the page --------------------------------------------------------------------------------------------


def invented_runs(losses: dict[str, dict[str, list[float]]], promise: float = 0.5) -> dict:
    """Contestant → (set, split) → run, with every measure equal to the log loss."""
    facts = {
        "rows": 10,
        "classes": 2,
        "mixed": True,
        "promise": promise,
        "promise se": 0.03,
        "log_loss se": 0.04,
    }
    return {
        model: {
            (name, i): facts | dict.fromkeys(tables_page.MEASURES, value)
            for name, values in sets.items()
            for i, value in enumerate(values)
        }
        for model, sets in losses.items()
    }


def contest_of(runs: dict) -> tuple[Contest, dict]:
    splits = complete_splits(runs, list(runs))
    means = means_over_splits(runs, splits, tables_page.MEASURES)
    return Contest(means, list(splits), list(runs), OURS, tables_page.MEASURES), splits


def test_problems_count_only_with_the_splits_that_all_have_run():
    runs = invented_runs({OURS: {"a": [1.0, 3.0], "b": [1.0]}, "logistic": {"a": [2.0], "c": [1.0]}})
    contest, splits = contest_of(runs)
    assert splits == {"a": [0]}
    assert contest.means["a", OURS]["log_loss"] == 1.0
    assert fewer_splits(splits, 2) == " (so far 1 of a)"


def test_ranks_share_ties_and_duels_do_not_count_them():
    runs = invented_runs({OURS: {"a": [1.0], "b": [1.0]}, "logistic": {"a": [1.0], "b": [2.0]}})
    contest, _ = contest_of(runs)
    assert [row["Log loss"] for row in contest.rank_rows(contest.sets, contest.models)] == [1.25, 1.75]
    assert contest.duels("log_loss") == {"logistic": "1 / 0"}


def test_a_promise_is_judged_by_all_splits_of_ours():
    runs = invented_runs({OURS: {"a": [0.5, 0.7]}, "CatBoost": {"a": [0.4]}}, promise=0.6)
    contest, splits = contest_of(runs)
    (row,) = tables_page.problem_rows(contest, runs, splits)
    assert (row["log loss"], row["own splits"], row["kept"]) == (0.5, 2, "yes")
    assert row["their log loss"] == pytest.approx(0.6)


def test_a_problem_is_compared_with_its_best_rival_and_its_promise():
    losses = {OURS: {"a": [0.5, 0.6]}, "CatBoost": {"a": [0.4, 0.5]}, "SVC tuned": {"a": [0.9, 0.9]}}
    runs = invented_runs(losses, promise=0.45)
    contest, splits = contest_of(runs)
    (row,) = tables_page.problem_rows(contest, runs, splits)
    assert (row["best rival"], row["rank"], row["promise"]) == ("CatBoost", 2, 0.45)
    assert row["ratio"] == pytest.approx(0.55 / 0.45)
    assert (row["kept"], row["own splits"], row["their log loss"]) == ("no", 2, pytest.approx(0.55))
    assert row["s.e. of the gap"] == pytest.approx(0.05 / np.sqrt(2))
    assert tables_page.is_beyond_chance(row)
    assert not tables_page.is_beyond_chance(row | {"s.e. of the gap": 0.06})
    assert ": a 1.222 (CatBoost). " in tables_page.losses([row])
    measured = {c["claim"].split(",")[0]: c["kept"] for c in tables_page.claims(contest, [row])}
    assert measured["total time at most 1 times that of SVC tuned"] == "yes"
    assert measured["total time at most 0.25 times that of CatBoost"] == "**no**"
    assert measured["log loss at most 1.10 times that of the best rival"] == "**no**"


@pytest.mark.parametrize(("promise", "kept"), [(0.51, False), (0.53, True), (0.67, True), (0.69, False)])
def test_a_promise_may_err_by_a_fiftieth_and_a_tenth_of_the_loss(promise, kept):
    assert tables_page.kept(promise, 0.6) is kept


def test_the_page_is_written_from_the_runs_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.measure.RESULTS", tmp_path)
    record = RunRecord(tmp_path / "runs")
    assert "no page yet" in tables_page.write_page(record)
    for rank, model in enumerate(CONTESTANTS):
        for name in ("a", "b"):
            (run,) = invented_runs({model: {name: [0.5 + rank]}})[model].values()
            record.keep(model, run | {"data": name, "split": 0})
    page = tables_page.write_page(record).read_text("utf8")
    assert "| mean rank by log loss at most 1.8 of 7 | 1.00; best rival 2.00 (CatBoost) | yes |" in page
    assert "least log loss on 2 of 2 problems" in page
    assert "1 of a, b; 2 of the others" in page
