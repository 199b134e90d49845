"""The words of the report say what the numbers say."""

import numpy as np
import pytest

from kernelproba.report.scores_summary import calibration, headline_scores
from kernelproba.report.wording import confused_pairs, interval, number, seconds, trust

N = 4000


def _summary(stated, true):
    """Two classes; the first is stated with probability `stated` (N,) and happens with `true`."""
    codes = (np.random.RandomState(0).uniform(size=N) > true).astype(int)
    P = np.stack([stated, 1 - stated], axis=1)
    scores = headline_scores(codes, P)
    return {"scores": scores, "calibration": calibration(codes, P, np.array(["a", "b"]), scores["ece"])}


@pytest.mark.parametrize(
    ("true", "verdict"),
    [
        (lambda p: p, "no sign of miscalibration"),
        (lambda p: p - 0.15, "too sure of itself"),
        (lambda p: p + 0.1, "too cautious"),
        (
            lambda p: np.where(p < 0.75, p + 0.1, p - 0.1),
            "some of its probabilities are too high and others too low",
        ),
    ],
)
def test_the_verdict_names_the_direction_of_the_error(true, verdict):
    stated = np.linspace(0.6, 0.9, N)
    assert verdict in trust(_summary(stated, true(stated)))


def test_the_most_frequent_mistakes_come_first_with_their_share():
    confusion = {"classes": ["a", "b", "c"], "counts": [[8, 2, 0], [5, 5, 10], [0, 0, 1]]}
    pairs = [(p["true"], p["predicted"], p["rows"], p["share"]) for p in confused_pairs(confusion)]
    assert pairs == [("b", "c", 10, 0.5), ("b", "a", 5, 0.25), ("a", "b", 2, 0.2)]


def test_numbers_that_are_missing_are_dashes():
    assert number(None) == number(float("nan")) == seconds(None) == seconds(float("nan")) == "–"
    assert interval({"estimate": 0.1}) == ""


def test_a_rounded_zero_has_no_sign():
    assert number(-1e-9) == "0.000"
