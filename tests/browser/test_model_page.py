"""A model's page says in a real browser what the model says in Python."""

import warnings

import numpy as np
import pandas as pd
import pytest
from browser.conftest import show
from common.mixed_table import as_numbers, as_words, mixed_table
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from kernelproba import (
    BasisLogisticRegression,
    ConformalClassifier,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
    MaximumContrastClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
    TableClassifier,
)
from kernelproba.inspection import explain
from kernelproba.page import write_model_page
from kernelproba.report.label_sets import LabelSets

NAMES = np.array(["<script>alert(1)</script>", "\"'&amp;\u2028\u2029", "</td> שלום \u202e x"])


def ask(browser, rows):
    """Answers of the page to rows, column by column as the fields have them."""
    cells = [[None if value != value else value for value in row] for row in rows]
    return browser.execute_script("return arguments[0].map((row) => kernelproba.predict(row))", cells)


def probabilities(answers):
    return np.array([answer["probabilities"] for answer in answers])


def as_cells(model, table):
    """Rows of a table as the fields of its page take them."""
    used = [column for column in model.encoder_.columns_ if column.kind != "dropped"]
    columns = [
        as_numbers(table[each.name]).tolist()
        if each.kind in ("number", "date", "time")
        else as_words(table[each.name])
        for each in used
    ]
    return list(zip(*columns, strict=True))


def told(browser):
    """Messages of the browser's console."""
    return [entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]]


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def table_of_everything(n, seed):
    table, y = mixed_table(n, seed)
    rng = np.random.default_rng(seed)
    words = np.array(["heart failure", "Broken ARM", "ear", "Ünïcode 🦊 word", "a <b>bold</b> claim", "x"])
    table["words"] = [f"{words[k]} {words[j]} {rng.integers(99)}" for k, j in rng.integers(6, size=(n, 2))]
    return table, np.where(np.arange(n) % 9 == 0, "\u2028</script><b>", y)


TABLE_MODELS = {
    "self-tuned": TableClassifier(),
    "least squares": TableClassifier(LeastSquaresProbabilisticClassifierCV()),
    "costs and rejection": MinimumRiskClassifier(
        TableClassifier(KernelLogisticRegression()), np.ones((3, 3)) - np.eye(3), reject_cost=0.4
    ),
}


@pytest.mark.parametrize("kind", TABLE_MODELS)
def test_tables_with_categories_dates_texts_gaps_and_labels_that_are_markup(kind, browser, tmp_path):
    table, y = table_of_everything(120, 0)
    model = fit(TABLE_MODELS[kind], table, y)
    write_model_page(model, tmp_path / "model.html", labels=y, target="<img src=x onerror=alert(4)>")
    new, _ = table_of_everything(200, 1)
    new.loc[:5, "kind"], new.loc[3, "X"] = "never seen", 1e200
    show(browser, tmp_path / "model.html")
    answers = ask(browser, as_cells(getattr(model, "estimator_", model) if kind[0] == "c" else model, new))
    np.testing.assert_allclose(probabilities(answers), model.predict_proba(new), rtol=0, atol=1e-6)
    assert [answer["label"] for answer in answers] == [str(label) for label in model.predict(new)]
    assert told(browser) == []


MATRIX_MODELS = {
    "pool": KernelLogisticRegressionCV(),
    "pairs": make_pipeline(StandardScaler(), KernelLogisticRegression(multi_class="pairwise")),
    "pairs by Hastie and Tibshirani": KernelLogisticRegression(
        multi_class="pairwise", coupling="hastie-tibshirani"
    ),
    "any pairs": PairwiseCouplingClassifier(KernelLogisticRegression(kernel="laplacian")),
    "sparse": make_pipeline(MinMaxScaler(), SparseKernelLogisticRegression(kernel="laplacian")),
    "relevance vectors": make_pipeline(RobustScaler(), RelevanceVectorClassifier()),
    "densities": KernelDensityClassifier(),
    "contrast": MaximumContrastClassifier(calibration_cv=3),
    "basis functions": BasisLogisticRegression(),
    "changed priors": PriorShiftClassifier(KernelLogisticRegression(kernel="poly"), [0.6, 0.3, 0.1]),
}


@pytest.mark.parametrize("kind", MATRIX_MODELS)
def test_matrices(kind, browser, tmp_path):
    X, codes = load_iris(return_X_y=True)
    model = fit(MATRIX_MODELS[kind], X, NAMES[codes])
    write_model_page(model, tmp_path / "model.html", labels=NAMES[codes])
    rng = np.random.default_rng(0)
    new = X[rng.integers(150, size=200)] + rng.normal(size=(200, 4)) * rng.choice([0.1, 1, 10], (200, 1))
    show(browser, tmp_path / "model.html")
    answers = ask(browser, new.tolist())
    np.testing.assert_allclose(probabilities(answers), model.predict_proba(new), rtol=0, atol=1e-6)
    assert told(browser) == []


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """A table, a model of it, and its page."""
    rng = np.random.default_rng(0)
    n = 150
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "smokes": rng.choice(["yes", "no", "</select><b>now and then"], n),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )
    table.loc[::8, "age"] = None
    noise = rng.normal(0, 12, n)
    state = np.where(table["age"].fillna(40) + 20 * (table["smokes"] == "yes") + noise > 60, "ill", "well")
    model = TableClassifier().fit(table, state)
    path = tmp_path_factory.mktemp("patients") / "model.html"
    write_model_page(model, path, labels=state, target="state", row_names=range(1, n + 1))
    return table, state, model, path


def test_what_is_typed_is_predicted(browser, patients):
    _, _, model, path = patients
    show(browser, path)
    age = browser.find_element(By.ID, "field0")
    age.send_keys(Keys.CONTROL, "a")
    age.send_keys("71")
    Select(browser.find_element(By.ID, "field1")).select_by_visible_text("yes")
    row = pd.DataFrame({"age": [71.0], "smokes": ["yes"], "seen": [pd.Timestamp("2021-03-04")]})
    browser.execute_script("""const f = document.getElementById("field2"); f.value = "2021-03-04";
        f.dispatchEvent(new Event("input", { bubbles: true }));""")
    p = model.predict_proba(row)[0]
    assert browser.find_element(By.ID, "label").text == model.predict(row)[0]
    assert browser.find_element(By.ID, "sure").text == f"{100 * p.max():.1f}%"
    age.send_keys(Keys.CONTROL, "a")
    age.send_keys(Keys.DELETE)
    row["age"] = np.nan
    assert browser.find_element(By.ID, "sure").text == f"{100 * model.predict_proba(row).max():.1f}%"
    age.send_keys("300")
    assert "age" in browser.find_element(By.ID, "beyond").text
    assert told(browser) == []


def test_reasons_are_those_of_explain(browser, patients):
    table, state, model, path = patients
    show(browser, path)
    row = table[3:4]
    browser.execute_script(
        """const [age, smokes, seen] = arguments;
        field0.value = age; field2.value = seen;
        field1.selectedIndex = [...field1.options].findIndex((each) => each.textContent === smokes);
        field0.dispatchEvent(new Event("input", { bubbles: true }));""",
        *(
            "" if cell != cell else str(cell)[:10] if isinstance(cell, pd.Timestamp) else cell
            for cell in row.iloc[0]
        ),
    )
    label = browser.find_element(By.ID, "label").text
    lines = explain(model, row, top=5, training=table.set_axis(range(1, 151)), labels=state)
    named = lines[lines["term"] == "row"]
    amounts = named["contribution"] * np.where(named["class"] == label, 1, -1)
    for side, sign in (("for", 1), ("against", -1)):
        own = named.assign(contribution=amounts)[sign * amounts > 0].sort_values(
            "contribution", ascending=sign < 0
        )
        items = browser.find_elements(By.CSS_SELECTOR, f"#{side} li")
        for item, (_, line) in zip(items, own.iterrows(), strict=True):
            assert item.find_element(By.CLASS_NAME, "who").text == f"row {line['row']}: {line['label']}"
            text = item.find_element(By.CLASS_NAME, "amount").text.replace("\u2212", "-")
            assert abs(float(text) - line["contribution"]) < 6e-4
            if line["age"] == line["age"]:
                assert f"age {line['age']:g}" in item.text
            assert f"seen {line['seen']:%Y-%m-%d}" in item.text


def test_sets_and_novelty_are_those_of_the_model(browser, patients):
    table, _, model, path = patients
    show(browser, path)
    far = pd.DataFrame({"age": [500.0], "smokes": ["never"], "seen": [pd.Timestamp("2030-01-01")]})
    rows = pd.concat([table[:60], far], ignore_index=True)
    answers = ask(browser, as_cells(model, rows))
    P = model.predict_proba(rows)
    for level in ("0.8", "0.9", "0.95", "0.99"):
        expected = LabelSets.of(model).at([float(level)], rows, P)[0]
        assert expected[-1].all()
        found = [answer["sets"][level] for answer in answers]
        assert found == [np.flatnonzero(members).tolist() for members in expected]
    novelty, p_value = model.novelty_score(rows, return_p_value=True)
    np.testing.assert_allclose([answer["novelty"] for answer in answers], novelty, atol=2e-5)
    np.testing.assert_allclose([answer["pValue"] for answer in answers], p_value, atol=1.01 / 151)  # a tie
    assert p_value[-1] < 0.05


def test_a_page_without_rows_has_neither_reasons_nor_values(browser, patients, tmp_path):
    _, state, model, _ = patients
    write_model_page(model, tmp_path / "bare.html", labels=state, with_rows=False)
    show(browser, tmp_path / "bare.html")
    assert browser.find_elements(By.ID, "reasons") == []
    assert (
        browser.execute_script("return JSON.parse(document.getElementById('model').textContent).rows") is None
    )
    assert told(browser) == []


def test_the_page_fits_a_phone_and_the_keyboard(browser, patients):
    _, _, _, path = patients
    show(browser, path, width=400, theme="dark")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400
    background = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, background.removeprefix("rgb(").removesuffix(")").split(","))) < 150
    visited = []
    for _ in range(12):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        visited.append(
            browser.execute_script("return document.activeElement.id || document.activeElement.textContent")
        )
    assert {"theme", "field0", "field1", "field2", "Start again"} <= set(visited)


def test_a_finger_hits_what_it_is_meant_to(browser, patients):
    show(browser, patients[3], width=400)
    heights = browser.execute_script(
        "return [...document.querySelectorAll('input, select, button, summary')]"
        ".map((each) => each.getBoundingClientRect().height).filter((height) => height > 0)"
    )
    assert min(heights) >= 24  # pixels, as the guidelines for accessible pages ask for


def test_the_page_asks_for_nothing(browser, patients):
    show(browser, patients[3])
    loaded = browser.execute_script(
        "return performance.getEntriesByType('resource').map((each) => each.name)"
    )
    assert [name for name in loaded if not name.startswith("data:")] == []


@pytest.mark.parametrize(("C", "cancels"), [(1e6, True), (0.01, False)])
def test_rows_that_cancel_each_other_are_said_to(browser, tmp_path, C, cancels):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = np.where(X["a"] + rng.normal(size=60) > 0, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = TableClassifier(KernelLogisticRegression(C=C, gamma=0.05)).fit(X, y)
    write_model_page(model, tmp_path / "page.html", labels=y)
    show(browser, tmp_path / "page.html")
    text = browser.find_element(By.ID, "rest").get_attribute("textContent")
    assert ("no single row decides" in text) == cancels


@pytest.mark.parametrize("kind", ["table", "matrix"])
def test_sets_of_fits_to_folds_are_those_of_the_conformal_classifier(kind, browser, tmp_path):
    rng = np.random.default_rng(0)
    if kind == "table":
        (X, y), (new, _) = table_of_everything(150, 0), table_of_everything(80, 1)
        X, new = X.drop(columns="words"), new.drop(columns="words")
        y[:2] = "rare"  # in two of the folds' tests, and so lacking from none or some of the fits
        inner = TableClassifier(KernelLogisticRegression())
    else:
        X, y = load_iris(return_X_y=True)
        X = X + rng.normal(size=X.shape)
        new = X[rng.integers(150, size=80)] + rng.normal(size=(80, 4))
        new[0] = 40.0  # far from all rows
        inner = make_pipeline(StandardScaler(), KernelLogisticRegressionCV([1.0], [0.1], kernel="rbf"))
    model = fit(ConformalClassifier(inner, 0.8, method="cv+"), X, y)
    write_model_page(model, tmp_path / "model.html", labels=y)
    show(browser, tmp_path / "model.html")
    answers = ask(browser, as_cells(model.estimator_, new) if kind == "table" else new.tolist())
    for level in ("0.8", "0.9", "0.95", "0.99"):
        found = [answer["sets"][level] for answer in answers]
        assert found == [np.flatnonzero(row).tolist() for row in model.predict_set(new, float(level))]
    np.testing.assert_allclose(probabilities(answers), model.predict_proba(new), rtol=0, atol=1e-6)
    assert told(browser) == []
