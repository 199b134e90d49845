"""Histogram gradient boosting, defaults."""

from sklearn.ensemble import HistGradientBoostingClassifier

MODELS = {"gradient boosting": HistGradientBoostingClassifier(random_state=0)}
