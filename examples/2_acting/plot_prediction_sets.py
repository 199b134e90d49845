"""
Sets of labels that hold the true one
=====================================

Instead of one label, name all that cannot be ruled out: the set holds the true label as often as asked,
whatever the model is like. Clear rows get one label, doubtful ones several.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from kernelproba import ConformalClassifier, KernelLogisticRegression

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), train_size=400, random_state=0)

levels = [0.8, 0.9, 0.95, 0.99]
covered, sizes = [], []
for level in levels:
    model = ConformalClassifier(KernelLogisticRegression(C=100), level, cv=5, random_state=0).fit(X, y)
    sets = model.predict_set(X_new)
    covered.append(sets[np.arange(len(y_new)), y_new].mean())
    sizes.append(sets.sum(axis=1))
    print(f"asked {level:.0%}: covered {covered[-1]:.1%}, {sizes[-1].mean():.2f} labels on average")

# %%
# Rows with many labels are the ones a person would hesitate at.

hard = np.argsort(sizes[-1])[::-1][:5]
_, axes = plt.subplots(1, 5, figsize=(10, 2.6))
for ax, row in zip(axes, hard, strict=True):
    ax.imshow(X_new[row].reshape(8, 8), cmap="gray_r")
    ax.set_title("{" + ", ".join(map(str, model.classes_[sets[row]])) + "}", fontsize=9)
    ax.set_xlabel(f"truth {y_new[row]}")
    ax.set(xticks=[], yticks=[])
plt.tight_layout()
plt.show()
