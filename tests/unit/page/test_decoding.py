"""Training rows are shown as they stood in the table."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
from common.mixed_table import as_numbers, as_words, mixed_table  # noqa: E402

from kernelproba import TableEncoder  # noqa: E402
from kernelproba.page.decoding import OTHER, decoded_columns  # noqa: E402
from kernelproba.tuning.scaling import FeatureScaling, ScaledView  # noqa: E402


@pytest.mark.parametrize("numbers", ["standard", "squash"])
def test_encoded_rows_are_read_back(numbers):
    table, y = mixed_table()
    encoder = TableEncoder(numbers=numbers).fit(table, y)
    values = decoded_columns(encoder, encoder.transform(table))
    for j, column in enumerate(encoder.columns_):
        if column.kind in ("number", "date", "time"):
            found = np.array([np.nan if value is None else value for value in values[j]])
            expected = as_numbers(table[column.name])
            if not encoder._fitted_[j].encoder.has_gaps_:  # else the median stands for them
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            else:
                np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        elif column.kind != "dropped":
            words = ["" if value is None else value for value in values[j]]
            rare = [word if word != "rare" else OTHER for word in as_words(table[column.name])]
            assert words in (rare, as_words(table[column.name]))


@pytest.mark.parametrize("rule", [None, "standard", "robust", "squashed", "mixed", "squashed-mixed"])
def test_scaling_can_be_undone(rule):
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 100, 0.01] + [0, 5, -3]
    X[:, 2] = X[:, 2] > -3
    scaling = FeatureScaling(rule).fit(X)
    view = ScaledView(rule, scaling)
    for each in (view, view.weighed(np.array([0.5, 2.0, 0.01]))):
        np.testing.assert_allclose(each.scaling.inverse_transform(each.rows(X)), X, rtol=1e-9, atol=1e-9)
