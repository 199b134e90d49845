"""What is written to a page, without looking at it: sizes, escapes, refusals."""

import json
import re

import numpy as np
import pytest

pytest.importorskip("jinja2")
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from kernelproba import (
    ConformalClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    TableClassifier,
)
from kernelproba.onnx import ConversionError
from kernelproba.page import write_model_page
from kernelproba.page.html import json_for_script

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\u2028\u2029",
    "\ud800",
    "\x00\x1b[31m",
    "'\"`${x}",
]

NAMES = [name if name != "\ud800" else "" for name in HOSTILE]  # which frames cannot hold


def problem(n=200, c=3):
    rng = np.random.default_rng(0)
    y = np.arange(n) % c
    return rng.normal(size=(n, 4)) + np.eye(c, 4)[y], y


def read(path):
    text = path.read_text("ascii")
    return text, json.loads(re.search(r'id="model">(.*?)</script>', text, re.DOTALL)[1])


def test_json_in_a_script_is_ascii_without_markup_and_comes_back():
    value = {text: [text, {"number": 0.1, "none": None}] for text in HOSTILE}
    text = json_for_script(value)
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == value


def test_numbers_that_json_has_not_are_null():
    assert json.loads(json_for_script([np.nan, np.inf, -np.inf, 1.5])) == [None, None, None, 1.5]


def test_hostile_names_and_labels_stay_text(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = problem(n=60, c=6)
    frame = pd.DataFrame(np.hstack([X, X[:, :2]]), columns=NAMES)
    labels = np.array(HOSTILE, dtype=object)[y]
    model = KernelLogisticRegression().fit(frame, labels)
    write_model_page(model, tmp_path / "model.html", labels=labels, target=HOSTILE[0])
    text, described = read(tmp_path / "model.html")
    assert text.count("<script") == text.count("</script>") == 2
    assert sorted(described["classes"]) == sorted(HOSTILE)
    assert [field["name"] for field in described["fields"]] == NAMES


def test_a_page_begins_with_what_most_rows_have_be_it_nothing(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = problem(100, 2)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame["often"] = np.where(np.arange(100) % 5 < 3, "yes", "no")
    frame["remark"] = [["late", "early"][i % 2] if i % 5 == 0 else None for i in range(100)]
    model = TableClassifier(KernelLogisticRegression()).fit(frame, y)
    write_model_page(model, tmp_path / "model.html", labels=y)
    _, described = read(tmp_path / "model.html")
    assert {field["name"]: field["start"] for field in described["fields"][2:]} == {
        "often": "yes",
        "remark": None,
    }


@pytest.mark.parametrize("multi_class", ["multinomial", "pairwise"])
def test_a_page_that_was_too_large_uses_what_it_may(multi_class, tmp_path):
    X, y = make_blobs(800, 20, centers=8, cluster_std=6.0, random_state=0)
    model = KernelLogisticRegression(multi_class=multi_class).fit(X, y)
    page = write_model_page(model, tmp_path / "small.html", labels=y, max_bytes=400_000)
    assert page.compression is not None
    assert 240_000 < page.bytes <= 400_000


def test_a_large_model_is_compressed_and_says_so(tmp_path):
    X, y = problem(600, 2)
    model = KernelLogisticRegression().fit(X, y)
    whole = write_model_page(model, tmp_path / "whole.html", labels=y)
    small = write_model_page(model, tmp_path / "small.html", labels=y, max_bytes=120_000)
    assert whole.compression is None
    assert small.bytes <= 120_000 < whole.bytes
    assert small.bytes == (tmp_path / "small.html").stat().st_size
    assert small.compression["n_centers"] < small.compression["n_centers_before"] == 600
    assert "It was compressed to fit on this page" in read(tmp_path / "small.html")[0]


def test_a_model_that_cannot_be_compressed_is_written_with_a_warning(tmp_path):
    X, y = problem(600, 2)
    model = LeastSquaresProbabilisticClassifier().fit(X, y)
    with pytest.warns(UserWarning, match="cannot be compressed further"):
        write_model_page(model, tmp_path / "model.html", max_bytes=1000)
    assert (tmp_path / "model.html").exists()


def test_without_rows_no_label_or_name_of_a_row_is_on_the_page(tmp_path):
    X, y = problem()
    names = [f"Mrs {j} secret" for j in range(len(y))]
    model = KernelLogisticRegressionCV([1.0], [0.1], kernel="rbf").fit(X, y)
    write_model_page(model, tmp_path / "with.html", labels=y, row_names=names)
    write_model_page(model, tmp_path / "without.html", labels=y, row_names=names, with_rows=False)
    assert "secret" in read(tmp_path / "with.html")[0]
    text, described = read(tmp_path / "without.html")
    assert "secret" not in text
    assert (described["rows"], described["reasons"]) == (None, [])


def test_scores_have_intervals_if_labels_are_given(tmp_path):
    X, y = problem()
    model = KernelLogisticRegressionCV([1.0], [0.1], kernel="rbf").fit(X, y)
    write_model_page(model, tmp_path / "model.html", labels=y)
    (error, *_) = read(tmp_path / "model.html")[1]["card"]["scores"]
    assert error["value"] == f"{100 * model.loo_scores_['error']:.1f}%"
    assert " to " in error["interval"]
    write_model_page(model, tmp_path / "model.html")
    assert read(tmp_path / "model.html")[1]["card"]["scores"][0]["interval"] == ""


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (make_pipeline(PCA(2), KernelLogisticRegression()), "PCA has no form on a page"),
        (TableClassifier(LogisticRegression()), "a page runs models of kernelproba alone"),
        (KernelLogisticRegression(kernel=lambda X, Z: X @ Z.T), "is Python"),
    ],
    ids=["a step", "a model", "a kernel"],
)
def test_what_has_no_form_on_a_page_is_refused_with_a_cure(model, message, tmp_path):
    X, y = problem()
    with pytest.raises(ConversionError, match=message):
        write_model_page(model.fit(X, y), tmp_path / "model.html")
    assert not (tmp_path / "model.html").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": [0]}, "labels has 1 rows, but the model was fitted on at least 2"),
        ({"labels": 3}, "labels must hold one entry for each training row"),
        ({"row_names": ["a"]}, "row_names has 1 rows"),
        ({"row_names": "ab"}, "row_names must hold one entry"),
        ({"left_out": ["a"]}, "left_out must be a dictionary"),
        ({"max_bytes": -1}, "max_bytes must be a positive number"),
        ({"max_bytes": np.nan}, "max_bytes must be a positive number"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_written(options, message, tmp_path):
    model = KernelLogisticRegression().fit(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match=message):
        write_model_page(model, tmp_path / "page.html", **options)
    assert not list(tmp_path.iterdir())


def test_a_kernel_matrix_has_no_columns_to_ask_for(tmp_path):
    model = KernelLogisticRegression(kernel="precomputed").fit(np.eye(2), [0, 1])
    with pytest.raises(ConversionError, match="no columns to ask for"):
        write_model_page(model, tmp_path / "page.html")


def judged(**settings):
    X, y = problem(120)
    inner = KernelLogisticRegressionCV([1.0], [0.1], kernel="rbf")
    return ConformalClassifier(inner, method="cv+", **settings).fit(X, y)


def test_sets_of_few_rows_by_leave_one_out_say_what_they_are(tmp_path):
    model = judged()
    write_model_page(model, tmp_path / "folds.html")
    write_model_page(model.estimator_, tmp_path / "loo.html")
    write_model_page(model.estimator_, tmp_path / "none.html", with_sets=False)
    folds, loo, none = (read(tmp_path / f"{each}.html") for each in ("folds", "loo", "none"))
    assert "leaving out one row at a time" in loo[0]
    assert "leaving out one row at a time" not in folds[0] + none[0]
    assert [len(each[1]["sets"]["known"]) for each in (folds, loo, none)] == [5, 0, 0]
    assert [len(each[1]["sets"]["thresholds"]) for each in (folds, loo, none)] == [4, 4, 0]
    assert 'id="set"' not in none[0]


@pytest.mark.parametrize(
    "settings", [{"conformity_score": "aps"}, {"conditional": "class"}, {"randomized": True}]
)
def test_sets_that_a_page_cannot_find_are_left_out_and_it_says_so(settings, tmp_path):
    write_model_page(judged(**settings), tmp_path / "model.html")
    text, described = read(tmp_path / "model.html")
    assert described["sets"]["thresholds"] == {}
    assert "It shows no sets of labels" in text


def test_fits_to_folds_that_make_a_page_too_large_are_left_out_and_it_says_so(tmp_path):
    model = judged()
    whole = write_model_page(model, tmp_path / "whole.html")
    small = write_model_page(model, tmp_path / "small.html", max_bytes=120_000)
    text, described = read(tmp_path / "small.html")
    assert small.bytes <= 120_000 < whole.bytes
    assert small.compression is None
    assert described["sets"]["thresholds"] == {}
    assert "fits to folds that they need are too large" in text
