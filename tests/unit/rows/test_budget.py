"""How much memory there is."""

import pytest

from kernelproba.rows import budget


def told(folder, monkeypatch, files):
    """What the system tells by files of these texts; "cgroup" is that of the process."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(budget, "PROCESS", folder)
    monkeypatch.setattr(budget, "CGROUPS", folder / "groups")
    return budget.physical_memory()


@pytest.mark.parametrize(
    "files",
    [
        {"cgroup": "0::/\n", "groups/memory.max": "300000000\n"},
        {
            "cgroup": "0::/job/step\n",
            "groups/job/memory.max": "300000000",
            "groups/job/step/memory.max": "max",
        },
        {"cgroup": "0::/not/seen/from/within\n", "groups/memory.max": "300000000\n"},
        {"cgroup": "9:cpu:/\n5:memory:/job\n", "groups/memory/job/memory.limit_in_bytes": "300000000\n"},
    ],
    ids=["container", "group above", "path of the host", "older system"],
)
def test_the_limit_of_a_container_is_the_memory_there_is(tmp_path, monkeypatch, files):
    assert told(tmp_path, monkeypatch, files) == 300_000_000
    assert budget.memory_budget(None) == 150_000_000


def test_without_a_limit_it_is_that_of_the_machine(tmp_path, monkeypatch):
    machine = told(tmp_path, monkeypatch, {"cgroup": "0::/\n", "groups/memory.max": "max\n"})
    monkeypatch.setattr(budget, "PROCESS", tmp_path / "elsewhere")
    assert budget.physical_memory() == machine > 300_000_000
