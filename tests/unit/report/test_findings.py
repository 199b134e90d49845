"""Planted defects are named, and clean tables are not suspected."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from kernelproba.report.about import About
from kernelproba.report.drift import drifts
from kernelproba.report.leaks import leaking_columns
from kernelproba.report.render import render
from kernelproba.report.summary import summarise, summarise_predictions
from kernelproba.tables import TableClassifier

CLEAN = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def noisy(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"]).assign(town=rng.choice(list("xyz"), n))
    return X, np.where(X["a"] + 0.5 * rng.normal(size=n) > 0, "yes", "no")


def report(X, y, X_new, y_new, **about):
    model = TableClassifier(LogisticRegression()).fit(X, y)
    return summarise(model, X_new, y_new, training=(X, y), about=About(**about))


@pytest.mark.parametrize("load", CLEAN.values(), ids=CLEAN)
def test_clean_tables_raise_no_alarm(load):
    X, y = load(return_X_y=True, as_frame=True)
    X, X_new, y, _ = train_test_split(X, y, random_state=0, stratify=y)
    assert leaking_columns(X, y) == []
    assert drifts(X, X_new) == []


def test_a_good_model_of_clean_rows_has_no_findings():
    X, y = noisy()
    assert report(X[:200], y[:200], X[200:], y[200:], seen=np.zeros(200, dtype=bool))["findings"] == []


@pytest.mark.parametrize("disguise", ["code", "number", "amount"])
def test_a_column_that_is_the_target_in_disguise_is_named(disguise):
    X, y = noisy()
    rng = np.random.default_rng(1)
    X["leak"] = {
        "code": np.where(y == "yes", "J", "N"),
        "number": (y == "yes") * 1.0,
        "amount": np.where(y == "yes", rng.gamma(5, 100, len(y)) + 1, 0.0),
    }[disguise]
    assert leaking_columns(X, y) == ["leak"]
    findings = report(X[:200], y[:200], X[200:], y[200:])["findings"]
    assert len(findings) == 1
    assert "“leak” tells the target almost by itself" in findings[0]


def test_rows_seen_in_training_are_told_and_not_called_unseen():
    X, y = noisy()
    summary = report(X, y, X, y, seen=np.ones(400, dtype=bool))
    assert summary["findings"][0].startswith("All rows were in the training table")
    half = report(X, y, X, y, seen=np.arange(400) < 100)
    assert half["findings"][0].startswith("100 of 400 rows were in the training table")
    from kernelproba.report.wording import opening

    assert "had not seen" not in opening(summary)


def test_a_model_that_learnt_nothing_is_told():
    X, y = noisy()
    y = np.random.default_rng(0).permutation(y)
    findings = report(X[:200], y[:200], X[200:], y[200:])["findings"]
    assert any("than stating the frequency of each class" in each for each in findings)


@pytest.mark.parametrize("known", ["rows of training", "their counts"])
def test_a_model_that_states_the_priors_scores_as_the_frequencies_do_and_is_not_called_worse(known):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.choice(["a", "b", "c"], 300, p=[0.6, 0.3, 0.1])
    train, test = slice(0, 200), slice(200, 300)
    model = DummyClassifier().fit(X[train], y[train])
    if known == "their counts":
        counts = np.unique(y[train], return_counts=True)[1]
        summary = summarise(model, X[test], y[test], about=About(class_counts=counts))
    else:
        summary = summarise(model, X[test], y[test], training=(X[train], y[train]))
    own = {key: score["estimate"] for key, score in summary["scores"].items()}
    assert own == pytest.approx(summary["baseline"])
    assert summary["baseline_counted"] == "in training"
    assert any("not clearly better" in each for each in summary["findings"])
    assert not any("worse" in each for each in summary["findings"])


def test_frequencies_of_the_judged_rows_have_no_calibration_error():
    y = np.repeat([0, 1], [60, 40])
    summary = summarise_predictions(y, np.full(100, 0.35))
    assert "ece" not in summary["baseline"]
    assert summary["baseline_counted"] == "in these rows"
    assert "counted in these rows" in render(summary)


def test_a_class_that_is_never_predicted_is_told():
    X, y = noisy()
    rare = np.where(np.arange(400) % 40 == 0, "rare", y)
    findings = report(X[:200], rare[:200], X[200:], rare[200:])["findings"]
    assert any("Never the likeliest class" in each and "“rare”" in each for each in findings)


@pytest.mark.parametrize("change", ["shift", "level", "gaps"])
def test_a_column_that_has_shifted_is_named(change):
    X, y = noisy()
    X_new = X[200:].copy()
    if change == "shift":
        X_new["b"] += 1
    elif change == "level":
        X_new["town"] = np.where(np.arange(200) % 2 == 0, "new", X_new["town"])
    else:
        X_new["b"] = X_new["b"].where(np.arange(200) % 2 == 0)
    name = "town" if change == "level" else "b"
    assert [each["name"] for each in drifts(X[:200], X_new)] == [name]
    assert f"“{name}”" in report(X[:200], y[:200], X_new, y[200:])["findings"][-1]


def test_drift_is_seldom_seen_where_there_is_none():
    X, _ = noisy(2000)
    alarms = [drifts(*train_test_split(X, random_state=seed, test_size=0.4)) for seed in range(30)]
    assert sum(map(bool, alarms)) == 0
