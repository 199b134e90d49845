"""The transformer: scikit-learn's checks, what each option does, and bad input."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelproba.estimators.basis_logistic.expansion import BasisExpansion

BASES = ["gaussian", "sigmoid", "polynomial"]


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 2))


def test_given_centres_and_width_give_the_formulas(X):
    centers = np.array([[0.0, 1.0], [2.0, -1.0]])
    gaussian = BasisExpansion(centers=centers, width=0.5).fit_transform(X)
    assert_allclose(gaussian, np.exp(-((X[:, None] - centers) ** 2).sum(axis=2) / (2 * 0.25)))
    sigmoid = BasisExpansion("sigmoid", centers=centers, width=[0.5, 2.0]).fit_transform(X)
    arguments = [(X[:, 0] - m) / 0.5 for m in (0.0, 2.0)] + [(X[:, 1] - m) / 2.0 for m in (-1.0, 1.0)]
    assert_allclose(sigmoid, 1 / (1 + np.exp(-np.transpose(arguments))))


def test_polynomials_are_all_monomials_up_to_the_degree_without_the_constant():
    expansion = BasisExpansion("polynomial", degree=2).fit([[2.0, 3.0]])
    assert_array_equal(expansion.transform([[2.0, 3.0]]), [[2, 3, 4, 6, 9]])
    assert list(expansion.get_feature_names_out(["a", "b"])) == ["a", "b", "a^2", "a b", "b^2"]


@pytest.mark.parametrize(
    ("basis", "centers", "count"),
    [("gaussian", "k-means", 4), ("gaussian", "grid", 16), ("gaussian", "quantile", 16)]
    + [("sigmoid", centers, 8) for centers in ("k-means", "grid", "quantile")],
)
def test_the_number_of_functions(X, basis, centers, count):
    expansion = BasisExpansion(basis, centers=centers, n_centers=4, random_state=0).fit(X)
    assert expansion.transform(X).shape == (60, count)
    assert len(expansion.get_feature_names_out()) == len(set(expansion.get_feature_names_out())) == count


def test_a_grid_of_sigmoids_needs_no_combinations():
    """Twenty features would have 10²⁰ nodes; sigmoids of one feature each need 200."""
    X = np.random.default_rng(0).normal(size=(30, 20))
    assert BasisExpansion("sigmoid", centers="grid").fit_transform(X).shape == (30, 200)
    with pytest.raises(ValueError, match="k-means"):
        BasisExpansion(centers="grid").fit(X)


def test_names_follow_the_columns_of_sigmoids():
    frame = pd.DataFrame({"age": [0.0, 1.0, 2.0], "dose": [5.0, 5.0, 5.0]})
    expansion = BasisExpansion("sigmoid", centers=[[0.0, 5.0], [2.0, 5.0]]).fit(frame)
    assert list(expansion.get_feature_names_out()) == ["sigmoid0_age", "sigmoid1_age", "sigmoid0_dose"]


@pytest.mark.parametrize("basis", BASES)
def test_set_output_gives_a_frame_with_the_names(X, basis):
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(60) + 7)
    expansion = BasisExpansion(basis, random_state=0).set_output(transform="pandas")
    out = expansion.fit_transform(frame)
    assert_array_equal(out.columns, expansion.get_feature_names_out())
    assert_array_equal(out.index, frame.index)


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("centers", ["k-means", "grid", "quantile"])
@pytest.mark.parametrize("width", ["median", "nearest"])
def test_a_weight_of_two_is_a_row_seen_twice(X, basis, centers, width):
    expansion = BasisExpansion(basis, centers=centers, n_centers=4, width=width, random_state=0)
    weight = np.random.default_rng(1).integers(0, 4, size=60)
    weighted = expansion.fit(X, sample_weight=weight).transform(X)
    assert_allclose(expansion.fit(np.repeat(X, weight, axis=0)).transform(X), weighted)


def test_the_widths_follow_the_centres():
    centers = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    fit = BasisExpansion(centers=centers).fit(centers)
    assert fit.width_ == pytest.approx(5.0)
    assert_allclose(fit.set_params(basis="sigmoid").fit(centers).width_, [3.0, 4.0])


def test_one_centre_takes_the_spread_of_the_rows(X):
    fit = BasisExpansion(centers=[[0.0, 0.0]]).fit(1e8 * X)
    assert fit.width_ == pytest.approx(1e8 * np.sqrt((X**2).sum(axis=1).mean()))


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("centers", ["k-means", "grid", "quantile"])
def test_constant_and_few_rows_are_fine(basis, centers):
    expansion = BasisExpansion(basis, centers=centers, random_state=0)
    assert np.isfinite(expansion.fit_transform(np.ones((5, 2)))).all()
    assert np.isfinite(expansion.fit_transform([[1.0, 2.0]])).all()


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("basis", ["gaussian", "sigmoid"])
def test_the_unit_of_the_features_plays_no_part(X, basis, scale):
    expansion = BasisExpansion(basis, n_centers=5, random_state=0)
    assert_allclose(expansion.fit_transform(scale * X), expansion.fit_transform(X), atol=1e-7)


def test_equal_seeds_give_equal_centres(X):
    first, second = (BasisExpansion(random_state=3).fit(X).centers_ for _ in range(2))
    assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"basis": "spline"}, "basis"),
        ({"centers": "corners"}, "centers"),
        ({"centers": [[1.0], [2.0]]}, r"centers has shape \(2, 1\).*\(m, 2\)"),
        ({"centers": [1.0, 2.0]}, r"centers has shape \(2,\).*\(m, 2\)"),
        ({"centers": [[np.nan, 1.0]]}, "centers contains NaN"),
        ({"n_centers": 0}, "n_centers"),
        ({"width": 0.0}, "width"),
        ({"width": "wide"}, "width"),
        ({"width": [1.0, 2.0, 3.0]}, r"width has shape \(3,\) but X has 2"),
        ({"width": [1.0, -2.0]}, "width must be positive"),
        ({"basis": "polynomial", "degree": 0}, "degree"),
    ],
)
def test_bad_parameters_are_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        BasisExpansion(**parameters).fit(X)


def test_weights_that_are_all_zero_are_refused(X):
    with pytest.raises(ValueError, match=r"(?i)sample.weight.* zero|non-zero"):
        BasisExpansion().fit(X, sample_weight=np.zeros(60))


def test_too_many_monomials_are_refused_before_they_are_written_out():
    with pytest.raises(ValueError, match=r"degree=5 makes 324631 monomials of the 30 features of X"):
        BasisExpansion("polynomial", degree=5).fit(np.zeros((3, 30)))
