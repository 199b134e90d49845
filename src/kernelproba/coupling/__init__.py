"""From the probabilities of all pairs of classes, r_ij = P(i | i or j), to one posterior p."""

from kernelproba.coupling.posterior import METHODS, couple, couple_log_odds

__all__ = ["METHODS", "couple", "couple_log_odds"]
