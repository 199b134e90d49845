"""The problems of `benchmarks.tables`: mixed tables as people have them, and the sets of `benchmarks.rivals_runs`.

The tables are files NAME.csv in the folder ``tables`` of the directory that KERNELPROBA_DATA names, an empty field is a missing
value, and ``targets.json`` there maps each NAME to its target column.
"""

import json
import math
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks.rivals_runs import numeric_sets
from kernelproba.datasets.loader import DATA_VARIABLE

TRAINING_SHARE, TRAINING_ROWS, TEST_ROWS = 0.7, 2000, 3000
#: Splits at least, and at most: as many as it takes to test so many rows in all, for a mean of few says little.
FEWEST_SPLITS, MOST_SPLITS, TESTED_ROWS = 2, 10, 500
#: Columns × classes of a wide table, on which boosting takes a minute, and splits of it at most.
WIDE, SPLITS_OF_WIDE = 2000, 5

Features = np.ndarray | pd.DataFrame


@dataclass(frozen=True)
class Problem:
    """One table.

    Attributes
    ----------
    name : str
    X : DataFrame or ndarray of shape (n, d)
        An array if all columns are numbers and none is missing.
    y : ndarray of shape (n,)
    seed : int
        Of the splits.
    least_splits : int
        How many there are at least.
    """

    name: str
    X: Features
    y: np.ndarray
    seed: int = 0
    least_splits: int = 0

    @property
    def mixed(self) -> bool:
        """Whether there are texts, dates or gaps."""
        return isinstance(self.X, pd.DataFrame)

    @property
    def training_rows(self) -> int:
        return min(TRAINING_ROWS, int(TRAINING_SHARE * len(self.y)))

    @property
    def work(self) -> int:
        """Training values times classes: a rough measure of what a fit costs."""
        return self.training_rows * self.X.shape[1] * len(np.unique(self.y))

    @property
    def test_rows(self) -> int:
        return min(TEST_ROWS, len(self.y) - self.training_rows)

    @property
    def n_splits(self) -> int:
        wide = self.X.shape[1] * len(np.unique(self.y)) >= WIDE
        enough = math.ceil(TESTED_ROWS / self.test_rows)
        usual = min(max(enough, FEWEST_SPLITS), SPLITS_OF_WIDE if wide else MOST_SPLITS)
        return max(usual, self.least_splits)

    @cached_property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Stratified pairs of training and test rows; the same in every run."""
        cut = StratifiedShuffleSplit(
            self.n_splits, train_size=self.training_rows, test_size=self.test_rows, random_state=self.seed
        )
        return list(cut.split(np.zeros((len(self.y), 1)), self.y))

    def rows(self, index: np.ndarray) -> tuple[Features, np.ndarray]:
        """Some of the rows."""
        return (self.X.iloc[index] if isinstance(self.X, pd.DataFrame) else self.X[index]), self.y[index]


def problems() -> list[Problem]:
    """All that are here, those of little work first."""
    found = [Problem(name, *each) for name, each in (numeric_sets() | tables(folder())).items()]
    return sorted(found, key=lambda problem: problem.work)


def folder() -> Path:
    """Where the tables are."""
    return Path(os.environ.get(DATA_VARIABLE, ".")) / "tables"


def tables(where: Path) -> dict[str, tuple[Features, np.ndarray]]:
    """Every table of a folder by its name."""
    if not (where / "targets.json").exists():
        print(f"{where / 'targets.json'}: not here, all tables left out")
        return {}
    targets = json.loads((where / "targets.json").read_text("utf8"))
    return {name: _read(where / f"{name}.csv", target) for name, target in targets.items()}


def _read(file: Path, target: str) -> tuple[Features, np.ndarray]:
    frame = pd.read_csv(file, keep_default_na=False, na_values=[""], dtype={target: object})
    return features_and_labels(frame, target)


def features_and_labels(frame: pd.DataFrame, target: str) -> tuple[Features, np.ndarray]:
    """X, an array where all columns are numbers without gaps, and y as texts."""
    y, frame = frame[target].to_numpy().astype(str), frame.drop(columns=target)
    for name in text_columns(frame):
        frame[name] = _dates_or_objects(frame[name])
    whole = not text_columns(frame) and not date_columns(frame) and not frame.isna().to_numpy().any()
    return (frame.to_numpy(dtype=np.float64) if whole else frame), y


def _dates_or_objects(texts: pd.Series) -> pd.Series:
    """A column of days written as 2012-01-31 as dates, any other as Python's texts."""
    try:
        return pd.to_datetime(texts, format="%Y-%m-%d")
    except ValueError:
        return texts.astype(object)


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Names of the columns of texts."""
    return [
        name
        for name, column in frame.items()
        if not pd.api.types.is_numeric_dtype(column) and name not in date_columns(frame)
    ]


def date_columns(frame: pd.DataFrame) -> list[str]:
    """Names of the columns of dates."""
    return [name for name, column in frame.items() if pd.api.types.is_datetime64_any_dtype(column)]
