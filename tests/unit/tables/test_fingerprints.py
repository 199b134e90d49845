"""Rows are known again."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kernelproba.tables.fingerprints import fingerprints, packed, seen_before, unpacked


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "text": rng.choice(["a", "b", None], n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )


def test_equal_rows_have_equal_fingerprints_wherever_they_stand():
    X = table()
    order = np.random.default_rng(1).permutation(200)
    np.testing.assert_array_equal(fingerprints(X.iloc[order]), fingerprints(X)[order])
    np.testing.assert_array_equal(fingerprints(pl.from_pandas(X)), fingerprints(X))


@pytest.mark.parametrize("value", [0.25, None, "c", ""])
def test_another_value_gives_another_fingerprint(value):
    column = "text" if isinstance(value, str) else "number"
    X = table().fillna({"text": "a", "number": 1.0})
    changed = X.copy()
    changed.loc[7, column] = value
    assert (fingerprints(X) != fingerprints(changed)).tolist() == [i == 7 for i in range(200)]


def test_rows_of_training_are_seen_and_others_are_not():
    X = table(300).assign(number=np.random.default_rng(1).normal(size=300))
    known = fingerprints(X[:200])
    assert seen_before(fingerprints(X[100:]), known).tolist() == [True] * 100 + [False] * 100


def test_rows_that_are_the_same_by_chance_are_not_the_same_case():
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(rng.choice(["agree", "disagree"], (600, 4)), columns=list("abcd"))
    known = fingerprints(answers[:300])
    assert not seen_before(fingerprints(answers[300:]), known).any()


def test_fingerprints_survive_as_text():
    keys = fingerprints(table())
    np.testing.assert_array_equal(unpacked(packed(keys)), keys)
