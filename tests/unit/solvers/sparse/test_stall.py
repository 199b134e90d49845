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
