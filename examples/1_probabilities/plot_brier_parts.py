"""
What a Brier score is made of
=============================

Reliability (are stated probabilities true?), resolution (do they tell rows apart?) and uncertainty (what
the classes' frequencies leave open). A timid model and a bold one can have the same score for opposite
reasons.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from kernelproba import KernelDensityClassifier, KernelLogisticRegressionCV
from kernelproba.datasets import two_gaussians_problem
from kernelproba.inspection import brier_decomposition

problem = two_gaussians_problem(distance=1.5, n_features=6)
X, y = problem.sample(300, random_state=0)
X_new, y_new = problem.sample(4000, random_state=1)
models = {
    "truth": problem,
    "kernel logistic": KernelLogisticRegressionCV().fit(X, y),
    "kernel densities": KernelDensityClassifier().fit(X, y),
    "naive Bayes": GaussianNB().fit(X, y),
    "5 neighbours": KNeighborsClassifier().fit(X, y),
}
parts = {name: brier_decomposition(y_new, model.predict_proba(X_new)) for name, model in models.items()}

# %%
# Resolution is what a model knows, reliability what it gets wrong about its own knowledge.

positions = np.arange(len(parts))
reliability = [part.reliability for part in parts.values()]
resolution = [part.resolution for part in parts.values()]
_, ax = plt.subplots(figsize=(8, 4))
ax.barh(positions + 0.2, reliability, 0.4, label="reliability: less is better")
ax.barh(positions - 0.2, resolution, 0.4, label="resolution: more is better")
ax.set_yticks(positions, list(parts))
ax.invert_yaxis()
ax.legend()
plt.tight_layout()
plt.show()
