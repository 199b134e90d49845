"""Tables that nobody meant well: escape codes, odd numbers, blank lines, zero bytes, very wide or long."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

ESCAPES = {
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07",
    "eight bits": "\x9b31mred",
    "back": "over\rwritten",
    "turned": "\u202egnp.exe",
}


def clouds(n=60, seed=0):
    """Two classes that column a tells apart."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 2
    return pd.DataFrame({"a": label + 0.1 * rng.normal(size=n), "y": np.array(["no", "yes"])[label]})


def controls(text):
    """Characters that a terminal would obey; a line end is the only one that we print."""
    return {char for char in text if ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202e"} - {"\n"}


@pytest.fixture
def fit(command, tmp_path):
    """Fit a table from a file; options follow."""

    def call(table, *options, target="y"):
        path = tmp_path / "t.csv"
        if isinstance(table, pd.DataFrame):
            table.to_csv(path, index=False, quoting=csv.QUOTE_ALL)
        else:
            path.write_bytes(table if isinstance(table, bytes) else table.encode())
        return command("fit", path, "-t", target, "-m", "kdc", "-o", tmp_path / "m.skops", *options)

    return call


@pytest.mark.parametrize("evil", ESCAPES.values(), ids=ESCAPES)
def test_escape_codes_never_reach_the_terminal(fit, command, tmp_path, evil):
    rng = np.random.default_rng(0)
    table = clouds().assign(**{evil: rng.normal(size=60), "c": [evil, "plain"] * 30})
    table["y"] += evil
    model, rows = tmp_path / "m.skops", tmp_path / "t.csv"
    answers = [
        fit(table),
        command("predict", model, rows, "-o", tmp_path / "o.csv"),
        command("evaluate", model, rows),
        command("explain", model, rows, "--training", rows),
        command("compare", rows, "-t", "y", "-m", "kdc", "--no-rivals", "--folds", "2"),
    ]
    assert [answer.code for answer in answers] == [0] * 5
    refused = [
        command("fit", rows, "-t", f"{evil}?"),
        command("explain", model, rows, "--class", evil),
        command("predict", model, tmp_path / f"none{evil}.csv", "-o", tmp_path / "o.csv"),
        command("predict", model, rows, "-o", tmp_path / "o.csv", "--keep", f"{evil}?"),
    ]
    assert [answer.code for answer in refused] == [2] * 4
    for answer in answers + refused:
        assert controls(answer.out + answer.err) == set(), answer


@pytest.mark.parametrize("markup", ["[bold red]", "[/]", "[link=http://x]", ":smile:"])
def test_markup_is_shown_as_it_is(fit, command, tmp_path, markup):
    table = clouds().assign(**{f"{markup}c": 1.5 * np.arange(60)})
    table["y"] += markup
    answer = fit(table)
    assert f"{markup}c" in answer.out
    explained = command("explain", tmp_path / "m.skops", tmp_path / "t.csv", "--training", tmp_path / "t.csv")
    assert markup in explained.out


def test_blank_lines_before_the_header_do_not_count(fit, command, tmp_path):
    text = clouds().to_csv(index=False)
    expected = json.loads(fit(text, "--json").out)["classes"]
    for blank in ("\n", "\r\n\r\n", "  \n", "\ufeff\n"):
        assert json.loads(fit(blank + text, "--json").out)["classes"] == expected == {"no": 30, "yes": 30}
    out = tmp_path / "o.csv"
    assert command("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", out).code == 0
    assert len(pd.read_csv(out)) == 60


@pytest.mark.parametrize(
    "labels",
    [
        ("18446744073709551615", "18446744073709551614"),
        ("9007199254740993", "9007199254740992"),
        ("1e300", "1e301"),
        ("inf", "-inf"),
        ("0x10", "0x11"),
        ("1" * 50, "1" * 49 + "2"),
        ("-9223372036854775808", "9223372036854775807"),
    ],
)
def test_numbers_that_no_machine_holds_are_classes_of_their_own(fit, command, tmp_path, labels):
    table = clouds()
    table["y"] = np.where(table["y"] == "yes", *labels)
    assert json.loads(fit(table, "--json").out)["classes"] == dict.fromkeys(labels, 30)
    out = tmp_path / "o.csv"
    assert command("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", out, "--raw-cells").code == 0
    assert (pd.read_csv(out, dtype=str)["label"] == table["y"]).mean() > 0.9
    assert (
        json.loads(command("evaluate", tmp_path / "m.skops", tmp_path / "t.csv", "--json").out)["rows"] == 60
    )


def test_hexadecimal_means_the_same_to_fit_and_predict(fit, command, tmp_path):
    table = clouds().assign(code=[hex(number % 7) for number in range(60)])
    assert json.loads(fit(table, "--json").out)["columns"]["code"]["kind"] == "category"
    assert command("predict", tmp_path / "m.skops", tmp_path / "t.csv", "-o", tmp_path / "o.csv").code == 0


def test_hexadecimal_among_numbers_is_named(fit, command, tmp_path):
    fit(clouds())
    new = tmp_path / "new.csv"
    new.write_text("a\n0.5\n0x1A\n")
    error = command("predict", tmp_path / "m.skops", new, "-o", tmp_path / "o.csv").error
    assert "0x1A" in error
    assert "'a'" in error


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_unicode_of_every_width_is_read(fit, encoding):
    table = clouds()
    table["y"] = table["y"].map({"no": "nö", "yes": "ja"})
    answer = fit(table.to_csv(index=False).encode(encoding), "--json")
    assert json.loads(answer.out)["classes"] == {"nö": 30, "ja": 30}


@pytest.mark.parametrize("where", ["header", "first row", "far below"])
def test_zero_bytes_are_refused_wherever_they_are(fit, where):
    lines = clouds(200_000 if where == "far below" else 60).to_csv(index=False).encode().split(b"\n")
    number = {"header": 0, "first row": 1, "far below": -3}[where]
    lines[number] = lines[number][:1] + b"\0" + lines[number][1:]
    error = fit(b"\n".join(lines)).error
    assert "zero byte" in error


def test_very_wide_tables_are_fitted_predicted_and_explained(fit, command, tmp_path):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(60, 1500)).round(3)).add_prefix("c")
    wide = pd.concat([wide, clouds()], axis=1)
    answer = fit(wide)
    assert answer.code == 0
    assert len(answer.out.splitlines()) < 60
    model, rows = tmp_path / "m.skops", tmp_path / "t.csv"
    assert command("predict", model, rows, "-o", tmp_path / "o.csv").code == 0
    explained = command("explain", model, rows, "--training", rows).out
    assert "training row" in explained
    assert "other columns" in explained
    assert max(map(len, explained.splitlines())) < 2000


def test_long_lines_are_read_and_shown_short(fit):
    table = clouds().assign(text=["word " * 30_000 + str(number) for number in range(60)])
    answer = fit(table, "--exclude", "text")  # n-grams of all that would take a minute
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) < 400


def test_a_line_that_is_longer_than_can_be_read_is_told(fit):
    table = clouds().to_csv(index=False) + "1.0," + "x" * (9 << 20) + "\n"
    assert "longer than" in fit(table).error
