import os
import shutil
import urllib.error
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from kernelproba.datasets import (
    DATA_VARIABLE,
    DatasetCorrupt,
    DatasetUnavailable,
    load,
    names,
    official_split,
)
from kernelproba.datasets.catalogue import CATALOGUE

DATA = os.environ.get(DATA_VARIABLE)
with_files = pytest.mark.skipif(
    not DATA or not (Path(DATA) / "letter.npz").is_file(),
    reason=f"the environment variable {DATA_VARIABLE} names no directory with the data sets",
)


@pytest.fixture
def offline(monkeypatch):
    """No files and no network: what a fresh machine sees."""

    def refuse(**_):
        raise urllib.error.URLError("no route to host")

    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'irsi'.*iris.*wine"):
        load("irsi")


def test_names_are_those_of_the_catalogue():
    assert set(names()) == set(CATALOGUE)
    assert list(names()) == sorted(names())


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["leukemia", "satimage", "isolet", "raetsch_heart"])
def test_a_missing_set_is_one_line_naming_the_variable_and_the_set(name):
    with pytest.raises(DatasetUnavailable, match=f"{name}.*{DATA_VARIABLE}") as caught:
        load(name)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, OSError)


@pytest.mark.usefixtures("offline")
def test_the_message_says_when_no_public_source_is_faithful():
    with pytest.raises(DatasetUnavailable, match=r"OpenML's copy \(id 182\) is standardised"):
        load("satimage")


def test_downloading_can_be_forbidden(monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: pytest.fail("asked the network"))
    with pytest.raises(DatasetUnavailable, match="not allowed"):
        load("isolet", download=False)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_iris_and_wine_need_neither_file_nor_network(name):
    data = load(name)
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)


@pytest.mark.usefixtures("offline")
def test_a_damaged_file_is_refused_and_named(tmp_path):
    np.savez(tmp_path / "iris.npz", X=np.zeros((150, 4)), y=np.zeros(150))
    with pytest.raises(DatasetCorrupt, match=r"iris\.npz.*SHA-256"):
        load("iris", data_dir=tmp_path)


@pytest.mark.usefixtures("offline")
def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "wine.npz").touch()
    with pytest.raises(DatasetCorrupt, match=r"wine\.npz"):
        load("wine", data_dir=tmp_path)


def test_a_set_without_official_split_says_so():
    with pytest.raises(ValueError, match="'iris' has no official split: none was published"):
        official_split("iris")


@with_files
@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - {"mnist"}))
def test_every_file_loads_as_finite_floats(name):
    data = load(name)
    assert data.X.dtype in (np.float32, np.float64)
    assert np.isfinite(data.X).all()
    assert len(data.X) == len(data.y)
    if data.X_test is not None:
        assert set(data.y_test) == set(data.y)


@with_files
@pytest.mark.parametrize(
    ("name", "n_train", "n_test"),
    [("isolet", 6238, 1559), ("usps", 7291, 2007), ("satimage", 4435, 2000), ("letter", 16000, 4000)],
)
def test_official_splits_have_the_published_sizes(name, n_train, n_test):
    X, y, X_test, y_test = official_split(name)
    assert (len(X), len(y), len(X_test), len(y_test)) == (n_train, n_train, n_test, n_test)
    assert len(load(name).all_rows()[0]) == n_train + n_test


@with_files
def test_partitions_are_complementary_and_fit_the_cv_argument():
    data = load("raetsch_heart")
    assert len(data.partitions) == 100
    assert data.n_official_partitions == 10
    for train, test in data.partitions:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(270))


@with_files
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_the_file_and_the_copy_in_scikit_learn_agree(name, monkeypatch):
    from_file = load(name)
    monkeypatch.delenv(DATA_VARIABLE)
    from_sklearn = load(name)
    np.testing.assert_array_equal(from_file.X, from_sklearn.X)
    np.testing.assert_array_equal(from_file.y, from_sklearn.y)


@with_files
def test_the_argument_comes_before_the_variable(tmp_path, monkeypatch):
    shutil.copy(Path(DATA) / "wine.npz", tmp_path)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "nowhere"))
    assert load("wine", data_dir=tmp_path).X.shape == (178, 13)


def _serve(X, y, monkeypatch):
    """Answer as OpenML does: text labels, no test part."""
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setattr(
        sklearn.datasets, "fetch_openml", lambda **_: Bunch(data=X, target=y.astype(str).astype(object))
    )


@with_files
def test_a_download_in_official_order_keeps_the_split(monkeypatch):
    X, y = load("usps").all_rows()
    _serve(X.astype(float), y + 1, monkeypatch)
    X_train, y_train, X_test, _ = official_split("usps")
    assert (len(X_train), len(X_test)) == (7291, 2007)
    np.testing.assert_array_equal(y_train, y[:7291])


@with_files
def test_a_shuffled_download_keeps_the_rows_and_loses_the_split(monkeypatch):
    X, y = load("letter").all_rows()
    order = np.random.RandomState(0).permutation(len(X))
    _serve(X[order], y[order], monkeypatch)
    assert load("letter").X.shape == (20000, 16)
    with pytest.raises(ValueError, match="OpenML has lost it"):
        official_split("letter")


@with_files
def test_a_download_with_one_foreign_value_is_refused(monkeypatch):
    data = load("new_thyroid")
    X = data.X.copy()
    _serve(X, data.y, monkeypatch)
    assert load("new_thyroid").X.shape == (215, 5)
    X[7, 3] += 0.1
    with pytest.raises(DatasetUnavailable, match="not the ones this project pins"):
        load("new_thyroid")
