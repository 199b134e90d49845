"""
Against a calibrated SVC
========================

Handwritten digits with a third of the rows for training: kernel logistic regression against what
scikit-learn advises in place of ``SVC(probability=True)``, which is a support vector machine that is
calibrated afterwards.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import ReliabilityDisplay, probability_scores

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), train_size=600, random_state=0)
models = {
    "KernelLogisticRegression": KernelLogisticRegression(C=100),
    "SVC, calibrated": CalibratedClassifierCV(SVC(C=10), ensemble=False),
}
probabilities = {name: model.fit(X, y).predict_proba(X_new) for name, model in models.items()}

# %%
# Both are right about as often; the probabilities differ.

for name, P in probabilities.items():
    scores = probability_scores(y_new, P)
    print(f"{name:26}", "  ".join(f"{key} {value:.3f}" for key, value in scores.items()))

# %%
# Points on the diagonal are true: of all rows that are given 80 %, 80 % turn out that way.

_, axes = plt.subplots(1, 2, figsize=(9, 4.5))
for ax, (name, P) in zip(axes, probabilities.items(), strict=True):
    ReliabilityDisplay.from_predictions(y_new, P, name=name, ax=ax, histogram=False)
    ax.set_title(name)
plt.tight_layout()
plt.show()
