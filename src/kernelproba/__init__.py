"""Classification with trustworthy probabilities from kernel methods, with the API of scikit-learn."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelproba.estimators import (
        BasisExpansion,
        BasisLogisticRegression,
        ConformalClassifier,
        KernelDensityClassifier,
        KernelLogisticRegression,
        LeastSquaresProbabilisticClassifier,
        LinearProgrammingMachine,
        MaximumContrastClassifier,
        MinimumRiskClassifier,
        PairwiseCouplingClassifier,
        PriorShiftClassifier,
        RecursiveFeatureAddition,
        RelevanceVectorClassifier,
        SparseKernelLogisticRegression,
    )
    from kernelproba.solvers.smooth.separation import SeparationError
    from kernelproba.tables import TableClassifier, TableEncoder
    from kernelproba.tuning import (
        KernelLogisticRegressionCV,
        LeastSquaresProbabilisticClassifierCV,
        LinearProgrammingMachineCV,
        MaximumContrastClassifierCV,
        SparseKernelLogisticRegressionCV,
    )

__version__ = "0.1.0"

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "ConformalClassifier",
    "KernelDensityClassifier",
    "KernelLogisticRegression",
    "KernelLogisticRegressionCV",
    "LeastSquaresProbabilisticClassifier",
    "LeastSquaresProbabilisticClassifierCV",
    "LinearProgrammingMachine",
    "LinearProgrammingMachineCV",
    "MaximumContrastClassifier",
    "MaximumContrastClassifierCV",
    "MinimumRiskClassifier",
    "PairwiseCouplingClassifier",
    "PriorShiftClassifier",
    "RecursiveFeatureAddition",
    "RelevanceVectorClassifier",
    "SeparationError",
    "SparseKernelLogisticRegression",
    "SparseKernelLogisticRegressionCV",
    "TableClassifier",
    "TableEncoder",
]

#: Where the names above are from, in the order in which to look.
_HOMES = (
    "kernelproba.estimators",
    "kernelproba.tuning",
    "kernelproba.tables",
    "kernelproba.solvers.smooth.separation",
)


def __getattr__(name: str) -> Any:
    """Import what is asked for: SciPy and scikit-learn take a second, which `--help` need not."""
    if name in __all__:
        home = next(module for module in map(import_module, _HOMES) if hasattr(module, name))
        globals()[name] = getattr(home, name)
        return globals()[name]
    if not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
