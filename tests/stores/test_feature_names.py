"""Names of features are checked on every store, as scikit-learn checks those of tables in memory."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from kernelproba import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    LinearProgrammingMachine,
    MaximumContrastClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RecursiveFeatureAddition,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)
from kernelproba.rows import MemoryRows, ParquetRows

pd = pytest.importorskip("pandas")
pq = pytest.importorskip("pyarrow.parquet")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

NAMES = ["x0", "x1", "x2"]
RENAMED = ["x0", "x1", "z"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3)) * [1, 3, 10]
    y = (X[:, 0] + 0.1 * rng.standard_normal(90) > 0).astype(int)
    return pd.DataFrame(X, columns=NAMES), y


@pytest.fixture(scope="module")
def stores(frame, tmp_path_factory):
    """The same rows in every store that has names; the columns in a given order, and with given names."""
    folder = tmp_path_factory.mktemp("named")

    def in_store(kind, columns, names=None):
        table = frame[0][columns].set_axis(names or columns, axis=1)
        if kind == "dask":
            return dd.from_pandas(table, npartitions=3)
        if kind == "pandas":
            return table
        path = folder / f"{'-'.join(table.columns)}.parquet"
        table.to_parquet(path, index=False)
        return ParquetRows(path)

    return in_store


KINDS = ["pandas", "dask", "parquet"]
MODELS = [
    KernelLogisticRegression(n_centers=20, random_state=0),
    KernelLogisticRegression(),
    KernelLogisticRegressionCV(Cs=[1.0], gammas=[0.1], scale=None),
    LeastSquaresProbabilisticClassifier(n_centers=10, random_state=0),
    BasisLogisticRegression(random_state=0),
    KernelDensityClassifier(gamma=0.5),
    LinearProgrammingMachine(calibration_cv=None),
    MaximumContrastClassifier(),
    RelevanceVectorClassifier(),
    SparseKernelLogisticRegression(),
    PairwiseCouplingClassifier(KernelLogisticRegression()),
    MinimumRiskClassifier(KernelLogisticRegression(n_centers=20)),
    PriorShiftClassifier(KernelLogisticRegression(n_centers=20)),
    BasisExpansion(random_state=0),
    RecursiveFeatureAddition(2),
]


def needs_memory(model):
    return isinstance(model, KernelLogisticRegression) and model.n_centers == "auto"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("trained", KINDS)
@pytest.mark.parametrize("asked", KINDS)
def test_columns_in_another_order_or_of_other_names_are_refused(model, trained, asked, stores, frame):
    if needs_memory(model) and trained != "pandas":
        pytest.skip("all rows as centres need rows in memory")
    model.fit(stores(trained, NAMES), frame[1])
    assert model.feature_names_in_.tolist() == NAMES
    answer = model.transform if hasattr(model, "transform") else model.predict
    expected = answer(frame[0])
    np.testing.assert_allclose(np.asarray(answer(stores(asked, NAMES))), expected, atol=1e-8)
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*same order"):
        np.asarray(answer(stores(asked, NAMES[::-1])))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen at fit time.*z"):
        np.asarray(answer(stores(asked, NAMES, RENAMED)))


@pytest.mark.parametrize("asked", ["dask", "parquet"])
def test_names_on_one_side_alone_are_mentioned(stores, frame, asked):
    X, y = frame
    model = KernelLogisticRegression(n_centers=10, random_state=0).fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="fitted without feature names") as caught:
        model.predict(stores(asked, NAMES))
    assert caught[0].filename == __file__
    model.fit(stores(asked, NAMES), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(MemoryRows(X.to_numpy(), 20))


def test_blocks_are_predicted_without_a_word_about_names(stores, frame):
    model = KernelLogisticRegression(n_centers=10, random_state=0).fit(*frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(stores("dask", NAMES)).compute()
        model.predict_proba(stores("parquet", NAMES))
    assert model.feature_names_in_.tolist() == NAMES


def test_an_unfitted_model_says_so_for_stored_rows_too(stores):
    with pytest.raises(NotFittedError):
        KernelLogisticRegression().predict(stores("dask", NAMES))
