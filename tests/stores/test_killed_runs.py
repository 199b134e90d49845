"""A self-tuned fit that was killed, at whatever stage, goes on from its checkpoint to the same model."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import KFold, StratifiedKFold

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.rows import MemoryRows

#: Fits the rows of a file in a process of its own, and is killed by itself once a stage is on disk.
FIT = """
import os, signal, sys
import numpy as np
from kernelproba import KernelLogisticRegressionCV
from kernelproba.rows import MemoryRows
from kernelproba.tuning import checkpoint
folder, stage = sys.argv[1:]
written = checkpoint.replacing
def replacing(path):
    class Context:
        def __enter__(self):
            self.inner = written(path)
            return self.inner.__enter__()
        def __exit__(self, *error):
            done = self.inner.__exit__(*error)
            if path.name == stage + ".npz":
                os.kill(os.getpid(), signal.SIGKILL)
            return done
    return Context()
checkpoint.replacing = replacing
data = np.load(os.path.join(os.path.dirname(folder), "rows.npz"))
model = KernelLogisticRegressionCV(
    kernel="auto", max_rows=300, n_centers=40, random_state=0, checkpoint=folder
)
model.fit(MemoryRows(data["X"], 512), data["y"])
"""


def _scorer(beta):
    return make_scorer(fbeta_score, beta=beta, average="macro")


def _overlap(power):
    return lambda X, Z: np.exp(-(np.abs(X[:, None] - Z[None]).sum(axis=2) ** power) / 4)


@pytest.fixture(scope="module")
def search():
    return KernelLogisticRegressionCV(kernel="auto", max_rows=300, n_centers=40, random_state=0)


@pytest.fixture(scope="module")
def uninterrupted(search, rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "checkpoint"
    model = clone(search).set_params(checkpoint=folder).fit(MemoryRows(rows[0], 512), rows[1])
    return model, sorted(file.stem for file in folder.glob("*.npz"))


def test_every_stage_is_kept(uninterrupted):
    model, stages = uninterrupted
    sizes = [name for name in stages if name.startswith("size-")]
    pooled = len([name for name in stages if name.startswith("model-") and "fold" not in name])
    folds = [f"model-{k}-fold-{j}" for k in range(pooled) for j in range(4)]
    assert sizes
    assert pooled >= len(model.estimators_)
    assert sorted(["search", "components", *sizes, *(f"model-{k}" for k in range(pooled)), *folds]) == stages


@pytest.mark.parametrize("stage", ["search", "components", "size-1200", "model-0-fold-1"])
def test_a_killed_run_goes_on_to_the_same_model(search, rows, uninterrupted, tmp_path, monkeypatch, stage):
    X, y = rows[:2]
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    folder = tmp_path / "checkpoint"
    killed = subprocess.run([sys.executable, "-c", FIT, folder, stage], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    left = {file.stem for file in folder.glob("*.npz")}
    assert stage in left
    assert left < set(uninterrupted[1])
    fitted, fit = [], KernelLogisticRegression.fit

    def counted(self, *rest):
        fitted.append(1)
        return fit(self, *rest)

    monkeypatch.setattr(KernelLogisticRegression, "fit", counted)
    model = clone(search).set_params(checkpoint=folder).fit(MemoryRows(X, 512), y)
    expected = uninterrupted[0]
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(model.loo_proba_, expected.loo_proba_)
    assert model.best_params_ == expected.best_params_
    assert model.cv_results_["params"] == expected.cv_results_["params"]
    if stage == "model-0-fold-1":
        assert len(fitted) < len(expected.estimators_) + 1  # what was on disk was not fitted again


def test_a_killed_process_leaves_no_half_of_a_stage(rows, tmp_path):
    X, y = rows[:2]
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    folder = tmp_path / "checkpoint"
    run = subprocess.Popen([sys.executable, "-c", FIT, folder, "none"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (folder / "run.json").exists() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert json.loads((folder / "run.json").read_text())["the number of rows"] == len(y)


def test_a_checkpoint_of_other_rows_or_parameters_is_refused(search, rows, tmp_path):
    X, y = rows[0][:200], rows[1][:200]
    few = clone(search).set_params(kernel="rbf", n_centers="auto", checkpoint=tmp_path / "folder")
    model = clone(few).fit(X, y)
    again = clone(few).fit(X, y)
    np.testing.assert_array_equal(again.loo_proba_, model.loo_proba_)
    with pytest.raises(ValueError, match="differs in the parameter tol"):
        clone(few).set_params(tol=1e-3).fit(X, y)
    with pytest.raises(ValueError, match="differs in a sample of the rows, the values of the rows"):
        clone(few).fit(X + 0.1, y)
    swapped = X.copy()
    swapped[[0, 1]] = X[[1, 0]]
    assert y[0] != y[1]
    with pytest.raises(ValueError, match="the values of the rows"):
        clone(few).fit(swapped, y)
    with pytest.raises(ValueError, match="differs in the labels of rows"):
        clone(few).fit(X, y[::-1])
    with pytest.raises(ValueError, match="whole number as random_state"):
        clone(few).set_params(random_state=None).fit(X, y)
    clone(few).set_params(max_time=1e5).fit(X, y)  # how long it may take is no part of what it is


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        ({"cv": StratifiedKFold(3)}, {"cv": StratifiedKFold(4)}, "the folds of cv"),
        ({"cv": list(KFold(3).split(np.zeros(100)))}, {"cv": 3}, "the folds of cv"),
        ({"scoring": _scorer(1)}, {"scoring": _scorer(2)}, "the parameter scoring"),
        ({"kernel": _overlap(1)}, {"kernel": _overlap(2)}, "the parameter kernel"),
    ],
)
def test_parameters_that_are_objects_or_functions_are_told_apart(rows, tmp_path, one, other, named):
    X, y = rows[0][:100], rows[1][:100]
    few = KernelLogisticRegressionCV([0.3, 3.0], kernel="rbf", scale=None, random_state=0, cv=3)
    few.set_params(checkpoint=tmp_path / "folder")
    model = clone(few).set_params(**one).fit(X, y)
    again = clone(few).set_params(**one).fit(X, y)
    np.testing.assert_array_equal(again.loo_proba_, model.loo_proba_)
    with pytest.raises(ValueError, match=f"differs in {named}:"):
        clone(few).set_params(**other).fit(X, y)


def test_stored_rows_that_change_places_without_their_labels_are_other_rows(rows, tmp_path):
    X, y = rows[0][:400], rows[1][:400]
    search = KernelLogisticRegressionCV(
        [1.0], gammas=[0.3], kernel="rbf", scale=None, max_rows=20, n_centers=10, random_state=0
    ).set_params(checkpoint=tmp_path / "folder")
    clone(search).fit(MemoryRows(X, 100), y)
    other = np.flatnonzero(y != y[0])[0]
    swapped = X.copy()
    swapped[[0, other]] = X[[other, 0]]
    with pytest.raises(ValueError, match="the values of the rows"):
        clone(search).fit(MemoryRows(swapped, 100), y)
