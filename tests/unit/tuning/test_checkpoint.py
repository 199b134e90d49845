"""Stages in a folder are found again, and only by the run that they belong to."""

import errno
import json

import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.tuning.checkpoint import Checkpoint, Stages
from kernelproba.tuning.plain_state import StateError, read_state, state_bytes

TREE = {
    "numbers": [1, 2.5, np.inf, True, None, np.float32(0.5)],
    "pair": (3, "text"),
    "array": np.arange(6.0).reshape(2, 3),
    "single": np.array([0.1], dtype=np.float32),
    "texts": np.array(["a", "b"], dtype=object),
}


def same(state):
    return state


def test_a_state_comes_back_to_the_last_bit():
    again = read_state(state_bytes(TREE))
    assert again["numbers"] == [1, 2.5, np.inf, True, None, 0.5]
    assert again["pair"] == (3, "text")
    for name in ("array", "single", "texts"):
        assert again[name].dtype == TREE[name].dtype
        np.testing.assert_array_equal(again[name], TREE[name])
    rows = sp.csr_array(np.random.default_rng(0).binomial(1, 0.5, size=(5, 4)) * 0.7)
    found = read_state(state_bytes([rows]))[0]
    assert isinstance(found, sp.csr_array)
    np.testing.assert_array_equal(found.toarray(), rows.toarray())


def test_what_could_run_code_is_neither_written_nor_read(tmp_path):
    with pytest.raises(StateError, match="cannot hold function"):
        state_bytes({"call": same})
    with pytest.raises(StateError, match="other than texts"):
        state_bytes(np.array([same], dtype=object))
    np.savez(tmp_path / "objects.npz", tree=np.array([{"a": 1}], dtype=object))
    with pytest.raises(StateError, match="no state"):
        read_state((tmp_path / "objects.npz").read_bytes())


def test_a_stage_is_computed_once(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"sum": np.array([0.1, 0.2])}

    for _ in range(2):
        found = Checkpoint(tmp_path, {"rows": 3}).kept("search", compute, same, same)
        np.testing.assert_array_equal(found["sum"], [0.1, 0.2])
    assert len(calls) == 1
    assert Stages().kept("search", compute, same, same)
    assert len(calls) == 2


def test_a_stage_that_is_not_complete_is_not_kept(tmp_path):
    folder = Checkpoint(tmp_path, {})
    assert folder.kept("search", lambda: 1, same, same, complete=lambda: False) == 1
    assert folder.kept("search", lambda: 2, same, same) == 2
    assert folder.kept("search", lambda: 3, same, same) == 2


def test_stages_of_another_run_are_refused_by_what_differs(tmp_path):
    Checkpoint(tmp_path, {"the number of rows": 3, "a sum": 1.0})
    Checkpoint(tmp_path, {"the number of rows": 3, "a sum": 1.0 + 1e-12})  # other order, other rounding
    with pytest.raises(ValueError, match="differs in the number of rows: give another folder"):
        Checkpoint(tmp_path, {"the number of rows": 4, "a sum": 1.0})
    with pytest.raises(ValueError, match="differs in a sum"):
        Checkpoint(tmp_path, {"the number of rows": 3})


def test_a_folder_of_other_files_and_a_damaged_description_are_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="holds other files"):
        Checkpoint(tmp_path, {})
    (tmp_path / "run.json").write_text(json.dumps({})[:1])
    with pytest.raises(ValueError, match="cannot be read"):
        Checkpoint(tmp_path, {})


@pytest.mark.parametrize("damage", ["cut", "empty", "text"])
def test_a_damaged_stage_is_computed_anew(tmp_path, damage):
    folder = Checkpoint(tmp_path, {})
    folder.kept("search", lambda: TREE, same, same)
    file = tmp_path / "search.npz"
    content = {"cut": file.read_bytes()[:200], "empty": b"", "text": b"nothing"}[damage]
    file.write_bytes(content)
    with pytest.warns(UserWarning, match=r"search.npz' is damaged"):
        assert folder.kept("search", lambda: 5, same, same) == 5


@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_in_the_place_of_the_folder_is_named_with_the_argument(below, tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(OSError, match=r"checkpoint cannot be kept there .* give a folder"):
        Checkpoint(file / below, {})
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["run.json", "stage.npz"])
def test_a_folder_in_the_place_of_a_file_is_refused(name, tmp_path):
    folder = tmp_path / "run"
    Checkpoint(folder, {})
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    with pytest.raises(ValueError, match="checkpoint="):
        Checkpoint(folder, {}).kept("stage", dict, same, same)


def test_a_full_disk_loses_a_stage_but_not_the_fit(tmp_path, monkeypatch):
    checkpoint = Checkpoint(tmp_path / "folder", {"rows": 3})

    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("kernelproba.tuning.checkpoint.replacing", full)
    with pytest.warns(
        UserWarning, match=r"folder' cannot keep the stage 'search' \(No space left on device\)"
    ):
        assert checkpoint.kept("search", lambda: [1.5], same, same) == [1.5]
    assert checkpoint.found("search", same) is None
