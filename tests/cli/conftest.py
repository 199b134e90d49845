"""Tables in files, a model fitted on one of them, and the command line in this process."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("skops")
pytest.importorskip("pyarrow")

import pandas as pd
from sklearn.datasets import load_iris


@dataclass(frozen=True)
class Answer:
    """What a command returned and printed."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of a refusal: exit code 2, nothing but that line, no traceback."""
        assert self.code == 2, self
        lines = [line for line in self.err.splitlines() if not line.startswith("note:")]
        assert len(lines) == 1, self
        assert lines[0].startswith("error: ")
        assert "Traceback" not in self.err
        return lines[0].removeprefix("error: ")


@pytest.fixture
def command(capsys, monkeypatch):
    """Run a command line and return its answer."""
    from kernelproba.cli.app import run

    monkeypatch.delenv("KERNELPROBA_DEBUG", raising=False)

    def call(*arguments) -> Answer:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Answer(code, *capsys.readouterr())

    return call


def mixed_table(n: int = 120, seed: int = 0) -> pd.DataFrame:
    """Numbers with gaps, categories, dates, flags and a text of many values; the outcome depends on three."""
    rng = np.random.default_rng(seed)
    age, sex, smoker = rng.integers(18, 90, n).astype(float), rng.choice(["f", "m"], n), rng.random(n) < 0.4
    ill = (age - 50) / 15 + (sex == "m") + 1.5 * smoker + rng.logistic(size=n) > 1
    age[rng.random(n) < 0.1] = np.nan
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "town": [f"Town {number}" for number in rng.integers(0, 50, n)],
            "visit": days.strftime("%Y-%m-%d"),
            "smoker": smoker,
            "outcome": np.where(ill, "ill", "healthy"),
        }
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """iris.csv, new.csv (without the target), mixed.csv and two models, iris.skops and mixed.skops."""
    from kernelproba.cli.app import run

    place = tmp_path_factory.mktemp("tables")
    data = load_iris(as_frame=True).frame.sample(frac=1, random_state=0, ignore_index=True)
    data.columns = ["sepal length", "sepal width", "petal length", "petal width", "species"]
    data["species"] = np.array(["setosa", "versicolor", "virginica"])[data["species"]]
    data[:100].to_csv(place / "iris.csv", index=False)
    data[100:].to_csv(place / "test.csv", index=False)
    data[100:].drop(columns="species").to_csv(place / "new.csv", index=False)
    mixed_table().to_csv(place / "mixed.csv", index=False)
    for name, target in (("iris", "species"), ("mixed", "outcome")):
        fit = ["fit", place / f"{name}.csv", "-t", target, "-m", "lspc", "-o", place / f"{name}.skops", "-q"]
        assert run([str(part) for part in fit]) == 0
    return place


@pytest.fixture
def new_rows(folder) -> pd.DataFrame:
    """The rows of new.csv."""
    return pd.read_csv(folder / "new.csv")


@pytest.fixture(scope="session")
def tuned(folder):
    """A model that keeps what it says of left-out rows, and knows intervals and novelty."""
    from kernelproba.cli.app import run

    fit = ["fit", folder / "iris.csv", "-t", "species", "-o", folder / "tuned.skops", "-q"]
    assert run([*map(str, fit), "--set", "kernel=rbf", "--set", "feature_weights=None"]) == 0
    return "tuned.skops"
