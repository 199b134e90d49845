"""The relevance vector machine of fastrvm, C++; more than two classes: one against the rest.

It wants scikit-learn 1.7; with older ones it cannot be installed, and does not take part.
"""

from importlib.util import find_spec

from benchmarks.matrix.contestants.setting import GAMMA

MODELS = {}
if find_spec("fastrvm"):
    from fastrvm import RVC

    MODELS["fastrvm"] = RVC(gamma=GAMMA)
