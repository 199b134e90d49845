"""
Few kernels
===========

A lasso on kernel coefficients keeps few training rows. Along the path of C more of them enter;
cross-validation says where to stop, and one standard error more of the penalty saves further rows at no
measurable loss.
"""

import matplotlib.pyplot as plt

from kernelproba import SparseKernelLogisticRegressionCV
from kernelproba.datasets import three_gaussians
from kernelproba.inspection import PathDisplay, PosteriorDisplay

X, y = three_gaussians(300, random_state=0)
model = SparseKernelLogisticRegressionCV(one_standard_error=True).fit(X, y)
print(f"{model.best_estimator_.n_kernels_} of {len(X)} rows are kept at C = {model.C_:.2g}")

# %%
# The loss of rows left out, and the number of kernels.

PathDisplay.from_estimator(model)
plt.show()

# %%
# The rows that are kept, encircled.

_, ax = plt.subplots(figsize=(6, 5))
PosteriorDisplay.from_estimator(model, X, y, ax=ax)
kept = model.best_estimator_.support_vectors_
ax.scatter(*kept.T, s=110, facecolors="none", edgecolors="black", linewidths=1.5)
plt.show()
