"""
Labels that look wrong
======================

Twenty labels of 569 are flipped on purpose. Rows whose own label is improbable for a model that has not
seen it are listed; most of the flipped ones come first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from kernelproba import KernelLogisticRegressionCV
from kernelproba.inspection import SuspectsDisplay, suspects

X, y = load_breast_cancer(return_X_y=True)
flipped = np.random.default_rng(0).choice(len(y), 20, replace=False)
noisy = y.copy()
noisy[flipped] = 1 - noisy[flipped]

model = KernelLogisticRegressionCV().fit(X, noisy)
table = suspects(model, X, noisy)
table.head()

# %%
# The leave-one-out probability of each row's own label, the least first.

SuspectsDisplay.from_estimator(model, X, noisy, top=25)
plt.show()

# %%
# How many flipped labels are found by looking at so many rows?

order = table["row"].to_numpy() if "row" in table else table.index.to_numpy()
found = np.isin(order, flipped).cumsum()
_, ax = plt.subplots(figsize=(7, 3.8))
ax.plot(1 + np.arange(60), found[:60])
ax.plot([1, 60], [1 * 20 / 569, 60 * 20 / 569], ":", color="grey", label="by chance")
ax.set(xlabel="rows looked at", ylabel="flipped labels found, of 20")
ax.legend()
plt.show()
