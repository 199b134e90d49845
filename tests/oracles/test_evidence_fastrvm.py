"""The evidence reached, against the C++ implementation of Tipping's SparseBayes in fastrvm."""

import numpy as np
import pytest

from kernelproba.datasets import DatasetUnavailable, load
from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier

fastrvm = pytest.importorskip("fastrvm")

SETS = ["raetsch_breast_cancer", "raetsch_heart", "raetsch_thyroid", "raetsch_diabetes", "iris"]


@pytest.mark.parametrize("name", SETS)
def test_our_evidence_is_at_least_that_of_fastrvm(name):
    try:
        data = load(name, download=False)
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))
    rows = data.partitions[0][0] if data.partitions else np.arange(0, len(data.y), 2)
    X, y = data.X[rows].astype(float), data.y[rows] == np.unique(data.y)[1]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    gamma = 1.0 / X.shape[1]
    ours = RelevanceVectorClassifier(gamma=gamma).fit(X, y)
    theirs = fastrvm.RVC(gamma=gamma).fit(X, y.astype(int))
    assert ours.evidence_[0] >= theirs.scores_[-1] - 1e-3
    assert ours.n_kernels_ <= 2 * len(theirs.relevance_)
