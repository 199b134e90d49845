import numpy as np

from kernelproba.solvers.least_squares.averaged_sgd import AveragedSGD
from kernelproba.solvers.least_squares.normal_equations import NormalEquations, cholesky_path


def stream(n=6000, b=20, k=2, seed=0):
    """Badly scaled features, noisy targets."""
    rng = np.random.default_rng(seed)
    Phi = rng.standard_normal((n, b)) * np.geomspace(1, 0.03, b)
    Y = Phi @ rng.standard_normal((b, k)) + 0.1 * rng.standard_normal((n, k))
    return Phi, Y


def exact(Phi, Y, alpha):
    equations = NormalEquations.empty(Phi.shape[1], Y.shape[1])
    equations.add(Phi, Y)
    return cholesky_path(equations, [alpha * len(Phi)])[0]


def descend(Phi, Y, alpha, n_first, passes, batch=256):
    first = NormalEquations.empty(Phi.shape[1], Y.shape[1])
    first.add(Phi[:n_first], Y[:n_first])
    descent = AveragedSGD(first, float(n_first), alpha, Phi[:n_first])
    rng = np.random.default_rng(1)
    for _ in range(passes):
        order = rng.permutation(len(Phi))
        for start in range(0, len(Phi), batch):
            rows = order[start : start + batch]
            descent.step(Phi[rows], Y[rows], np.ones(len(rows)))
    return descent


def test_many_passes_reach_the_direct_solution():
    Phi, Y = stream()
    alpha = 1e-3
    A = exact(Phi, Y, alpha)
    errors = [np.linalg.norm(Phi @ (descend(Phi, Y, alpha, 100, p).coef - A)) for p in (1, 20)]
    assert errors[1] < 0.2 * errors[0]
    assert errors[1] < 2e-3 * np.linalg.norm(Phi @ A)


def test_first_rows_that_say_nothing_about_later_ones_do_not_make_it_diverge():
    Phi, Y = stream()
    Phi[:30, 10:] = 0  # half of the directions are unseen at first
    A, descent = exact(Phi, Y, 1e-4), descend(Phi, Y, 1e-4, 30, 10)
    assert np.linalg.norm(Phi @ (descent.coef - A)) < 0.1 * np.linalg.norm(Phi @ A)


def test_the_implied_equations_have_the_average_as_their_solution():
    Phi, Y = stream(600)
    descent = descend(Phi, Y, 1e-2, 200, 1)
    first = NormalEquations.empty(20, 2)
    first.add(Phi[:200], Y[:200])
    implied = descent.implied(first, 600.0, 3.0)
    np.testing.assert_allclose(cholesky_path(implied, [1e-2 * 600])[0], descent.coef, atol=1e-9)
