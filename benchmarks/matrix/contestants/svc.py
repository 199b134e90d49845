"""The support vector classifier, bare and as scikit-learn advises for probabilities."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC

from benchmarks.matrix.contestants.setting import GAMMA, C

MODELS = {
    "SVC": SVC(C=C, gamma=GAMMA),
    "SVC, calibrated": CalibratedClassifierCV(SVC(C=C, gamma=GAMMA), ensemble=False),
}
