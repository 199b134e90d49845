"""
Undoing class weights
=====================

``class_weight="balanced"`` makes a model look harder at a rare class, and its probabilities wrong: they
speak of a world in which all classes are equally frequent. ``undo_weights=True`` takes that out again
and keeps the care.
"""

import matplotlib.pyplot as plt

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import two_gaussians_problem
from kernelproba.inspection import ReliabilityDisplay

problem = two_gaussians_problem(distance=2.0, prior=0.1)
X, y = problem.sample(800, random_state=0)
X_new, y_new = problem.sample(5000, random_state=1)
models = {
    "plain": KernelLogisticRegression(C=10),
    "balanced": KernelLogisticRegression(C=10, class_weight="balanced"),
    "balanced, undone": KernelLogisticRegression(C=10, class_weight="balanced", undo_weights=True),
}

_, axes = plt.subplots(1, 3, figsize=(12, 4.2))
for ax, (name, model) in zip(axes, models.items(), strict=True):
    P = model.fit(X, y).predict_proba(X_new)
    ReliabilityDisplay.from_predictions(y_new, P, kind="class-wise", ax=ax, histogram=False)
    ax.set_title(f"{name}: mean {P[:, 1].mean():.2f}, truth {y_new.mean():.2f}")
plt.tight_layout()
plt.show()
