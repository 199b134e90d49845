"""`cv_results_` is laid out as GridSearchCV lays it out."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kernelproba.tuning.results import ResultsBuilder


def test_columns_are_those_of_grid_search():
    grid = [{"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, {"C": [1.0], "kernel": ["linear"]}]
    search = GridSearchCV(SVC(), grid, cv=3).fit(*load_iris(return_X_y=True))
    theirs, builder = search.cv_results_, ResultsBuilder()
    for line, params in enumerate(theirs["params"]):
        builder.add(params, [theirs[f"split{k}_test_score"][line] for k in range(3)])
    ours = builder.results()
    assert set(ours) == {name for name in theirs if not name.endswith("_time")}
    for name, column in ours.items():
        if name == "params":
            assert column == theirs["params"]
        else:
            assert column.dtype == theirs[name].dtype, name
            assert_array_equal(np.ma.getmaskarray(column), np.ma.getmaskarray(theirs[name]), name)
            known = ~np.ma.getmaskarray(column)
            assert_array_equal(np.asarray(column)[known], np.asarray(theirs[name])[known], name)


def test_scores_that_are_no_numbers_rank_last():
    builder = ResultsBuilder()
    for score in (np.nan, -1.0, -np.inf, 0.5, np.nan):
        builder.add({}, [score])
    assert builder.results()["rank_test_score"].tolist() == [3, 2, 3, 1, 3]


def test_candidates_on_more_rows_rank_before_those_on_a_sample():
    builder = ResultsBuilder()
    for score, n_rows in ((0.9, 100), (0.7, 500), (0.8, 500)):
        builder.add({}, [score], n_rows=n_rows)
    assert builder.results()["rank_test_score"].tolist() == [3, 2, 1]


def test_a_candidate_may_be_scored_on_fewer_folds():
    builder = ResultsBuilder()
    builder.add({"C": 1.0}, [0.5])
    builder.add({"C": 2.0}, [0.2, 0.4])
    results = builder.results()
    assert_array_equal(results["split1_test_score"], [np.nan, 0.4])
    assert results["mean_test_score"].tolist() == pytest.approx([0.5, 0.3])


def test_the_frame_has_one_line_per_candidate():
    pytest.importorskip("pandas")
    builder = ResultsBuilder()
    builder.add({"gamma": None, "scale": "standard"}, [0.5], n_rows=3)
    builder.add({"gamma": None, "scale": None}, [0.2], n_rows=3)
    frame = builder.results().frame()
    assert frame["param_scale"].isna().tolist() == [False, True]
    assert frame["params"][0] == {"gamma": None, "scale": "standard"}


def test_without_pandas_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    builder = ResultsBuilder()
    builder.add({"C": 1.0}, [0.5])
    with pytest.raises(ImportError, match=r"kernelproba\[tables\]"):
        builder.results().frame()
