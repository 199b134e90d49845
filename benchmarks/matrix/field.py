"""The field: every contestant, our own first."""

from dataclasses import dataclass

from sklearn.base import BaseEstimator

from benchmarks.matrix.contestants import (
    boosting,
    fast_rvm,
    gaussian_process,
    kernel_ridge,
    neighbours,
    nystroem,
    ours,
    random_forest,
    svc,
)

RIVALS = (svc, gaussian_process, nystroem, kernel_ridge, fast_rvm, random_forest, boosting, neighbours)


@dataclass(frozen=True)
class Contestant:
    """A name, an unfitted model, and whether it is ours."""

    name: str
    model: BaseEstimator
    own: bool

    def facts(self) -> dict:
        """What the record says of it."""
        return {
            "name": self.name,
            "own": self.own,
            "probabilities": hasattr(self.model, "predict_proba"),
            "setting": " ".join(repr(self.model).split()),
        }


def everyone() -> list[Contestant]:
    """All contestants in the order of the tables."""
    own = [Contestant(name, model, True) for name, model in ours.MODELS.items()]
    return own + [Contestant(name, model, False) for file in RIVALS for name, model in file.MODELS.items()]
