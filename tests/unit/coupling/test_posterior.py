"""Coupling on constructed answers: known posteriors, optimality conditions, limits and refusals."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import expit, log_softmax
from sklearn.exceptions import ConvergenceWarning

from kernelproba.coupling import METHODS, couple, couple_log_odds, pairs
from kernelproba.coupling.pairs import class_pairs

both_methods = pytest.mark.parametrize("method", METHODS)


def consistent(P):
    """r_ij = p_i / (p_i + p_j) for every row of P, (n, c, c)."""
    return P[:, :, None] / (P[:, :, None] + P[:, None, :])


def condense(R):
    i, j = np.triu_indices(R.shape[1], 1)
    return R[:, i, j]


def square(pairs_of_rows, c):
    i, j = np.triu_indices(c, 1)
    R = np.full((len(pairs_of_rows), c, c), np.nan)  # the diagonal must not matter
    R[:, i, j], R[:, j, i] = pairs_of_rows, 1 - pairs_of_rows
    return R


def random_pairs(n, c, seed=0):
    return square(np.random.default_rng(seed).random((n, c * (c - 1) // 2)), c)


def assert_distributions(P):
    assert np.isfinite(P).all()
    assert P.min() >= 0
    assert P.max() <= 1
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-6 if P.dtype == np.float32 else 1e-13)


def score_residual(R, P, weights):
    """Largest |Σ_j n_ij (μ_ij − r_ij)| of each row, equation (11), summed in plain loops over classes."""
    c = P.shape[1]
    off = [[j for j in range(c) if j != i] for i in range(c)]
    gaps = [
        sum(weights[i, j] * (P[:, i] / (P[:, i] + P[:, j]) - R[:, i, j]) for j in off[i]) for i in range(c)
    ]
    return np.abs(gaps).max(axis=0)


@both_methods
@pytest.mark.parametrize("c", [2, 3, 4, 7, 15, 26, 40, 60])
def test_pairs_that_agree_with_one_posterior_return_it(method, c):
    rng = np.random.default_rng(c)
    P = np.vstack([rng.dirichlet(np.ones(c), 20), rng.dirichlet(np.full(c, 0.2), 20), np.full((1, c), 1 / c)])
    P = np.maximum(P, 1e-9) / np.maximum(P, 1e-9).sum(axis=1, keepdims=True)
    R = consistent(P)
    np.testing.assert_allclose(couple(R, method), P, atol=1e-8)
    np.testing.assert_allclose(couple(condense(R), method), P, atol=1e-8)


@both_methods
def test_pair_weights_do_not_move_pairs_that_agree(method):
    rng = np.random.default_rng(0)
    P, weights = rng.dirichlet(np.ones(5), 30), rng.uniform(0.01, 10, (5, 5))
    np.testing.assert_allclose(couple(consistent(P), method, weights + weights.T), P, atol=1e-8)


@both_methods
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_classes_return_r_itself(method, dtype):
    r = np.r_[0, 1, 1e-30, 0.5, np.random.default_rng(0).random(50)].astype(dtype)
    R = np.stack([np.stack([r * 0, r], 1), np.stack([1 - r, r * 0], 1)], 1)
    expected = np.stack([r, 1 - r], axis=1)
    for layout in (R, r[:, None]):
        P = couple(layout, method)
        assert P.dtype == dtype
        np.testing.assert_array_equal(P, expected)


@both_methods
@pytest.mark.parametrize("c", [3, 6, 26, 60])
def test_zeros_ones_ties_and_almost_zeros_give_distributions(method, c):
    rng = np.random.default_rng(c)
    m = c * (c - 1) // 2
    rows = [rng.choice(values, size=(10, m)) for values in ([0, 1], [0, 0.5, 1], [1e-300, 1 - 1e-16, 0.5])]
    rows += [np.zeros((1, m)), np.ones((1, m)), np.full((1, m), 0.5), rng.beta(0.01, 0.01, (10, m))]
    assert_distributions(couple(np.vstack(rows), method))


@both_methods
@pytest.mark.parametrize("c", [3, 10, 60])
def test_a_class_that_wins_every_pair_outright_takes_all(method, c):
    P = couple(np.ones((1, c * (c - 1) // 2)), method)
    np.testing.assert_allclose(P[0], np.eye(c)[0], atol=1e-8)


@both_methods
def test_classes_that_beat_each_other_in_a_circle_share_what_the_others_lose(method):
    # 0 beats 1 beats 2 beats 0, and all three beat 3, which beats 4.
    pairs_won = {(0, 1): 1, (0, 2): 0, (1, 2): 1, (3, 4): 1}
    r = [pairs_won.get((i, j), 1) for i in range(5) for j in range(i + 1, 5)]
    R = np.array([r], dtype=float)
    P = couple(R, method)[0]
    np.testing.assert_allclose(P[:3], P[0])
    if method == "hastie-tibshirani":  # the limit of the maximum likelihood
        np.testing.assert_allclose(P, [1 / 3, 1 / 3, 1 / 3, 0, 0], atol=1e-9)


@both_methods
@pytest.mark.parametrize("c", [3, 8])
def test_certain_pairs_are_the_limit_of_almost_certain_ones(method, c):
    certain = np.random.default_rng(c).integers(0, 2, (50, c * (c - 1) // 2)).astype(float)
    gaps = []
    for delta in (1e-4, 1e-6, 1e-8):
        almost = np.clip(certain, delta, 1 - delta)
        gaps.append(np.abs(couple(almost, method) - couple(certain, method)).max())
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-6


@pytest.mark.parametrize(("n", "c", "tol"), [(10_000, 5, 1e-10), (300, 26, 1e-10), (1000, 4, 1e-6)])
@pytest.mark.parametrize("weighted", [False, True])
def test_hastie_tibshirani_solves_its_score_equations_to_tol(n, c, tol, weighted):
    R = random_pairs(n, c)
    counts = np.random.default_rng(1).uniform(5, 500, c) if weighted else np.full(c, 0.5)
    weights = counts[:, None] + counts
    scaled = weights / weights[~np.eye(c, dtype=bool)].mean()
    P = couple(R, "hastie-tibshirani", weights, tol)
    assert score_residual(R, P, scaled).max() <= tol + 1e-13 * c


@pytest.mark.parametrize("weighted", [False, True])
def test_wu_lin_weng_satisfies_its_optimality_conditions(weighted):
    # On the simplex p is optimal if ∂/∂p_i of the squares is one number for all i with p_i > 0.
    c = 6
    R, rng = random_pairs(2000, c), np.random.default_rng(1)
    counts = rng.uniform(1, 9, c) if weighted else np.full(c, 0.5)
    weights = counts[:, None] + counts
    P = couple(R, "wu-lin-weng", weights)
    slopes = np.zeros_like(P)
    for i in range(c):
        for j in set(range(c)) - {i}:
            slopes[:, i] += 2 * weights[i, j] * R[:, j, i] * (R[:, j, i] * P[:, i] - R[:, i, j] * P[:, j])
    assert P.min() > 0
    np.testing.assert_allclose(slopes, slopes.mean(axis=1, keepdims=True) * np.ones(c), atol=1e-12)


@both_methods
def test_a_pair_of_overwhelming_weight_keeps_its_ratio(method):
    R = random_pairs(50, 4)
    weights = np.ones((4, 4))
    weights[1, 3] = weights[3, 1] = 1e7
    P = couple(R, method, weights)
    np.testing.assert_allclose(P[:, 1] / (P[:, 1] + P[:, 3]), R[:, 1, 3], atol=1e-5)


@both_methods
def test_the_unit_and_the_diagonal_of_pair_weights_do_not_matter(method):
    R, counts = random_pairs(20, 5), np.arange(1.0, 6)
    weights = counts[:, None] + counts
    other = 1e6 * weights
    np.fill_diagonal(other, np.nan)
    np.testing.assert_allclose(couple(R, method, other), couple(R, method, weights), rtol=1e-9)


@both_methods
def test_single_precision_goes_in_and_comes_out(method):
    R = random_pairs(100, 8)
    P = couple(R.astype(np.float32), method)
    assert P.dtype == np.float32
    assert_distributions(P)
    np.testing.assert_allclose(P, couple(R, method), atol=1e-5)


@both_methods
def test_whole_numbers_are_probabilities_too(method):
    assert couple(np.array([[1, 1, 0], [0, 0, 0]]), method).dtype == np.float64


@both_methods
def test_no_rows_give_no_rows(method):
    assert couple(np.empty((0, 4, 4)), method).shape == (0, 4)
    assert couple(np.empty((0, 6)), method).shape == (0, 4)


@both_methods
def test_the_size_of_the_blocks_does_not_change_the_answer(method, monkeypatch):
    R = random_pairs(101, 7)
    whole = couple(R, method)
    monkeypatch.setattr(pairs, "BLOCK_SIZE", 10 * 49)
    np.testing.assert_allclose(couple(R, method), whole, atol=1e-13)


@both_methods
def test_memory_beyond_the_answer_does_not_grow_with_the_rows(method):
    peaks = []
    for n in (20_000, 80_000):
        R = np.random.default_rng(0).random((n, 6), dtype=np.float32)
        tracemalloc.start()
        P = couple(R, method)
        peaks.append(tracemalloc.get_traced_memory()[1] - P.nbytes)
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 1e5


def test_a_tolerance_below_rounding_is_reported():
    with pytest.warns(ConvergenceWarning, match="raise tol"):
        P = couple(random_pairs(3, 10), "hastie-tibshirani", tol=1e-30)
    assert_distributions(P)


@pytest.mark.parametrize("shape", [(5,), (5, 2), (5, 4), (5, 0), (2, 3, 4), (4, 1, 1), (2, 3, 3, 3)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match=r"R must have shape \(n_rows, n_classes, n_classes\)"):
        couple(np.full(shape, 0.5))


@pytest.mark.parametrize("layout", [lambda R: R, condense], ids=["square", "condensed"])
@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "NaN"), (-0.1, r"in \[0, 1\]"), (1.2, r"in \[0, 1\]"), (np.inf, r"in \[0, 1\]")],
)
def test_values_that_are_no_probabilities_are_refused_by_row(layout, value, message, monkeypatch):
    monkeypatch.setattr(pairs, "BLOCK_SIZE", 4 * 9)  # the row is counted from the start, not within its block
    R = random_pairs(20, 3)
    R[13, 0, 2] = value
    with pytest.raises(ValueError, match=message) as refusal:
        couple(layout(R))
    assert "row 13" in str(refusal.value)


def test_pairs_that_do_not_sum_to_one_are_refused():
    R = random_pairs(9, 4)
    R[7, 2, 1] += 0.01 * (1 if R[7, 2, 1] < 0.5 else -1)
    with pytest.raises(ValueError, match=r"row 7 has r\[1, 2\] \+ r\[2, 1\] = .*normalise"):
        couple(R)


@pytest.mark.parametrize("dtype", [complex, str, object])
def test_values_that_are_not_real_numbers_are_refused(dtype):
    with pytest.raises(ValueError, match="real numbers"):
        couple(np.full((2, 3), 0.5).astype(dtype))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((2, 2)), r"shape \(3, 3\)"),
        (1 - 2 * np.eye(3)[::-1], "positive and finite"),
        (np.zeros((3, 3)), "positive and finite"),
        (np.full((3, 3), np.inf), "positive and finite"),
        (1 + np.arange(9.0).reshape(3, 3), "symmetric"),
    ],
)
def test_pair_weights_that_cannot_weigh_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        couple(np.full((2, 3), 0.5), pair_weights=weights)


@pytest.mark.parametrize("options", [{"method": "vote"}, {"tol": 0}, {"tol": np.nan}])
def test_unknown_methods_and_useless_tolerances_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        couple(np.full((2, 3), 0.5), **options)


@pytest.mark.parametrize("method", METHODS)
def test_log_odds_couple_to_the_logarithm_of_what_probabilities_couple_to(method):
    rng = np.random.default_rng(0)
    F = 3 * rng.normal(size=(50, 6))
    log_P = couple_log_odds(F, method)
    np.testing.assert_allclose(np.exp(log_P), couple(expit(F), method), atol=1e-8)


@pytest.mark.parametrize("depth", [5.0, 20.0, 200.0, 2000.0])
def test_log_probabilities_that_all_pairs_agree_on_are_recovered_below_the_smallest_number(depth):
    log_p = log_softmax(np.array([[0.0, -0.3, -1.0, -0.7, -1.3]]) * [[1, 1, depth, depth, depth]], axis=1)
    i, j = class_pairs(5).T
    np.testing.assert_allclose(couple_log_odds(log_p[:, i] - log_p[:, j]), log_p, rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_coupled_log_probabilities_are_finite_for_any_log_odds(method):
    F = np.random.default_rng(0).choice([-1e300, -800.0, 0.0, 800.0, 1e300], size=(200, 10))
    log_P = couple_log_odds(F, method)
    assert np.isfinite(log_P).all()
    np.testing.assert_allclose(np.exp(log_P).sum(axis=1), 1)


def test_pair_weights_of_any_ratio_leave_a_distribution():
    weights = 10.0 ** np.random.default_rng(0).uniform(-60, 60, size=(4, 4))
    R = np.random.default_rng(1).random((20, 6))
    P = couple(R, "hastie-tibshirani", pair_weights=weights + weights.T)
    np.testing.assert_allclose(P.sum(axis=1), 1)
