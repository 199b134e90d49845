"""Files that are either whole or not there."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor

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


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "far").mkdir()
    file, link, dangling = tmp_path / "far" / "file", tmp_path / "link", tmp_path / "dangling"
    file.write_text("old")
    link.symlink_to(file)
    dangling.symlink_to(tmp_path / "far" / "new")
    for name in (link, dangling):
        with replacing(name) as temporary:
            temporary.write_text("new")
        assert name.is_symlink()
        assert name.read_text() == "new"
    assert file.read_text() == "new"
    assert sorted(path.name for path in (tmp_path / "far").iterdir()) == ["file", "new"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_named_pipe_gets_the_content_and_stays(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for name in (pipe, link):
        with ThreadPoolExecutor(1) as reader:
            read = reader.submit(pipe.read_text)
            with replacing(name) as temporary:
                temporary.write_text("new")
            assert read.result() == "new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
def test_a_device_is_written_to_and_a_full_one_is_named():
    with replacing("/dev/null") as temporary:
        temporary.write_text("new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match="No space left") as raised, replacing("/dev/full") as temporary:
        temporary.write_text("new")
    assert raised.value.filename == "/dev/full"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_full_disk_leaves_the_old_content_and_is_named(tmp_path):
    path = tmp_path / "result.csv"
    path.write_text("old")

    def fill():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left") as raised:
        fill()
    assert raised.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        raise AssertionError
