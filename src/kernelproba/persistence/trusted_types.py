"""Types that a model file may contain, beyond those that skops trusts by itself.

skops trusts numbers, texts, containers, NumPy's arrays and scikit-learn's estimators.  To those are added:

- the estimators and kernels that this package exports, and the parts that they store (`PARTS`);
- the rows of models that were fitted on sparse matrices (`SPARSE`);
- scikit-learn's kernels of Gaussian processes, which serve as kernels here (`PROCESS_KERNELS`);
- the folds and scores of scikit-learn's searches (`SEARCHES`);
- what a `TableEncoder` knows of the columns of a table (`TABLES`).

None of them does anything but keep what it is given when it is constructed, and the three functions among
them only compute scores.  `CallableKernel` is missing on purpose: it would call whatever function a file
names.
"""

from __future__ import annotations

from functools import cache
from inspect import isclass

#: Types of this package that fitted models store without exporting them.
PARTS = frozenset(
    {
        "kernelproba.basis.class_centers.CenterBlock",
        "kernelproba.basis.class_centers.ClassCenters",
        "kernelproba.calibration.Calibrated",
        "kernelproba.calibration.Clipping",
        "kernelproba.calibration.PowerCalibration",
        "kernelproba.calibration.PriorOutside",
        "kernelproba.calibration.SlopeMap",
        "kernelproba.decision.shift.ShiftTest",
        "kernelproba.estimators.least_squares.state.LearntPosterior",
        "kernelproba.estimators.least_squares.state.PosteriorOptions",
        "kernelproba.estimators.least_squares.state.PosteriorSolution",
        "kernelproba.estimators.sparse_kernel_logistic.path.SparsePath",
        "kernelproba.rows.sketch.RowSketch",
        "kernelproba.solvers.least_squares.averaged_sgd.AveragedSGD",
        "kernelproba.solvers.least_squares.normal_equations.NormalEquations",
        "kernelproba.solvers.least_squares.posterior_sums.PosteriorSums",
        "kernelproba.solvers.least_squares.stochastic_posterior.StochasticPosterior",
        "kernelproba.tuning.results.SearchResults",
        "kernelproba.tuning.scaling.FeatureScaling",
    }
)

#: Centres of models that were fitted on sparse rows.
SPARSE = frozenset(
    f"scipy.sparse._{kind}.{kind}_{form}" for kind in ("csr", "csc") for form in ("array", "matrix")
)

#: Kernels of scikit-learn's Gaussian processes, and what they keep of each parameter.
PROCESS_KERNELS = frozenset(
    f"sklearn.gaussian_process.kernels.{name}"
    for name in (
        "CompoundKernel",
        "ConstantKernel",
        "DotProduct",
        "ExpSineSquared",
        "Exponentiation",
        "Hyperparameter",
        "Matern",
        "PairwiseKernel",
        "Product",
        "RBF",
        "RationalQuadratic",
        "Sum",
        "WhiteKernel",
    )
)

#: What `GridSearchCV` and its like keep: folds, and scores of predictions by probability and label.
SEARCHES = frozenset(
    {
        "sklearn.metrics._classification.accuracy_score",
        "sklearn.metrics._classification.brier_score_loss",
        "sklearn.metrics._classification.log_loss",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.metrics._scorer._Scorer",
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.utils._metadata_requests.MetadataRequest",  # of scorers, scikit-learn 1.6
        "sklearn.utils._metadata_requests.MethodMetadataRequest",
    }
)

#: What a fitted `TableEncoder` knows of each column.
TABLES = frozenset(
    f"kernelproba.tables.{name}"
    for name in (
        "encoding.categories.CategoryEncoder",
        "encoding.categories.OrderedEncoder",
        "encoding.dates.DateEncoder",
        "encoding.numbers.NumberEncoder",
        "encoding.texts.TextEncoder",
        "fitted_column.FittedColumn",
        "kinds.ColumnKind",
        "readings.Reading",
    )
)


@cache
def trusted_types() -> frozenset[str]:
    """Return the full names of the types that are trusted in addition to those of skops."""
    import kernelproba
    from kernelproba import kernels

    exported = [getattr(kernelproba, name) for name in kernelproba.__all__]
    own = [kind for kind in exported if isclass(kind) and hasattr(kind, "get_params")]
    own += [kind for name in kernels.__all__ if _is_kernel(kind := getattr(kernels, name))]
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in own}
    return frozenset(names) | PARTS | SPARSE | PROCESS_KERNELS | SEARCHES | TABLES


def _is_kernel(kind: object) -> bool:
    from kernelproba.kernels import CallableKernel, Kernel

    return isclass(kind) and issubclass(kind, Kernel) and not issubclass(kind, CallableKernel)
