"""
Leaving doubtful rows to a person
=================================

A classifier that may say "I do not know" errs less on the rest. The curve shows how much each share of
rejected rows buys; a model with better probabilities rejects the right rows first.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from kernelproba import KernelLogisticRegression, MinimumRiskClassifier
from kernelproba.inspection import RiskCoverageDisplay

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), train_size=300, random_state=0)
model = KernelLogisticRegression(C=100).fit(X, y)
tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0).fit(X, y)

_, ax = plt.subplots(figsize=(7.5, 4.2))
for name, classifier in {"kernel logistic regression": model, "decision tree": tree}.items():
    RiskCoverageDisplay.from_estimator(classifier, X_new, y_new).plot(ax, name=name)
plt.tight_layout()
plt.show()

# %%
# ``coverage=0.9`` decides nine rows of ten; the threshold is learnt from folds of the training rows.

cautious = MinimumRiskClassifier(KernelLogisticRegression(C=100), coverage=0.9).fit(X, y)
decided = cautious.predict(X_new)
kept = decided != cautious.reject_label_
print(f"decided {kept.mean():.0%}; error {(decided[kept] != y_new[kept]).mean():.2%}", end="")
print(f" instead of {(model.predict(X_new) != y_new).mean():.2%}")
