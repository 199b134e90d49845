"""
Pipelines and searches
======================

The classifiers are scikit-learn estimators: they scale in pipelines, and kernels are searched by their
parameters. Score by log loss, since accuracy does not see probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression
from kernelproba.kernels import RBF

X, y = load_breast_cancer(return_X_y=True)
pipeline = Pipeline([("scale", StandardScaler()), ("model", KernelLogisticRegression(kernel=RBF()))])
grid = {"model__kernel__length_scale": [2, 4, 8, 16, 32], "model__C": [0.1, 1, 10, 100, 1000]}
search = GridSearchCV(pipeline, grid, scoring="neg_log_loss", cv=3).fit(X, y)
print(search.best_params_, f"log loss {-search.best_score_:.3f}")

# %%
# A valley: wide kernels want a weak penalty, narrow ones a strong one.

losses = -search.cv_results_["mean_test_score"].reshape(5, 5)
_, ax = plt.subplots(figsize=(6, 4.5))
picture = ax.imshow(np.log10(losses), cmap="viridis_r")
ax.set_xticks(range(5), grid["model__kernel__length_scale"])
ax.set_yticks(range(5), grid["model__C"])
ax.set(xlabel="length scale", ylabel="C")
for (i, j), loss in np.ndenumerate(losses):
    ax.text(j, i, f"{loss:.3f}", ha="center", va="center", color="white", fontsize=8)
plt.tight_layout()
plt.show()
