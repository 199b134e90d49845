"""
Every classifier on one problem
===============================

The same 300 rows of three classes. Colours are mixed by probability: pale where a classifier is in
doubt.
"""

import matplotlib.pyplot as plt

from kernelproba import (
    BasisLogisticRegression,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    LinearProgrammingMachine,
    MaximumContrastClassifier,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)
from kernelproba.datasets import three_gaussians
from kernelproba.inspection import PosteriorDisplay

X, y = three_gaussians(300, random_state=0)
models = [
    KernelLogisticRegressionCV(),
    KernelLogisticRegression(C=10),
    KernelLogisticRegression(C=10, multi_class="pairwise"),
    SparseKernelLogisticRegression(C=10),
    RelevanceVectorClassifier(),
    LeastSquaresProbabilisticClassifier(),
    BasisLogisticRegression(),
    MaximumContrastClassifier(),
    LinearProgrammingMachine(),
    KernelDensityClassifier(),
]

fig, axes = plt.subplots(4, 3, figsize=(11, 13))
for ax, model in zip(axes.flat, models, strict=False):
    PosteriorDisplay.from_estimator(model.fit(X, y), X, y, ax=ax, resolution=80)
    pairs = " (pairs)" if getattr(model, "multi_class", "") == "pairwise" else ""
    ax.set_title(f"{type(model).__name__}{pairs}", fontsize=10)
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
    if ax.get_legend():
        ax.get_legend().remove()
for ax in axes.flat[len(models) :]:
    ax.remove()
plt.tight_layout()
plt.show()
