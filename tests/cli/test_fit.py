"""``kernelproba fit``: any table one may have, and what is said of one that cannot be learnt from."""

import json

import numpy as np
import pandas as pd
import pytest

from kernelproba.cli import methods
from kernelproba.cli.table_model import TableModel
from kernelproba.datasets import chessboard_problem
from kernelproba.persistence.model_file import load_model, read_model_file
from kernelproba.tables.files import typed_files


@pytest.fixture
def fit(command, tmp_path):
    """Write a table (frame or text) to a file and fit it."""

    def call(table, *options, name="table.csv", target="y"):
        path = tmp_path / name
        if isinstance(table, pd.DataFrame):
            table.to_csv(path, index=False)
        else:
            path.write_bytes(table if isinstance(table, bytes) else table.encode())
        return command("fit", path, "-t", target, "-m", "kdc", "-o", tmp_path / "model.skops", *options)

    return call


def kinds_of(path):
    """Name → kind of the columns that a model takes."""
    return {column.name: column.kind for column in TableModel.load(path).model.encoder_.columns_}


def two_clouds(n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {"a": rng.normal(size=n) + 3 * y, "b": rng.normal(size=n), "y": np.array(["no", "yes"])[y]}
    )


def test_fit_says_what_it_learnt_and_what_to_do_next(command, folder, tmp_path):
    answer = command("fit", folder / "iris.csv", "--target", "species", "-o", tmp_path / "m.skops")
    assert answer.code == 0
    for word in (
        "100 rows",
        "4 columns",
        "setosa",
        "KernelLogisticRegressionCV",
        "m.skops",
        "kernelproba predict",
    ):
        assert word in answer.out
    assert answer.err == ""


def test_columns_of_noise_weigh_least_and_fit_says_so(command, tmp_path):
    X, y = chessboard_problem().sample(300, 0)
    noise = {
        f"noise {i}": column for i, column in enumerate(np.random.default_rng(0).normal(size=(300, 6)).T)
    }
    table = pd.DataFrame({"left": X[:, 0], "right": X[:, 1], **noise, "colour": y})
    table.to_csv(tmp_path / "table.csv", index=False)
    options = ("fit", tmp_path / "table.csv", "-t", "colour", "-o", tmp_path / "m.skops")
    assert "8 columns, from" in command(*options).out
    weights = json.loads(command(*options, "--json").out)["feature_weights"]
    assert {"left", "right"} == set(list(weights)[:2])
    assert list(weights.values()) == sorted(weights.values(), reverse=True)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", methods.METHODS)
def test_every_method_fits_and_its_file_gives_the_same_probabilities(
    method, folder, tmp_path, monkeypatch, command
):
    from kernelproba.cli.table_model import TableModel

    saved = []
    monkeypatch.setattr(
        TableModel, "save", lambda self, path, save=TableModel.save: (saved.append(self), save(self, path))
    )
    path = tmp_path / "model.skops"
    assert (
        command(
            "fit", folder / "iris.csv", "-t", "species", "-m", method, "-o", path, "-x", "sepal width"
        ).code
        == 0
    )
    X = pd.read_csv(folder / "new.csv").drop(columns="sepal width")
    P = load_model(path).predict_proba(X)
    np.testing.assert_array_equal(P, saved[0].model.predict_proba(X))
    truth = pd.read_csv(folder / "test.csv")["species"]
    assert (load_model(path).classes_[P.argmax(axis=1)] == truth).mean() > 0.85


def test_json_is_one_object_with_the_facts(fit, tmp_path):
    facts = json.loads(fit(two_clouds(), "--json").out)
    assert facts["rows"] == 40
    assert {name: column["kind"] for name, column in facts["columns"].items()} == {
        "a": "number",
        "b": "number",
    }
    assert facts["classes"] == {"no": 20, "yes": 20}
    assert facts["output"] == str(tmp_path / "model.skops")


def test_quiet_prints_nothing_even_where_there_are_notes(fit):
    answer = fit(two_clouds().assign(empty=np.nan), "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_a_mixed_table_keeps_the_kinds_of_its_columns(folder):
    kinds = kinds_of(folder / "mixed.skops")
    assert kinds == {
        "age": "number",
        "sex": "category",
        "town": "category",
        "visit": "date",
        "smoker": "flag",
    }


def test_what_a_mixed_table_teaches_beats_guessing(folder, command, tmp_path):
    from cli.conftest import mixed_table

    mixed_table(300, seed=1).to_csv(tmp_path / "more.csv", index=False)
    scores = json.loads(command("evaluate", folder / "mixed.skops", tmp_path / "more.csv", "--json").out)[
        "scores"
    ]
    assert scores["error"]["high"] < 0.4
    assert scores["log_loss"]["estimate"] < np.log(2)


def test_rows_without_a_label_are_left_out_and_counted(fit, tmp_path):
    table = two_clouds()
    table.loc[[3, 4, 10], "y"] = np.nan
    answer = fit(table)
    assert "3 rows have no 'y'" in answer.err
    numbers = read_model_file(tmp_path / "model.skops").notes["table"]["rows"]
    assert numbers == [number for number in range(1, 41) if number not in (4, 5, 11)]


def test_a_column_without_values_is_left_out(fit, tmp_path):
    answer = fit(two_clouds().assign(hollow=np.nan))
    assert "'hollow' is left out: it has no values" in answer.err
    assert "hollow" not in kinds_of(tmp_path / "model.skops")


@pytest.mark.parametrize(
    "column", [np.arange(40), [f"P{number:03}" for number in range(40)]], ids=["numbers", "names"]
)
def test_a_column_that_only_tells_rows_apart_is_left_out_unless_asked_for(fit, tmp_path, column):
    table = two_clouds().assign(key=column)
    assert "'key' is left out" in fit(table).err
    assert "key" not in kinds_of(tmp_path / "model.skops")
    assert fit(table, "--only", "key", "--only", "a").err == ""
    assert list(kinds_of(tmp_path / "model.skops")) == ["key", "a"]


def test_sentences_that_all_differ_are_no_identifiers(fit, tmp_path):
    table = two_clouds().assign(text=[f"the patient number {number} is well" for number in range(40)])
    assert fit(table).err == ""
    assert kinds_of(tmp_path / "model.skops")["text"] == "text"


def test_numbers_and_words_in_one_column_are_categories(fit, tmp_path):
    answer = fit(two_clouds().assign(grade=["1", "2", "unknown", "2"] * 10))
    assert answer.code == 0
    assert kinds_of(tmp_path / "model.skops")["grade"] == "category"


def test_sixty_classes(fit, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 5)
    table = pd.DataFrame(
        {"a": y % 8 + 0.1 * rng.normal(size=300), "b": y // 8 + 0.1 * rng.normal(size=300), "y": y}
    )
    answer = fit(table, "-m", "lspc")
    assert answer.code == 0
    assert "(60 classes)" in answer.out
    model = load_model(tmp_path / "model.skops")
    assert model.predict_proba(table[["a", "b"]]).shape == (300, 60)
    assert model.score(table[["a", "b"]], y) > 0.9


def test_whole_numbers_are_labels_even_if_some_are_missing(fit, tmp_path):
    table = two_clouds()
    table["y"] = (table["y"] == "yes").astype(float).replace(0.0, 7.0)
    table.loc[0, "y"] = np.nan
    assert fit(table).code == 0
    assert load_model(tmp_path / "model.skops").classes_.tolist() == [1, 7]


def test_flags_are_labels(fit, tmp_path, command):
    table = two_clouds()
    table["y"] = table["y"] == "yes"
    assert fit(table).code == 0
    assert load_model(tmp_path / "model.skops").classes_.tolist() == ["false", "true"]
    answer = command("evaluate", tmp_path / "model.skops", tmp_path / "table.csv", "--json")
    assert json.loads(answer.out)["scores"]["error"]["estimate"] < 0.2


def test_windows_line_ends_a_byte_order_mark_and_semicolons_change_nothing(fit, tmp_path):
    table = two_clouds()
    assert fit(table).code == 0
    X = table[["a", "b"]]
    plain = load_model(tmp_path / "model.skops").predict_proba(X)
    text = table.to_csv(index=False, sep=";", lineterminator="\r\n")
    assert fit(b"\xef\xbb\xbf" + text.encode()).code == 0
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").predict_proba(X), plain)


def test_a_random_sample_is_drawn_from_more_rows_than_asked_for(fit, tmp_path):
    answer = fit(two_clouds(200), "--max-rows", 50)
    assert "learning from 50 of 200 rows" in answer.err
    notes = read_model_file(tmp_path / "model.skops").notes["table"]
    assert len(notes["rows"]) == len(notes["labels"]) == 50
    assert notes["labels"] == [["no", "yes"][(row - 1) % 2] for row in notes["rows"]]


def test_a_rare_class_is_never_lost_to_the_draw(fit, tmp_path):
    table = two_clouds(200)
    table.loc[77, "y"] = "rare"
    assert fit(table, "--max-rows", 20).code == 0
    assert "rare" in load_model(tmp_path / "model.skops").classes_


def test_settings_reach_the_classifier(fit, tmp_path):
    assert (
        fit(two_clouds(), "-m", "klr-pairwise", "--set", "kernel=laplacian", "--set", "pair_Cs=[1, 2]").code
        == 0
    )
    classifier = load_model(tmp_path / "model.skops").estimator_
    assert (classifier.kernel, classifier.pair_Cs) == ("laplacian", [1, 2])


BAD_TABLES = {
    "empty file": ("", "is empty"),
    "blank file": ("\n  \n", "is empty"),
    "header only": ("a,b,y\n", "missing in every row"),
    "one class": ("a,y\n1,no\n2,no\n3,no\n", "always no"),
    "labels all missing": ("a,y\n1,\n2,\n", "missing in every row"),
    "duplicate headers": ("a,a,y\n1,2,no\n3,4,yes\n", "2 columns named 'a'"),
    "duplicates but for spaces": ("a, a,y\n1,2,no\n3,4,yes\n", "2 columns named 'a'"),
    "no target": ("a,b\n1,2\n", "no column 'y'"),
    "target only": ("y\nno\nyes\nno\nyes\n", "no column is left"),
    "fractions as target": ("a,y\n1,0.5\n2,0.7\n3,0.1\n", "holds fractions such as 0.5"),
    "a label per row": ("a,y\n1,b\n2,c\n3,d\n4,e\n", "4 different values in 4 rows"),
    "a row too long": (
        "a,y\n1,no\n2,yes,3\n",
        "row 2 (the header is not counted) has 3 fields, the header 2",
    ),
    "only empty columns": ("a,y\n,no\n,yes\n,no\n,yes\n", "no column is left"),
    "no text": (b"PK\x03\x04\x00\x00\x00\x00,y", "is not text"),
}


@pytest.mark.parametrize(("table", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_a_table_that_cannot_be_learnt_from_gets_one_line_and_no_model(fit, tmp_path, table, message):
    assert message in fit(table).error
    assert not (tmp_path / "model.skops").exists()


def test_a_misspelt_target_is_guessed(fit):
    assert "did you mean 'outcome'?" in fit("a,outcome\n1,2\n", target="outcom").error


def test_a_misspelt_method_is_guessed(command, folder):
    assert "did you mean sparse?" in command("fit", folder / "iris.csv", "-t", "species", "-m", "spars").error


@pytest.mark.parametrize(
    ("setting", "message"),
    [("C", "NAME=VALUE"), ("nonsense=3", "no parameter 'nonsense'"), ("gamma=-1", "gamma")],
)
def test_a_wrong_setting_gets_one_line(fit, setting, message):
    assert message in fit(two_clouds(), "--set", setting).error


def test_the_target_may_not_be_the_only_column_left(fit):
    assert "no column is left" in fit(two_clouds(), "-x", "a", "-x", "b").error


def test_a_failed_fit_leaves_an_old_model_alone(fit, tmp_path):
    (tmp_path / "model.skops").write_text("precious")
    assert fit("a,y\n1,no\n2,no\n").code == 2
    assert (tmp_path / "model.skops").read_text() == "precious"


def test_a_report_holds_out_rows_by_itself_and_the_verdict_is_printed(fit, command, tmp_path):
    table = two_clouds(200)
    answer = fit(table, "--report", tmp_path / "report.json", "--json")
    facts = json.loads(answer.out)
    assert facts["rows"] == 150
    held = facts["held_out"]
    assert held["rows"] == 50
    assert held["by"] == "chance"
    summary = json.loads((tmp_path / "report.json").read_text())
    assert summary["scores"]["error"]["estimate"] == pytest.approx(held["scores"]["error"]["estimate"])
    assert summary["data"]["seen_rows"] == 0
    shown = fit(table, "--report", tmp_path / "report.html")
    assert "held out     50 rows by chance: error" in shown.out
    assert (tmp_path / "report.html").stat().st_size > 10_000
    # Rows that were held out are rows that the model has not seen.
    evaluated = json.loads(
        command("evaluate", tmp_path / "model.skops", tmp_path / "table.csv", "--json").out
    )
    assert evaluated["seen_in_training"] == 150


def test_groups_are_held_out_whole_and_not_learnt_from(fit, tmp_path):
    table = two_clouds(200).assign(patient=[f"p{number // 5}" for number in range(200)])
    facts = json.loads(fit(table, "--group", "patient", "--hold-out", "0.3", "--json").out)
    assert "patient" not in facts["columns"]
    rows = read_model_file(tmp_path / "model.skops").notes["table"]["rows"]
    learnt = {table["patient"][row - 1] for row in rows}
    others = {table["patient"][row - 1] for row in set(range(1, 201)) - set(rows)}
    assert learnt.isdisjoint(others)
    assert facts["held_out"]["rows"] == 60
    assert facts["held_out"]["by"] == "patient"


def test_the_latest_rows_are_held_out(fit, tmp_path):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        np.random.default_rng(0).integers(0, 90, 200), unit="D"
    )
    table = two_clouds(200).assign(day=days.strftime("%d.%m.%Y"))
    facts = json.loads(fit(table, "--time", "day", "--json").out)
    rows = np.array(read_model_file(tmp_path / "model.skops").notes["table"]["rows"]) - 1
    later = np.setdiff1d(np.arange(200), rows)
    assert days[rows].max() < days[later].min()
    assert facts["held_out"]["rows"] == len(later)
    assert 40 <= len(later) <= 50


def test_a_group_of_most_rows_is_learnt_from(fit):
    table = two_clouds(200).assign(clinic=["large"] * 180 + ["a", "b"] * 10)
    assert json.loads(fit(table, "--group", "clinic", "--json").out)["held_out"]["rows"] == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--group", "a", "--time", "b"], "not by both"),
        (["--report", "r.txt"], "must end in .html"),
        (["--time", "y"], "neither dates nor numbers"),
        (["--group", "nope"], "no column 'nope'"),
        (["--time", "y", "--exclude", "a", "--hold-out", "2"], "--hold-out"),
    ],
)
def test_a_split_that_cannot_be_gets_one_line(fit, options, message):
    assert message in fit(two_clouds(), *options).error


def test_the_number_of_rows_follows_from_what_a_method_can_do():
    auto, sparse = methods.METHODS["auto"], methods.METHODS["sparse"]
    assert auto.default_rows(10, 2) == 100_000
    assert auto.default_rows(40, 10) == 10_000
    assert auto.default_rows(20, 122) == 5_000
    assert sparse.default_rows(10, 2) == 5_000


@pytest.mark.parametrize(("rows", "centers"), [(5_000, "auto"), (7_000, 2_000), (10_001, "auto")])
def test_rows_are_all_centres_only_where_that_is_quick(rows, centers):
    assert methods.with_few_centers(methods.build("auto"), rows).n_centers == centers
    assert methods.with_few_centers(methods.build("auto", settings={"n_centers": 7}), rows).n_centers == 7
    methods.with_few_centers(methods.build("kdc"), rows)


def test_a_column_that_is_the_target_in_disguise_is_named(fit):
    table = two_clouds(100)
    table["code"] = table["y"].map({"no": "N1", "yes": "Y2"})
    assert "column 'code' tells 'y' almost by itself" in fit(table).err
    assert "almost by itself" not in fit(two_clouds(100).assign(a=0.0)).err


def test_a_model_that_learnt_nothing_says_so(fit):
    table = two_clouds(100)
    table["y"] = np.random.default_rng(1).permutation(table["y"])
    assert "nothing was learnt" in fit(table, "-m", "lspc").err
    assert "nothing was learnt" not in fit(two_clouds(100), "-m", "lspc").err


def numbered(n=60):
    rng = np.random.default_rng(0)
    a = rng.uniform(20, 80, n).round(1)
    return pd.DataFrame({"a": a, "b": rng.normal(size=n).round(3), "y": np.where(a > 50, "yes", "no")})


@pytest.mark.parametrize("row", ["Total,99.5,", "years,metres,"])
@pytest.mark.parametrize("first", [True, False])
def test_a_row_of_sums_or_units_without_a_label_makes_no_words_of_numbers(fit, command, tmp_path, row, first):
    numbered().to_csv(tmp_path / "new.csv", index=False)
    header, *lines = numbered().to_csv(index=False).splitlines()
    assert fit("\n".join([header, row, *lines] if first else [header, *lines, row])).code == 0
    assert kinds_of(tmp_path / "model.skops") == {"a": "number", "b": "number"}
    training = ["--training", tmp_path / "table.csv"]  # is read again
    assert command("explain", tmp_path / "model.skops", tmp_path / "new.csv", *training).code == 0


def test_labels_that_differ_in_capitals_only_are_named(fit):
    table = numbered()
    assert "different labels" not in fit(table).err
    table.loc[::3, "y"] = table.loc[::3, "y"].str.upper()
    assert "note: 'NO', 'no' in 'y' are taken for different labels" in fit(table).err


@pytest.mark.parametrize("code", [-999, 999, -99, 9999])
def test_a_number_that_may_stand_for_missing_is_named(fit, code):
    table = numbered()
    assert "stands for missing" not in fit(table).err
    table.loc[::10, "a"] = code
    assert f"10% of the numbers in column 'a' are {code}, far from all others" in fit(table).err


@pytest.mark.parametrize("value", [99, 9, 500])
def test_a_number_near_the_others_or_without_nines_is_not(fit, value):
    table = numbered()
    table.loc[::10, "a"] = value
    assert "stands for missing" not in fit(table).err


def test_a_label_of_one_row_may_be_a_slip(fit):
    table = two_clouds(100)
    assert "one row only has the label" not in fit(table, "-m", "lspc").err
    table.loc[3, "y"] = "yse"
    assert "one row only has the label 'yse' in 'y'" in fit(table, "-m", "lspc").err


def test_many_whole_numbers_may_be_a_quantity(fit):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=300), "y": rng.integers(0, 40, 300)})
    assert "if it is a quantity" in fit(table).err
    assert "if it is a quantity" not in fit(table.assign(y=table["y"] % 10)).err


def test_the_same_seed_gives_the_same_model_of_texts_and_many_categories(fit, tmp_path):
    rng = np.random.default_rng(0)
    words = ["late", "early", "broken", "fine", "blue", "heavy", "sold"]
    table = two_clouds(90).assign(
        note=[" ".join(rng.choice(words, 5)) for _ in range(90)], town=[f"Town {i % 45}" for i in range(90)]
    )
    found = []
    for _ in range(3):
        fit(table, "-m", "lspc", "--seed", 3)
        found.append(load_model(tmp_path / "model.skops").predict_proba(table.drop(columns="y")))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_the_setting_of_the_guide_works(fit):
    settings = ["--set", "kernel=laplacian", "--set", "C=10"]
    assert fit(two_clouds(), "-m", "klr-pairwise", *settings).code == 0


def test_a_fit_that_is_given_little_time_says_so_and_one_with_a_checkpoint_keeps_its_stages(
    command, folder, tmp_path
):
    arguments = ("fit", folder / "iris.csv", "-t", "species", "-o", tmp_path / "model.skops")
    short = command(*arguments, "--set", "max_time=1e-9")
    assert short.code == 0
    assert "max_time=1e-09 s ran out" in short.err
    stages = tmp_path / "stages"
    first = command(*arguments, "--max-time", 1000, "--checkpoint", stages, "--json")
    assert (stages / "search.npz").exists()
    again = command(*arguments, "--max-time", 1000, "--checkpoint", stages, "--json")
    facts = [json.loads(answer.out) for answer in (first, again)]
    assert all(each.pop("seconds") > 0 for each in facts)
    assert all(each["sets"].pop("seconds") > 0 for each in facts)
    assert facts[0] == facts[1]
    assert facts[0]["sets"]["method"] == "cv+"  # whose fits to parts of the rows keep no stages
    other = command(*arguments, "--checkpoint", stages, "--seed", 1)
    assert other.code != 0
    assert "differs in the parameter random_state" in other.err
    none = command(*arguments, "-m", "lspc", "--checkpoint", stages)
    assert "for the methods auto and klr, not for lspc" in none.err


def test_a_parameter_that_is_searched_for_is_set_as_a_list(fit):
    answer = fit(two_clouds(), "-m", "klr", "--set", "C=10")
    assert answer.code == 2
    assert "has no parameter 'C': give a list to choose from, as in --set Cs=[10];" in answer.err
    assert fit(two_clouds(), "-m", "klr", "--set", "Cs=[10]").code == 0


def test_a_folder_that_exceeds_memory_is_fitted_by_rows_drawn_from_it(command, tmp_path, monkeypatch):
    folder, model = tmp_path / "visits", tmp_path / "m.skops"
    folder.mkdir()
    for number in range(3):
        rng = np.random.default_rng(number)
        table = pd.DataFrame({"dose": rng.standard_normal(120), "ward": rng.choice(["east", "west"], 120)})
        outcome = np.where(table["dose"] + rng.standard_normal(120) > 0, "ill", "well")
        table.assign(outcome=outcome).to_parquet(folder / f"{number}.parquet")
    monkeypatch.setattr(typed_files, "physical_memory", lambda: 1000)
    monkeypatch.setattr(typed_files.ParquetFolder, "read", lambda _: pytest.fail("the folder was read whole"))
    done = command("fit", folder, "-t", "outcome", "-m", "lspc", "--max-rows", 200, "-o", model)
    assert done.code == 0
    assert "learning from 200 of 360 rows" in done.err
    assert "visits is read in parts" in done.err
    assert command("predict", model, folder, "-o", tmp_path / "p.csv").code == 0
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 361
