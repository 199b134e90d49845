import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import RobustScaler, StandardScaler

from kernelproba.kernels import RBF
from kernelproba.tuning.scaling import NORMAL_RANGE, AfterScaling, FeatureScaling

rng = np.random.default_rng(0)
X = rng.standard_normal((41, 3)) * [1, 100, 0.01] + [5, 0, -1]


def test_standard_is_scikit_learns_standard_scaler():
    np.testing.assert_allclose(FeatureScaling().fit(X).transform(X), StandardScaler().fit_transform(X))


def test_robust_is_scikit_learns_robust_scaler_in_units_of_a_normal_deviation():
    # 41 rows: the quartiles are rows themselves, and no interpolation differs.
    found = FeatureScaling("robust").fit(X).transform(X)
    np.testing.assert_allclose(found, RobustScaler().fit_transform(X) * NORMAL_RANGE)


@pytest.mark.parametrize("rule", ["standard", "robust"])
def test_a_weight_of_two_is_a_row_seen_twice(rule):
    weight = rng.integers(0, 4, 41)
    weighted = FeatureScaling(rule).fit(X, sample_weight=weight)
    repeated = FeatureScaling(rule).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.center_, repeated.center_)
    np.testing.assert_allclose(weighted.scale_, repeated.scale_)


@pytest.mark.parametrize("rule", ["standard", "robust"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_a_constant_feature_becomes_zero(rule, value):
    constant = np.column_stack([X[:, 0], np.full(41, value)])
    scaling = FeatureScaling(rule).fit(constant)
    assert scaling.scale_[1] == 1
    np.testing.assert_allclose(scaling.transform(constant)[:, 1], 0, atol=1e-6)


def test_a_feature_that_is_mostly_one_value_is_scaled_by_its_deviation():
    rare = np.zeros((40, 1))
    rare[:3] = 7.0
    assert FeatureScaling("robust").fit(rare).scale_[0] == pytest.approx(rare.std())


def test_wild_values_do_not_decide_the_robust_scale():
    wild = X.copy()
    wild[0] = 1e6
    calm, disturbed = (FeatureScaling("robust").fit(A).scale_ for A in (X, wild))
    np.testing.assert_allclose(disturbed, calm, rtol=0.3)


def test_sparse_rows_are_divided_but_not_shifted():
    sparse = sp.csr_array(np.where(rng.random((30, 4)) < 0.3, rng.standard_normal((30, 4)), 0.0))
    scaling = FeatureScaling().fit(sparse)
    found = scaling.transform(sparse)
    assert sp.issparse(found)
    assert found.nnz == sparse.nnz
    np.testing.assert_allclose(found.toarray(), sparse.toarray() / sparse.toarray().std(axis=0))
    with pytest.raises(ValueError, match="dense rows; use scale='standard'"):
        FeatureScaling("robust").fit(sparse)


def test_single_precision_stays_single():
    single = X.astype(np.float32)
    assert FeatureScaling().fit(single).transform(single).dtype == np.float32


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_whole_numbers_are_not_cut_on_their_scale(form):
    X = np.random.default_rng(0).integers(0, 9, (50, 3))
    scaling = FeatureScaling("standard").fit(form(X.astype(float)))
    Z, expected = scaling.transform(form(X)), scaling.transform(form(X.astype(float)))
    assert Z.dtype == float
    assert abs(Z - expected).max() == 0


def test_a_kernel_after_scaling_takes_rows_as_they_come():
    scaling = FeatureScaling().fit(X)
    Z = scaling.transform(X[:5])
    np.testing.assert_allclose(AfterScaling(RBF(2.0), scaling)(X, Z), RBF(2.0)(scaling.transform(X), Z))


@pytest.mark.parametrize("rule", ["mixed", "squashed-mixed"])
def test_a_feature_of_two_values_spans_one_unit_however_rare_one_of_them_is(rule):
    rows = np.column_stack([np.arange(40) % 7, np.where(np.arange(40) < 2, 9.0, 4.0)])
    seen = FeatureScaling(rule).fit(rows).transform(rows)[:, 1]
    assert np.ptp(seen) == pytest.approx(1 if rule == "mixed" else 3 / np.hypot(3, 1))


def test_indicators_are_found_in_sparse_rows():
    dense = np.array([[0, 2.0, 1], [5, 0, 2], [5, 0, 3], [0, 2, 0]])
    scaling = FeatureScaling("mixed").fit(sp.csr_array(dense))
    np.testing.assert_allclose(scaling.scale_, [5, 2, dense[:, 2].std()])


def test_nothing_that_is_squashed_exceeds_three_and_the_middle_stays():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 1))
    rows[0] = 1e100
    robust, squashed = (FeatureScaling(rule).fit(rows).transform(rows) for rule in ("robust", "squashed"))
    assert np.abs(squashed).max() <= 3
    middle = np.abs(robust) < 0.3
    np.testing.assert_allclose(squashed[middle], robust[middle], rtol=6e-3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_beyond_the_numbers_stay_finite(form, dtype):
    X = np.random.default_rng(0).normal(scale=1e-3, size=(20, 2)).astype(dtype)
    far = np.full((1, 2), np.finfo(dtype).max) * np.array([1, -1], dtype=dtype)
    Z = FeatureScaling("standard").fit(form(X)).transform(form(far))
    Z = Z.toarray() if sp.issparse(Z) else Z
    assert np.isfinite(Z).all()
    assert Z[0, 0] > 0 > Z[0, 1]
