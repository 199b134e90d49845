"""
Columns that say nothing
========================

Twenty-six columns of noise are added to the thirteen of the wine data. Distances then are mostly noise,
unless features are weighed: the classifier does so where rows held out gain by it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from kernelproba import KernelLogisticRegressionCV
from kernelproba.inspection import SearchDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(X), 26))
X[[f"noise {k}" for k in range(26)]] = noise

weighed = KernelLogisticRegressionCV().fit(X, y)
alike = KernelLogisticRegressionCV(feature_weights=None).fit(X, y)
for name, model in {"features weighed": weighed, "all alike": alike}.items():
    print(f"{name:17} log loss of unseen rows {model.loo_scores_['log_loss']:.3f}")

# %%
# The columns of wine come first.

SearchDisplay.from_estimator(weighed, kind="weights")
plt.show()
