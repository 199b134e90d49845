"""
Twenty of two thousand features
===============================

Recursive feature addition judges all features at once by leave-one-out in closed form, so thousands of
them need no filter. Inside a pipeline the choice is made on training rows alone; made beforehand on all
rows, it promises what is not there.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from kernelproba import KernelLogisticRegression, RecursiveFeatureAddition

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 20)
X = rng.normal(size=(60, 2000))
X[:, :10] += 1.2 * rng.normal(size=(3, 10))[y]

addition = RecursiveFeatureAddition(20).fit(X, y)
print("chosen first:", addition.ranking_[:10], "(0 to 9 say something)")

# %%
# The loss falls while features help.

_, ax = plt.subplots(figsize=(7, 3.8))
ax.plot(1 + np.arange(20), addition.scores_, "o-")
ax.set(xlabel="features", ylabel="leave-one-out loss")
plt.show()

# %%
# Chosen inside the folds, and, wrongly, before them:

model = KernelLogisticRegression(C=10)
inside = cross_val_score(make_pipeline(RecursiveFeatureAddition(20), model), X, y, cv=5)
before = cross_val_score(model, addition.transform(X), y, cv=5)
print(f"accuracy {inside.mean():.2f} inside the folds, {before.mean():.2f} if test rows were seen")
