"""
Coefficients with standard errors
=================================

Logistic regression on a few fixed functions is as old as it is useful: it has coefficients, standard
errors and a table to publish, and the functions bend the boundary.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import BasisExpansion, BasisLogisticRegression
from kernelproba.inspection import PosteriorDisplay

rng = np.random.default_rng(0)
groups = np.repeat([[-1.0, -1.0], [1.0, 1.0]], 75, axis=0)
X = np.vstack([groups + 0.5 * rng.normal(size=(150, 2)), rng.uniform(-3, 3, size=(150, 2))])
y = np.repeat(["group", "rest"], 150)

two = BasisExpansion(centers=[[-1, -1], [1, 1]], width=0.8)
model = BasisLogisticRegression(C=np.inf, expansion=two).fit(X, y)
model.summary().round(2)

# %%
# In the plane of the two basis functions the boundary is a line; in the plane of the features it is a
# curve.

_, axes = plt.subplots(1, 2, figsize=(10, 4.5))
PosteriorDisplay.from_estimator(model, X, y, ax=axes[0])
Phi = model.expansion_.transform(X)
straight = BasisLogisticRegression(C=np.inf, expansion="passthrough").fit(Phi, y)
PosteriorDisplay.from_estimator(straight, Phi, y, ax=axes[1])
axes[1].set(xlabel="φ₀", ylabel="φ₁")
plt.tight_layout()
plt.show()
