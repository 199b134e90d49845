import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.kernels import GAMMA_RULES, median_distance, resolve_gamma


def data(n=60, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_the_median_rule_gives_a_pair_at_median_distance_the_kernel_value_of_one_sigma():
    X = data()
    assert np.exp(-resolve_gamma("median", X) * median_distance(X) ** 2) == pytest.approx(np.exp(-0.5))


def test_a_large_table_is_sampled_and_the_sample_is_reproducible():
    X = data(5000)
    a, b = median_distance(X, 0), median_distance(X, 1)
    assert a == median_distance(X, 0)
    assert a != b
    assert a == pytest.approx(np.sqrt(8), rel=0.1)  # X − X' has variance 2 in each of 4 features
    assert b == pytest.approx(a, rel=0.1)


def test_mostly_coinciding_rows_fall_back_to_the_mean_of_the_other_distances():
    X = np.zeros((10, 2))
    X[0] = [3, 4]
    assert median_distance(X) == pytest.approx(5)


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.ones((1, 2))])
def test_without_two_different_rows_the_distance_is_one(X):
    assert median_distance(X) == 1.0
    assert resolve_gamma("median", X) == 0.5


@pytest.mark.parametrize("rule", GAMMA_RULES)
def test_sparse_and_single_precision_rows_give_the_same_gamma(rule):
    X = np.where(data() > 0, data(), 0)
    gamma = resolve_gamma(rule, X)
    assert resolve_gamma(rule, sp.csr_matrix(X)) == pytest.approx(gamma, rel=1e-12)
    assert resolve_gamma(rule, sp.csr_array(X)) == pytest.approx(gamma, rel=1e-12)
    assert resolve_gamma(rule, X.astype(np.float32)) == pytest.approx(gamma, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_data_beyond_any_width_still_give_a_usable_gamma(scale):
    with np.errstate(over="ignore"):
        assert 0 < resolve_gamma("scale", data() * scale) < np.inf


@pytest.mark.parametrize("gamma", [0.7, 2, np.float32(0.5), np.int64(3)])
def test_a_positive_number_stands_for_itself(gamma):
    assert resolve_gamma(gamma, data()) == gamma


@pytest.mark.parametrize("gamma", [0, -1, np.nan, np.inf, "wide", None, True, [1.0]])
def test_anything_else_is_refused_with_the_choices(gamma):
    with pytest.raises(ValueError, match="gamma must be one of 'scale', 'auto', 'median' or a positive"):
        resolve_gamma(gamma, data())


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_the_scale_of_sparse_rows_is_that_of_dense_ones(offset):
    X = np.random.default_rng(0).normal(size=(50, 4)) + offset
    X[::7, 2] = 0
    weight = np.arange(1.0, 51)
    for sample_weight in (None, weight):
        dense = resolve_gamma("scale", X, sample_weight=sample_weight)
        sparse = resolve_gamma("scale", sp.csr_array(X), sample_weight=sample_weight)
        assert sparse == pytest.approx(dense, rel=1e-6)
