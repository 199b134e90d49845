"""
The fewest rows of all
======================

The relevance vector machine weighs every basis function by the evidence of the data and keeps a handful.
Compare how many rows each sparse classifier needs, and what it says.
"""

import matplotlib.pyplot as plt

from kernelproba import KernelLogisticRegression, RelevanceVectorClassifier, SparseKernelLogisticRegression
from kernelproba.datasets import chessboard_problem
from kernelproba.inspection import PosteriorDisplay, probability_scores

problem = chessboard_problem(width=0.5)
X, y = problem.sample(250, random_state=0)
X_new, y_new = problem.sample(3000, random_state=1)
models = {
    "all rows": KernelLogisticRegression(C=10, gamma=1.0),
    "lasso": SparseKernelLogisticRegression(C=3, gamma=1.0),
    "relevance vectors": RelevanceVectorClassifier(gamma=1.0),
}

_, axes = plt.subplots(1, 3, figsize=(13, 4.2))
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, y)
    loss = probability_scores(y_new, model.predict_proba(X_new))["log_loss"]
    PosteriorDisplay.from_estimator(model, X, y, ax=ax, resolution=100)
    ax.scatter(*model.support_vectors_.T, s=60, facecolors="none", edgecolors="black")
    ax.set_title(f"{name}: {len(model.support_vectors_)} kernels, log loss {loss:.3f}", fontsize=10)
plt.tight_layout()
plt.show()
