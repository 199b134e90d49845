"""Tables: columns of every kind under any name, with gaps, and values never seen."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from kernelproba import KernelLogisticRegression, MinimumRiskClassifier, TableClassifier, TableEncoder
from kernelproba.onnx import ConversionError, to_onnx

pd = pytest.importorskip("pandas")

#: Names: empty, blank, as our outputs and tensors are called, markup, quotes and line ends, long.
ODD = [
    "",
    " ",
    "label",
    "probabilities",
    "X",
    "kp_total",
    "<script>x</script>",
    "a:0",
    "ü\n\"'\\",
    "x" * 500,
]


def mixed_table(n=90, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({name: rng.normal(size=n) * 10.0 ** rng.integers(-2, 5) for name in ODD})
    table["kind"] = rng.choice(["u", "v", "w é", "rare", None], n, p=[0.3, 0.3, 0.3, 0.02, 0.08])
    table["two"], table["flag"] = rng.choice(["m", "f"], n), rng.choice([True, False], n)
    moments = rng.integers(0, 900 * 24 * 60, n)
    table["date"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(moments, unit="m")
    table["size"] = pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True)
    table["time"] = pd.to_timedelta(rng.integers(0, 86_400, n), unit="s")
    table["always"] = 1
    for k, name in enumerate(["", "date", "size", "label"]):
        table.loc[k :: 7 + k, name] = None
    y = table["X"] / table["X"].std() + (table["kind"] == "u") + (table["date"].dt.month > 6) > 0.7
    return table, np.where(y, "yes", "<no>")


def as_input(column, values):
    """A column as a graph takes it, by what its notes say."""
    if column["holds"].startswith("days"):
        values = (values - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    elif values.dtype.kind == "m":
        values = values / pd.Timedelta(seconds=1)
    if "text" in column["holds"] or "true" in column["holds"]:
        words = [
            "" if pd.isna(value) else str(value).lower() if value in (True, False) else str(value)
            for value in values
        ]
        return np.array(words, dtype=object)[:, None]
    return values.to_numpy(dtype=np.float64)[:, None]


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
