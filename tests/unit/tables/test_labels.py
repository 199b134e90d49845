"""Labels that differ never merge."""

import numpy as np
import pyarrow as pa
import pytest

from kernelproba.tables import TableError
from kernelproba.tables.labels import label_kind, read_labels


def read(values, type_=None):
    column = pa.chunked_array([pa.array(values, type_)])
    return read_labels(column, label_kind("y", column))[0].tolist()


def test_whole_numbers_are_numbers():
    assert read(["1", "2.0", "-3"]) == [1, 2, -3]
    assert read([1.0, 2.0, None]) == [1, 2]
    assert read([1, 2], pa.uint8()) == [1, 2]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["18446744073709551615", "18446744073709551614", "1"], None),
        (["9007199254740993", "9007199254740992"], None),
        (["1e300", "inf", "-inf"], None),
        ([2**64 - 1, 2**64 - 2], pa.uint64()),
        ([2**53 + 1, 2**53 + 2], pa.int64()),
        ([1e300, np.inf, -np.inf, 1e301], pa.float64()),
    ],
    ids=str,
)
def test_numbers_that_a_float_cannot_hold_stay_apart(values, type_):
    assert len(set(read(values, type_))) == len(values)


def test_zeros_in_front_are_part_of_a_code():
    assert read(["01", "1", "10"]) == ["01", "1", "10"]
    assert read(["007", "012"]) == ["007", "012"]
    assert read(["0", "-0", "10", "0.0"]) == [0, 0, 10, 0]


def test_hexadecimal_numbers_are_words():
    assert read(["0x1F", "0x20"]) == ["0x1F", "0x20"]


def test_flags_are_written_alike_whatever_the_file():
    assert read(["True", "FALSE"]) == read([True, False]) == ["true", "false"]


def test_blanks_around_a_label_do_not_count_and_blank_ones_are_missing():
    column = pa.chunked_array([["a ", " a", " ", None, "b"]])
    labels, present = read_labels(column, label_kind("y", column))
    assert labels.tolist() == ["a", "a", "b"]
    assert present.tolist() == [True, True, False, False, True]


def test_fractions_are_quantities_unless_the_user_says_otherwise():
    column = pa.chunked_array([["0.5", "1", "1.5"]])
    with pytest.raises(TableError, match=r"fractions such as 0\.5"):
        label_kind("y", column)
    assert label_kind("y", column, as_words=True) == "text"
    mixed = pa.chunked_array([["0.5", "a"]])
    assert label_kind("y", mixed) == "text"


def test_a_label_that_is_no_number_is_read_beside_numbers():
    column = pa.chunked_array([["1", "2"]])
    kind = label_kind("y", column)
    assert read_labels(pa.chunked_array([["1", "two"]]), kind)[0].tolist() == ["1", "two"]


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32(), pa.int8(), pa.string(), pa.bool_()])
def test_labels_are_read_the_same_from_chunks_and_from_a_dictionary(type_):
    values = [True, False, None, True] if pa.types.is_boolean(type_) else [3, 1, None, 3]
    plain = pa.array(map(str, values) if pa.types.is_string(type_) else values, type_)
    chunked = pa.chunked_array([plain[:1], plain[1:3], plain[3:], plain[:0]])
    kind = label_kind("y", plain)
    y, present = read_labels(plain, kind)
    for other in (chunked, plain.dictionary_encode(), chunked.dictionary_encode()):
        assert label_kind("y", other) == kind
        np.testing.assert_array_equal(read_labels(other, kind)[0], y)
        np.testing.assert_array_equal(read_labels(other, kind)[1], present)


def test_what_is_no_number_among_fractions_is_missing():
    y, present = read_labels(pa.array([2.0, float("nan"), None, -0.0, 0.0]), "number")
    assert y.tolist() == [2, 0, 0]
    assert present.tolist() == [True, False, False, True, True]
