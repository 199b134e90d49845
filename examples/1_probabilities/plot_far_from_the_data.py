"""
Far from all data
=================

What is a probability worth where no training row has been? Kernel logistic regression falls back to its
intercept, the least-squares classifier to the frequencies of the classes, and densities decide by their
tails.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import KernelDensityClassifier, KernelLogisticRegression, LeastSquaresProbabilisticClassifier

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(-1.0, 0.6, 60), rng.normal(1.0, 0.6, 30)])[:, None]
y = np.repeat([0, 1], [60, 30])
grid = np.linspace(-8, 8, 400)[:, None]
models = {
    "kernel logistic regression": KernelLogisticRegression(C=10, gamma=0.5),
    "least squares (LSPC)": LeastSquaresProbabilisticClassifier(gamma=0.5),
    "kernel densities": KernelDensityClassifier(gamma=0.5),
}

_, ax = plt.subplots(figsize=(9, 4.2))
for name, model in models.items():
    ax.plot(grid, model.fit(X, y).predict_proba(grid)[:, 1], label=name)
ax.axhline(1 / 3, color="grey", linestyle=":", label="frequency of class 1")
ax.plot(X[y == 0], np.full(60, -0.03), "|", color="C7")
ax.plot(X[y == 1], np.full(30, 1.03), "|", color="C7")
ax.set(xlabel="x", ylabel="P(class 1)")
ax.legend()
plt.tight_layout()
plt.show()
