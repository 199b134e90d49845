"""The matrices of all fits of a search share the room that memory_limit leaves them."""

import gc

import numpy as np

from kernelproba import KernelLogisticRegressionCV
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.estimators.kernel_logistic.memory_plan import SEARCH_BYTES
from kernelproba.kernels import RBF
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits
from kernelproba.tuning.kernel_logistic.matrix_room import MatrixRoom
from kernelproba.tuning.observations import Observations

N = 40


def candidate_fits(room):
    rng = np.random.default_rng(0)
    X, ones, each = rng.standard_normal((N, 2)), np.ones(N), np.arange(N)
    rows = Observations(X, each % 2, ones, ones, np.ones_like(each), each)
    return CandidateFits(rows, _kernel_of, Options("irls", 1e-2, 100, True), room)


def _kernel_of(gamma):
    return RBF(RBF.length_scale_of(gamma))


def n_kept(fits):
    return fits._matrix.cache_info().currsize


def test_fits_that_were_not_used_for_longest_forget_their_matrices():
    room = MatrixRoom(2 * SEARCH_BYTES * N**2)
    first, second, third = (candidate_fits(room) for _ in range(3))
    for fits, C in [(first, 1.0), (second, 1.0), (first, 2.0), (third, 1.0)]:
        fits.fit(0.5, C)
    assert [n_kept(fits) for fits in (first, second, third)] == [1, 0, 1]
    known = second.predict(second.rows.X, 0.5, 1.0)
    second.fit(0.5, 3.0)
    assert [n_kept(fits) for fits in (first, second, third)] == [0, 1, 1]
    np.testing.assert_array_equal(second.predict(second.rows.X, 0.5, 1.0), known)


def test_fits_that_are_gone_take_no_room_and_large_ones_stay_while_they_are_used():
    room = MatrixRoom(SEARCH_BYTES * N**2)
    candidate_fits(room).fit(0.5, 1.0)
    gc.collect()
    kept = candidate_fits(room)
    kept.fit(0.5, 1.0)
    assert n_kept(kept) == 1
    small = candidate_fits(MatrixRoom(1))
    small.fit(0.5, 1.0)
    small.fit(1.0, 1.0)
    assert n_kept(small) == 2


def test_all_kernels_of_a_search_and_parts_of_their_rows_share_the_memory_limit():
    X = np.random.default_rng(0).standard_normal((60, 3))
    spaces = KernelLogisticRegressionCV(memory_limit="100MB")._spaces(X, None)
    assert len(spaces) > 1
    assert {id(space.room) for space in spaces} == {id(spaces[0].room)}
    assert spaces[0].room.n_bytes == 100_000_000
    fits = candidate_fits(spaces[0].room)
    assert fits.on(fits.rows)._room is spaces[0].room
