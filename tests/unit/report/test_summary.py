"""What a report says, from probabilities whose scores are known."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV, TableClassifier
from kernelproba.inspection import posterior_map
from kernelproba.report.about import About
from kernelproba.report.comparison import compare
from kernelproba.report.summary import summarise, summarise_predictions


class Stated(ClassifierMixin, BaseEstimator):
    """States its input as the posterior."""

    def __init__(self, classes):
        self.classes = classes

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        return np.asarray(self.classes)

    def predict_proba(self, X):
        P = np.abs(np.asarray(X, dtype=float))
        return P / P.sum(axis=1, keepdims=True)


def _stated(n=200, c=3, seed=0):
    rng = np.random.RandomState(seed)
    P = rng.dirichlet(np.ones(c), size=n)
    return (
        Stated([f"class {k}" for k in range(c)]),
        P,
        np.array([f"class {k}" for k in rng.randint(c, size=n)]),
    )


def test_the_summary_is_plain_json():
    model, P, y = _stated()
    summary = summarise(
        model, P, y, training=(P, y), about=About("it", ["a b", "c"], {"fit": np.float32(1.5)})
    )
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["timings"]["fit"] == 1.5
    assert summary["command"] == "'a b' c"


def test_confusion_is_scikit_learns():
    model, P, y = _stated(c=4)
    summary = summarise(model, P, y)
    predicted = np.asarray(model.classes_)[P.argmax(axis=1)]
    np.testing.assert_array_equal(summary["confusion"]["counts"], confusion_matrix(y, predicted))


def test_confidence_counts_every_row_once():
    model, P, y = _stated()
    summary = summarise(model, P, y)
    right, wrong = summary["confidence"]["right"], summary["confidence"]["wrong"]
    assert sum(right) + sum(wrong) == 200
    assert sum(wrong) == round(200 * summary["scores"]["error"]["estimate"])
    assert sum(right[:6]) + sum(wrong[:6]) == 0  # of three probabilities the largest is at least 1/3


def test_the_baseline_states_the_class_frequencies():
    model, P, _ = _stated(n=100, c=2)
    y = np.repeat(["class 0", "class 1"], [75, 25])
    baseline = summarise(model, P, y)["baseline"]
    assert baseline["error"] == pytest.approx(0.25)
    assert baseline["log_loss"] == pytest.approx(-0.75 * np.log(0.75) - 0.25 * np.log(0.25))


def test_training_rows_give_the_baseline_if_there_are_any():
    model, P, y = _stated(n=100, c=2)
    trained = np.repeat(["class 0", "class 1"], [90, 10])
    summary = summarise(model, P, y, training=(P, trained))
    share = np.mean(y == "class 0")
    expected = -share * np.log(0.9) - (1 - share) * np.log(0.1)
    assert summary["baseline"]["log_loss"] == pytest.approx(expected)
    assert [c["training_rows"] for c in summary["data"]["classes"]] == [90, 10]


def test_doubtful_rows_come_in_the_order_of_the_gap():
    P = np.array([[0.9, 0.05, 0.05], [0.4, 0.39, 0.21], [0.5, 0.1, 0.4], [0.34, 0.33, 0.33]])
    frame = pd.DataFrame(P, index=["w", "x", "y", "z"], columns=["a", "b", "c"])
    rows = summarise(Stated([0, 1, 2]), frame, [0, 0, 2, 1])["doubtful_rows"]
    assert [row["row"] for row in rows] == ["x", "z", "y", "w"]
    assert [each["column"] for each in rows[0].pop("reasons")] == ["b", "a", "c"]
    assert rows[0] == {
        "row": "x",
        "label": "0",
        "predicted": "0",
        "predicted_probability": pytest.approx(0.4),
        "runner_up": "1",
        "runner_up_probability": pytest.approx(0.39),
        "values": {"a": "0.4", "b": "0.39", "c": "0.21"},
    }


def test_doubted_labels_are_the_mistakes_by_the_probability_of_the_label():
    P = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]])
    rows = summarise(Stated(["no", "yes"]), P, ["yes", "yes", "no", "yes"])["doubted_labels"]
    assert [(row["row"], row["label"], row["predicted"]) for row in rows] == [
        (0, "yes", "no"),
        (3, "yes", "no"),
    ]
    assert rows[0]["probability"] == pytest.approx(0.1)


def test_training_labels_are_doubted_if_the_model_left_rows_out_by_itself():
    X, y = load_iris(return_X_y=True)
    y[7] = 2  # was 0
    plain = KernelLogisticRegression(C=10).fit(X, y)
    assert summarise(plain, X, y, training=(X, y))["doubted_training_labels"] is None
    model = make_pipeline(StandardScaler(), KernelLogisticRegressionCV(Cs=[10.0], gammas=[0.1])).fit(X, y)
    summary = summarise(model, X[::2], y[::2], training=(X, y))
    first = summary["doubted_training_labels"][0]
    assert (first["row"], first["label"], first["predicted"]) == (7, "2", "0")
    assert summary["model"]["name"] == "KernelLogisticRegressionCV"


def test_the_map_of_a_model_that_tunes_itself_asks_the_model_and_not_what_is_inside():
    X, y = load_iris(return_X_y=True)
    model = KernelLogisticRegressionCV(Cs=[1.0]).fit(1000 * X, y)
    shown = summarise(model, 1000 * X, y)["map"]
    expected = posterior_map(model, 1000 * X, features="pca", resolution=len(shown["label"]))
    np.testing.assert_array_equal(shown["label"], expected.posterior.argmax(axis=2))


def test_calibrated_probabilities_show_no_more_error_than_chance():
    rng = np.random.RandomState(0)
    P = rng.dirichlet(np.ones(3), size=2000)
    y = (rng.uniform(size=(2000, 1)) > P.cumsum(axis=1)).sum(axis=1)
    summary = summarise(Stated([0, 1, 2]), P, y)
    chance = summary["calibration"]["by_chance"]
    assert summary["scores"]["ece"]["estimate"] < chance["high"]
    sharp = summarise(Stated([0, 1, 2]), P**3, y)
    assert sharp["scores"]["ece"]["estimate"] > 3 * sharp["calibration"]["by_chance"]["high"]


def test_reliability_bins_hold_every_row_for_the_top_label_and_each_class():
    model, P, y = _stated()
    calibration = summarise(model, P, y)["calibration"]
    assert sum(calibration["top_label"]["bins"]["count"]) == 200
    assert [sum(table["bins"]["count"]) for table in calibration["classes"]] == [200] * 3
    kinds = [(error["kind"], error["debiased"]) for error in calibration["errors"]]
    assert kinds == [("top-label", False), ("top-label", True), ("class-wise", False), ("class-wise", True)]


def test_two_columns_span_the_map_themselves():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["width", "height"])
    y = np.where(X["width"] > 0, "wide", "narrow")
    model = LogisticRegression(C=1e3).fit(X, y)
    shown = summarise(model, X, y)["map"]
    assert (shown["kind"], shown["names"]) == ("features", ["width", "height"])
    label = np.array(shown["label"])
    assert (label[:, 0] == 0).all()  # "narrow" to the left, whatever the height
    assert (label[:, -1] == 1).all()
    assert len(shown["points"]) == 80


def test_the_map_of_a_mixed_table_lies_where_the_classifier_sees_it():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(
        {"size": rng.normal(size=60), "colour": rng.choice(["red", "blue"], 60), "age": rng.normal(size=60)}
    )
    y = (X["colour"] == "red").astype(int)
    prepare = make_column_transformer((StandardScaler(), ["size", "age"]), (OneHotEncoder(), ["colour"]))
    summary = summarise(make_pipeline(prepare, LogisticRegression()).fit(X, y), X, y)
    assert summary["map"]["kind"] == "components"
    kinds = {column["name"]: column["kind"] for column in summary["data"]["columns"]}
    assert kinds == {"size": "number", "colour": "text", "age": "number"}


def test_two_columns_of_texts_are_mapped_where_the_classifier_sees_them():
    X = pd.DataFrame({"a": ["u", "v"] * 20, "b": ["p", "q"] * 20})
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(X, X["a"])
    assert summarise(model, X, X["a"])["map"]["kind"] == "components"


def test_rows_that_are_no_numbers_have_no_map_and_a_reason():
    X = pd.DataFrame({"a": ["u", "v"] * 20, "b": ["p", "q"] * 20})
    model = DummyClassifier().fit(X, X["a"])
    assert "cannot be laid on a plane" in summarise(model, X, X["a"])["map"]["reason"]


def test_a_table_with_dates_has_a_map_and_dates_without_midnight():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 40), "D")
    X = pd.DataFrame({"day": days, "size": rng.normal(size=40), "town": rng.choice(["Ulm", "Bonn"], 40)})
    y = np.where(X["size"] + rng.normal(size=40) > 0, "a", "b")
    summary = summarise(TableClassifier(KernelLogisticRegression()).fit(X, y), X, y)
    assert summary["map"]["kind"] == "components"
    assert all(len(row["values"]["day"]) == 10 for row in summary["doubtful_rows"])


def test_a_precomputed_kernel_has_no_map_and_a_reason():
    X, y = load_iris(return_X_y=True)
    model = KernelLogisticRegression(kernel="precomputed").fit(X @ X.T, y)
    assert "no features" in summarise(model, X @ X.T, y)["map"]["reason"]


def test_columns_are_described_with_what_is_missing():
    X = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0, 5.0],
            "empty": [np.nan] * 4,
            "text": ["a", "a", None, "b"],
            "date": pd.to_datetime(["2020-01-01", None, "2020-01-01", "2021-01-01"]),
            "yes": [True, False, True, True],
        }
    )
    stated = Stated([0, 1])
    stated.predict_proba = lambda X: np.tile([0.5, 0.5], (len(X), 1))
    columns = {c["name"]: c for c in summarise(stated, X, [0, 1, 0, 1])["data"]["columns"]}
    assert [columns["number"][key] for key in ("low", "median", "high", "missing")] == [1, 3, 5, 1]
    assert (columns["empty"]["kind"], columns["empty"]["missing"]) == ("empty", 4)
    assert columns["text"]["common"] == ["a", "b"]
    assert (columns["date"]["first"], columns["date"]["last"]) == ("2020-01-01", "2021-01-01")
    assert (columns["date"]["kind"], columns["date"]["distinct"]) == ("date", 2)
    assert columns["yes"]["kind"] == "text"


@pytest.mark.parametrize(
    "store", [np.asarray, csr_matrix, pd.DataFrame, lambda X: pl.DataFrame(X, schema=list("abcd"))]
)
def test_rows_may_come_in_any_container(store):
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(store(X), y)
    summary = summarise(model, store(X), y, training=(store(X), y))
    assert summary["scores"]["error"] == summarise(model, store(X), pd.Series(y))["scores"]["error"]
    assert summary["data"]["n_columns"] == 4


def test_rivals_are_marked_unless_usual():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    rivals = compare(X, y, {"mine": model, "logistic regression": model, "broken": "no model"}, cv=2)
    summary = summarise(model, X, y, rivals=rivals)["rivals"]
    assert [m["ours"] for m in summary["methods"]] == [True, False, True]
    assert summary["methods"][2]["error"] is None
    assert (summary["rows"], summary["folds"]) == (150, 2)


def test_sixty_classes_and_a_class_without_rows_are_summarised():
    model, P, y = _stated(n=90, c=60)
    y[:] = y[0]
    summary = summarise(model, P, y)
    assert sum(c["rows"] > 0 for c in summary["data"]["classes"]) == 1
    json.dumps(summary, allow_nan=False)


def test_one_row_is_enough():
    summary = summarise(Stated([0, 1]), np.array([[0.3, 0.7]]), [1])
    assert summary["scores"]["error"]["estimate"] == 0
    json.dumps(summary, allow_nan=False)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["class 0", "other"], "not among the classes: other"),
        (["class 0"], "one label for each of the 2 rows"),
    ],
)
def test_labels_that_do_not_fit_are_refused(y, message):
    model, P, _ = _stated(n=2)
    with pytest.raises(ValueError, match=message):
        summarise(model, P, y)


def test_importing_the_report_needs_no_optional_library():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['pandas', 'jinja2', 'matplotlib'])); "
        "import kernelproba.report.summary, kernelproba.report.render, kernelproba.report.comparison"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("error")
def test_infinite_cells_make_no_warning_and_hide_no_other_value():
    X = np.arange(40.0)[:, None]
    X[-1] = np.inf
    column = summarise_predictions([0, 1] * 20, [0.3, 0.6] * 20, X)["data"]["columns"][0]
    assert (column["low"], column["median"]) == (0.0, 19.5)


@pytest.mark.parametrize("rows", [np.zeros(4), np.zeros((4, 2, 2))], ids=["1d", "3d"])
def test_rows_without_columns_are_refused(rows):
    with pytest.raises(ValueError, match="X must have shape"):
        summarise_predictions([0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4], rows)
