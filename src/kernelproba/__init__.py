"""Classification with trustworthy probabilities from kernel methods, with the API of scikit-learn."""

from .estimators import KernelLogisticRegression

__version__ = "0.1.0"

__all__ = ["KernelLogisticRegression"]
