"""Files that are either whole or not there."""

import os
import stat

import pytest

from kernelproba.atomic_file import replacing


def test_the_new_content_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "result.csv"
    path.write_text("old")
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_whatever_goes_wrong_the_old_content_stays_and_nothing_else(tmp_path, error):
    path = tmp_path / "result.csv"
    path.write_text("old")

    def fail_half_way():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail_half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="rights of files are of another kind there")
def test_a_new_file_gets_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path):
    usual, path = tmp_path / "usual", tmp_path / "result.csv"
    usual.touch()
    for expected in (usual.stat().st_mode, stat.S_IFREG | 0o640):
        with replacing(path) as temporary:
            temporary.write_text("new")
        assert path.stat().st_mode == expected
        path.chmod(0o640)


def test_a_long_name_and_a_missing_folder(tmp_path):
    path = tmp_path / ("x" * 250)
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "none" / "file"):
        pass
