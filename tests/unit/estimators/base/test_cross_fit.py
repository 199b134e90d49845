"""Fits to folds."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from kernelproba.estimators.base.cross_fit import fit_folds


def test_folds_that_do_not_suit_the_labels_are_refused_by_the_name_of_cv():
    folds = fit_folds(GaussianNB(), np.zeros((3, 1)), np.array([0, 1, 1]), cv=5)
    with pytest.raises(ValueError, match=r"cv=5 does not suit the labels y: "):
        next(folds)
