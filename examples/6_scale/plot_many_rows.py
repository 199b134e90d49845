"""
Thirty thousand rows and few centres
====================================

Beyond 10,000 rows a function is spanned by centres instead of all rows. Centres chosen by randomly
pivoted Cholesky need fewer of them than any rows do.
"""

import time

import matplotlib.pyplot as plt

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import chessboard_problem
from kernelproba.inspection import probability_scores

problem = chessboard_problem(width=0.5)
X, y = problem.sample(30_000, random_state=0)
X_new, y_new = problem.sample(10_000, random_state=1)
truth = probability_scores(y_new, problem.predict_proba(X_new))["log_loss"]

numbers = [5, 10, 20, 40, 80]
_, ax = plt.subplots(figsize=(7, 4))
for rule in ("rpcholesky", "uniform"):
    losses = []
    for m in numbers:
        start = time.perf_counter()
        model = KernelLogisticRegression(C=1, gamma=1.0, n_centers=m, centers=rule, random_state=0).fit(X, y)
        seconds = time.perf_counter() - start
        losses.append(probability_scores(y_new, model.predict_proba(X_new))["log_loss"])
        print(f"{rule:10} {m:3d} centres: log loss {losses[-1]:.4f} in {seconds:.1f} s")
    ax.loglog(numbers, [loss - truth for loss in losses], "o-", label=rule)
ax.set_xticks(numbers, numbers)
ax.minorticks_off()
ax.set(xlabel="centres", ylabel="log loss above that of the truth")
ax.legend()
plt.show()
