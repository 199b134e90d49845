"""
Nothing to tune, and its record
===============================

The self-tuning classifier scales the features and walks over widths and strengths by leave-one-out.
Everything that it tried is kept.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from kernelproba import KernelLogisticRegressionCV
from kernelproba.inspection import SearchDisplay

X, y = load_wine(return_X_y=True)
model = KernelLogisticRegressionCV().fit(X, y)
print("chosen:", model.best_params_)
print("expect:", {name: round(float(value), 3) for name, value in model.loo_scores_.items()})

# %%
# Each point is a fit; its colour is the loss of rows that the fit has not seen.

SearchDisplay.from_estimator(model)
plt.show()

# %%
# The same as a table.

model.cv_results_.frame().head()
