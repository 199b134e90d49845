"""``kernelproba export``: what the graph says is what ``predict`` says."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression
from kernelproba.persistence import save_model

pytest.importorskip("skl2onnx")
runtime = pytest.importorskip("onnxruntime")


def test_a_graph_says_what_predict_says(command, folder, tmp_path):
    graph, rows = tmp_path / "iris.onnx", tmp_path / "rows.csv"
    answer = command("export", folder / "iris.skops", graph)
    assert answer.code == 0
    assert "sepal length" in answer.out
    assert f"written to {graph}" in answer.out.replace("\n", "")
    command("predict", folder / "iris.skops", folder / "new.csv", "-o", rows)
    new, expected = pd.read_csv(folder / "new.csv"), pd.read_csv(rows)
    labels, P = runtime.InferenceSession(graph).run(
        None, {name: new[[name]].to_numpy(float) for name in new.columns}
    )
    assert labels.tolist() == expected["label"].tolist()
    np.testing.assert_allclose(P, expected.filter(like="probability_"), atol=1e-6)


def test_columns_of_all_kinds_come_from_a_table(command, folder, tmp_path):
    graph = tmp_path / "mixed.onnx"
    answer = command("export", folder / "mixed.skops", graph, "--json")
    facts = json.loads(answer.out)
    holds = {each["column"]: each["holds"] for each in facts["inputs"]}
    assert holds["age"].startswith("number")
    assert holds["visit"].startswith("days since 1970")
    assert holds["smoker"].startswith("true or false")
    assert facts["classes"] == ["healthy", "ill"]
    assert facts["bytes"] == graph.stat().st_size
    command("predict", folder / "mixed.skops", folder / "mixed.csv", "-o", tmp_path / "rows.csv")
    table = pd.read_csv(folder / "mixed.csv", dtype={"smoker": str})
    table["visit"] = (pd.to_datetime(table["visit"]) - pd.Timestamp("1970-01-01")).dt.days.astype(float)
    table["smoker"] = table["smoker"].str.lower()
    session = runtime.InferenceSession(graph)
    feed = {each.name: table[[each.name]].to_numpy(None) for each in session.get_inputs()}
    _, P = session.run(None, feed)
    np.testing.assert_allclose(P, pd.read_csv(tmp_path / "rows.csv").filter(like="probability_"), atol=1e-6)


def test_a_pipeline_saved_from_python_is_exported_too(command, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), KernelLogisticRegression(multi_class="pairwise")).fit(X, y)
    save_model(model, tmp_path / "iris.skops")
    answer = command("export", tmp_path / "iris.skops", tmp_path / "iris.onnx")
    assert answer.code == 0, answer
    assert "rows (n, 4)" in answer.out
    labels, P = runtime.InferenceSession(tmp_path / "iris.onnx").run(None, {"X": X.astype(np.float32)})
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(P, model.predict_proba(X), atol=1e-5)


def test_what_is_no_classifier_is_not_exported(command, tmp_path):
    save_model(StandardScaler().fit(np.eye(3)), tmp_path / "scaler.skops")
    answer = command("export", tmp_path / "scaler.skops", tmp_path / "scaler.onnx")
    assert "StandardScaler is no classifier" in answer.error


def test_what_cannot_be_exported_leaves_no_file(command, folder, tmp_path):
    model, graph = tmp_path / "town.skops", tmp_path / "town.onnx"
    fit = ("fit", folder / "mixed.csv", "-t", "outcome", "-m", "kdc", "--kind", "town=text", "-o", model)
    assert command(*fit).code == 0
    assert "column 'town' is compared by its letters" in command("export", model, graph).error
    assert not graph.exists()


def test_the_model_is_not_overwritten(command, folder):
    before = (folder / "iris.skops").read_bytes()
    assert "is also read from" in command("export", folder / "iris.skops", folder / "iris.skops").error
    assert (folder / "iris.skops").read_bytes() == before
