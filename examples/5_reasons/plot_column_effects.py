"""
Which columns matter, and how
=============================

Shuffle a column of rows that the model has not seen: by how much does the log loss rise? And how do
probabilities go with its values, all others staying as they are?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from kernelproba import KernelLogisticRegressionCV
from kernelproba.inspection import partial_dependence, permutation_importance

X, y = load_wine(return_X_y=True, as_frame=True)
X, X_new, y, y_new = train_test_split(X, y, test_size=0.4, random_state=0)
model = KernelLogisticRegressionCV(kernel="rbf").fit(X, y)
ranking = permutation_importance(model, X_new, y_new, n_repeats=10, random_state=0)
ranking.head()

# %%
# Bars are means over shuffles, lines their intervals.

shown = ranking[:8].iloc[::-1]
_, ax = plt.subplots(figsize=(7, 3.6))
ax.barh(shown["column"], shown["importance"])
ax.hlines(shown["column"], shown["low"], shown["high"], color="C7")
ax.set(xlabel="rise of the log loss (nats)")
plt.tight_layout()
plt.show()

# %%
# The two that matter most. Bands are means of the model's own intervals.

curves = partial_dependence(model, X_new, ranking["column"][:2].tolist(), max_rows=40)
_, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for ax, (column, lines) in zip(axes, curves.groupby("column", sort=False), strict=True):
    for label, line in lines.groupby("class"):
        ax.plot(line["value"], line["probability"], label=f"wine {label}")
        ax.fill_between(line["value"], line["low"], line["high"], alpha=0.2)
    ax.set(xlabel=column)
axes[0].set_ylabel("mean probability")
axes[0].legend()
plt.tight_layout()
plt.show()
