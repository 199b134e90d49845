import numpy as np
import pandas as pd
import polars
import pytest

from kernelproba import (
    BasisExpansion,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    TableClassifier,
)

FRAME = pd.DataFrame({"age": [30.0, 41.0, 25.0, 60.0], "town": ["1", "2", "Ulm", "4"]})
LABELS = [0, 1, 0, 1]
MODELS = [KernelLogisticRegression(), KernelLogisticRegressionCV(), LeastSquaresProbabilisticClassifier()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("form", [lambda f: f, polars.from_pandas], ids=["pandas", "polars"])
def test_a_text_is_refused_with_its_row_its_column_and_the_cure(model, form):
    with pytest.raises(ValueError, match=r"'Ulm' in row 2 of column 'town'.*TableClassifier"):
        model.fit(form(FRAME), LABELS)


def test_a_gap_is_refused_with_its_row_its_column_and_the_cure():
    gaps = FRAME.assign(town=[1.0, 2.0, 3.0, None])
    with pytest.raises(ValueError, match=r"NaN in row 3 of column 'town'.*TableClassifier"):
        KernelLogisticRegression().fit(gaps, LABELS)
    fitted = KernelLogisticRegression().fit(gaps.fillna(4.0), LABELS)
    with pytest.raises(ValueError, match=r"NaN in row 3 of column 'town'"):
        fitted.predict_proba(gaps)


def test_without_names_columns_are_numbered():
    with pytest.raises(ValueError, match="'Ulm' in row 2 of column 1"):
        BasisExpansion().fit(FRAME.to_numpy())
    with pytest.raises(ValueError, match="'Ulm' in row 2 of column 1"):
        KernelLogisticRegression().fit(FRAME.to_numpy().tolist(), LABELS)


def test_what_the_cure_names_takes_both():
    gaps = pd.concat([FRAME.assign(age=[30.0, None, 25.0, 60.0])] * 5, ignore_index=True)
    assert TableClassifier(KernelLogisticRegression()).fit(gaps, LABELS * 5).predict(gaps).shape == (20,)


def test_a_kernel_matrix_with_a_gap_is_not_called_a_table():
    K = np.eye(4)
    K[1, 2] = np.nan
    with pytest.raises(ValueError, match="contains NaN") as caught:
        KernelLogisticRegression(kernel="precomputed").fit(K, LABELS)
    assert "TableClassifier" not in str(caught.value)
