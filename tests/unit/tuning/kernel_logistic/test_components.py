"""Components of correlated columns become features of many rows where those gain by them."""

import numpy as np
import pytest

from kernelproba import KernelLogisticRegressionCV as CV
from kernelproba.estimators.kernel_logistic import center_choice
from kernelproba.persistence import load_model, save_model
from kernelproba.tuning.kernel_logistic.components import principal_components
from kernelproba.tuning.kernel_logistic.sized_fits import SizedFits
from kernelproba.tuning.scaling import AfterScaling, ScaledView

SETTINGS = {"random_state": 0, "max_rows": 300, "n_centers": "auto", "kernel": "laplacian"}


def sticks(n=1400, seed=0):
    """Length, width that is nearly the same, and noise; the class is how much the two differ."""
    rng = np.random.default_rng(seed)
    length, differ = rng.standard_normal(n), 0.05 * rng.standard_normal(n)
    X = np.column_stack([length, length + differ, rng.standard_normal((n, 2)), rng.integers(0, 2, n)])
    return X, (np.abs(differ + 0.01 * rng.standard_normal(n)) > 0.035).astype(int)


@pytest.fixture(autouse=True)
def centers_are_chosen_of_more_than_600_rows(monkeypatch):
    monkeypatch.setattr(center_choice, "EXACT_ROWS", 600)


@pytest.fixture(scope="module")
def rows():
    return sticks()


def test_components_are_the_axes_of_the_correlations_each_as_spread_as_a_column(rows):
    Z = ScaledView.learn("standard", _Rows(rows[0])).rows(rows[0])
    axes = principal_components(Z)
    assert axes.shape == (5, 4)
    assert not axes[4].any()  # a column of two values has no part in them
    np.testing.assert_allclose(np.cov(Z @ axes, rowvar=False), np.eye(4), atol=2e-3)


@pytest.mark.parametrize("X", [np.eye(3)[np.arange(60) % 3], np.random.default_rng(0).normal(size=(900, 4))])
def test_columns_of_two_values_or_without_correlations_have_no_components(X):
    assert principal_components(X) is None


def test_a_view_with_components_gives_its_rows_back_and_no_affine_kernel(rows):
    X = rows[0][:50]
    view = ScaledView.learn("squashed", _Rows(X)).weighed(np.array([1.0, 2, 3, 4, 5]))
    extended = view.extended(np.ones((5, 2)))
    assert extended.width(5) == 7
    np.testing.assert_allclose(extended.rows(X)[:, :5], view.rows(X))
    np.testing.assert_allclose(extended.rows(X)[:, 6], view.rows(X).sum(axis=1))
    np.testing.assert_allclose(extended.scaling.inverse_transform(extended.rows(X)), X)
    assert AfterScaling(_Affine(), extended.scaling).affine(X) is None


def test_what_two_columns_differ_by_is_found_where_columns_alone_say_little(rows, tmp_path):
    (X, y), (X_test, y_test) = rows, sticks(1000, 1)
    model = CV(**SETTINGS).fit(X, y)
    plain = CV(**SETTINGS, feature_weights=None).fit(X, y)
    assert model.scaler_.components_.shape == (5, 4)
    assert model.feature_weights_.shape == (5,)
    assert model.feature_weights_.mean() == pytest.approx(1)
    losses = [-each.predict_log_proba(X_test)[np.arange(1000), y_test].mean() for each in (model, plain)]
    assert losses[0] < 0.8 * losses[1]
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X_test), model.predict_proba(X_test))


def test_a_run_that_goes_on_from_a_checkpoint_sees_the_same_components(rows, tmp_path, monkeypatch):
    X, y = rows
    first = CV(**SETTINGS, checkpoint=tmp_path).fit(X, y)
    searched = []
    monkeypatch.setattr(
        "kernelproba.tuning.kernel_logistic.growth.with_components", lambda *_: searched.append(1)
    )
    again = CV(**SETTINGS, checkpoint=tmp_path).fit(X, y)
    assert not searched
    np.testing.assert_array_equal(again.scaler_.components_, first.scaler_.components_)
    np.testing.assert_array_equal(again.predict_proba(X), first.predict_proba(X))


def test_a_sample_that_all_rows_span_keeps_the_kernel_matrix_of_one_width(rows, monkeypatch):
    kept, widths, forget = [], set(), SizedFits.forget

    def counted(self):
        kept.append(self.spanned._matrix.cache_info().currsize)
        widths.add(len(self.spanned._widths))
        forget(self)

    monkeypatch.setattr(SizedFits, "forget", counted)
    CV(**SETTINGS).fit(*rows)
    assert max(widths) > 1
    assert max(kept) == 1


class _Rows:
    def __init__(self, X):
        self.X, self.sample_weight = X, np.ones(len(X))


class _Affine:
    """Kernel whose values are the rows."""

    def affine(self, Z):
        return np.eye(Z.shape[1]), np.zeros(Z.shape[1])
