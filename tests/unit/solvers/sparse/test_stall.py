from kernelproba.solvers.sparse.stall import Stall


def test_progress_of_either_kind_begins_the_count_anew():
    stall = Stall(2)
    assert not stall.seen(10.0, 1.0)
    assert not stall.seen(10.0, 1.0)
    assert not stall.seen(9.0, 1.0)
    assert not stall.seen(9.0, 1.0)
    assert not stall.seen(9.0, 0.5)
    assert not stall.seen(9.0, 0.5)
    assert stall.seen(9.0 - 1e-12, 0.49)


def test_gains_below_the_share_that_is_asked_for_are_none():
    stall = Stall(2, value_gain=0.1, residual_gain=0.5)
    assert not stall.seen(10.0, 1.0)
    assert not stall.seen(9.5, 0.9)
    assert not stall.seen(8.9, 0.9)
    assert not stall.seen(8.8, 0.6)
    assert not stall.seen(8.8, 0.4)
    assert not stall.seen(8.7, 0.3)
    assert stall.seen(8.6, 0.25)
