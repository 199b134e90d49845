"""
Classes that have become more frequent
======================================

A model was trained when one row in two was positive; now it is one in ten, and no new labels are there.
The new frequencies can be read off the unlabelled rows, with standard errors and a test whether anything
has changed.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import KernelLogisticRegression, PriorShiftClassifier
from kernelproba.datasets import two_gaussians_problem
from kernelproba.inspection import ReliabilityDisplay

X, y = two_gaussians_problem(distance=2.0, prior=0.5).sample(1000, random_state=0)
X_new, y_new = two_gaussians_problem(distance=2.0, prior=0.1).sample(2000, random_state=1)

model = PriorShiftClassifier(KernelLogisticRegression(C=10)).fit(X, y)
before = model.predict_proba(X_new)
model.adapt(X_new)
after = model.predict_proba(X_new)
print(
    "new priors",
    model.priors_.round(3),
    "±",
    model.priors_std_error_.round(3),
    "in fact",
    np.bincount(y_new) / 2000,
)
print(f"p-value of no change: {model.shift_test_.p_value:.1e}")

# %%
# The old probabilities of class 1 are far too high; the adapted ones are true.

_, axes = plt.subplots(1, 2, figsize=(9.5, 4.4))
for ax, (name, P) in zip(axes, {"before": before, "after adapt": after}.items(), strict=True):
    ReliabilityDisplay.from_predictions(y_new, P, kind="class-wise", ax=ax, histogram=False)
    ax.set_title(f"{name}: error {np.mean(P.argmax(axis=1) != y_new):.1%}")
plt.tight_layout()
plt.show()
