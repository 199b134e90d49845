"""What a search has tried, in the layout of ``GridSearchCV.cv_results_``: one line per candidate.

    params                       list of dicts
    param_<name>                 masked array of each parameter, masked where a candidate has none
    split<k>_test_score          score on the fold number k; NaN where a candidate was scored on fewer folds
    mean_test_score, std_test_score
    rank_test_score              1 is best; scores that are not finite come last
    n_rows, ...                  further columns of the search

A search in stages tries its first candidates on a sample.  Their scores do not compare with those on more
rows, so where there is a column ``n_rows``, candidates on more rows rank before those on fewer.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from kernelproba.extras import extra

if TYPE_CHECKING:
    import pandas as pd


class SearchResults(dict):
    """Columns of all candidates, each with one entry per candidate, in the order they were tried."""

    def frame(self) -> "pd.DataFrame":
        """Return a DataFrame with one line per candidate."""
        with extra("tables"):
            import pandas as pd
        return pd.DataFrame(self)


class ResultsBuilder:
    """Collects candidates as a search tries them.

    Examples
    --------
    >>> builder = ResultsBuilder()
    >>> builder.add({"C": 1.0}, [0.7, 0.8]), builder.add({"C": 10.0}, [0.9, 0.9])
    (0, 1)
    >>> results = builder.results()
    >>> results["rank_test_score"], results["param_C"].data
    (array([2, 1], dtype=int32), array([ 1., 10.]))
    """

    def __init__(self) -> None:
        self._params: list[dict[str, object]] = []
        self._scores: list[np.ndarray] = []
        self._further: list[dict[str, object]] = []

    def __len__(self) -> int:
        return len(self._params)

    def add(
        self, params: Mapping[str, object], scores: Sequence[float] | np.ndarray, **further: object
    ) -> int:
        """Add a candidate and return its line.

        Parameters
        ----------
        params : mapping
            Its parameters.
        scores : sequence of float
            One score per fold, the larger the better; leave-one-out is a single one.
        **further
            Entries of further columns, such as ``n_rows``; every candidate has the same.
        """
        self._params.append(dict(params))
        self._scores.append(np.asarray(scores, dtype=np.float64).ravel())
        self._further.append(further)
        return len(self._params) - 1

    def results(self) -> SearchResults:
        """All columns."""
        splits = self._split_scores()
        mean, std = _moments(self._scores)
        names = dict.fromkeys(name for params in self._params for name in params)
        further = {name: np.array([line[name] for line in self._further]) for name in self._further[0]}
        return SearchResults(
            params=self._params,
            **{f"param_{name}": self._column(name) for name in names},
            **{f"split{k}_test_score": scores for k, scores in enumerate(splits.T)},
            mean_test_score=mean,
            std_test_score=std,
            rank_test_score=_ranks(mean, further.get("n_rows")),
            **further,
        )

    def _split_scores(self) -> np.ndarray:
        """Scores (candidates, folds), NaN where a candidate was scored on fewer folds."""
        splits = np.full((len(self), max(map(len, self._scores))), np.nan)
        for line, scores in zip(splits, self._scores, strict=True):
            line[: len(scores)] = scores
        return splits

    def _column(self, name: str) -> np.ma.MaskedArray:
        """Values of a parameter: numbers if all are, else objects."""
        values = [params.get(name) for params in self._params]
        absent = [name not in params for params in self._params]
        known = [value for value, gone in zip(values, absent, strict=True) if not gone]
        numeric = all(isinstance(value, int | float | np.number) for value in known)
        column = np.ma.masked_all(len(values), dtype=np.asarray(known).dtype if numeric else object)
        for line in np.flatnonzero(~np.array(absent)):
            column[line] = values[line]
        return column


def finite_or_worst(scores: np.ndarray) -> np.ndarray:
    """Scores with −∞ in place of what is no number: a search compares them, and NaN loses no comparison."""
    return np.where(np.isnan(scores), -np.inf, scores)


def _moments(scores: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the scores of each candidate."""
    with np.errstate(invalid="ignore"):  # a score may be −∞
        return np.array([each.mean() for each in scores]), np.array([each.std() for each in scores])


def _ranks(mean: np.ndarray, n_rows: np.ndarray | None) -> np.ndarray:
    """Ranks from 1; of equals the least, as in GridSearchCV."""
    scores = finite_or_worst(mean)
    fewer = np.zeros(len(mean)) if n_rows is None else -n_rows
    lines = np.array(list(zip(fewer, -scores, strict=True)), dtype=[("fewer", float), ("loss", float)])
    _, order = np.unique(lines, return_inverse=True)
    return rankdata(order, method="min").astype(np.int32)
