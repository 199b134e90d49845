"""Tables: columns of every kind under any name, with gaps, and values never seen."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from kernelproba import (
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    MinimumRiskClassifier,
    RelevanceVectorClassifier,
    TableClassifier,
    TableEncoder,
)
from kernelproba.onnx import ConversionError, to_onnx

pd = pytest.importorskip("pandas")
from common.mixed_table import ODD, as_numbers, as_words, mixed_table  # noqa: E402


def as_input(column, values):
    """A column as a graph takes it, by what its notes say."""
    if "text" in column["holds"] or "true" in column["holds"]:
        return np.array(as_words(values), dtype=object)[:, None]
    return as_numbers(values)[:, None]


def feed(graph, table):
    notes = {each.key: each.value for each in graph.metadata_props}
    columns = json.loads(notes["inputs"])
    assert [each["input"] for each in columns] == [each.name for each in graph.graph.input]
    return {each["input"]: as_input(each, table[each["column"]]) for each in columns}


@pytest.mark.parametrize("estimator", [KernelLogisticRegression(), LogisticRegression()], ids=repr)
def test_a_table_of_all_kinds_under_hostile_names(estimator, run):
    table, y = mixed_table()
    model = TableClassifier(estimator).fit(table, y)
    new, _ = mixed_table(200, seed=1)
    new.loc[:5, "kind"], new.loc[3, "X"] = "never seen", 1e200
    graph = to_onnx(model)
    assert {each.name for each in graph.graph.input} >= {*ODD[4:5], *ODD[6:], " ", "kind", "date"}
    assert "always" not in {each.name for each in graph.graph.input}
    labels, P = run(model, feed(graph, new))
    np.testing.assert_allclose(P, model.predict_proba(new), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(labels, model.predict(new))


HOSTILE_NUMBERS = [0, -0.0, 1e-320, 1e-38, 1e30, 1e99, 1e101, 1e151, 1e200, 1.7e308, -1.7e308, np.nan]
HOSTILE_TEXTS = ["U", "", "\0x", "w e\u0301", "NaN", "nan", "None", "1", "true", "🦊", "-", "N/A", "x" * 3000]


@pytest.mark.parametrize(
    "estimator",
    [
        KernelLogisticRegression(multi_class="pairwise"),
        KernelLogisticRegressionCV(),
        LeastSquaresProbabilisticClassifier(),
        KernelDensityClassifier(),
        RelevanceVectorClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_cells_of_any_size_and_texts_never_seen(estimator, run):
    table, y = mixed_table()
    model = TableClassifier(estimator).fit(table, np.where(np.arange(len(y)) % 5 == 0, "third", y))
    rng, (new, _) = np.random.default_rng(0), mixed_table(200, seed=1)
    for row in range(len(new)):
        new.loc[row, list(rng.choice(ODD, 3, replace=False))] = rng.choice(HOSTILE_NUMBERS, 3)
    new.loc[: len(HOSTILE_TEXTS) - 1, "kind"] = HOSTILE_TEXTS
    new.loc[20:22, "date"] = [pd.NaT, pd.Timestamp("1678-01-01"), pd.Timestamp("2262-04-11")]
    new.loc[30, "time"] = pd.Timedelta(days=10_000)
    labels, P = run(model, feed(to_onnx(model), new))
    np.testing.assert_allclose(P, model.predict_proba(new), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(labels, model.predict(new))


@pytest.mark.parametrize("numbers", ["standard", "squash"])
def test_the_encoder_alone(numbers, run):
    table, y = mixed_table()
    encoder = TableEncoder(numbers=numbers).fit(table, y)
    (Z,) = run(encoder, feed(to_onnx(encoder), table))
    np.testing.assert_allclose(Z, encoder.transform(table), rtol=0, atol=1e-9)


def test_a_wrapper_around_a_table(run):
    table, y = mixed_table()
    inner = TableClassifier(KernelLogisticRegression())
    model = MinimumRiskClassifier(inner, [[0, 1], [3, 0]], reject_cost=0.4).fit(table, y)
    labels, P = run(model, feed(to_onnx(model), table))
    np.testing.assert_allclose(P, model.predict_proba(table), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(labels, model.predict(table))


def test_a_table_of_numbers_takes_a_matrix_in_a_pipeline(run):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(0).normal(size=(80, 3))
    X[:, 1] = 4.0  # left out
    model = make_pipeline(StandardScaler(), TableClassifier(LogisticRegression())).fit(X, X[:, 0] > X[:, 2])
    np.testing.assert_allclose(run(model, X)[1], model.predict_proba(X), rtol=0, atol=1e-9)


def test_texts_in_a_pipeline_are_refused(run):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    table, y = mixed_table()
    model = make_pipeline(FunctionTransformer(), TableClassifier(LogisticRegression())).fit(table, y)
    with pytest.raises(ConversionError, match="needs as many inputs, got 1"):
        run(model, np.zeros((1, table.shape[1])))
