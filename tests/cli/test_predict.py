"""``kernelproba predict``: the model's own probabilities, whole or not at all, from files of any size."""

import gzip
import json
import lzma

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from kernelproba import ConformalClassifier
from kernelproba.persistence.model_file import load_model, read_model_file
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.tables.files import table_file

NAMES = ["label", "confidence", "probability_setosa", "probability_versicolor", "probability_virginica"]


@pytest.fixture
def predict(command, folder, tmp_path):
    """Predict a file by the model of iris; the result goes to out.csv."""

    def call(data, *options, model="iris.skops", output="out.csv"):
        return command("predict", folder / model, data, "-o", tmp_path / output, *options)

    return call


@pytest.fixture
def expected(folder, new_rows):
    return load_model(folder / "iris.skops").predict_proba(new_rows)


def test_the_result_is_label_confidence_and_the_models_probabilities(predict, folder, tmp_path, expected):
    answer = predict(folder / "new.csv")
    assert answer.code == 0
    assert "50 rows" in answer.out
    out = pd.read_csv(tmp_path / "out.csv")
    assert list(out.columns) == NAMES
    np.testing.assert_allclose(out[NAMES[2:]], expected, rtol=1e-12)
    np.testing.assert_array_equal(out["confidence"], out[NAMES[2:]].max(axis=1))
    assert (out["label"] == np.array(["setosa", "versicolor", "virginica"])[expected.argmax(axis=1)]).all()


def as_csv(path, frame, packed):
    path.write_bytes(packed(frame.to_csv(index=False).encode()))


WRITERS = {
    "rows.csv.gz": lambda path, frame: as_csv(path, frame, gzip.compress),
    "rows.csv.xz": lambda path, frame: as_csv(path, frame, lzma.compress),
    "rows.csv.bz2": lambda path, frame: frame.to_csv(path, index=False),
    "rows.csv.zst": lambda path, frame: as_csv(
        path, frame, lambda text: pa.compress(text, "zstd", asbytes=True)
    ),
    "rows.tsv": lambda path, frame: frame.to_csv(path, sep="\t", index=False),
    "rows.txt": lambda path, frame: frame.to_csv(path, sep="|", index=False),
    "rows.parquet": lambda path, frame: frame.to_parquet(path),
    "turned.csv": lambda path, frame: frame[frame.columns[::-1]].to_csv(path, index=False),
    "windows.csv": lambda path, frame: path.write_bytes(
        b"\xef\xbb\xbf" + frame.to_csv(index=False, sep=";", lineterminator="\r\n").encode()
    ),
    "blank-lines.csv": lambda path, frame: path.write_text(frame.to_csv(index=False).replace("\n", "\n\n")),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_result(name, predict, folder, tmp_path, new_rows):
    WRITERS[name](tmp_path / name, new_rows)
    assert predict(folder / "new.csv", output="plain.csv").code == 0
    assert predict(tmp_path / name).code == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()


@pytest.mark.parametrize("name", ["out.csv.gz", "out.csv.bz2", "out.csv.zst", "out.tsv", "out.parquet"])
def test_results_are_written_in_every_format(name, predict, folder, tmp_path, expected):
    assert predict(folder / "new.csv", output=name).code == 0
    path = tmp_path / name
    if name == "out.parquet":
        out = pd.read_parquet(path)
    elif name.endswith("zst"):
        raw = pa.CompressedInputStream(pa.OSFile(str(path)), "zstd").read()
        out = pd.read_csv(pa.BufferReader(raw))
    else:
        out = pd.read_csv(path, sep="\t" if name == "out.tsv" else ",")
    assert list(out.columns) == NAMES
    np.testing.assert_allclose(out[NAMES[2:]], expected, rtol=1e-12)


def test_chunks_do_not_show_in_the_result(predict, tmp_path, new_rows, monkeypatch):
    many = pd.concat([new_rows] * 40, ignore_index=True)
    many.to_csv(tmp_path / "many.csv", index=False)
    assert predict(tmp_path / "many.csv", output="whole.csv").code == 0
    monkeypatch.setattr(table_file, "CHUNK_ROWS", 17)
    monkeypatch.setattr(table_file, "BLOCK_BYTES", 1000)
    assert predict(tmp_path / "many.csv").code == 0
    whole, chunked = pd.read_csv(tmp_path / "whole.csv"), pd.read_csv(tmp_path / "out.csv")
    np.testing.assert_allclose(whole[NAMES[1:]], chunked[NAMES[1:]], rtol=1e-6, atol=1e-9)
    assert len(chunked) == 2000


def test_no_more_than_two_chunks_are_held_ahead_of_the_result(predict, folder, monkeypatch):
    from kernelproba.tables.files.text_table import TextTable

    read, ahead = [], []
    batches = TextTable.batches

    def counted(self, columns, progress):
        for batch in batches(self, columns, progress):
            for start in range(0, batch.num_rows, 5):
                read.append(start)
                yield batch.slice(start, 5)

    def predicted(_pipeline, X):
        ahead.append(len(read) - len(ahead))
        return np.full((len(X), 3), 1 / 3)

    monkeypatch.setattr(TextTable, "batches", counted)
    monkeypatch.setattr("kernelproba.tables.TableClassifier.predict_proba", predicted)
    assert predict(folder / "new.csv").code == 0
    assert len(read) == 10
    assert max(ahead) <= 2


def test_columns_are_kept_as_they_are(predict, tmp_path, new_rows):
    keys = [f"00{number}" for number in range(50)]
    new_rows.assign(key=keys, note='a, "b"\nc').to_csv(tmp_path / "keyed.csv", index=False)
    answer = predict(tmp_path / "keyed.csv", "--keep", "key", "--keep", "note", "--keep", "petal width")
    assert answer.code == 0
    out = pd.read_csv(tmp_path / "out.csv", dtype={"key": str})
    assert out["key"].tolist() == keys
    assert set(out["note"]) == {'a, "b"\nc'}
    np.testing.assert_array_equal(out["petal width"], new_rows["petal width"])


def test_extra_columns_are_ignored_and_named(predict, tmp_path, new_rows):
    new_rows.assign(extra=1).to_csv(tmp_path / "extra.csv", index=False)
    answer = predict(tmp_path / "extra.csv")
    assert answer.code == 0
    assert "does not use the column 'extra'" in answer.err


def test_missing_columns_are_named(predict, tmp_path, new_rows):
    new_rows.drop(columns=["petal width", "sepal width"]).to_csv(tmp_path / "less.csv", index=False)
    assert "lacks the columns 'sepal width', 'petal width'" in predict(tmp_path / "less.csv").error
    assert not (tmp_path / "out.csv").exists()


def test_missing_and_infinite_numbers_are_predicted(predict, tmp_path, new_rows):
    new_rows = new_rows.astype(object)
    new_rows.iloc[0, 0], new_rows.iloc[1] = np.nan, np.nan
    new_rows.iloc[2, 2], new_rows.iloc[3, 3] = "inf", "?"
    new_rows.to_csv(tmp_path / "gaps.csv", index=False)
    assert predict(tmp_path / "gaps.csv").code == 0
    P = pd.read_csv(tmp_path / "out.csv")[NAMES[2:]].to_numpy()
    assert P.shape == (50, 3)
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_unseen_categories_missing_dates_and_new_texts_are_predicted(predict, tmp_path):
    from cli.conftest import mixed_table

    table = mixed_table(30, seed=2).drop(columns="outcome").astype(object)
    table.loc[0, "sex"], table.loc[1, "town"], table.loc[2, "visit"] = "x", "a place never heard of", None
    table.loc[3] = None
    table.loc[4, "visit"] = "1815-06-18"
    table.to_csv(tmp_path / "new.csv", index=False)
    answer = predict(tmp_path / "new.csv", model="mixed.skops")
    assert answer.code == 0
    assert "Traceback" not in answer.err
    P = pd.read_csv(tmp_path / "out.csv").filter(like="probability_").to_numpy()
    assert P.shape == (30, 2)
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_a_mixed_table_means_the_same_in_csv_and_parquet(predict, tmp_path):
    from cli.conftest import mixed_table

    table = mixed_table(40, seed=3).drop(columns="outcome")
    table.to_csv(tmp_path / "new.csv", index=False)
    typed = table.assign(visit=pd.to_datetime(table["visit"]), sex=table["sex"].astype("category"))
    typed.to_parquet(tmp_path / "new.parquet")
    assert predict(tmp_path / "new.csv", model="mixed.skops", output="csv.csv").code == 0
    assert predict(tmp_path / "new.parquet", model="mixed.skops", output="parquet.csv").code == 0
    assert (tmp_path / "csv.csv").read_bytes() == (tmp_path / "parquet.csv").read_bytes()


def test_a_word_among_numbers_is_named_and_leaves_no_result(predict, tmp_path, new_rows, monkeypatch):
    monkeypatch.setattr(table_file, "BLOCK_BYTES", 1000)
    many = pd.concat([new_rows] * 40, ignore_index=True).astype(object)
    many.loc[1990, "petal width"] = "wide"
    many.insert(0, "first", "not used")
    many.to_csv(tmp_path / "many.csv", index=False)
    (tmp_path / "out.csv").write_text("precious")
    message = predict(tmp_path / "many.csv").error
    assert "'petal width', row 1,991 (the header is not counted):" in message
    assert "'wide'" in message
    assert (tmp_path / "out.csv").read_text() == "precious"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["many.csv", "out.csv"]


def test_a_word_among_numbers_of_parquet_is_named(predict, tmp_path, new_rows):
    new_rows.astype(str).replace({"petal width": {"0.2": "wide"}}).to_parquet(tmp_path / "new.parquet")
    assert "'wide' is no number" in predict(tmp_path / "new.parquet").error


def test_an_interruption_leaves_no_result(predict, folder, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelproba.tables.TableClassifier.predict_proba", interrupt)
    answer = predict(folder / "new.csv")
    assert (answer.code, answer.out) == (130, "")
    assert list(tmp_path.iterdir()) == []


def test_a_cut_off_archive_is_refused(predict, tmp_path, new_rows):
    packed = gzip.compress(pd.concat([new_rows] * 50).to_csv(index=False).encode())
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    assert "cannot be read" in predict(tmp_path / "cut.csv.gz").error
    assert not (tmp_path / "out.csv").exists()


def test_no_rows_no_result(predict, tmp_path, new_rows):
    new_rows[:0].to_csv(tmp_path / "none.csv", index=False)
    assert "no rows" in predict(tmp_path / "none.csv").error
    assert not (tmp_path / "out.csv").exists()


def test_nested_columns_do_not_matter_unless_they_are_needed(predict, tmp_path, new_rows):
    table = pa.Table.from_pandas(new_rows).append_column("tags", pa.array([["a"]] * 50))
    pq.write_table(table, tmp_path / "nested.parquet")
    assert predict(tmp_path / "nested.parquet").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/none.skops", "{folder}/new.csv", "-o", "{here}/o.csv"], "there is no file"),
        (["{folder}/iris.skops", "{folder}/none.csv", "-o", "{here}/o.csv"], "there is no file"),
        (["{folder}/iris.skops", "{folder}", "-o", "{here}/o.csv"], "is a folder"),
        (["{folder}/iris.csv", "{folder}/new.csv", "-o", "{here}/o.csv"], "not a model file"),
        (["{folder}/iris.skops", "{folder}/new.csv", "-o", "{here}/no/o.csv"], "there is no folder"),
        (["{folder}/iris.skops", "{folder}/new.csv", "-o", "{here}"], "is a folder"),
        (["{folder}/iris.skops", "{folder}/new.csv", "-o", "{here}/o.xlsx"], "does not tell its format"),
        (["{folder}/iris.skops", "{folder}/new.csv", "-o", "{folder}/new.csv"], "also read from"),
        (["{folder}/iris.skops", "{folder}/new.csv", "-o", "{here}/o.csv", "-k", "id"], "no column 'id'"),
        (["{folder}/iris.skops", "{folder}/new.csv"], "Missing option"),
    ],
)
def test_a_wrong_argument_gets_one_line(command, folder, tmp_path, arguments, message):
    filled = [argument.format(folder=folder, here=tmp_path) for argument in arguments]
    assert message in command("predict", *filled).error
    assert list(tmp_path.iterdir()) == []


def test_json_counts_the_labels(predict, folder, expected):
    facts = json.loads(predict(folder / "new.csv", "--json").out)
    assert facts["rows"] == 50
    assert list(facts["labels"].values()) == np.bincount(expected.argmax(axis=1)).tolist()
    assert facts["mean_confidence"] == pytest.approx(expected.max(axis=1).mean())


# ------------------------------------------------------------------ sets, intervals, novelty


def test_sets_intervals_and_novelty_are_the_models_own(predict, folder, tmp_path, new_rows, tuned):
    options = ("--sets", "0.9", "--intervals", "--novelty")
    answer = predict(folder / "new.csv", *options, model=tuned)
    assert answer.code == 0
    assert "labels on average" in answer.out
    out, model = pd.read_csv(tmp_path / "out.csv"), load_model(folder / tuned)
    classes = model.classes_
    ends = model.predict_proba_interval(new_rows)
    for j, label in enumerate(classes):
        np.testing.assert_allclose(out[[f"low_{label}", f"high_{label}"]], ends[:, j], rtol=1e-9)
    score, p_value = model.novelty_score(new_rows, return_p_value=True)
    np.testing.assert_allclose(out[["novelty", "novelty_p_value"]], np.c_[score, p_value], rtol=1e-9)
    # What the guide says of few rows: fits to five folds, each of which searches anew.
    table = pd.read_csv(folder / "iris.csv")
    tuned_like = TableClassifier(clone(model.estimator_.estimator.estimator), TableEncoder(read_texts=False))
    expected = ConformalClassifier(tuned_like).fit(table.drop(columns="species"), table["species"])
    assert expected.method_ == "cv+"
    kept = expected.predict_set(new_rows, 0.9)
    np.testing.assert_array_equal(model.predict_set(new_rows, 0.9), kept)
    assert out["set"].tolist() == [" | ".join(classes[row]) for row in kept]
    assert (out["set_size"] == kept.sum(axis=1)).all()


def test_many_rows_are_judged_by_leave_one_out_without_a_further_fit(command, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1100)
    table = pd.DataFrame({"a": rng.normal(size=1100) + y, "b": rng.normal(size=1100), "y": y})
    table.to_csv(tmp_path / "t.csv", index=False)
    fit = ("fit", tmp_path / "t.csv", "-t", "y", "-m", "lspc", "-o", tmp_path / "m.skops", "--json")
    assert json.loads(command(*fit).out)["sets"]["method"] == "loo"
    out = tmp_path / "out.csv"
    assert command("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", out, "--sets", "0.9").code == 0
    model = load_model(tmp_path / "m.skops")
    own = np.sort(model.estimator_.loo_label_proba_)
    P = model.predict_proba(table[["a", "b"]])
    # The label is kept if more than a tenth of the rows, the new one among them, fit as badly.
    kept = (np.searchsorted(own, P, side="right") + 1) / 1101 > 0.1
    kept[np.arange(1100), P.argmax(axis=1)] = True
    assert (pd.read_csv(out)["set_size"] == kept.sum(axis=1)).all()
    # Rows that belong together tell of each other, and leaving one out is not enough.
    table.assign(who=np.arange(1100) // 4).to_csv(tmp_path / "t.csv", index=False)
    grouped = command(*fit, "--group", "who", "--hold-out", "0.02")
    assert json.loads(grouped.out)["sets"]["method"] is None
    answer = command("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", out, "--sets", "0.9")
    assert "fit it with --sets" in answer.error


def test_without_folds_there_are_no_sets_of_few_rows(command, predict, folder):
    fit = ("fit", folder / "iris.csv", "-t", "species", "-m", "lspc", "-q", "-o", folder / "bare.skops")
    assert command(*fit, "--no-sets").code == 0
    assert "fit it with --sets" in predict(folder / "new.csv", "--sets", "0.9", model="bare.skops").error
    fit = ("fit", folder / "iris.csv", "-t", "species", "-m", "kdc", "-q", "-o", folder / "bare.skops")
    assert command(*fit).code == 0
    assert (
        "'kdc' has none by itself" in predict(folder / "new.csv", "--sets", "0.9", model="bare.skops").error
    )
    assert command(*fit, "--sets").code == 0
    assert predict(folder / "new.csv", "--sets", "0.9", model="bare.skops").code == 0


def test_groups_stay_together_in_the_folds_of_sets(command, tmp_path):
    # Four copies of every row: a fit that has seen the others knows the label, whatever it is worth.
    rng = np.random.default_rng(0)
    own = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "y": rng.integers(0, 2, 60)})
    table = own.loc[np.repeat(np.arange(60), 4)].assign(who=np.repeat(np.arange(60), 4))
    table.to_csv(tmp_path / "t.csv", index=False)
    fit = ("fit", tmp_path / "t.csv", "-t", "y", "-m", "kdc", "--sets", "-q", "-o", tmp_path / "m.skops")
    assert command(*fit, "--group", "who", "--hold-out", "0.2").code == 0
    sets = load_model(tmp_path / "m.skops")
    for k, model in enumerate(sets.fold_estimators_):
        rows = read_model_file(tmp_path / "m.skops").notes["table"]["rows"]
        held_out = np.array(rows)[sets.calibration_index_[sets.calibration_folds_ == k]] - 1
        inside = np.setdiff1d(np.array(rows) - 1, held_out)
        assert not set(held_out // 4) & set(inside // 4)
        assert len(model.classes_) == 2


def test_programs_get_the_sizes_of_sets_and_the_share_of_new_rows(predict, folder, tuned):
    facts = json.loads(predict(folder / "new.csv", "--sets", "0.9", "--novelty", "--json", model=tuned).out)
    assert 1 <= facts["mean_set_size"] <= 3
    assert 0 <= facts["single_labels"] <= 1
    assert 0 <= facts["new_rows"] <= 0.3


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--sets", "90"], "between 0 and 1"),
        (["--sets", "0"], "between 0 and 1"),
        (["--sets", "0.999"], "100 training rows attain 0.99 at most"),
        (["--intervals"], "--intervals: the method 'lspc' has none; fit the model by --method auto"),
        (["--novelty"], "--novelty: the method 'lspc' has none"),
    ],
)
def test_what_a_model_cannot_tell_is_refused_before_the_work(predict, folder, tmp_path, options, complaint):
    assert complaint in predict(folder / "new.csv", *options).error
    assert not (tmp_path / "out.csv").exists()


def test_a_kept_column_may_not_have_the_name_of_a_further_column(predict, tmp_path, new_rows):
    new_rows.assign(set_size=1).to_csv(tmp_path / "new.csv", index=False)
    assert predict(tmp_path / "new.csv", "--keep", "set_size").code == 0
    answer = predict(tmp_path / "new.csv", "--keep", "set_size", "--sets", "0.9")
    assert "'set_size' cannot be kept" in answer.error


def test_a_column_in_other_units_is_named_and_told_to_programs(predict, folder, tmp_path):
    new = pd.read_csv(folder / "new.csv")
    name = new.columns[0]
    path = tmp_path / "millimetres.csv"
    new.assign(**{name: new[name] * 10}).to_csv(path, index=False)
    answer = predict(path)
    assert answer.code == 0
    assert f"note: 100% of the values in column '{name}' are beyond those of training" in answer.err
    assert json.loads(predict(path, "--json").out)["unfamiliar_values"] == {name: 1.0}
    assert "beyond" not in predict(folder / "new.csv").err
