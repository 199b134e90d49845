import numpy as np
import pytest

from kernelproba.basis.class_centers import NO_OWNER, KeyedRows, check_centers, choose_class_centers
from kernelproba.rows.row_hash import row_keys

X = np.arange(12.0)[:, None]
Y = np.arange(12) % 3
ROWS = KeyedRows(X, Y, row_keys(X, Y))


def test_class_centres_are_the_rows_of_each_class_in_blocks():
    centers = choose_class_centers("class", None, ROWS, 3, 0)
    for j, block in enumerate(centers.blocks):
        assert block.classes.tolist() == [j]
        assert (Y[centers.rows[block.columns]] == j).all()
    np.testing.assert_array_equal(np.sort(centers.rows), np.arange(12))


def test_a_number_draws_that_many_from_each_class():
    centers = choose_class_centers("class", 2, ROWS, 3, 0)
    assert [len(block) for block in centers.blocks] == [2, 2, 2]
    again = choose_class_centers("class", 2, ROWS, 3, 0)
    np.testing.assert_array_equal(centers.rows, again.rows)
    assert (
        choose_class_centers("class", 100, ROWS, 3, 0).rows.tolist()
        == choose_class_centers("class", None, ROWS, 3, 0).rows.tolist()
    )


def test_a_row_owns_the_centre_that_stands_on_it():
    centers = choose_class_centers("class", None, ROWS, 3, 0)
    np.testing.assert_array_equal(centers.rows[centers.owned_by(ROWS.keys)], np.arange(12))
    assert (centers.owned_by(row_keys(X + 0.5, Y)) == -1).all()


def test_a_shared_row_with_two_labels_is_one_centre_that_nobody_owns():
    rows = KeyedRows(
        np.array([[1.0], [1.0], [2.0]]), np.array([0, 1, 0]), np.array([11, 12, 13], dtype=np.uint64)
    )
    centers = choose_class_centers("all", None, rows, 2, 0)
    assert centers.rows.tolist() == [0, 2]
    assert centers.owners.tolist() == [NO_OWNER, 13]
    assert len(choose_class_centers("all", 1, rows, 2, 0).rows) == 1


def test_given_centres_belong_to_no_row():
    centers = choose_class_centers(X[:4], None, ROWS, 3, 0)
    assert (centers.owned_by(ROWS.keys) == -1).all()
    assert centers.blocks[0].classes.tolist() == [0, 1, 2]


def test_bad_centres_are_refused_with_the_cure():
    with pytest.raises(ValueError, match="give rows with the same ones"):
        check_centers(np.ones((2, 3)), None, 4, rows_known=True)
    with pytest.raises(ValueError, match="precomputed"):
        check_centers(np.ones((2, 3)), None, 3, rows_known=False)
    with pytest.raises(ValueError, match="taken as they are"):
        check_centers(np.ones((2, 3)), 7, 3, rows_known=True)
