"""
Contrast, and rows that are switched off
========================================

A tenth of the labels is wrong. The maximum contrast classifier finds out while it trains: rows that no
setting of the densities can get right are deactivated, and listed.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import MaximumContrastClassifier
from kernelproba.datasets import chessboard_problem
from kernelproba.inspection import ContrastDisplay

X, y = chessboard_problem(width=0.35).sample(200, random_state=0)
flipped = np.random.default_rng(0).choice(200, 20, replace=False)
noisy = y.copy()
noisy[flipped] = 1 - noisy[flipped]

model = MaximumContrastClassifier(gamma=2.0, alpha=0.02).fit(X, noisy)
found = np.isin(flipped, model.deactivated_).sum()
print(f"{len(model.deactivated_)} rows were switched off; {found} of the 20 wrong labels are among them")

# %%
# Rows are as large as their weights; those switched off are encircled.

ContrastDisplay.from_estimator(model, X, noisy)
plt.show()
