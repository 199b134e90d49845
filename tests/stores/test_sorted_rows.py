"""Rows in the order of their labels, in parts of very different lengths, give one model at default settings.

Sums over rows of one class are large and cancel: noise of single precision in them, which depends on how a
store cuts its blocks, once decided in which precision a fit ended, .02 apart in probability.
"""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.rows import MemoryRows, ParquetRows

pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
pytest.importorskip("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore:.*at the same place as others")  # weights of 2 and 3

STORES = ("blocks", "parquet", "dask")
#: Where the parts begin; one of them is empty, and most hold one class only.
CUTS = (0, 150, 157, 157, 1500, 3000)

#: Too many rows to be searched within the memory, and few enough that all are centres of the final model.
SPANNING = {"kernel": "rbf", "scale": None, "feature_weights": None, "max_rows": 300}

MODELS = {
    "two classes, weak penalty": KernelLogisticRegression(1e3, gamma=0.02, n_centers=100, random_state=0),
    "three classes": KernelLogisticRegression(2.0, n_centers=40, random_state=0),
    "self-tuned": KernelLogisticRegressionCV(max_rows=300, n_centers=40, random_state=0),
    "two classes, all rows as centres": KernelLogisticRegressionCV(
        **SPANNING, memory_limit="130MB", random_state=0
    ),
}


@pytest.fixture(scope="module")
def sorted_rows(rows):
    X, y, weight = rows
    order = np.argsort(y, kind="stable")
    return X[order], y[order], weight[order]


@pytest.fixture(scope="module")
def stored(sorted_rows, tmp_path_factory):
    X, path = sorted_rows[0], tmp_path_factory.mktemp("sorted")
    table = pd.DataFrame(X, columns=["x0", "x1", "x2", "x3"])
    for number, (start, end) in enumerate(pairwise(CUTS)):
        table[start:end].to_parquet(path / f"part{number}.parquet", index=False)
    return {
        "blocks": MemoryRows(X, 64),
        "parquet": ParquetRows(path, block_rows=700),
        "dask": da.from_array(X, chunks=(tuple(np.diff(CUTS)), -1)),
    }


@pytest.fixture(scope="module", params=MODELS)
def case(request, sorted_rows):
    """A model, its labels, and its probabilities and number of centres from an array."""
    X, y, weight = sorted_rows
    labels = np.where(y == "a", "a", "b") if request.param.startswith("two") else y
    model = MODELS[request.param]
    model.fit(X, labels, weight)
    n_centers = getattr(model, "best_estimator_", model).dual_coef_.shape[1]
    assert (n_centers == len(y)) == request.param.endswith("all rows as centres")
    return model, labels, model.predict_proba(X), n_centers


@pytest.mark.parametrize("store", STORES)
def test_sorted_rows_in_uneven_parts_give_the_model_of_the_array(case, sorted_rows, stored, store):
    model, labels, expected, n_centers = case
    rows, weight = stored[store], sorted_rows[2]
    found = clone(model).fit(rows, labels, weight)
    assert getattr(found, "best_estimator_", found).dual_coef_.shape[1] == n_centers
    np.testing.assert_allclose(np.asarray(found.predict_proba(rows)), expected, atol=1e-6)
