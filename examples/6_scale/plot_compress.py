"""
The same model with fewer centres
=================================

A kernel model carries its training rows. `compress` keeps those that tell most and fits their
coefficients anew to the model's own probabilities, without labels: time to predict and bytes of a file
fall with the centres.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from kernelproba import KernelLogisticRegression
from kernelproba.compression import compress
from kernelproba.inspection import probability_scores

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), random_state=0)
model = KernelLogisticRegression(C=100).fit(X, y)
whole = probability_scores(y_new, model.predict_proba(X_new))["log_loss"]

numbers, divergences, losses = [25, 50, 100, 200, 400], [], []
for m in numbers:
    small = compress(model, n_centers=m)
    divergences.append(small.compression_["mean_kl"])
    losses.append(probability_scores(y_new, small.predict_proba(X_new))["log_loss"])
    print(f"{m:4d} of {len(X)} centres: {divergences[-1]:.4f} nats away, log loss {losses[-1]:.4f}")

# %%
# Or say how far the probabilities may move, and as few centres are kept as that allows.

small = compress(model, max_loss=0.01)
print(small.compression_)

_, ax = plt.subplots(figsize=(7, 4))
ax.loglog(numbers, divergences, "o-", label="mean divergence from the whole model")
ax.loglog(numbers, losses, "s-", label="log loss on new rows")
ax.axhline(whole, color="grey", linestyle=":", label=f"log loss of the whole model, {len(X)} centres")
ax.set_xticks(numbers, numbers)
ax.minorticks_off()
ax.set(xlabel="centres", ylabel="nats")
ax.legend()
plt.tight_layout()
plt.show()
