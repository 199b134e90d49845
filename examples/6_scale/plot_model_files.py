"""
A model in a file
=================

A model file holds arrays and names of types, no code: whoever opens it runs nothing that the package
does not know. The model that comes out predicts the same to the last bit.
"""

import tempfile
import zipfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression
from kernelproba.persistence import load_model, save_model

X, y = load_wine(return_X_y=True)
model = make_pipeline(StandardScaler(), KernelLogisticRegression(C=10)).fit(X, y)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "wine.skops"
    save_model(model, path)
    size = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        parts = sorted((info.file_size, info.filename) for info in archive.infolist())
    again = load_model(path)
print(f"{size / 1000:.0f} kB;", "equal:", np.array_equal(model.predict_proba(X), again.predict_proba(X)))

# %%
# What is inside: JSON that names the parts, and NumPy's arrays.

arrays = [size for size, name in parts if name.endswith(".npy")]
names = sum(size for size, name in parts if name.endswith(".json"))
_, ax = plt.subplots(figsize=(8, 3.6))
ax.barh(["names of types (JSON)"], [names / 1000])
ax.barh([f"array {k}" for k in range(1, 7)], [size / 1000 for size in arrays[::-1][:6]])
ax.invert_yaxis()
ax.set(xlabel="kB")
plt.tight_layout()
plt.show()
