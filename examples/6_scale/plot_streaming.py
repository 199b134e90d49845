"""
Learning from a stream
======================

The least-squares classifier needs sums over rows and nothing else, so that blocks of a stream are exact:
after all of them the model is the one of a single fit.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import LeastSquaresProbabilisticClassifier
from kernelproba.datasets import three_gaussians_problem
from kernelproba.inspection import probability_scores

problem = three_gaussians_problem()
X, y = problem.sample(4000, random_state=0)
X_new, y_new = problem.sample(2000, random_state=1)
settings = {"gamma": 0.5, "random_state": 0}

stream = LeastSquaresProbabilisticClassifier(centers=X[:50], **settings)
losses = []
for block in np.array_split(np.arange(4000), 20):
    stream.partial_fit(X[block], y[block], classes=[0, 1, 2])
    losses.append(probability_scores(y_new, stream.predict_proba(X_new))["log_loss"])

# %%
# The loss falls towards that of the true probabilities.

truth = probability_scores(y_new, problem.predict_proba(X_new))["log_loss"]
_, ax = plt.subplots(figsize=(7, 4))
ax.plot(200 * (1 + np.arange(20)), losses, "o-", label="after so many rows")
ax.axhline(truth, color="grey", linestyle=":", label="true probabilities")
ax.set(xlabel="rows", ylabel="log loss of new rows")
ax.legend()
plt.show()

# %%
# One fit to all rows, compared:

whole = LeastSquaresProbabilisticClassifier(centers=X[:50], **settings).fit(X, y)
difference = np.abs(whole.predict_proba(X_new) - stream.predict_proba(X_new)).max()
print(f"largest difference of a probability: {difference:.1e}")
