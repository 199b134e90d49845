"""Where results go: files, links, pipes, devices, full disks, and cells that a spreadsheet would run."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

resource = pytest.importorskip("resource", reason="files of another system")


def in_process(*arguments, **options):
    """Run a command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "kernelproba", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **{"stdout": subprocess.PIPE} | options,
    )


def test_a_link_is_followed_for_models_and_predictions(command, folder, tmp_path):
    model, link = tmp_path / "model.skops", tmp_path / "link.skops"
    link.symlink_to(model)
    assert command("fit", folder / "iris.csv", "-t", "species", "-m", "kdc", "-o", link).code == 0
    out, rows = tmp_path / "out.csv", tmp_path / "rows.csv"
    out.symlink_to(rows)
    assert command("predict", link, folder / "new.csv", "-o", out).code == 0
    assert link.is_symlink()
    assert out.is_symlink()
    assert len(pd.read_csv(rows)) == 50


@pytest.mark.parametrize("name", ["pipe", "pipe.csv", "pipe.parquet"])
def test_a_named_pipe_gets_the_rows(command, folder, tmp_path, name):
    pipe = tmp_path / name
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        assert command("predict", folder / "iris.skops", folder / "new.csv", "-o", pipe).code == 0
        content = read.result()
    assert content.startswith(b"PAR1" if name.endswith("parquet") else b'"label"')
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_named_pipe_is_read_as_a_table(command, folder, tmp_path):
    pipe, out = tmp_path / "pipe", tmp_path / "out.csv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as writer:
        writer.submit(pipe.write_bytes, (folder / "new.csv").read_bytes())
        assert command("predict", folder / "iris.skops", pipe, "-o", out).code == 0
    assert len(pd.read_csv(out)) == 50


def test_a_device_stays_a_device(command, folder):
    assert command("predict", folder / "iris.skops", folder / "new.csv", "-o", "/dev/null").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "iris.skops", "new.csv", "-o", "/dev/full"],
        ["fit", "iris.csv", "-t", "species", "-m", "kdc", "-o", "/dev/full"],
    ],
)
def test_a_full_device_is_named(command, folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    assert command(*arguments).error == "/dev/full: no space left on device"


def test_a_folder_is_refused(command, folder, tmp_path):
    error = command("predict", folder / "iris.skops", folder / "new.csv", "-o", tmp_path).error
    assert "is a folder" in error


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_predictions_that_do_not_fit_on_the_disk_leave_the_old_ones(folder, tmp_path, name):
    out = tmp_path / name
    out.write_text("old")
    big = pd.concat([pd.read_csv(folder / "new.csv")] * 200)
    big += np.random.default_rng(0).normal(scale=0.01, size=big.shape)
    big.to_csv(tmp_path / "big.csv", index=False)
    done = in_process(
        "predict", folder / "iris.skops", tmp_path / "big.csv", "-o", out, preexec_fn=small_files_only
    )
    assert (done.returncode, done.stderr) == (2, f"error: {out}: file too large\n")
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.csv", name]


def test_a_model_that_does_not_fit_on_the_disk_leaves_the_old_one(folder, tmp_path):
    out = tmp_path / "model.skops"
    out.write_text("old")
    done = in_process(
        *("fit", folder / "iris.csv", "-t", "species", "-m", "kdc", "-o", out),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert (done.returncode, done.stderr) == (2, f"error: {out}: file too large\n")
    assert out.read_text() == "old"


def small_files_only():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_full_standard_output_is_told_in_one_line(folder):
    with open("/dev/full", "w") as full:
        done = in_process(
            "evaluate", folder / "mixed.skops", folder / "mixed.csv", "--json", "-q", stdout=full
        )
    assert done.returncode == 2
    assert done.stderr == "error: the standard output cannot be written to: no space left on device\n"


def test_a_reader_that_has_seen_enough_gets_no_complaint(folder):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = in_process(
            "evaluate", folder / "mixed.skops", folder / "mixed.csv", "--json", "-q", stdout=closed
        )
    assert done.stderr == ""


def test_a_dash_prints_the_rows_and_nothing_else(folder, tmp_path, command):
    done = in_process("predict", folder / "iris.skops", folder / "new.csv", "-o", "-")
    command("predict", folder / "iris.skops", folder / "new.csv", "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (tmp_path / "out.csv").read_text()
    assert (
        "--json" in command("predict", folder / "iris.skops", folder / "new.csv", "-o", "-", "--json").error
    )


RISKY = ["=1+1", "+SUM(A1)", "@x", "-cmd|x", "=-5", "\t=1"]
HARMLESS = ["-1", "+3.5", "-1e5", "a=b", "-12 %", "1,5", "", "+1,000.50", "-.5", "-inf"]


@pytest.fixture
def hostile_cells(folder, tmp_path):
    """A table whose column "=note" begins as formulas do, and the model of iris."""
    notes = RISKY + HARMLESS
    table = pd.read_csv(folder / "new.csv")[: len(notes)].assign(**{"=note": notes})
    table.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "new.csv"


@pytest.mark.parametrize("name", ["out.csv", "out.tsv"])
def test_texts_that_are_formulas_get_an_apostrophe_and_numbers_do_not(
    command, folder, hostile_cells, tmp_path, name
):
    out = tmp_path / name
    answer = command("predict", folder / "iris.skops", hostile_cells, "-o", out, "--keep", "=note")
    assert answer.code == 0
    written = pd.read_csv(out, sep=None, engine="python", dtype=str, keep_default_na=False)["'=note"].tolist()
    assert written == [f"'{cell}" for cell in RISKY] + HARMLESS


def test_texts_stay_as_they_are_if_the_user_says_so_or_the_format_is_safe(
    command, folder, hostile_cells, tmp_path
):
    predict = ("predict", folder / "iris.skops", hostile_cells, "--keep", "=note", "-o")
    assert command(*predict, tmp_path / "raw.csv", "--raw-cells").code == 0
    assert command(*predict, tmp_path / "safe.parquet").code == 0
    raw = pd.read_csv(tmp_path / "raw.csv", dtype=str, keep_default_na=False)["=note"].tolist()
    assert raw == RISKY + HARMLESS
    assert "=note" in pd.read_parquet(tmp_path / "safe.parquet").columns


def test_labels_that_are_formulas_get_an_apostrophe(command, tmp_path):
    rng = np.random.default_rng(0)
    label = np.arange(40) % 2
    table = pd.DataFrame({"a": label + 0.1 * rng.normal(size=40), "y": np.array(["=A1", "@b"])[label]})
    table.to_csv(tmp_path / "t.csv", index=False)
    model, out = tmp_path / "m.skops", tmp_path / "o.csv"
    assert command("fit", tmp_path / "t.csv", "-t", "y", "-m", "kdc", "-o", model).code == 0
    assert command("predict", model, tmp_path / "t.csv", "-o", out).code == 0
    assert set(pd.read_csv(out)["label"]) == {"'=A1", "'@b"}
