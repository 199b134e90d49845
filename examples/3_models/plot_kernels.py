"""
Kernels are objects
===================

They have parameters, add up and multiply, and say what is similar.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import PosteriorDisplay
from kernelproba.kernels import RBF, Laplacian, Linear, Matern, Polynomial, RationalQuadratic

r = np.linspace(0, 4, 200)[:, None]
_, ax = plt.subplots(figsize=(7.5, 4))
for kernel in (RBF(), Laplacian(), Matern(nu=1.5), Matern(nu=2.5), RationalQuadratic(alpha=0.5)):
    ax.plot(r, kernel(r, [[0.0]]), label=repr(kernel))
ax.set(xlabel="distance", ylabel="similarity")
ax.legend()
plt.show()

# %%
# A sum of a smooth kernel and a line extrapolates the line; a length scale of its own for every feature
# lets a useless one count for little.

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(200, 2))
y = np.sin(2 * X[:, 0]) + X[:, 0] + 0.3 * rng.normal(size=200) > 0
kernels = {
    "RBF(0.7)": RBF(0.7),
    "2 * RBF(0.7) + Linear()": 2 * RBF(0.7) + Linear(),
    "RBF([0.7, 5.0])": RBF([0.7, 5.0]),
    "Polynomial(degree=5, coef0=1)": Polynomial(degree=5, coef0=1.0),
}
_, axes = plt.subplots(2, 2, figsize=(9, 7.5))
for ax, (name, kernel) in zip(axes.flat, kernels.items(), strict=True):
    model = KernelLogisticRegression(C=10, kernel=kernel).fit(X, y)
    PosteriorDisplay.from_estimator(model, X, y, ax=ax, resolution=80)
    ax.set_title(name)
plt.tight_layout()
plt.show()
