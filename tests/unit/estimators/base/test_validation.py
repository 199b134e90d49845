from functools import partial

import numpy as np
import pandas as pd
import pytest

from kernelproba import KernelLogisticRegression, PairwiseCouplingClassifier
from kernelproba.estimators.base.validation import check_labels, positive_numbers


def test_labels_without_a_common_order_are_refused_by_name():
    y = np.array(["a", 1, "b", "a"], dtype=object)
    with pytest.raises(ValueError, match="y has labels of types int, str"):
        check_labels(y)
    X = np.arange(8.0).reshape(4, 2)
    for model in (KernelLogisticRegression(), PairwiseCouplingClassifier(KernelLogisticRegression())):
        with pytest.raises(ValueError, match="y has labels of types"):
            model.fit(X, y)


@pytest.mark.parametrize("values", [0.0, -1.0, np.nan, np.inf, 1e-200, 1e200, [], [[1.0]], [1.0, 0.0]])
def test_numbers_beyond_the_range_are_refused_with_the_range(values):
    with pytest.raises(ValueError, match=r"Cs must be positive: one or more numbers from 1e-100 to 1e\+100"):
        positive_numbers(values, "Cs")


def test_weights_of_classes_that_y_does_not_have_are_refused_by_name():
    X, y = np.arange(8.0).reshape(4, 2), np.array(["1970-01-01", "1970-01-02"] * 2, dtype="datetime64[D]")
    with pytest.raises(ValueError, match="class_weight"):
        KernelLogisticRegression(class_weight={y[0].item(): 2.0}).fit(X, y)


def test_labels_beyond_all_whole_numbers_give_an_error_and_no_warning_of_numbers():
    with pytest.raises(ValueError, match="continuous"):
        check_labels(np.array([1e300, 2.5e300]))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT], ids=str)
@pytest.mark.parametrize("form", [list, tuple, partial(np.array, dtype=object), pd.Series, pd.Categorical])
def test_a_missing_label_is_refused_with_its_row_and_is_no_class(form, missing):
    X, y = np.arange(12.0).reshape(6, 2), ["a", "b", "a", missing, "b", missing]
    for model in (KernelLogisticRegression(), PairwiseCouplingClassifier(KernelLogisticRegression())):
        with pytest.raises(ValueError, match="the label of row 3 is missing, and 1 more are"):
            model.fit(X, form(y))


def test_a_label_that_is_the_word_nan_is_a_label():
    X = np.arange(8.0).reshape(4, 2)
    assert KernelLogisticRegression().fit(X, ["nan", "b"] * 2).classes_.tolist() == ["b", "nan"]


def test_a_kernel_matrix_that_is_not_square_is_refused_before_rows_of_no_weight_are_dropped():
    K, y = np.eye(6)[:, :5], [0, 1] * 3
    with pytest.raises(ValueError, match="X must be a square matrix"):
        KernelLogisticRegression(kernel="precomputed").fit(K, y, sample_weight=[1, 1, 1, 1, 1, 0])
