"""``kernelproba explain``: contributions that add up, of the training rows that they name."""

import json

import numpy as np
import pandas as pd
import pytest

from kernelproba.inspection import explain
from kernelproba.persistence.model_file import load_model


@pytest.fixture(scope="module")
def klr(folder):
    """A model of two classes whose decision function is the score that is explained."""
    from kernelproba.cli.app import run

    data = pd.read_csv(folder / "iris.csv")
    data = data[data["species"] != "setosa"]
    data.iloc[5, -1] = np.nan
    data.to_csv(folder / "two.csv", index=False)
    fit = ["fit", "two.csv", "-t", "species", "-m", "klr-pairwise", "-o", "two.skops", "-q"]
    assert run([str(folder / part) if "." in part else part for part in fit]) == 0
    return folder / "two.skops"


def facts_of(answer):
    assert answer.code == 0, answer
    return json.loads(answer.out)


def test_contributions_add_up_to_the_score_and_turn_with_the_class(command, folder, klr, new_rows):
    P = load_model(klr).predict_proba(new_rows[16:17])[0]
    score = np.log(P[1] / P[0])
    for label, sign in (("virginica", 1), ("versicolor", -1)):
        facts = facts_of(command("explain", klr, folder / "new.csv", "-n", 17, "-c", label, "--json"))
        total = sum(line["contribution"] for line in facts["contributions"])
        assert total == pytest.approx(sign * score, rel=1e-6)
        assert {line["class"] for line in facts["contributions"]} == {label}
        assert facts["contributions"][-1]["term"] == "intercept"


def test_the_most_probable_class_is_explained_by_default(command, folder, new_rows):
    model = load_model(folder / "iris.skops")
    facts = facts_of(command("explain", folder / "iris.skops", folder / "new.csv", "-n", 3, "--json"))
    assert facts["label"] == facts["explained"] == model.predict(new_rows[2:3])[0]
    assert facts["values"] == new_rows.iloc[2].to_dict()
    assert facts["probabilities"] == pytest.approx(
        dict(zip(model.classes_, model.predict_proba(new_rows[2:3])[0], strict=True))
    )


def test_training_rows_are_named_by_their_number_in_the_file(command, folder, klr):
    training = pd.read_csv(folder / "two.csv")
    options = ["--training", folder / "two.csv", "--json"]
    facts = facts_of(command("explain", klr, folder / "new.csv", *options))
    rows = [line for line in facts["contributions"] if line["term"] == "row"]
    assert rows
    for line in rows:
        given = training.iloc[line["row"] - 1]
        assert line["label"] == given["species"]
        assert line["petal width"] == given["petal width"]


def test_as_many_rows_are_named_as_asked_for(command, folder, new_rows):
    facts = facts_of(command("explain", folder / "iris.skops", folder / "new.csv", "--top", 2, "--json"))
    named = [line for line in facts["contributions"] if line["term"] == "row"]
    lines = explain(load_model(folder / "iris.skops"), new_rows[:1], top=2)
    expected = lines[(lines["class"] == facts["explained"]) & (lines["term"] == "row")]
    assert [line["contribution"] for line in named] == pytest.approx(expected["contribution"].tolist())


def test_people_get_a_table(command, folder):
    answer = command(
        "explain", folder / "mixed.skops", folder / "mixed.csv", "-n", 2, "--training", folder / "mixed.csv"
    )
    assert answer.code == 0
    words = ("contribution", "similarity", "training row", "town", "Town ", "intercept")
    for word in ("row 2: ", " is likeliest (", *words):
        assert word in answer.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--row", "51"], "has 50 rows"),
        (["--row", "0"], "Invalid value for '--row'"),
        (["--class", "rose"], "the model knows setosa, versicolor, virginica"),
        (["--training", "{folder}/test.csv"], "table of the fit"),
    ],
)
def test_a_wrong_option_gets_one_line(command, folder, options, message):
    filled = [option.format(folder=folder) for option in options]
    assert message in command("explain", folder / "iris.skops", folder / "new.csv", *filled).error


def test_columns_add_up_to_the_log_odds_and_the_change_turns_the_decision(command, folder, new_rows):
    model = load_model(folder / "iris.skops")
    P = model.predict_proba(new_rows[:1])[0].max()
    for training in ([], ["--training", folder / "iris.csv"]):
        facts = facts_of(command("explain", folder / "iris.skops", folder / "new.csv", *training, "--json"))
        total = facts["baseline"] + sum(line["contribution"] for line in facts["columns"])
        assert total == pytest.approx(np.log(P / (1 - P)), abs=1e-6)
        assert {line["column"] for line in facts["columns"]} == set(new_rows.columns)
        changed = new_rows[:1].assign(**{line["column"]: line["changed"] for line in facts["change"]})
        assert model.predict(changed)[0] == facts["change"][0]["class"] != facts["label"]


def test_training_rows_are_named_by_influence_where_formulas_tell(command, folder, klr, tmp_path):  # noqa: ARG001
    model = tmp_path / "m.skops"
    assert command("fit", folder / "two.csv", "-t", "species", "-m", "klr", "-o", model).code == 0
    data = ("explain", model, folder / "new.csv", "--training", folder / "two.csv", "--top", 3)
    lines = facts_of(command(*data, "--json"))["influence"]
    training = pd.read_csv(folder / "two.csv")
    assert len(lines) == 3
    for line in lines:
        assert line["label"] == training["species"][line["row"] - 1]
        assert line["petal width"] == training["petal width"][line["row"] - 1]
    assert "It depends most on" in command(*data).out
    assert (
        facts_of(command("explain", folder / "iris.skops", folder / "new.csv", "--json"))["influence"] is None
    )


def test_people_see_columns_first(command, folder):
    answer = command("explain", folder / "iris.skops", folder / "new.csv", "--top", 1)
    assert "Columns for" in answer.out
    assert "2 other columns" in answer.out
    assert "It would be" in answer.out


def test_a_model_without_training_rows_says_so(command, folder, tmp_path):
    assert (
        command("fit", folder / "iris.csv", "-t", "species", "-m", "basis", "-o", tmp_path / "m.skops").code
        == 0
    )
    answer = command("explain", tmp_path / "m.skops", folder / "new.csv")
    assert "no say of their own in a model of method basis" in answer.err
    assert "Columns for" in answer.out


def test_a_row_alone_and_a_value_never_seen_are_told_of(command, folder, tmp_path):
    pd.read_csv(folder / "mixed.csv").assign(sex="F").iloc[:1].to_csv(tmp_path / "one.csv", index=False)
    answer = command("explain", folder / "mixed.skops", tmp_path / "one.csv")
    assert answer.code == 0
    assert "column 'sex' is unlike all of training" in answer.err
    assert "no other row to compare with" in answer.err
    whole = command("explain", folder / "mixed.skops", folder / "mixed.csv")
    assert whole.err == ""
