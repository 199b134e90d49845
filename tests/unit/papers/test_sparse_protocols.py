"""The splits and contestants of shim2007: nothing is learnt from rows that judge."""

import os

import numpy as np
import pytest

from kernelproba.papers import shim2007
from kernelproba.papers import sparse_protocols as protocols

pytestmark = pytest.mark.skipif(not os.environ.get("KERNELPROBA_DATA"), reason="needs the data sets")


def test_a_split_has_the_sizes_of_the_paper():
    sizes = {name: len(protocols.draw_split(name, 0).whole.y) for name in ("iris", "new_thyroid", "wine")}
    assert sizes == pytest.approx({"iris": 100, "new_thyroid": 143, "wine": 119}, abs=1)


def test_features_are_scaled_by_training_rows_and_folds_by_their_own():
    split = protocols.draw_split("wine", 3)
    for part in (split.whole, *split.folds):
        np.testing.assert_allclose(part.X.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(part.X.std(axis=0), 1.0)
        assert np.abs(part.X_test.mean(axis=0)).max() > 1e-6


def test_folds_part_the_training_rows():
    split = protocols.draw_split("iris", 1)
    assert sum(len(part.y_test) for part in split.folds) == len(split.whole.y)
    assert all(len(part.y) + len(part.y_test) == len(split.whole.y) for part in split.folds)


def test_genes_are_chosen_without_a_look_at_the_test_rows():
    """Whatever the test rows hold, the training part stays as it is."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 200)), np.arange(30) % 3
    train, test = np.arange(20), np.arange(20, 30)
    spoilt = X.copy()
    spoilt[test] = 100.0 * y[test, None]
    clean, leaked = (protocols._prepare(A, y, train, test, genes=True) for A in (X, spoilt))
    assert clean.X.shape == (20, protocols.GENES)
    np.testing.assert_array_equal(clean.X, leaked.X)


def test_every_contestant_gives_what_the_table_lists(monkeypatch):
    monkeypatch.setattr(protocols, "WIDTHS", np.array([0.25]))
    monkeypatch.setattr(protocols, "SVM_CS", np.array([10.0]))
    monkeypatch.setattr(protocols, "STRENGTHS", 4)
    record = shim2007._contest("iris", 0)
    for method, rule in shim2007.ROWS:
        assert 0 <= record[method][rule]["error"] < 0.2
        assert 2 <= record[method][rule]["kernels"] < 100


def test_ties_are_decided_by_the_second_key():
    first, second = np.array([[1.0, 0.5], [0.5, 2.0]]), np.array([[0.0, 3.0], [1.0, 0.0]])
    assert protocols._least((first, second)) == (1, 0)


def test_the_table_sets_means_beside_the_printed_figures():
    def record(error):
        point = {"error": error, "kernels": 10 + 100 * error}
        rules = {protocols.BY_LOG_LOSS: point, protocols.BY_ERROR: point}
        return {method: rules for method, _ in shim2007.ROWS}

    results = {f"{name} {seed}": record(0.1 * seed) for name in shim2007.SETS for seed in (0, 1)}
    rows = shim2007.tables(results)[0].rows
    assert len(rows) == len(shim2007.SETS) * len(shim2007.ROWS)
    first = rows[0]
    assert (first["set"], first["method"], first["splits"]) == ("iris", "SMKLR", 2)
    assert first["error %"] == pytest.approx({"mean": 5.0, "error": 5.0})
    assert first["kernels"] == pytest.approx({"mean": 15.0, "error": 5.0})
    assert (first["paper's"], first["difference"]) == (4.92, "+0.08")
    assert "iris (+0.08)" in shim2007.findings(results)
