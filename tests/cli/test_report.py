"""``kernelproba report``: any model's probabilities in a table, and two models side by side."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss


def scores(n=200, seed=0):
    """Labels, and probabilities of two models: one that knows them, one that is too sure."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, n)
    y = np.where(rng.random(n) < p, "yes", "no")
    table = pd.DataFrame({"outcome": y, "no": 1 - p, "yes": p, "age": rng.integers(20, 80, n)})
    sure = p**3 / (p**3 + (1 - p) ** 3)
    return table, table.assign(no=1 - sure, yes=sure)


@pytest.fixture
def files(tmp_path):
    for name, table in zip(("good.csv", "sure.csv"), scores(), strict=True):
        table.to_csv(tmp_path / name, index=False)
    return tmp_path


def test_probabilities_named_as_the_classes_are_reported(command, files):
    answer = command("report", files / "good.csv", "-t", "outcome", "-o", files / "r.json", "--json")
    facts, table = json.loads(answer.out), pd.read_csv(files / "good.csv")
    expected = log_loss(table["outcome"], table[["no", "yes"]])
    assert facts["scores"]["log_loss"]["estimate"] == pytest.approx(expected)
    summary = json.loads((files / "r.json").read_text("utf8"))
    assert summary["model"]["name"] == "good.csv"
    assert [column["name"] for column in summary["data"]["columns"]] == ["age"]
    assert summary["slices"]["looked_at"] == 4
    assert "Only probabilities are known" in summary["columns"]["reason"]


def test_nothing_is_claimed_of_a_training_that_is_not_known(command, files):
    answer = command("report", files / "good.csv", "-t", "outcome", "-o", files / "r.html")
    assert "share of each class in these rows" in answer.out
    assert "had not seen" not in (files / "r.html").read_text("utf8")


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_the_page_shows_two_models_side_by_side(command, files, suffix):
    page = files / f"r.{suffix}"
    options = ["-t", "outcome", "--against", files / "sure.csv", "-o", page]
    answer = command("report", files / "good.csv", *options)
    assert answer.code == 0
    assert "smaller than that of sure.csv" in answer.out
    assert "it is better" in page.read_text("utf8").replace("\\", "")


def test_a_file_of_predict_is_understood(command, folder, tmp_path):
    out = tmp_path / "p.csv"
    options = ["-o", out, "--keep", "species", "--keep", "petal width"]
    assert command("predict", folder / "iris.skops", folder / "test.csv", *options).code == 0
    said = json.loads(command("report", out, "-t", "species", "-o", tmp_path / "r.json", "--json").out)[
        "scores"
    ]
    known = json.loads(command("evaluate", folder / "iris.skops", folder / "test.csv", "--json").out)[
        "scores"
    ]
    assert said["log_loss"]["estimate"] == pytest.approx(known["log_loss"]["estimate"], rel=1e-6)
    columns = json.loads((tmp_path / "r.json").read_text())["data"]["columns"]
    assert [column["name"] for column in columns] == ["petal width"]


def test_one_column_is_enough_for_two_classes(command, tmp_path):
    table, _ = scores()
    table["hit"] = (table["outcome"] == "yes").astype(int)
    table[["hit", "yes"]].to_csv(tmp_path / "p.csv", index=False)
    answer = command(
        "report", tmp_path / "p.csv", "-t", "hit", "-p", "yes", "-o", tmp_path / "r.json", "--json"
    )
    expected = log_loss(table["hit"], table["yes"])
    assert json.loads(answer.out)["scores"]["log_loss"]["estimate"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"outcome": "maybe"}, [], "no column of probabilities for maybe"),
        ({"yes": "much"}, [], "'yes' must hold a probability in every row"),
        ({"yes": 0.9}, [], "must sum to 1"),
        ({}, ["-p", "age2"], "it names the column of the second of two classes"),
        ({}, ["-t", "result"], "no column 'result'"),
    ],
)
def test_what_is_no_table_of_probabilities_is_refused_in_one_line(
    command, tmp_path, change, options, message
):
    scores()[0].assign(**change).to_csv(tmp_path / "p.csv", index=False)
    arguments = ["report", tmp_path / "p.csv", "-o", tmp_path / "r.html", "-t", "outcome", *options]
    assert message in command(*arguments).error


def test_other_rows_cannot_be_compared(command, files):
    table = pd.read_csv(files / "sure.csv")
    table[::-1].to_csv(files / "turned.csv", index=False)
    options = ["-t", "outcome", "--against", files / "turned.csv", "-o", files / "r.html"]
    assert "the same rows in the same order" in command("report", files / "good.csv", *options).error


def test_two_models_are_judged_by_the_same_rows(command, folder, tuned, tmp_path):
    options = ["--against", folder / tuned, "--report", tmp_path / "r.json"]
    answer = command("evaluate", folder / "iris.skops", folder / "test.csv", *options, "--json")
    (other,) = json.loads(answer.out)["against"]
    alone = json.loads(command("evaluate", folder / tuned, folder / "test.csv", "--json").out)["scores"]
    own = json.loads(answer.out)["scores"]
    for key, gap in other["differences"].items():
        assert other["scores"][key]["estimate"] == pytest.approx(alone[key]["estimate"])
        assert gap["estimate"] == pytest.approx(own[key]["estimate"] - alone[key]["estimate"])
        assert gap["low"] <= gap["estimate"] <= gap["high"]
    assert json.loads((tmp_path / "r.json").read_text())["against"][0]["name"] == tuned


def test_a_model_of_another_target_cannot_be_compared(command, folder):
    arguments = ["evaluate", folder / "iris.skops", folder / "test.csv", "--against", folder / "mixed.skops"]
    assert "only models of the same target" in command(*arguments).error


def test_a_class_that_no_row_has_is_asked_for_by_its_full_name(command, tmp_path):
    table = scores()[0].assign(maybe=0.1)
    table[["no", "yes"]] *= 0.9
    table.to_csv(tmp_path / "p.csv", index=False)
    arguments = ["report", tmp_path / "p.csv", "-o", tmp_path / "r.html", "-t", "outcome"]
    message = command(*arguments).error
    assert "the probabilities of no, yes must sum to 1, but sum to 0.9" in message
    assert "probability_CLASS" in message
    named = table.rename(columns={name: f"probability_{name}" for name in ("no", "yes", "maybe")})
    named.to_csv(tmp_path / "p.csv", index=False)
    assert command(*arguments).code == 0
