"""Toy problems with a known posterior, in the plane unless said otherwise."""

from __future__ import annotations

import numpy as np

from kernelproba.datasets.mixture import Gaussian, Mixture, RandomState


def three_gaussians_problem() -> Mixture:
    """The toy problem of sugiyama2010 §3.1, whose classes 1, 2, 3 are 0, 1, 2 here.

    Two round classes with prior ¼ each, and a third with prior ½ that is a mixture
    of a broad and a tall Gaussian below and above them.

    See Also
    --------
    three_gaussians : Rows drawn from it.
    two_gaussians_problem : Two classes.

    Examples
    --------
    >>> from kernelproba.datasets import three_gaussians_problem
    >>> three_gaussians_problem().priors
    [0.25, 0.25, 0.5]
    """
    left = [Gaussian([-2, 0], np.eye(2))]
    right = [Gaussian([2, 0], np.eye(2))]
    around = [Gaussian([0, -3], np.diag([4, 1]), 0.5), Gaussian([0, 2], np.diag([1, 4]), 0.5)]
    return Mixture([left, right, around], priors=[0.25, 0.25, 0.5])


def three_gaussians(n: int, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw X of shape (n, 2) and y of shape (n,) from `three_gaussians_problem`.

    See Also
    --------
    three_gaussians_problem : The problem with its posterior.

    Examples
    --------
    >>> X, y = three_gaussians(200, random_state=0)
    >>> X.shape, set(y.tolist())
    ((200, 2), {0, 1, 2})
    """
    return three_gaussians_problem().sample(n, random_state)


def two_gaussians_problem(distance: float = 2.0, n_features: int = 2, prior: float = 0.5) -> Mixture:
    """Two round Gaussians, `distance` apart along the first feature.

    The posterior is exactly logistic in it:

        P(y = 1 | x) = σ(distance · x₀ + log(prior / (1 − prior)))

    Parameters
    ----------
    distance : float, default=2.0
        Between the two means.
    n_features : int, default=2
        All but the first carry no information.
    prior : float, default=0.5
        Of class 1.

    See Also
    --------
    three_gaussians_problem : Three classes.
    chessboard_problem : A posterior with many changes.

    Examples
    --------
    >>> from kernelproba.datasets import two_gaussians_problem
    >>> two_gaussians_problem(distance=2.0).predict_proba([[0.0, 0.0], [1.0, 5.0]]).round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """
    mean = np.zeros(n_features)
    mean[0] = distance / 2
    cov = np.eye(n_features)
    return Mixture([[Gaussian(-mean, cov)], [Gaussian(mean, cov)]], priors=[1 - prior, prior])


def chessboard_problem(width: float = 0.6) -> Mixture:
    """Two classes on a 2 × 2 chessboard: no linear classifier is better than chance.

    Parameters
    ----------
    width : float, default=0.6
        Standard deviation of each of the four Gaussians, whose means are (±1, ±1).

    See Also
    --------
    two_gaussians_problem : Two classes with a smooth posterior.
    three_gaussians_problem : Three classes.

    Examples
    --------
    >>> from kernelproba.datasets import chessboard_problem
    >>> chessboard_problem(width=0.3).predict_proba([[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]]).round(2)
    array([[1. , 0. ],
           [0. , 1. ],
           [0.5, 0.5]])
    """
    cov = width**2 * np.eye(2)
    white = [Gaussian([-1, -1], cov), Gaussian([1, 1], cov)]
    black = [Gaussian([-1, 1], cov), Gaussian([1, -1], cov)]
    return Mixture([white, black])
