"""
Reliability with intervals
==========================

A calibration error is never zero: frequencies in bins scatter. The intervals say what may be chance, and
the debiased error is zero on average if the probabilities are true.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from kernelproba import KernelLogisticRegressionCV
from kernelproba.inspection import ReliabilityDisplay, score_intervals, squared_calibration_error

X, X_new, y, y_new = train_test_split(*load_breast_cancer(return_X_y=True), test_size=0.5, random_state=0)
models = {
    "KernelLogisticRegressionCV": KernelLogisticRegressionCV().fit(X, y),
    "RandomForestClassifier": RandomForestClassifier(random_state=0).fit(X, y),
}

# %%
# Bars are Wilson's intervals: one that meets the diagonal is no objection.

_, axes = plt.subplots(1, 2, figsize=(10, 5))
for ax, (name, model) in zip(axes, models.items(), strict=True):
    ReliabilityDisplay.from_estimator(model, X_new, y_new, name=name, n_bins=8, ax=ax, histogram=False)
plt.tight_layout()
plt.show()

# %%
# Scores with 95 % intervals by the bootstrap: differences within them are noise.

for name, model in models.items():
    P = model.predict_proba(X_new)
    for score, interval in score_intervals(y_new, P, random_state=0).items():
        print(f"{name:27} {score:9} {interval.estimate:.3f}  ({interval.low:.3f} to {interval.high:.3f})")
    print(f"{name:27} squared calibration error, debiased: {squared_calibration_error(y_new, P):.4f}")
