"""``kernelproba papers``: the list, a run, what is kept when it is stopped, and every refusal in one line."""

import json

import pytest

pytest.importorskip("matplotlib")

from kernelproba import papers
from kernelproba.papers import Task


@pytest.fixture
def corona(monkeypatch):
    """The smallest paper, cut down to two tasks."""
    from kernelproba.papers.corona2016 import PAPER

    def two_tasks(quick):
        return {key: task for key, task in PAPER.tasks(quick).items() if key.endswith(" 0")}

    small = papers.Paper(**{**vars(PAPER), "tasks": two_tasks})
    monkeypatch.setattr("kernelproba.papers.corona2016.PAPER", small)
    return small


def test_without_a_name_the_papers_are_listed(command):
    answer = command("papers")
    assert (answer.code, answer.err) == (0, "")
    listed = json.loads(command("papers", "--json").out)["papers"]
    assert [paper["name"] for paper in listed] == list(papers.names())
    for paper in listed:
        assert paper["name"] in answer.out
        assert paper["summary"].endswith(".")


@pytest.mark.usefixtures("corona")
def test_a_run_prints_the_tables_and_the_path_of_the_page(command, tmp_path):
    answer = command("papers", "corona2016", "--quick", "-o", tmp_path / "new" / "folder")
    assert (answer.code, answer.err) == (0, "")
    page = tmp_path / "new" / "folder" / "corona2016_quick.md"
    assert f"page: {page}" in answer.out
    assert "two Gaussians" in answer.out
    assert {path.name for path in page.parent.iterdir()} == {
        "corona2016_quick.md",
        "corona2016_quick.json",
        "corona2016_quick_basis.png",
        "corona2016_quick_tasks.jsonl",
    }


@pytest.mark.usefixtures("corona")
def test_json_is_the_document_of_the_page(command, tmp_path):
    answer = command("papers", "corona2016", "-o", tmp_path, "--json", "--quiet")
    assert (answer.code, answer.err) == (0, "")
    (found,) = json.loads(answer.out)["papers"]
    assert found.pop("page") == str(tmp_path / "corona2016.md")
    assert found == json.loads((tmp_path / "corona2016.json").read_text())


@pytest.mark.usefixtures("corona")
def test_quiet_prints_nothing(command, tmp_path):
    answer = command("papers", "corona2016", "-o", tmp_path, "-q")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


@pytest.mark.usefixtures("corona")
def test_a_stopped_run_says_what_is_kept_and_the_same_command_goes_on(command, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kernelproba.papers.corona2016._difference", stop)
        answer = command("papers", "corona2016", "-o", tmp_path)
    assert answer.code == 130
    assert answer.err == "error: stopped; 0 of 2 tasks are kept; run the same command to go on\n"
    assert [path.name for path in tmp_path.iterdir()] == ["corona2016_tasks.jsonl"]
    assert command("papers", "corona2016", "-o", tmp_path).code == 0


def test_an_unknown_paper_gets_the_names(command, tmp_path):
    error = command("papers", "newton1687", "-o", tmp_path / "new").error
    assert "newton1687" in error
    assert all(name in error for name in papers.names())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", ["missing", "damaged"])
def test_data_that_are_missing_or_damaged_are_named_before_any_work(command, tmp_path, monkeypatch, kind):
    monkeypatch.delenv("KERNELPROBA_DATA", raising=False)
    data, folder = tmp_path / "data", tmp_path / "results"
    data.mkdir()
    if kind == "damaged":
        (data / "raetsch_breast_cancer.npz").write_bytes(b"not this")
    error = command("papers", "meinicke2002", "--data", data, "-o", folder).error
    assert "raetsch_breast_cancer" in error
    assert "--data" in error
    assert (folder / "meinicke2002_tasks.jsonl").read_bytes() == b""


def test_a_data_directory_that_is_not_there_is_named(command, tmp_path):
    error = command("papers", "meinicke2002", "--data", tmp_path / "nowhere", "-o", tmp_path).error
    assert "nowhere" in error


def test_a_folder_that_cannot_be_written_is_named(command, tmp_path):
    (tmp_path / "file").write_text("mine")
    error = command("papers", "corona2016", "-o", tmp_path / "file").error
    assert str(tmp_path / "file") in error
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.usefixtures("corona")
def test_a_damaged_record_is_named_and_left_as_it_is(command, tmp_path):
    record = tmp_path / "corona2016_tasks.jsonl"
    record.write_text("{\n")
    assert f"{record}, line 1 is damaged" in command("papers", "corona2016", "-o", tmp_path).error
    assert record.read_text() == "{\n"


def test_a_task_that_fails_for_our_fault_is_one_line(command, monkeypatch, tmp_path):
    from kernelproba.papers.corona2016 import PAPER

    broken = papers.Paper(**{**vars(PAPER), "tasks": lambda _quick: {"a": Task(divmod, (1, 0))}})
    monkeypatch.setattr("kernelproba.papers.corona2016.PAPER", broken)
    answer = command("papers", "corona2016", "-o", tmp_path)
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "ZeroDivisionError" in answer.err


@pytest.mark.parametrize("wrong", [["--jobs", "0"], ["--nonsense"]])
def test_wrong_options_point_to_the_help(command, wrong):
    assert "--help" in command("papers", "corona2016", *wrong).error
