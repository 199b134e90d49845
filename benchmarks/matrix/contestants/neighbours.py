"""Nearest neighbours, defaults."""

from sklearn.neighbors import KNeighborsClassifier

MODELS = {"k nearest neighbours": KNeighborsClassifier()}
