"""The application as a whole: help, exit codes, completion, hostile names, and no traceback ever."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import kernelproba

COMMANDS = ["fit", "predict", "evaluate", "compare", "report", "explain", "export", "compress", "page",
            "serve", "papers", "demo"]  # fmt: skip

#: Commands that fit, and may do so in several processes.
FITTING = ["fit", "compare", "evaluate", "papers", "demo"]


def test_help_lists_the_commands(command):
    answer = command("--help")
    assert answer.code == 0
    for name in COMMANDS:
        assert name in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(command, name):
    for flag in ("--help", "-h"):
        answer = command(name, flag)
        assert (answer.code, answer.err) == (0, "")
        assert f"kernelproba {name}" in answer.out.partition("Example")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_fits_takes_jobs_and_all_but_the_service_print_json(name):
    from typer.main import get_command

    from kernelproba.cli.app import app

    options = {option for each in get_command(app).commands[name].params for option in each.opts}
    assert ("--jobs" in options) == (name in FITTING)
    assert ("--json" in options) == (name != "serve")
    assert f"commands that fit: {', '.join(FITTING)}." in app.info.epilog


def test_no_arguments_print_the_help(command):
    for arguments in ([], ["fit"]):
        answer = command(*arguments)
        assert (answer.code, answer.err) == (2, "")
        assert "Usage" in answer.out


def test_the_version_is_that_of_the_package(command):
    assert command("--version").out == f"kernelproba {kernelproba.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fitt"], "No such command 'fitt'"),
        (["fit", "--nonsense"], "--nonsense"),
        (["fit", "x.csv"], "--target"),
        (["fit", "x.csv", "-t", "y", "--max-rows", "many"], "Invalid value for '--max-rows'"),
    ],
)
def test_wrong_usage_gets_one_line_that_points_to_the_help(command, arguments, message):
    error = command(*arguments).error
    assert message in error
    assert "--help" in error


def test_an_error_of_ours_is_one_line_and_exit_code_1(command, folder, monkeypatch):
    def fail(*_):
        raise RuntimeError("a bug\nin two lines")

    monkeypatch.setattr("kernelproba.tables.TableClassifier.predict_proba", fail)
    answer = command("evaluate", folder / "iris.skops", folder / "test.csv")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "a bug in two lines" in answer.err
    assert "KERNELPROBA_DEBUG=1" in answer.err


def test_an_error_shows_its_traceback_if_asked_to(folder, monkeypatch):
    from kernelproba.cli.app import run

    monkeypatch.setenv("KERNELPROBA_DEBUG", "1")
    with pytest.raises(Exception, match="there is no file"):
        run(["predict", str(folder / "none.skops"), "x.csv", "-o", "y.csv"])


def test_memory_that_does_not_suffice_is_an_advice(command, folder, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("kernelproba.tables.TableClassifier.fit", fail)
    answer = command("fit", folder / "iris.csv", "-t", "species")
    assert answer.code == 1
    assert "--max-rows" in answer.err


def test_names_are_shown_as_text(command, tmp_path):
    names = ["<script>alert(1)</script>", "[red]bold[/red]", "שלום 🎉", "x" * 200, "bell\x07"]
    rng = np.random.default_rng(0)
    label = np.arange(100) % 5
    table = pd.DataFrame({"[b]a[/b]": label + 0.1 * rng.normal(size=100), "y 🎉": np.array(names)[label]})
    table.to_csv(tmp_path / "t.csv", index=False)
    model, out = tmp_path / "m.skops", tmp_path / "o.csv"
    fitted = command("fit", tmp_path / "t.csv", "-t", "y 🎉", "-m", "kdc", "-o", model)
    predicted = command("predict", model, tmp_path / "t.csv", "-o", out)
    assert (fitted.code, predicted.code) == (0, 0)
    for name in names[:4]:
        assert name[:50] in fitted.out
        assert name[:50] in predicted.out
        assert len(max((fitted.out + predicted.out).splitlines(), key=len)) < 400
    assert "\x07" not in fitted.out + predicted.out
    result = pd.read_csv(out)
    assert (result["label"] == table["y 🎉"]).mean() > 0.9
    assert {f"probability_{name}" for name in names} <= set(result.columns)
    assert set(
        json.loads(command("fit", tmp_path / "t.csv", "-t", "y 🎉", "-m", "kdc", "-o", model, "--json").out)[
            "classes"
        ]
    ) == {name.replace("\x07", "\N{REPLACEMENT CHARACTER}") for name in names}


@pytest.mark.parametrize("notes", [{"table": {"readings": {}}}, {"table": None}, {"table": {"evil": 1}}, {}])
def test_a_model_file_with_other_notes_gets_one_line(command, folder, tmp_path, notes):
    from kernelproba.persistence.model_file import load_model, save_model

    save_model(load_model(folder / "iris.skops"), tmp_path / "m.skops", notes=notes)
    error = command("predict", tmp_path / "m.skops", folder / "new.csv", "-o", tmp_path / "o.csv").error
    assert "damaged" in error if notes else "saved from Python" in error


def test_a_kind_of_column_that_does_not_exist_is_refused(command, folder, tmp_path):
    from kernelproba.persistence.model_file import read_model_file, save_model

    file = read_model_file(folder / "iris.skops")
    file.notes["table"]["readings"]["petal width"] = {"kind": "spell"}
    save_model(file.model, tmp_path / "m.skops", notes=file.notes)
    assert "damaged" in command("explain", tmp_path / "m.skops", folder / "new.csv").error


def complete(words: str) -> list[str]:
    """What the shell offers behind some words."""
    environment = os.environ | {
        "_KERNELPROBA_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "kernelproba"], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.split()


def test_the_shell_completes_commands_and_methods():
    assert complete("kernelproba ev") == ["evaluate"]
    assert complete("kernelproba fit t.csv --method klr") == ["klr", "klr-pairwise"]


def test_without_the_extra_the_cure_is_told():
    code = "import sys; sys.modules['typer'] = None; from kernelproba.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: the command line needs typer: pip install 'kernelproba[cli]'\n"


def test_the_package_itself_imports_no_extras():
    extras = "typer skops skrub matplotlib jinja2"  # scikit-learn imports pandas and rich where they are
    found = f"[name for name in {extras.split()} if name in sys.modules]"
    code = f"import sys; from kernelproba import *; print({found})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["fit", "--help"], ["compare", "--help"]])
def test_what_only_prints_imports_nothing_heavy(arguments):
    heavy = ["sklearn", "scipy", "pandas", "numpy", "pyarrow", "matplotlib", "skops"]
    code = (
        "import sys; from kernelproba.cli.app import run; "
        f"run({arguments}); print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_completion_imports_nothing_heavy():
    environment = os.environ | {
        "_KERNELPROBA_COMPLETE": "complete_bash",
        "COMP_WORDS": "kernelproba fit t.csv --method klr",
        "COMP_CWORD": "4",
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    command = [sys.executable, "-X", "importtime", "-m", "kernelproba"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["klr", "klr-pairwise"]
    assert not [line for line in done.stderr.splitlines() if line.endswith((" sklearn", " scipy", " pandas"))]


def test_every_public_name_and_room_is_found_on_the_package():
    for name in kernelproba.__all__:
        assert getattr(kernelproba, name).__name__ == name
    assert set(kernelproba.__all__) <= set(dir(kernelproba))
    assert kernelproba.inspection.explain
    assert not hasattr(kernelproba, "nonsense")


def test_programs_get_the_notes_that_people_see(command, folder, tmp_path):
    table = pd.read_csv(folder / "iris.csv").assign(empty=np.nan)
    table.to_csv(tmp_path / "t.csv", index=False)
    fit = ("fit", tmp_path / "t.csv", "-t", "species", "-m", "kdc", "-o", tmp_path / "m.skops")
    notes = json.loads(command(*fit, "--json", "-q").out)["notes"]
    assert any("'empty' is left out" in note for note in notes)


def test_the_tour_tells_programs_where_its_reports_are(command, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "kernelproba.report.demo.run_demo", lambda folder, **_: [print("on the way"), folder / "a"][1:]
    )
    told = command("demo", "-o", tmp_path, "--json")
    facts = json.loads(told.out)
    assert (facts["reports"], facts["told"]) == ([str(tmp_path / "a")], ["on the way"])
    assert told.err == "on the way\n"
    assert command("demo", "-o", tmp_path).out == "on the way\n"
    assert command("demo", "-o", tmp_path, "-q").out == ""
