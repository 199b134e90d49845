"""Random forest, defaults."""

from sklearn.ensemble import RandomForestClassifier

MODELS = {"random forest": RandomForestClassifier(random_state=0)}
