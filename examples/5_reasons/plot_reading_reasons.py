"""
Reading reasons
===============

A prediction of a kernel machine is a sum over training rows: some speak for a class, some against. Here
they can be looked at.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import ExplanationDisplay, explain

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), train_size=600, random_state=0)
model = KernelLogisticRegression(C=100).fit(X, y)
doubtful = model.predict_proba(X_new).max(axis=1).argmin()
row = X_new[[doubtful]]
reasons = explain(model, row, top=4, labels=y)
reasons.head(6)

# %%
# The contributions add up to the score.

ExplanationDisplay.from_estimator(model, row, top=4, labels=y)
plt.show()

# %%
# The row, and the training rows that spoke loudest.

loudest = reasons[reasons["term"] == "row"].drop_duplicates("row").nlargest(5, "contribution")
_, axes = plt.subplots(1, 6, figsize=(11, 2.4))
axes[0].imshow(row.reshape(8, 8), cmap="gray_r")
axes[0].set_title(f"new row: {model.predict(row)[0]}?\n(truth {y_new[doubtful]})", fontsize=9)
for ax, (_, reason) in zip(axes[1:], loudest.iterrows(), strict=True):
    ax.imshow(X[int(reason["row"])].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"a {y[int(reason['row'])]}\n{reason['contribution']:+.1f}", fontsize=9)
for ax in axes:
    ax.set(xticks=[], yticks=[])
plt.tight_layout()
plt.show()
