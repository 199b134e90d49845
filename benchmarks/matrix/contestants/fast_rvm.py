"""The relevance vector machine of fastrvm, C++; more than two classes: one against the rest."""

from fastrvm import RVC

from benchmarks.matrix.contestants.setting import GAMMA

MODELS = {"fastrvm": RVC(gamma=GAMMA)}
