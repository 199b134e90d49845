"""``kernelproba compare``: one row per method, the best first."""

import json

import numpy as np
import pandas as pd
import pytest

OPTIONS = ["-t", "species", "-m", "lspc", "-m", "kdc", "--no-rivals", "--folds", 3]


def test_methods_are_sorted_by_log_loss(command, folder):
    facts = json.loads(command("compare", folder / "iris.csv", *OPTIONS, "--json").out)
    assert {row["method"] for row in facts["methods"]} == {"lspc", "kdc"}
    losses = [row["log_loss"] for row in facts["methods"]]
    assert losses == sorted(losses)
    assert (facts["rows"], facts["folds"]) == (100, 3)
    assert all(row["error"] < 0.15 for row in facts["methods"])


def test_folds_in_two_processes_score_alike(command, folder):
    runs = [
        json.loads(command("compare", folder / "iris.csv", *OPTIONS, "--json", "--jobs", jobs).out)["methods"]
        for jobs in (1, 2)
    ]
    assert [row["log_loss"] for row in runs[0]] == pytest.approx([row["log_loss"] for row in runs[1]])


def test_the_usual_rivals_take_part_and_mixed_tables_suit_them(command, folder):
    answer = command("compare", folder / "mixed.csv", "-t", "outcome", "-m", "kdc", "--folds", 2)
    assert answer.code == 0
    for name in ("kdc", "SVC, calibrated", "random forest", "gradient boosting", "logistic regression"):
        assert name in answer.out
    assert "failed" not in answer.out
    assert "± is half of a 95% interval" in answer.out


def test_the_table_is_written_if_asked_for(command, folder, tmp_path):
    answer = command("compare", folder / "iris.csv", *OPTIONS, "-o", tmp_path / "scores.csv", "-q")
    assert (answer.code, answer.out) == (0, "")
    assert set(pd.read_csv(tmp_path / "scores.csv")["method"]) == {"lspc", "kdc"}


def test_a_method_that_fails_does_not_stop_the_others(command, folder, monkeypatch):
    from kernelproba import KernelDensityClassifier

    def fail(*_, **__):
        raise ValueError("no densities today")

    monkeypatch.setattr(KernelDensityClassifier, "fit", fail)
    answer = command("compare", folder / "iris.csv", *OPTIONS)
    assert answer.code == 0
    assert "kdc failed: ValueError: no densities today" in answer.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-t", "nothing"], "no column 'nothing'"),
        (["-t", "species", "-m", "nothing"], "no method 'nothing'"),
        (["-t", "species", "--folds", "90"], "folds"),
        (["-t", "species", "--folds", "1"], "Invalid value for '--folds'"),
    ],
)
def test_a_wrong_option_gets_one_line(command, folder, options, message):
    assert message in command("compare", folder / "iris.csv", *options).error


def test_a_method_is_behind_the_best_by_a_paired_difference(command, folder):
    facts = json.loads(command("compare", folder / "iris.csv", *OPTIONS, "--json").out)
    best, other = facts["methods"]
    assert best["log_loss_gap"] == 0
    assert other["log_loss_gap"] == pytest.approx(other["log_loss"] - best["log_loss"])
    assert other["log_loss_gap_low"] < other["log_loss_gap"] < other["log_loss_gap_high"]


def test_time_that_is_over_leaves_slow_methods_out(command, folder, monkeypatch):
    import time

    from kernelproba import LeastSquaresProbabilisticClassifierCV

    monkeypatch.setattr(LeastSquaresProbabilisticClassifierCV, "fit", lambda *_, **__: time.sleep(60))
    answer = command("compare", folder / "iris.csv", *OPTIONS, "--max-time", 2)
    assert answer.code == 0
    assert "lspc: out of time after 0 of 3 folds" in answer.out


def test_the_best_is_fitted_and_reported_if_asked_for(command, folder, tmp_path):
    model, report = tmp_path / "m.skops", tmp_path / "r.json"
    answer = command(
        *("compare", folder / "iris.csv", *OPTIONS, "--fit-winner", model, "--report", report, "--json")
    )
    facts = json.loads(answer.out)
    assert facts["winner"]["method"] == facts["methods"][0]["method"]
    assert facts["winner"]["held_out"]["rows"] > 20
    assert command("predict", model, folder / "new.csv", "-o", tmp_path / "o.csv").code == 0
    summary = json.loads(report.read_text())
    assert {row["method"] for row in summary["rivals"]["methods"]} == {"lspc", "kdc"}
    shown = command("compare", folder / "iris.csv", *OPTIONS, "--fit-winner", model).out
    assert "The best of ours is" in shown
    assert "Next: kernelproba predict" in shown


def test_folds_by_groups_do_not_let_methods_know_groups_by_heart(command, tmp_path):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(30), 6)
    X = rng.normal(size=(30, 3))[patient] + 0.01 * rng.normal(size=(180, 3))  # a patient's rows are alike
    table = pd.DataFrame(X, columns=list("abc")).assign(
        patient_id=[f"P{number}" for number in patient], y=rng.choice(["ill", "well"], 30)[patient]
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("compare", tmp_path / "t.csv", "-t", "y", "-m", "kdc", "--no-rivals", "--json")
    known, held = command(*options), command(*options, "--group", "patient_id")
    losses = [json.loads(answer.out)["methods"][0]["log_loss"] for answer in (known, held)]
    assert losses[0] < 0.1 < 0.5 < losses[1]
    assert "column 'patient_id' is learnt from" in known.err
    assert held.err == ""
    assert json.loads(held.out)["by"] == "patient_id"
    assert "cannot make 40 --folds" in command(*options, "--group", "patient_id", "--folds", 40).error
