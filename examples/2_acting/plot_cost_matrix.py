"""
Mistakes that cost differently
==============================

To send a patient home with cancer costs twenty times as much as to look twice. The decision of least
expected cost needs true probabilities, and is not the likeliest class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from kernelproba import KernelLogisticRegressionCV, MinimumRiskClassifier

X, y = load_breast_cancer(return_X_y=True)
y = np.array(["malignant", "benign"])[y]
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0)

dear = {("malignant", "benign"): 20.0, ("benign", "malignant"): 1.0}
plain = KernelLogisticRegressionCV().fit(X, y)
careful = MinimumRiskClassifier(KernelLogisticRegressionCV(), loss_matrix=dear).fit(X, y)

# %%
# What each way of deciding costs on new rows:

for name, decided in {"likeliest": plain.predict(X_new), "least risk": careful.predict(X_new)}.items():
    missed = int(((decided == "benign") & (y_new == "malignant")).sum())
    alarms = int(((decided == "malignant") & (y_new == "benign")).sum())
    print(f"{name:10}  {missed} missed, {alarms} false alarms, cost {20 * missed + alarms}")

# %%
# The best threshold follows from the costs, 1/21, and needs no search over thresholds.

thresholds = np.linspace(0.005, 0.995, 199)
P = plain.predict_proba(X_new)[:, list(plain.classes_).index("malignant")]
ill = y_new == "malignant"
costs = [20 * (ill & ~called).sum() + (~ill & called).sum() for called in thresholds[:, None] <= P]
_, ax = plt.subplots(figsize=(8, 4))
ax.step(thresholds, costs, where="mid")
ax.axvline(1 / 21, color="C1", label="least expected cost: 1/21")
ax.axvline(0.5, color="grey", linestyle=":", label="likeliest class: 1/2")
ax.set(xlabel="call malignant from this probability on", ylabel="cost on new rows")
ax.legend()
plt.tight_layout()
plt.show()
