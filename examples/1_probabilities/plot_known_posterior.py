"""
How far from the truth?
=======================

Rows are drawn from three densities that are known, so the true probability of every class is known
everywhere. The self-tuning classifier sees 300 labelled rows and nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import KernelLogisticRegressionCV
from kernelproba.datasets import three_gaussians_problem
from kernelproba.inspection import PosteriorDisplay

problem = three_gaussians_problem()
X, y = problem.sample(300, random_state=0)
model = KernelLogisticRegressionCV().fit(X, y)

# %%
# Left: what the model says. Right: what is true.

_, axes = plt.subplots(1, 2, figsize=(10, 4.5))
PosteriorDisplay.from_estimator(model, X, y, ax=axes[0])
PosteriorDisplay.from_estimator(problem, X, y, ax=axes[1])
axes[0].set_title("KernelLogisticRegressionCV")
axes[1].set_title("truth")
plt.tight_layout()
plt.show()

# %%
# The mean distance from the truth falls as rows are added.

X_new, _ = problem.sample(2000, random_state=1)
truth = problem.predict_proba(X_new)
for n in (50, 100, 200, 400, 800):
    fitted = KernelLogisticRegressionCV().fit(*problem.sample(n, random_state=0))
    distance = np.abs(fitted.predict_proba(X_new) - truth).sum(axis=1).mean() / 2
    print(f"{n:4d} rows: total variation distance {distance:.3f}")
