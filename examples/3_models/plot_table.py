"""
A table with categories, dates and gaps
=======================================

`TableClassifier` takes data frames as they come. Every column counts once, whatever it becomes, and the
model says what it took each column for.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from kernelproba import TableClassifier
from kernelproba.inspection import permutation_importance, probability_scores

rng = np.random.default_rng(0)
n = 600
table = pd.DataFrame(
    {
        "age": rng.integers(18, 90, n).astype(float),
        "smoker": rng.choice(["yes", "no", "former"], n),
        "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
        "ward": rng.choice(list("ABCDE"), n),
        "clinic": "north",
    }
)
winter = np.cos(2 * np.pi * table["seen"].dt.day_of_year / 365)
log_odds = (table["age"] - 55) / 10 + 2 * (table["smoker"] == "yes") + 1.5 * winter - 0.5
ill = np.where(rng.random(n) < 1 / (1 + np.exp(-log_odds)), "ill", "well")
table.loc[rng.random(n) < 0.1, "age"] = np.nan  # a gap in every tenth row

train, test, y, y_test = train_test_split(table, ill, random_state=0)
model = TableClassifier().fit(train, y)
pd.DataFrame([(c.name, c.kind, c.why) for c in model.encoder_.columns_], columns=["column", "kind", "why"])

# %%
# Beside the truth, which only a drawn table has. The gaps cost something: the truth knows the age.

truth = 1 / (1 + np.exp(-log_odds[test.index]))
for name, p in {"model": model.predict_proba(test)[:, 0], "truth": truth}.items():
    print(f"{name}: log loss {probability_scores(y_test, np.column_stack([p, 1 - p]))['log_loss']:.3f}")

# %%
# Which columns do the predictions owe most to? The ward has no bearing on anything.

ranking = permutation_importance(model, test, y_test, n_repeats=5, random_state=0).iloc[::-1]
_, ax = plt.subplots(figsize=(7, 3))
ax.barh(ranking["column"], ranking["importance"])
ax.set(xlabel="rise of the log loss if the column is shuffled (nats)")
plt.tight_layout()
plt.show()
