"""
A report on another model's probabilities
=========================================

A report needs labels and probabilities, not a model: here those of a random forest, beside ours on the
same rows.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from kernelproba import KernelLogisticRegressionCV
from kernelproba.inspection import score_differences
from kernelproba.report import About, summarise_predictions, write_report

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0)
forest = RandomForestClassifier(random_state=0).fit(X, y).predict_proba(X_new)
ours = KernelLogisticRegressionCV().fit(X, y).predict_proba(X_new)

about = About(target="diagnosis", source="a random forest", against={"kernelproba": ours})
summary = summarise_predictions(y_new, forest, X_new, about=about)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "report.html"
    write_report(summary, path)  # or report.md, report.json
    print(f"{path.stat().st_size / 1000:.0f} kB, one file, no network")

# %%
# What the page says first.

for sentence in summary["findings"] or ["nothing to warn of"]:
    print(sentence)
print({name: round(score["estimate"], 3) for name, score in summary["scores"].items()})

# %%
# Both models have seen the same rows, so that the differences are known better than the scores.

differences = score_differences(y_new, forest, ours, random_state=0)
_, ax = plt.subplots(figsize=(7, 2.8))
for place, interval in enumerate(differences.values()):
    ax.plot([interval.low, interval.high], [place, place], color="C7")
    ax.plot(interval.estimate, place, "o", color="C0")
ax.axvline(0, color="grey", linestyle=":")
ax.set_yticks(range(len(differences)), differences)
ax.invert_yaxis()
ax.set(xlabel="forest minus kernelproba: above zero, the forest is worse")
plt.tight_layout()
plt.show()
