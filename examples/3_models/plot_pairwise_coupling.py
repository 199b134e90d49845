"""
Pairs of classes, coupled
=========================

Any probabilistic classifier for two classes becomes one for many: it is trained on every pair, and the
pairs' probabilities are coupled into one distribution. A pair has fewer rows than the whole, so that a
penalty weighs more: pairs have ten times the C here.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MinMaxScaler

from kernelproba import KernelLogisticRegression, PairwiseCouplingClassifier
from kernelproba.inspection import probability_scores

X, y = load_digits(return_X_y=True)
X, X_new, y, y_new = train_test_split(MinMaxScaler().fit_transform(X), y, train_size=600, random_state=0)
logistic = LogisticRegression(C=1.0, max_iter=500)
models = {
    "logistic, one against rest": OneVsRestClassifier(logistic),
    "logistic, softmax": logistic,
    "logistic, pairs": PairwiseCouplingClassifier(LogisticRegression(C=10, max_iter=500)),
    "discriminants, pairs": PairwiseCouplingClassifier(LinearDiscriminantAnalysis("lsqr", shrinkage=0.1)),
    "kernel logistic, softmax": KernelLogisticRegression(C=100),
    "kernel logistic, pairs": KernelLogisticRegression(C=1000, multi_class="pairwise"),
}
scores = {name: probability_scores(y_new, m.fit(X, y).predict_proba(X_new)) for name, m in models.items()}

# %%
# Log loss on new rows; less is better.

_, ax = plt.subplots(figsize=(8, 3.8))
ax.barh(list(scores), [score["log_loss"] for score in scores.values()])
for position, score in enumerate(scores.values()):
    ax.text(score["log_loss"], position, f" {score['log_loss']:.3f}, error {score['error']:.1%}", va="center")
ax.set_xlim(0, 1.35 * max(score["log_loss"] for score in scores.values()))
ax.invert_yaxis()
plt.tight_layout()
plt.show()
