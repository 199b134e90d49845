import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.number_range import LOG_ZERO, check_entries, check_weights, log_probabilities


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_an_entry_whose_square_overflows_is_refused_by_its_column(form):
    X = np.ones((4, 3))
    X[2, 1] = -1e150
    with pytest.raises(ValueError, match=r"X has 1e\+150 in column 1, beyond ±1e\+100.*Scale that column"):
        check_entries(form(X))
    with pytest.raises(ValueError, match=r"column 1 \('income'\)"):
        check_entries(form(X), ["age", "income", "height"])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_whose_squares_underflow_are_refused_but_zeros_are_not(form):
    with pytest.raises(ValueError, match="below 1e-100"):
        check_entries(form(np.full((2, 2), 1e-200)))
    assert check_entries(form(np.zeros((2, 2)))).shape == (2, 2)


def test_single_precision_turns_double_where_its_squares_overflow():
    assert check_entries(np.full((2, 2), 1e20, dtype=np.float32)).dtype == np.float64
    assert check_entries(np.full((2, 2), 1e-20, dtype=np.float32)).dtype == np.float64
    assert check_entries(np.full((2, 2), 1e3, dtype=np.float32)).dtype == np.float32


@pytest.mark.parametrize("extreme", [1e-200, 1e200])
def test_weights_beyond_the_range_are_refused_with_the_range(extreme):
    with pytest.raises(ValueError, match=r"sample_weight reaches.*between 1e-100 and 1e\+100"):
        check_weights(np.array([1.0, extreme]))


def test_the_logarithm_of_zero_is_finite_and_its_exponential_is_zero():
    P = np.array([[0.0, 1.0]])
    log_P = log_probabilities(P)
    assert log_P[0, 0] == LOG_ZERO
    np.testing.assert_array_equal(np.exp(log_P), P)
    assert (P * log_P).sum() == 0
