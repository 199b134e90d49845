"""
How firm is a probability, and is the row like any other?
=========================================================

Two rows may both be given 0.7: one among hundreds of its like, one where nothing was ever seen. The
interval of the probability tells them apart, and so does the novelty of the row.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import KernelLogisticRegression

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(-1.0, 0.7, 60), rng.normal(1.5, 0.7, 40)])[:, None]
y = np.repeat([0, 1], [60, 40])
grid = np.linspace(-6, 6, 240)[:, None]
model = KernelLogisticRegression(C=10, gamma=0.5).fit(X, y)

# %%
# The line is ``predict_proba``; 90 % of the functions that fit the rows pass through the band.
# ``moderated=True`` averages over them, and is less sure where the band is wide.

low, high = model.predict_proba_interval(grid, 0.9)[:, 1].T
novelty = model.novelty_score(grid)

_, (above, below) = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, height_ratios=[3, 1])
above.fill_between(grid[:, 0], low, high, alpha=0.25, label="90 % interval")
above.plot(grid, model.predict_proba(grid)[:, 1], label="probability")
above.plot(grid, model.predict_proba(grid, moderated=True)[:, 1], "--", label="averaged over the posterior")
above.plot(X[y == 0], np.full(60, -0.03), "|", color="C7")
above.plot(X[y == 1], np.full(40, 1.03), "|", color="C7")
above.set(ylabel="P(class 1)")
above.legend()
below.plot(grid, novelty, color="C3")
below.set(xlabel="x", ylabel="novelty", ylim=(0, 1.05))
plt.tight_layout()
plt.show()
