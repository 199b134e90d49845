"""From a posterior and rows of known label to sets of labels that hold the truth as often as asked.

Everything here is a pure function of arrays and knows no estimator.  n rows, c classes; P is (n, c).
A label of a new row is kept unless its *score*, how badly it fits, is among the largest of those that true
labels have: its p-value is the share of known rows, the new one among them, that fit as badly or worse.
"""

from kernelproba.conformal.p_values import KnownLabels, left_out_p_values
from kernelproba.conformal.scores import SCORES, LabelScore
from kernelproba.conformal.sets import prediction_sets

__all__ = ["SCORES", "KnownLabels", "LabelScore", "left_out_p_values", "prediction_sets"]
