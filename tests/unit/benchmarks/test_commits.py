"""Two commits compared: medians, ratios, and what counts as an alarm."""

import json
import subprocess
import sys

import pytest

from benchmarks import commits

RUNS = {
    "base": [{"wine": {"fit s": s, "predict s": 1.0, "log loss": 0.1}} for s in (1.0, 2.0, 9.0)],
    "head": [{"wine": {"fit s": s, "predict s": 0.5, "log loss": 0.1}} for s in (4.0, 3.0, 3.0)],
}


def test_medians_are_compared():
    found = commits.row("m", "wine", RUNS)
    assert (found["base fit s"], found["fit ratio"], found["predict ratio"]) == (2.0, 1.5, 0.5)
    assert found["log loss change"] == 0.0


@pytest.mark.parametrize(("change", "alarm"), [({}, True), ({"fit ratio": 1.0}, False)])
def test_a_slower_fit_is_an_alarm(change, alarm):
    assert commits.alarming(commits.row("m", "wine", RUNS) | change) is alarm


def test_a_worse_loss_is_an_alarm():
    assert commits.alarming({"fit ratio": 1.0, "log loss change": 0.02})


def test_the_worker_measures_with_the_code_on_its_path():
    done = subprocess.run(
        [sys.executable, str(commits.WORKER), "KernelDensityClassifier"], capture_output=True, check=True
    )
    assert set(json.loads(done.stdout)) == {"wine", "breast cancer", "digits"}
