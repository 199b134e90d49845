import hashlib

import numpy as np

from kernelproba.datasets.digest import file_digest, joint_digest, row_digest

RNG = np.random.RandomState(0)
X, Y = RNG.randint(0, 9, size=(40, 3)), RNG.randint(0, 3, size=40)


def test_the_order_of_rows_does_not_matter():
    order = RNG.permutation(40)
    assert row_digest(X, Y) == row_digest(X[order], Y[order])


def test_a_label_a_value_and_a_repeated_row_matter():
    other = Y.copy()
    other[0] = 3
    assert row_digest(X, other) != row_digest(X, Y)
    assert row_digest(X + np.eye(40, 3, dtype=int), Y) != row_digest(X, Y)
    assert row_digest(np.r_[X, X[:1]], np.r_[Y, Y[:1]]) != row_digest(X, Y)


def test_the_digest_of_the_whole_is_the_sum_of_its_parts():
    assert joint_digest(row_digest(X[:15], Y[:15]), row_digest(X[15:], Y[15:])) == row_digest(X, Y)


def test_decimals_beyond_the_stated_ones_are_ignored():
    values = X / 100
    assert row_digest(values.astype(np.float32), Y, decimals=2) == row_digest(values, Y, decimals=2)


def test_a_single_row_has_the_sha256_of_its_bytes():
    expected = hashlib.sha256(np.array([1, 2], "<i4").tobytes() + b"A").hexdigest()
    assert row_digest([[1, 2]], ["A"]) == expected


def test_the_digest_of_a_file_is_its_sha256(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert file_digest(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
