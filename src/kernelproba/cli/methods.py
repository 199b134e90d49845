"""Classifiers by the short names of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    from pathlib import Path

    from sklearn.base import BaseEstimator

    from kernelproba.typing import Classifier

#: Values of C among which each pair of classes chooses its own.
PAIR_CS = (0.1, 1.0, 10.0, 100.0, 1000.0)


#: Rows that every method can learn from in a minute or so, rows at most, and rows × columns × classes.
_LEAST_ROWS, _MOST_ROWS, _CELLS = 5_000, 100_000, 4_000_000

#: Rows up to which "auto" takes all of them as centres, and centres that we then ask for.
_ALL_CENTERS, _FEW_CENTERS = 10_000, 2_000


@dataclass(frozen=True)
class Method:
    """A way to a classifier.

    Attributes
    ----------
    estimators : tuple of str
        Names in `kernelproba`; the first that the package has is built.
    summary : str
        For people.
    params : dict
        Of the constructor, if not the defaults.
    takes_many : bool
        Whether its time grows with the rows only: it searches on a sample and spans the model by few centres.
    """

    estimators: tuple[str, ...]
    summary: str
    params: dict[str, object] = field(default_factory=dict)
    takes_many: bool = False

    def default_rows(self, columns: int, classes: int) -> int:
        """Return how many rows it learns from unless the user asks for more: about a minute's worth.

        The same for the same table on every machine, so that models can be fitted again.
        """
        cells = _CELLS // max(columns * classes, 1) if self.takes_many else 0
        return max(_LEAST_ROWS, min(_MOST_ROWS, cells))


_SELF_TUNING = ("KernelLogisticRegressionCV", "LeastSquaresProbabilisticClassifierCV")

METHODS = {
    "auto": Method(
        _SELF_TUNING, "the default: kernel logistic regression that tunes itself", takes_many=True
    ),
    "klr": Method(
        ("KernelLogisticRegressionCV", "KernelLogisticRegression"),
        "kernel logistic regression, one softmax",
        takes_many=True,
    ),
    "klr-pairwise": Method(
        ("KernelLogisticRegression",),
        "kernel logistic regression of every pair of classes, coupled",
        {"multi_class": "pairwise", "pair_Cs": PAIR_CS},
    ),
    "lspc": Method(("LeastSquaresProbabilisticClassifierCV",), "least squares: the fastest for many classes"),
    "sparse": Method(("SparseKernelLogisticRegressionCV",), "few training rows in the model (lasso)"),
    "rvm": Method(("RelevanceVectorClassifier",), "relevance vectors: fewest rows, by evidence"),
    "mcc": Method(("MaximumContrastClassifierCV",), "maximum contrast: switches off doubtful rows"),
    "lpm": Method(("LinearProgrammingMachineCV",), "linear programming machine, calibrated"),
    "kdc": Method(("KernelDensityClassifier",), "kernel densities and Bayes' rule"),
    "basis": Method(("BasisLogisticRegression",), "logistic regression on Gaussian basis functions"),
}


def build(
    name: str, *, seed: int = 0, settings: dict[str, object] | None = None, jobs: int = 1
) -> BaseEstimator:
    """Return an unfitted classifier.

    Parameters
    ----------
    name : str
        One of `METHODS`.
    seed : int
        Its ``random_state``, if it has one.
    settings : dict, optional
        Parameters that the user asks for.
    jobs : int
        Its ``n_jobs``, if it has one.
    """
    import kernelproba

    if name not in METHODS:
        close = get_close_matches(name, METHODS, 1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise CommandError(f"there is no method '{name}': {hint}choose from {', '.join(METHODS)}")
    method = METHODS[name]
    kind = next(getattr(kernelproba, each) for each in method.estimators if hasattr(kernelproba, each))
    model = kind(**method.params)
    own = {"random_state": seed, "scale": None}  # the encoder of tables has scaled the columns already
    own |= {"n_jobs": jobs} if jobs > 1 else {}
    model.set_params(**{key: value for key, value in own.items() if key in model.get_params(deep=False)})
    return _with_settings(model, name, settings or {})


def long_fit(name: str, max_time: float | None, checkpoint: Path | None) -> dict[str, object]:
    """Return the parameters of a fit that may take long, those that are given."""
    import kernelproba

    asked = {"max_time": max_time, "checkpoint": None if checkpoint is None else str(checkpoint)}
    given: dict[str, object] = {key: value for key, value in asked.items() if value is not None}
    if not given or name not in METHODS:
        return given
    if not set(given) <= set(getattr(kernelproba, METHODS[name].estimators[0])().get_params()):
        raise CommandError(f"--max-time and --checkpoint are for the methods auto and klr, not for {name}")
    return given


def with_few_centers(classifier: Classifier, rows: int) -> Classifier:
    """Return a classifier for so many rows: between 5,000 and 10,000 all of them as centres take minutes.

    Beyond, "auto" chooses fewer by itself; what a user has set stays.
    """
    known = classifier.get_params(deep=False)
    if _LEAST_ROWS < rows <= _ALL_CENTERS and known.get("n_centers") == "auto":
        return classifier.set_params(n_centers=_FEW_CENTERS)
    return classifier


def _with_settings(model: Classifier, name: str, settings: dict[str, object]) -> BaseEstimator:
    known = model.get_params(deep=False)
    for key in settings:
        if key not in known:
            several = f"{key}s"
            hint = (
                f"give a list to choose from, as in --set {several}=[{settings[key]}]; "
                if several in known
                else ""
            )
            raise CommandError(
                f"method {name} ({type(model).__name__}) has no parameter '{key}': "
                f"{hint}it has {', '.join(sorted(known))}"
            )
    return model.set_params(**settings)
