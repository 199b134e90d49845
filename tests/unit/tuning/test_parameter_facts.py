"""What is told apart of parameters, whatever they are."""

import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics import accuracy_score, fbeta_score, make_scorer

from kernelproba.kernels import RBF, CallableKernel
from kernelproba.tuning.parameter_facts import facts_of

WIDTH = 2.0


def of_width(X, Z, width=1.0):
    return np.exp(-np.abs(X[:, None] - Z[None]).sum(axis=2) / width)


def with_width(width):
    return lambda X, Z: of_width(X, Z, width)


def of_global_width(X, Z):
    return of_width(X, Z, WIDTH)


def calls_itself(n):
    return n and calls_itself(n - 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1.0, 2.0),
        (True, 1),
        ([1.0, 2.0], [1.0, 3.0]),
        (np.arange(1000.0), np.r_[np.arange(999.0), 0]),
        ([[1, 2], [3]], [[1], [2, 3]]),
        ({"a": 1}, {"a": 2}),
        (lambda X, Z: X @ Z.T, lambda X, Z: X @ Z.T + 1),
        (with_width(1.0), with_width(2.0)),
        (partial(of_width, width=1), partial(of_width, width=2)),
        (make_scorer(fbeta_score, beta=1), make_scorer(fbeta_score, beta=2)),
        (make_scorer(accuracy_score), make_scorer(accuracy_score, greater_is_better=False)),
        (RBF(np.ones(200)), RBF(np.r_[np.ones(199), 2.0])),
        (CallableKernel(of_width, {"width": 1}), CallableKernel(of_width, {"width": 2})),
        (gp.RBF(1.0001), gp.RBF(1.0002)),
    ],
)
def test_what_leads_to_other_fits_is_told_apart(one, other):
    assert facts_of(one) == facts_of(one)
    assert facts_of(one) != facts_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1.0, np.float64(1.0)),
        ([0.1, 1.0], np.array([0.1, 1.0])),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (with_width(1.0), with_width(1.0)),
        (RBF(2.0), RBF(2.0)),
    ],
)
def test_what_is_the_same_is_described_alike(one, other):
    assert facts_of(one) == facts_of(other)


def test_a_value_that_a_function_takes_from_around_it_counts(monkeypatch):
    before = facts_of(of_global_width)
    monkeypatch.setattr(sys.modules[__name__], "WIDTH", 3.0)
    assert facts_of(of_global_width) != before
    assert facts_of(calls_itself)


def test_another_process_describes_functions_alike(tmp_path):
    script = tmp_path / "kernels.py"
    script.write_text(
        "from functools import partial\n"
        "from kernelproba.tuning.parameter_facts import facts_of\n"
        "def inner(X, Z): return [x for x in X if x in {'a', 'b', 'c'}]\n"
        "print(facts_of(partial(inner, Z=lambda: inner)))\n"
    )
    with redirect_stdout(StringIO()) as here:
        runpy.run_path(str(script))
    there = subprocess.run([sys.executable, script], capture_output=True, check=True, text=True)
    assert "inner" in there.stdout
    assert there.stdout == here.getvalue()
