"""Which columns matter: shuffled columns of models whose dependence is known."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.inspection import permutation_importance as by_sklearn
from sklearn.linear_model import LogisticRegression

from kernelproba.inspection import permutation_importance
from kernelproba.tables import TableClassifier


def one_that_matters(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_the_importance_is_that_of_scikit_learn():
    X, y = one_that_matters()
    model = LogisticRegression().fit(X[:300], y[:300])
    ours = permutation_importance(model, X[300:], y[300:], n_repeats=30).set_index("column").sort_index()
    theirs = by_sklearn(model, X[300:], y[300:], scoring="neg_log_loss", n_repeats=30, random_state=1)
    spread = theirs.importances_std * np.sqrt(2 / 30)  # of the difference of two means of 30 shuffles
    assert (abs(ours["importance"] - theirs.importances_mean) < 4 * spread).all()
    assert ours["importance"].idxmax() == 1


def test_a_column_that_the_model_does_not_use_has_no_importance_at_all():
    X, y = one_that_matters()
    model = LogisticRegression().fit(X, y)
    model.coef_[0, 0] = 0
    lines = permutation_importance(model, X, y).set_index("column")
    # Rounding of a prediction depends on where its row lies in memory.
    assert_allclose(lines.loc[0, ["importance", "low", "high"]].tolist(), 0, atol=1e-15)
    assert lines["low"].idxmax() == 1
    assert lines.loc[1, "low"] > 0


def test_columns_of_a_table_are_shuffled_as_they_are_before_they_are_encoded():
    X, y = one_that_matters()
    table = pd.DataFrame({"town": np.where(X[:, 1] > 0, "here", "there"), "noise": X[:, 0]})
    table.loc[::7, "town"] = None
    model = TableClassifier(LogisticRegression()).fit(table[:300], y[:300])
    lines = permutation_importance(model, table[300:], y[300:], max_rows=200)
    assert lines["column"].tolist() == ["town", "noise"]
    assert lines["low"][0] > 0 > lines["low"][1]


def test_the_interval_covers_what_many_rows_say():
    X, y = one_that_matters(8000)
    model = LogisticRegression().fit(X[:500], y[:500])
    truth = permutation_importance(model, X[500:], y[500:], max_rows=8000).set_index("column")["importance"]
    covered = 0
    for start in range(500, 8000, 250):
        part = slice(start, start + 250)
        line = permutation_importance(model, X[part], y[part], n_repeats=3).set_index("column").loc[1]
        covered += line["low"] <= truth[1] <= line["high"]
    assert covered >= 26  # of 30; 95 % on the average


@pytest.mark.parametrize("wrong", [{"n_repeats": 0}, {"max_rows": 1}])
def test_too_few_rows_or_repeats_are_refused(wrong):
    X, y = one_that_matters(50)
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be a whole number and at least"):
        permutation_importance(LogisticRegression().fit(X, y), X, y, **wrong)


def test_labels_must_fit_the_rows():
    X, y = one_that_matters(50)
    with pytest.raises(ValueError, match="one label for each of the 50 rows"):
        permutation_importance(LogisticRegression().fit(X, y), X, y[:49])
