"""``kernelproba page``: a model file becomes a page."""

import json
import re

import pytest
from sklearn.datasets import load_iris

from kernelproba import KernelLogisticRegression
from kernelproba.persistence import save_model

pytest.importorskip("jinja2")


def described(path):
    return json.loads(re.search(r'id="model">(.*?)</script>', path.read_text("ascii"), re.DOTALL)[1])


def test_a_page_has_the_columns_the_classes_and_the_rows_by_their_numbers(command, folder, tmp_path):
    answer = command("page", folder / "mixed.skops", "-o", tmp_path / "model.html", "--json")
    facts = json.loads(answer.out)
    assert facts["bytes"] == (tmp_path / "model.html").stat().st_size
    assert facts["compression"] is None
    page = described(tmp_path / "model.html")
    kinds = {field["name"]: field["kind"] for field in page["fields"]}
    assert (kinds["age"], kinds["visit"], kinds["smoker"]) == ("number", "date", "flag")
    assert page["classes"] == ["healthy", "ill"]
    assert [int(name) - 1 for name in page["rows"]["names"]] == page["rows"]["numbers"]


def test_people_are_told_what_to_do_with_it(command, folder, tmp_path):
    answer = command("page", folder / "iris.skops", "-o", tmp_path / "model.html", "--without-rows")
    assert "open it in a browser" in answer.out.replace("\n", " ")
    assert described(tmp_path / "model.html")["rows"] is None


def test_a_page_that_cannot_be_smaller_is_noted(command, folder, tmp_path):
    answer = command("page", folder / "iris.skops", "-o", tmp_path / "model.html", "--max-mb", "0.01")
    assert (answer.code, "cannot be compressed further" in answer.err) == (0, True)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"<html></html>"])
def test_a_file_that_is_no_model_of_ours_is_refused(content, command, tmp_path):
    (tmp_path / "other.skops").write_bytes(content)
    answer = command("page", tmp_path / "other.skops", "-o", tmp_path / "model.html")
    assert "other.skops" in answer.error
    assert not (tmp_path / "model.html").exists()


def test_the_model_is_not_overwritten(command, folder):
    assert command("page", folder / "iris.skops", "-o", folder / "iris.skops").error


def test_a_page_shows_the_sets_that_predict_would_give_and_no_others(command, folder, tmp_path):
    fit = ("fit", folder / "iris.csv", "-t", "species", "-m", "lspc", "-q", "-o", tmp_path / "model.skops")
    for option, folds, levels in (("--sets", 5, 4), ("--no-sets", 0, 0)):
        assert command(*fit, option).code == 0
        answer = command("page", tmp_path / "model.skops", "-o", tmp_path / "model.html")
        sets = described(tmp_path / "model.html")["sets"]
        assert (len(sets["known"]), len(sets["thresholds"])) == (folds, levels)
        assert ("shows no sets of labels" in answer.err.replace("\n", " ")) == (folds == 0)


def test_a_model_saved_from_python_has_a_page_too(command, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    save_model(KernelLogisticRegression(gamma=0.5).fit(X, y), tmp_path / "iris.skops")
    answer = command("page", tmp_path / "iris.skops", "-o", tmp_path / "model.html")
    assert answer.code == 0, answer
    assert [each["name"] for each in described(tmp_path / "model.html")["fields"]] == X.columns.tolist()
