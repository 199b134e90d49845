"""Classification with trustworthy probabilities from kernel methods."""

__version__ = "0.1.0"
