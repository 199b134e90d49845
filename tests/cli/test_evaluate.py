"""``kernelproba evaluate``: scores as computed by others, and a report."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss

from kernelproba.persistence.model_file import load_model


def test_scores_are_those_of_scikit_learn_within_their_intervals(command, folder):
    facts = json.loads(command("evaluate", folder / "iris.skops", folder / "test.csv", "--json").out)
    test = pd.read_csv(folder / "test.csv")
    model = load_model(folder / "iris.skops")
    X, y = test.drop(columns="species"), test["species"]
    scores = facts["scores"]
    assert scores["error"]["estimate"] == pytest.approx(1 - accuracy_score(y, model.predict(X)))
    assert scores["log_loss"]["estimate"] == pytest.approx(log_loss(y, model.predict_proba(X)))
    assert facts["rows"] == 50
    for score in scores.values():
        assert score["low"] <= score["estimate"] <= score["high"]


def test_the_report_counts_frequencies_where_the_screen_does(command, folder, tmp_path):
    test = pd.read_csv(folder / "test.csv")
    test[test["species"] != "setosa"].to_csv(tmp_path / "t.csv", index=False)
    report = tmp_path / "r.json"
    answer = command("evaluate", folder / "iris.skops", tmp_path / "t.csv", "--report", report, "--json")
    told = json.loads(report.read_text())
    assert told["baseline"] == pytest.approx(json.loads(answer.out)["baseline"])
    assert told["baseline_counted"] == "in training"


def test_values_that_were_never_seen_are_named_when_they_are_judged(command, folder, tmp_path):
    table = pd.read_csv(folder / "mixed.csv").assign(sex="F").iloc[:40]
    table.to_csv(tmp_path / "t.csv", index=False)
    answer = command("evaluate", folder / "mixed.skops", tmp_path / "t.csv")
    assert "100% of the values in column 'sex' were never seen in training, which had f, m" in answer.err


def test_people_get_a_table_that_says_what_scores_mean(command, folder):
    answer = command("evaluate", folder / "iris.skops", folder / "test.csv")
    for word in ("Error", "Log loss", "Brier", "95% interval", "share of rows", "50 rows"):
        assert word in answer.out


def test_rows_without_a_label_are_left_out(command, folder, tmp_path):
    test = pd.read_csv(folder / "test.csv")
    test.loc[:9, "species"] = np.nan
    test.to_csv(tmp_path / "gaps.csv", index=False)
    answer = command("evaluate", folder / "iris.skops", tmp_path / "gaps.csv", "--json")
    assert json.loads(answer.out)["rows"] == 40
    assert "10 rows have no 'species'" in answer.err


def test_the_target_may_have_another_name(command, folder, tmp_path):
    pd.read_csv(folder / "test.csv").rename(columns={"species": "kind"}).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert "no column 'species'" in command("evaluate", folder / "iris.skops", tmp_path / "t.csv").error
    assert command("evaluate", folder / "iris.skops", tmp_path / "t.csv", "-t", "kind").code == 0


def test_rows_with_a_label_that_the_model_does_not_know_are_counted_and_left_out(command, folder, tmp_path):
    test = pd.read_csv(folder / "test.csv")
    test.replace("setosa", "rose").to_csv(tmp_path / "t.csv", index=False)
    answer = command("evaluate", folder / "iris.skops", tmp_path / "t.csv", "--json")
    unknown = int((test["species"] == "setosa").sum())
    assert f"{unknown} rows have labels that the model does not know" in answer.err
    assert "'rose'" in answer.err
    assert json.loads(answer.out)["rows"] == len(test) - unknown


def test_no_known_label_no_scores(command, folder, tmp_path):
    pd.read_csv(folder / "test.csv").assign(species="rose").to_csv(tmp_path / "t.csv", index=False)
    assert "that the model knows" in command("evaluate", folder / "iris.skops", tmp_path / "t.csv").error


def test_no_labels_no_scores(command, folder, tmp_path):
    pd.read_csv(folder / "test.csv").assign(species="").to_csv(tmp_path / "t.csv", index=False)
    assert "no row with a label" in command("evaluate", folder / "iris.skops", tmp_path / "t.csv").error


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_a_report_is_written(command, folder, tmp_path, suffix):
    pytest.importorskip("jinja2")
    report = tmp_path / f"report.{suffix}"
    options = ["--report", report, "--training", folder / "iris.csv"]
    answer = command("evaluate", folder / "iris.skops", folder / "test.csv", *options)
    assert answer.code == 0
    assert f"report.{suffix}" in answer.out
    assert "virginica" in report.read_text(encoding="utf8")
    assert [each.name for each in tmp_path.iterdir()] == [report.name]


def test_rivals_come_with_the_report(command, folder, tmp_path):
    options = ["--report", tmp_path / "r.json", "--training", folder / "iris.csv", "--rivals", "--jobs", "2"]
    assert command("evaluate", folder / "iris.skops", folder / "test.csv", *options).code == 0
    methods = [row["method"] for row in json.loads((tmp_path / "r.json").read_text())["rivals"]["methods"]]
    assert methods[0] == "lspc"
    assert "random forest" in methods


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "r.pdf"], "must end in .html, .md or .json"),
        (["--report", "no-such-folder/r.html"], "there is no folder"),
        (["--rivals"], "--report FILE"),
        (["--report", "r.html", "--rivals"], "needs --training"),
    ],
)
def test_a_wrong_option_gets_one_line(command, folder, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    assert message in command("evaluate", folder / "iris.skops", folder / "test.csv", *options).error


def test_another_table_is_not_taken_for_the_training_table(command, folder, tmp_path):
    options = ["--report", tmp_path / "r.html", "--training", folder / "test.csv"]
    assert (
        "table of the fit" in command("evaluate", folder / "iris.skops", folder / "test.csv", *options).error
    )


def test_rows_of_the_training_table_are_recognised(command, folder):
    answer = command("evaluate", folder / "iris.skops", folder / "iris.csv", "--json")
    assert json.loads(answer.out)["seen_in_training"] == 100
    assert "all rows were in the training table" in answer.err
    fresh = command("evaluate", folder / "iris.skops", folder / "test.csv", "--json")
    seen = json.loads(fresh.out)["seen_in_training"]
    train, test = (pd.read_csv(folder / name).drop(columns="species") for name in ("iris.csv", "test.csv"))
    assert seen == test.merge(train.drop_duplicates()).shape[0]  # a flower of iris occurs twice


def test_scores_come_with_a_baseline_and_class_by_class(command, folder):
    facts = json.loads(command("evaluate", folder / "iris.skops", folder / "test.csv", "--json").out)
    assert facts["baseline"]["error"] > 0.5 > facts["scores"]["error"]["estimate"]
    assert [each["name"] for each in facts["classes"]] == ["setosa", "versicolor", "virginica"]
    assert all(each["auc"] > 0.9 for each in facts["classes"])
    shown = command("evaluate", folder / "iris.skops", folder / "test.csv").out
    for word in ("frequencies", "recall", "precision", "AUC", "setosa"):
        assert word in shown


def test_the_report_numbers_rows_as_the_file_does(command, folder, tmp_path):
    test = pd.read_csv(folder / "test.csv")
    test.loc[10, "species"] = "virginica" if test.loc[10, "species"] != "virginica" else "setosa"
    test.loc[:5, "species"] = None  # rows without a label must not shift the numbers
    test.to_csv(tmp_path / "t.csv", index=False)
    report = tmp_path / "r.json"
    assert command("evaluate", folder / "iris.skops", tmp_path / "t.csv", "-r", report).code == 0
    summary = json.loads(report.read_text())
    doubted = summary["doubted_labels"][0]
    assert doubted["row"] == 11  # the eleventh row below the header
    assert float(doubted["values"]["petal length"]) == test.loc[10, "petal length"]
    assert "from 1" in summary["row_numbers"]
    explained = command("explain", folder / "iris.skops", tmp_path / "t.csv", "--row", 11, "--json")
    assert json.loads(explained.out)["values"]["petal length"] == test.loc[10, "petal length"]
    assert summary["target"] == "species"


def test_sets_are_judged_and_new_rows_named_as_the_file_numbers_them(command, folder, tmp_path, tuned):
    test = pd.read_csv(folder / "test.csv")
    test.iloc[6, :4] *= 20
    test.to_csv(tmp_path / "test.csv", index=False)
    facts = json.loads(command("evaluate", folder / tuned, tmp_path / "test.csv", "--json").out)
    sets, novelty = facts["sets"], facts["novelty"]
    assert sets["known_rows"] == 100
    assert sets["confidence"] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    assert novelty["rows"][0]["row"] == 7
    shown = command("evaluate", folder / tuned, tmp_path / "test.csv").out
    assert "hold the label" in shown
    assert f"{sets['coverage'][4]:.1%}" in shown
    assert "most of all rows 7" in shown


def test_a_method_without_novelty_says_nothing_of_it(command, folder):
    facts = json.loads(command("evaluate", folder / "iris.skops", folder / "test.csv", "--json").out)
    assert facts["novelty"] is None
    assert facts["sets"]["known_rows"] == 100
