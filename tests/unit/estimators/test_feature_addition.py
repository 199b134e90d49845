"""Features added one by one."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba.estimators.feature_addition import INTERCEPT_VARIANCE, RecursiveFeatureAddition


def explicit_loss(X, y, criterion):
    """Leave one row out and refit, with the intercept as a feature of large scale."""
    X = np.hstack([X, np.full((len(X), 1), np.sqrt(INTERCEPT_VARIANCE))])
    Y = np.eye(y.max() + 1)[y]
    predicted = cross_val_predict(Ridge(alpha=1.0, fit_intercept=False), X, Y, cv=LeaveOneOut())
    if criterion == "error":
        return np.mean(predicted.argmax(axis=1) != y)
    return np.mean(((Y - predicted) ** 2).sum(axis=1))


@pytest.mark.parametrize("criterion", ["squared", "error"])
def test_the_criterion_is_that_of_leaving_each_row_out(criterion):
    X, y = load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[::4]), y[::4]
    selector = RecursiveFeatureAddition(3, criterion=criterion).fit(X, y)
    for count in (1, 2, 3):
        loss = explicit_loss(X[:, selector.ranking_[:count]], y, criterion)
        assert selector.scores_[count - 1] == pytest.approx(loss, rel=1e-6)


def test_each_round_takes_the_best_feature():
    X, y = load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[::6]), y[::6]
    first, second = RecursiveFeatureAddition(2).fit(X, y).ranking_
    losses = {j: explicit_loss(X[:, [first, j]], y, "squared") for j in range(X.shape[1]) if j != first}
    assert min(losses, key=losses.get) == second


def test_informative_genes_are_found_among_thousands():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 3000))
    X[:, 7] += 3 * (y == 0)
    X[:, 1500] += 3 * (y == 1)
    assert {7, 1500} <= set(RecursiveFeatureAddition(4).fit(X, y).ranking_)


def test_inside_a_pipeline_labels_of_noise_cannot_be_predicted():
    """Selection outside the fold would seem to predict them."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 1000)), np.arange(60) % 2
    honest = cross_val_score(make_pipeline(RecursiveFeatureAddition(10), GaussianNB()), X, y, cv=5).mean()
    leaking = cross_val_score(GaussianNB(), RecursiveFeatureAddition(10).fit_transform(X, y), y, cv=5).mean()
    assert honest < 0.7 < leaking


def test_names_and_inverse_are_those_of_the_chosen_features():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = RecursiveFeatureAddition(4).fit(X, y)
    names = selector.get_feature_names_out()
    np.testing.assert_array_equal(selector.transform(X), X[names])
    assert selector.inverse_transform(selector.transform(X)).shape == X.shape


def test_a_constant_feature_changes_no_loss():
    X, y = load_wine(return_X_y=True)
    X[:, 0] = 7.3
    selector = RecursiveFeatureAddition(13).fit(X, y)
    place = list(selector.ranking_).index(0)
    assert place > 3
    assert selector.scores_[place] == pytest.approx(selector.scores_[place - 1], rel=1e-12)


def test_a_bad_parameter_is_named():
    with pytest.raises(ValueError, match="n_features_to_select"):
        RecursiveFeatureAddition(0).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("scale", [1e-300, 1e-50, 1e150, 1e307])
def test_the_scale_of_a_feature_has_no_part_in_the_choice(scale):
    X, y = load_wine(return_X_y=True)
    expected = RecursiveFeatureAddition(5).fit(X, y)
    X = X / np.abs(X).max(axis=0)
    X[:, ::2] *= scale
    np.testing.assert_array_equal(RecursiveFeatureAddition(5).fit(X, y).ranking_, expected.ranking_)
