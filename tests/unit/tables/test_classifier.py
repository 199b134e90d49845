"""A classifier that takes tables as they come."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from kernelproba import (
    ConformalClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    PriorShiftClassifier,
    TableClassifier,
    TableEncoder,
)
from kernelproba.inspection import explain, suspects
from kernelproba.persistence import load_model, save_model
from kernelproba.rows import ParquetRows


def patients(n=160, seed=0):
    """A table in which age, sex and a habit tell who is ill, and the posterior is known."""
    rng = np.random.default_rng(seed)
    age, sex = rng.uniform(20, 90, n), rng.choice(["f", "m"], n)
    smokes = rng.choice(["never", "often", None], n, p=[0.6, 0.3, 0.1])
    score = (age - 55) / 8 + 2 * (sex == "m") + 3 * (smokes == "often") - 2
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "sex": sex,
            "smokes": smokes,
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "note": [f"visit number {i} of the year" for i in rng.permutation(n)],
            "id": np.arange(n),
        }
    )
    return table, np.where(rng.logistic(size=n) < score, "ill", "well")


def test_a_table_goes_straight_into_fit():
    X, y = patients()
    X_new, y_new = patients(400, seed=1)
    model = TableClassifier().fit(X, y)
    assert model.score(X_new, y_new) > 0.75
    assert model.predict_proba(X_new).shape == (400, 2)
    assert model.classes_.tolist() == ["ill", "well"]
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert isinstance(model.estimator_, KernelLogisticRegressionCV)


def test_polars_and_pandas_give_the_same_probabilities():
    X, y = patients(60)
    fitted = TableClassifier(KernelLogisticRegression()).fit(X, y)
    other = TableClassifier(KernelLogisticRegression()).fit(pl.from_pandas(X), pl.Series(y))
    np.testing.assert_array_equal(other.predict_proba(pl.from_pandas(X)), fitted.predict_proba(X))


def test_an_estimator_that_would_scale_by_itself_is_told_not_to():
    X, y = patients(60)
    given = KernelLogisticRegressionCV([1.0], [0.1])
    assert TableClassifier(given).fit(X, y).estimator_.scale is None
    assert given.scale == "auto"
    insisting = TableClassifier(KernelLogisticRegressionCV([1.0], [0.1], scale="standard")).fit(X, y)
    assert insisting.estimator_.scale == "standard"


def test_any_probabilistic_classifier_will_do_and_no_other():
    X, y = patients(60)
    model = TableClassifier(LogisticRegression(), TableEncoder(kinds={"note": "dropped"})).fit(X, y)
    assert model.score(X, y) > 0.7
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    with pytest.raises(ValueError, match="estimator"):
        TableClassifier(LinearSVC()).fit(X, y)


class Weighing(LogisticRegression):
    """Says of feature j of the matrix that its weight is j."""

    def fit(self, X, y):
        self.feature_weights_ = np.arange(X.shape[1], dtype=float)
        return super().fit(X, y)


def test_weights_speak_of_columns_of_the_table():
    X = pd.DataFrame({"constant": 1, "a": [1.0, 5, 3, 7] * 5, "b": ["x", "y", "z", "x"] * 5})
    y = [0, 1, 0, 1] * 5
    assert TableClassifier(Weighing()).fit(X, y).column_weights_ == {"a": 0.0, "b": 2.0}
    assert TableClassifier(LogisticRegression()).fit(X, y).column_weights_ is None


def test_reasons_and_suspects_look_inside():
    X, y = patients(80)
    model = TableClassifier().fit(X, y)
    lines = explain(model, X[:2], top=None, training=X, labels=y)
    totals = lines.groupby("explained")["contribution"].sum()
    np.testing.assert_allclose(totals, model.decision_function(X[:2]))
    assert len(suspects(model, X, y, top=3)) == 3


def test_a_file_gives_the_same_probabilities(tmp_path):
    X, y = patients()
    X["size"] = pd.Categorical(["small", "large"] * 80, ["small", "large"], ordered=True)
    model = TableClassifier(KernelLogisticRegression()).fit(X, y)
    save_model(model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "m.skops").predict_proba(X), model.predict_proba(X))


def test_a_fit_that_fails_changes_nothing():
    X, y = patients(60)
    model = TableClassifier(KernelLogisticRegression()).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="class"):
        model.fit(X[["age"]], np.zeros(60))
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.n_features_in_ == 6


def test_weights_that_the_estimator_cannot_take_are_refused():
    from sklearn.neighbors import KNeighborsClassifier

    X, y = patients(60)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        TableClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(60))


def test_intervals_novelty_and_sets_are_those_of_the_matrix():
    table, y = patients()
    model = TableClassifier(KernelLogisticRegressionCV([1.0], [0.1])).fit(table, y)
    Z = model.encode(table)
    np.testing.assert_array_equal(
        model.predict_proba_interval(table, 0.8), model.estimator_.predict_proba_interval(Z, 0.8)
    )
    np.testing.assert_array_equal(model.novelty_score(table), model.estimator_.novelty_score(Z))
    sets = ConformalClassifier(model, 0.8, method="loo").fit(table, y)
    assert sets.method_ == "loo"
    assert sets.predict_set(table).shape == (len(y), len(model.classes_))
    assert not hasattr(TableClassifier(LogisticRegression()), "novelty_score")


def test_a_level_seen_once_tells_of_its_rows_and_leave_one_out_promises_no_more():
    # Patients come four times, and what each has does not change between visits.
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(100), 4)
    table = pd.DataFrame({"patient": [f"p{i}" for i in patient], "age": rng.uniform(20, 90, len(patient))})
    y = np.where(rng.random(100) < 0.5, "ill", "well")[patient]
    rows = rng.permutation(len(y))
    model = TableClassifier().fit(table.iloc[rows[:220]], y[rows[:220]])
    found = log_loss(y[rows[220:]], model.predict_proba(table.iloc[rows[220:]]))
    pooled = TableClassifier(encoder=TableEncoder(min_count=2)).fit(table.iloc[rows[:220]], y[rows[:220]])
    assert found < log_loss(y[rows[220:]], pooled.predict_proba(table.iloc[rows[220:]]))
    assert model.loo_scores_["log_loss"] > found - 0.02 - 0.1 * found


def test_sets_of_tables_are_those_of_fits_that_learn_the_columns_anew():
    table, y = patients(120)
    X_new, y_new = patients(800, seed=1)
    sets = ConformalClassifier(TableClassifier(KernelLogisticRegression(C=0.3)), 0.8).fit(table, y)
    assert sets.method_ == "cv+"
    assert all(fold.encoder_ is not sets.estimator_.encoder_ for fold in sets.fold_estimators_)
    codes = (y_new == "well").astype(int)
    covered = sets.predict_set(X_new)[np.arange(800), codes].mean()
    assert covered > 0.8 - 3 * np.sqrt(0.16 * (1 / 120 + 1 / 800))
    p = sets.predict_p_values(X_new)
    with pytest.raises(ValueError, match=r"attain 0\.992 at most"):
        sets.predict_set(X_new, 0.999)
    # The weight of a row counts among those that labels are judged by, too.
    weighed = ConformalClassifier(TableClassifier(KernelLogisticRegression(C=0.3)), 0.8)
    weighed.fit(table, y, sample_weight=np.where(y == "ill", 4.0, 1.0))
    assert weighed.calibration_weights_.sum() == 120 + 3 * (y == "ill").sum()
    assert (weighed.predict_p_values(X_new)[:, 1] < p[:, 1]).mean() > 0.5


def test_sets_of_tables_keep_their_level_under_new_priors():
    table, y = patients(400)
    X_new, y_new = patients(2500, seed=1)
    ill, well = (np.flatnonzero(y_new == label) for label in ("ill", "well"))
    rows = np.concatenate([ill[: len(well) // 9], well])  # nine in ten are well, which was two in five
    model = PriorShiftClassifier(TableClassifier(KernelLogisticRegression(C=0.3)), priors=[0.1, 0.9])
    found = {
        name: ConformalClassifier(inner, 0.8, allow_empty=True, method="cv+").fit(table, y)
        for name, inner in {"shifted": model, "plain": model.estimator}.items()
    }
    codes = (y_new[rows] == "well").astype(int)
    covered = {
        name: sets.predict_set(X_new.iloc[rows])[np.arange(len(rows)), codes].mean()
        for name, sets in found.items()
    }
    assert abs(covered["shifted"] - 0.8) < 0.06
    assert abs(covered["plain"] - 0.8) > abs(covered["shifted"] - 0.8)


def test_a_table_of_arrow_is_read_as_one_of_pandas_and_its_columns_are_told_apart():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "number": rng.standard_normal(40),
            "level": rng.choice(["p", "q"], 40),
            "day": pd.date_range("2020-01-01", periods=40),
            "count": rng.integers(0, 9, 40),
        }
    )
    y, arrow = np.where(table["number"] > 0, "yes", "no"), pa.Table.from_pandas(table)
    expected = TableClassifier(KernelLogisticRegression()).fit(table, y)
    found = TableClassifier(KernelLogisticRegression()).fit(arrow, y)
    for model, rows in ((expected, arrow), (found, table), (found, arrow)):
        np.testing.assert_allclose(model.predict_proba(rows), expected.predict_proba(table), atol=1e-12)
    with pytest.raises(ValueError, match="same order"):
        found.predict(arrow.select(["count", "level", "day", "number"]))


@pytest.mark.parametrize("form", ["parquet", "dask", "lazy"])
def test_a_table_that_is_not_in_memory_is_refused_with_what_to_pass(form, tmp_path):
    table, y = pd.DataFrame({"a": np.arange(12.0), "b": np.arange(12.0) % 5}), ["p", "q"] * 6
    table.to_parquet(tmp_path / "table.parquet")
    if form == "parquet":
        X, cure = ParquetRows(tmp_path / "table.parquet"), "read_table"
    elif form == "dask":
        X, cure = pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=2), r"X\.compute\(\)"
    else:
        X, cure = pl.from_pandas(table).lazy(), r"X\.collect\(\)"
    model = TableClassifier(KernelLogisticRegression())
    with pytest.raises(ValueError, match=f"must be in memory, not .*{cure}"):
        model.fit(X, y)
    with pytest.raises(ValueError, match=f"must be in memory, not .*{cure}"):
        model.fit(table, y).predict_proba(X)
