"""Smaller model files by the command line."""

import json

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression
from kernelproba.persistence import load_model, save_model


def test_a_smaller_model_predicts_nearly_the_same(command, folder, tuned, tmp_path):
    small = tmp_path / "small.skops"
    answer = command(
        "compress", folder / tuned, small, "--centers", 25, "--rows", folder / "new.csv", "--json"
    )
    assert answer.code == 0, answer
    facts = json.loads(answer.out)
    assert facts["n_centers"] == 25
    assert facts["bytes"] < facts["bytes_before"]
    predictions = []
    for model in (folder / tuned, small):
        out = tmp_path / "out.csv"
        assert command("predict", model, folder / "new.csv", "-o", out, "-q").code == 0
        predictions.append(pd.read_csv(out).select_dtypes("number"))
    assert not predictions[0].empty
    assert (predictions[0] - predictions[1]).abs().to_numpy().mean() < 0.02


def test_a_model_that_has_changed_much_names_what_keeps_it_nearer(command, folder, tuned, tmp_path):
    small = tmp_path / "small.skops"
    answer = command("compress", folder / tuned, small, "--centers", 2)
    assert answer.code == 0, answer
    assert "--move" in answer.err
    answer = command("compress", folder / tuned, small, "--centers", 40)
    assert "--move" not in answer.err


def test_a_smaller_model_says_where_its_sets_are(command, folder, tuned, tmp_path):
    small = tmp_path / "small.skops"
    assert command("compress", folder / tuned, small, "--centers", 25, "-q").code == 0
    answer = command("predict", small, folder / "new.csv", "-o", tmp_path / "out.csv", "--sets", "0.9")
    assert "a compressed model has none" in answer.error


def test_a_model_is_never_written_over_by_its_smaller_one(command, folder, tuned):
    before = (folder / tuned).read_bytes()
    answer = command("compress", folder / tuned, folder / tuned, "--centers", 25)
    assert "is also read from" in answer.error
    assert (folder / tuned).read_bytes() == before


def test_a_place_that_is_no_place_is_refused_before_the_work(command, folder, tuned, tmp_path):
    answer = command("compress", folder / tuned, tmp_path / "none" / "small.skops", "--centers", 25)
    assert "there is no folder" in answer.error


def test_what_only_the_larger_model_can_tell_is_named(command, folder, tuned, tmp_path):
    answer = command("compress", folder / tuned, tmp_path / "small.skops", "--centers", 25)
    assert f"sets, intervals and novelty are {tuned}'s alone" in answer.err


def test_a_loss_that_is_none_is_refused_by_the_name_of_its_option(command, folder, tuned, tmp_path):
    for loss in ("0", "-1", "nan"):
        answer = command("compress", folder / tuned, tmp_path / "small.skops", "--max-loss", loss)
        assert "--max-loss takes a positive number" in answer.error


def test_how_small_must_be_said_once(command, folder, tuned, tmp_path):
    small = tmp_path / "small.skops"
    assert "one of the two" in command("compress", folder / tuned, small).error
    both = command("compress", folder / tuned, small, "--centers", 5, "--max-loss", 0.1)
    assert "one of the two" in both.error
    assert not small.exists()


def test_a_model_that_cannot_be_compressed_says_so(command, folder, tmp_path):
    answer = command("compress", folder / "iris.skops", tmp_path / "small.skops", "--centers", 5)
    assert "cannot be compressed" in answer.error


def test_a_pipeline_saved_from_python_becomes_smaller_too(command, folder, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), KernelLogisticRegression()).fit(X, y)
    save_model(model, tmp_path / "iris.skops")
    place = tmp_path / "iris.skops", tmp_path / "small.skops"
    assert command("compress", *place, "--centers", 30).code == 0
    np.testing.assert_allclose(load_model(place[1]).predict_proba(X), model.predict_proba(X), atol=0.05)
    answer = command("compress", *place, "--centers", 30, "--rows", folder / "new.csv")
    assert "knows no columns: leave out --rows" in answer.error
