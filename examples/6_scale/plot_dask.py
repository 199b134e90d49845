"""
Rows on a cluster
=================

The same classes fit and predict Dask arrays: chunks stay where they are, a fit makes about ten passes,
and predictions are lazy. Here the workers are threads of this process.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import three_gaussians_problem

problem = three_gaussians_problem()
data, labels = problem.sample(20_000, random_state=0)
X = da.from_array(data, chunks=(4000, 2))
y = da.from_array(labels, chunks=4000)

model = KernelLogisticRegression(C=1, gamma=0.5, n_centers=60, random_state=0).fit(X, y)
P = model.predict_proba(X)
print(type(P).__module__, P.shape, "in", P.numblocks[0], "chunks")

# %%
# Work is done when a result is asked for: here the mean of each chunk, computed by the workers.

means = P.map_blocks(lambda block: block.mean(axis=0, keepdims=True), chunks=((1,) * 5, (3,))).compute()
distance = np.abs(P[:5000].compute() - problem.predict_proba(data[:5000])).max(axis=1)
_, axes = plt.subplots(1, 2, figsize=(10, 3.8))
axes[0].bar(range(5), means[:, 2])
axes[0].set(xlabel="chunk", ylabel="mean P(class 2)")
axes[1].hist(distance, bins=40)
axes[1].set(xlabel="distance from the true probability", ylabel="rows")
plt.tight_layout()
plt.show()
