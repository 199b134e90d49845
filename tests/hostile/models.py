"""Estimators with parameters at the limits, drawn by a generator `rng`: a new estimator adds a line."""

import numpy as np

import kernelproba as kp
from kernelproba import kernels


def pick(rng, values):
    """One of some values."""
    return values[int(rng.integers(len(values)))]


#: Chance that a parameter has a value that must be refused: there are several of them in every case.
HOPELESS = 0.04


def _limits(rng, possible, impossible=()):
    """One of the values that a parameter may just have, seldom one that it must not have."""
    return pick(rng, impossible if len(impossible) and rng.random() < HOPELESS else possible)


def _strength(rng):
    """C or alpha: sensible half the time."""
    if rng.random() < 0.5:
        return float(10.0 ** rng.uniform(-3, 3))
    ends = [1e-100, 1e-50, 1e-20, 1e-12, 1e-6, 1e6, 1e12, 1e20, 1e50, 1e100]
    return _limits(rng, ends, [5e-324, 1e-200, 1e200, 1e308, 0.0, -1.0, np.nan])


KERNELS = [
    "laplacian",
    "matern",
    "rational_quadratic",
    "linear",
    "poly",
    "sigmoid",
    "cosine",
    "chi2",
    "additive_chi2",
]
OBJECTS = [
    2 * kernels.RBF(1.0) + kernels.Linear(),
    kernels.Matern(1e-3, nu=2.5) * kernels.Cosine(),
    1e90 * kernels.RBF(1.0),
    1e-90 * kernels.Linear(),
    kernels.RationalQuadratic(1.0, alpha=1e-9),
    kernels.Matern(1e3, nu=0.5) + 1e-12 * kernels.Linear(),
]


def not_a_number(X, Z):
    """A kernel function that fails without saying so."""
    return np.full((X.shape[0], Z.shape[0]), np.nan)


def _kernel(rng):
    if rng.random() < 0.45:
        return {}
    named = rng.random() < 0.85
    wrong = [1e200 * kernels.RBF(1.0), kernels.RBF(-1.0), kernels.RBF([1.0] * 7), not_a_number, "no such"]
    return {"kernel": _limits(rng, KERNELS if named else OBJECTS, wrong)}


def _width(rng):
    ends = ["scale", "median", "auto", 1e-100, 1e-30, 1e-10, 0.1, 1.0, 1e10, 1e30, 1e100]
    return {"gamma": _limits(rng, ends, [1e-300, 1e300, 0.0, "no such"])}


def _shape(rng):
    if rng.random() < 0.7:
        return {}
    return {
        "degree": _limits(rng, [0, 1, 2, 3, 5, 12], [50, 1000, 2.5, -1]),
        "coef0": _limits(rng, [0.0, 1.0, -1.0, 1e-90, 1e10], [1e300, np.nan]),
    }


def _weighted(rng):
    if rng.random() < 0.7:
        return {}
    possible = ["balanced", "balanced", {0: 1e-30, 1: 1e30}, {0: 1e-6}]
    return {"class_weight": _limits(rng, possible, [{0: 0.0}, {1: -1.0}, {"absent": 2.0}, {}])}


def _effort(rng):
    if rng.random() < 0.6:
        return {}
    return {"tol": pick(rng, [1e-300, 1e-16, 1e-9, 1e-2, 1e10]), "max_iter": pick(rng, [1, 2, 20, 1000])}


def _plain(rng):
    return _kernel(rng) | _width(rng) | _shape(rng) | _weighted(rng)


def _grid(rng, name):
    possible = [[1.0], [0.1, 10.0], [1e-12, 1e12], [1e-100, 1e100], np.array([1e-3, 1.0, 1e3])]
    return {name: _limits(rng, possible, [[1e-300, 1e300], [], [-1.0], [np.nan]])}


def _inner(rng):
    return pick(
        rng,
        [
            kp.KernelLogisticRegression(_strength(rng)),
            kp.KernelLogisticRegression(),
            kp.KernelDensityClassifier(),
            kp.LeastSquaresProbabilisticClassifier(),
        ],
    )


def _logistic(rng):
    solver = pick(rng, ["auto", "auto", "irls", "newton-cg", "newton-cholesky", "lbfgs", "progressive"])
    centers = pick(rng, [None, None, None, 1, 5, 1000])
    return kp.KernelLogisticRegression(
        _strength(rng), solver=solver, n_centers=centers, random_state=0, **_plain(rng), **_effort(rng)
    )


def _pairs(rng):
    coupling = pick(rng, ["wu-lin-weng", "hastie-tibshirani"])
    return kp.KernelLogisticRegression(
        _strength(rng), multi_class="pairwise", coupling=coupling, **_plain(rng), **_effort(rng)
    )


def _logistic_cv(rng):
    limits = [{}, {"cv": 2}, {"scale": "robust"}, {"scoring": "brier"}, {"max_rows": 10}, {"n_centers": 5}]
    grids = _grid(rng, "Cs") | _grid(rng, "gammas") if rng.random() < 0.7 else {}
    return kp.KernelLogisticRegressionCV(
        **grids, **_limits(rng, limits, [{"cv": 1000}, {"scoring": "no such"}]), **_weighted(rng)
    )


def _least_squares(rng):
    options = pick(
        rng, [{}, {"solver": "eigh"}, {"calibration": None}, {"n_centers": 1}, {"outside": "tails"}]
    )
    return kp.LeastSquaresProbabilisticClassifier(_strength(rng), **options, **_plain(rng), random_state=0)


def _least_squares_cv(rng):
    return kp.LeastSquaresProbabilisticClassifierCV(
        **_grid(rng, "alphas"), **_grid(rng, "gammas"), **_kernel(rng), **_weighted(rng), random_state=0
    )


def _sparse(rng):
    penalty = pick(rng, ["l1", "group"])
    return kp.SparseKernelLogisticRegression(_strength(rng), penalty=penalty, **_plain(rng), **_effort(rng))


def _sparse_cv(rng):
    return kp.SparseKernelLogisticRegressionCV(pick(rng, [2, [0.1, 1.0], [1e-12, 1e12]]), cv=2, **_plain(rng))


def _relevance(rng):
    multi_class = pick(rng, ["ovr", "pairwise"])
    return kp.RelevanceVectorClassifier(
        multi_class=multi_class, **_kernel(rng), **_width(rng), **_shape(rng), **_effort(rng)
    )


def _contrast(rng):
    alpha = pick(rng, [_strength(rng), 1.0, np.inf])
    return kp.MaximumContrastClassifier(
        alpha=alpha, calibration_cv=pick(rng, [None, 2]), **_kernel(rng), **_width(rng)
    )


def _contrast_cv(rng):
    return kp.MaximumContrastClassifierCV(
        **_grid(rng, "alphas"), **_grid(rng, "gammas"), cv=2, **_kernel(rng)
    )


def _machine(rng):
    options = {"multi_class": pick(rng, ["ovr", "pairwise"]), "calibration_cv": pick(rng, [None, 2])}
    return kp.LinearProgrammingMachine(_strength(rng), **options, **_plain(rng))


def _machine_cv(rng):
    return kp.LinearProgrammingMachineCV(
        **_grid(rng, "Cs"), **_grid(rng, "gammas"), cv=2, calibration_cv=2, **_weighted(rng)
    )


def _density(rng):
    widths = [
        "log_loss",
        "likelihood",
        "scott",
        "silverman",
        "scale",
        1e-100,
        1e-9,
        1.0,
        1e9,
        1e100,
        [1.0, 2.0],
    ]
    gamma = _limits(rng, widths, [1e-300, 1e300, []])
    priors = _limits(rng, [None, "uniform"], [[0.5, 0.5], [0.0, 1.0], [np.nan, 1.0], {0: 1e-300, 1: 1.0}])
    return kp.KernelDensityClassifier(gamma=gamma, priors=priors, **_kernel(rng))


def _basis(rng):
    functions = pick(rng, ["gaussian", "sigmoid", "polynomial"])
    expansion = kp.BasisExpansion(functions, degree=pick(rng, [1, 2, 5, 40]), random_state=0)
    C = pick(rng, [None, np.inf, _strength(rng)])
    return kp.BasisLogisticRegression(
        C, expansion=pick(rng, [expansion, "passthrough"]), **_weighted(rng), **_effort(rng)
    )


def _risk(rng):
    costs = _limits(rng, [None], [[[0, 1], [1, 0]], [[0, 1e300], [1, 0]], [[0, np.nan], [1, 0]]])
    reject_cost = _limits(rng, [None, 0.0, 0.1, 1e300], [-1.0, np.nan])
    return kp.MinimumRiskClassifier(_inner(rng), loss_matrix=costs, reject_cost=reject_cost)


def _shifted(rng):
    priors = _limits(rng, [None, [0.5, 0.5], [1e-300, 1.0], {0: 1e-9, 1: 1.0}], [[0.0, 1.0], [-1, 2], "em"])
    return kp.PriorShiftClassifier(_inner(rng), priors=priors)


#: Estimators by name; those of ours that are most used are there more than once.
MODELS = [
    *[("KernelLogisticRegression", _logistic)] * 4,
    *[("pairwise KernelLogisticRegression", _pairs)] * 2,
    ("KernelLogisticRegressionCV", _logistic_cv),
    *[("LeastSquaresProbabilisticClassifier", _least_squares)] * 2,
    ("LeastSquaresProbabilisticClassifierCV", _least_squares_cv),
    *[("SparseKernelLogisticRegression", _sparse)] * 2,
    ("SparseKernelLogisticRegressionCV", _sparse_cv),
    ("RelevanceVectorClassifier", _relevance),
    ("MaximumContrastClassifier", _contrast),
    ("MaximumContrastClassifierCV", _contrast_cv),
    ("LinearProgrammingMachine", _machine),
    ("LinearProgrammingMachineCV", _machine_cv),
    *[("KernelDensityClassifier", _density)] * 2,
    ("BasisLogisticRegression", _basis),
    ("PairwiseCouplingClassifier", lambda rng: kp.PairwiseCouplingClassifier(_inner(rng), **_weighted(rng))),
    ("MinimumRiskClassifier", _risk),
    ("PriorShiftClassifier", _shifted),
    ("ConformalClassifier", lambda rng: kp.ConformalClassifier(_inner(rng))),
    *[("TableClassifier", lambda rng: kp.TableClassifier(_inner(rng)))] * 3,
    ("RecursiveFeatureAddition", lambda rng: kp.RecursiveFeatureAddition(alpha=_strength(rng))),
]
