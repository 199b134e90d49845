"""
Probabilities without Python
============================

A model becomes a graph of ONNX, which runtimes execute in C++, Java, JavaScript or a database: scaling,
kernels and softmax are part of it, and the probabilities are the same.
"""

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
from sklearn.datasets import load_iris

from kernelproba import KernelLogisticRegressionCV
from kernelproba.onnx import to_onnx

X, y = load_iris(return_X_y=True)
model = KernelLogisticRegressionCV(kernel="rbf").fit(X, y)
file = to_onnx(model).SerializeToString()
session = onnxruntime.InferenceSession(file)
print(f"{len(file) / 1000:.0f} kB; takes {[i.name for i in session.get_inputs()]},", end=" ")
print(f"gives {[o.name for o in session.get_outputs()]}")

# %%
# On rows that neither has seen, drawn over the whole range of the flowers.

rows = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), (2000, 4)).astype(np.float32)
labels, P = session.run(None, {"X": rows})
ours = model.predict_proba(rows)
print("labels equal:", np.array_equal(labels, model.predict(rows)))

_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
left.plot(ours.ravel(), P.ravel(), ".", markersize=2)
left.set(xlabel="predict_proba", ylabel="the graph")
right.hist(np.log10(np.abs(P - ours).ravel() + 1e-12), bins=40)
right.set(xlabel="log₁₀ of the difference", ylabel="probabilities")
plt.tight_layout()
plt.show()
