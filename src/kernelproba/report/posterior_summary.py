"""The posterior on a plane through the rows: the likeliest class and its probability, on a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from kernelproba.inspection import PosteriorDisplay, posterior_map
from kernelproba.linalg import densify
from kernelproba.plain_text import name
from kernelproba.report.json_values import json_value
from kernelproba.tables import TableClassifier
from kernelproba.typing import Classifier, Matrix

_RESOLUTION, _POINTS = 72, 300


def summarise_map(model: Classifier, X: Matrix, codes: NDArray, P: NDArray) -> dict[str, object]:
    """Return the map of a fitted classifier, or ``{"reason": …}`` why there is none.

    Two numeric columns span the plane themselves.  Of others, the two leading principal components do; those
    of a pipeline or a table are taken where the classifier sees the rows, so that text and dates are numbers.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : array-like or data frame of shape (n, d)
        Held-out rows.
    codes : ndarray of shape (n,)
        Their class numbers.
    P : ndarray of shape (n, c)
        Their probabilities, for the colour of the rows drawn.
    """
    if get_tags(model).input_tags.pairwise:
        return {"reason": "A precomputed kernel has no features that could span a plane."}
    try:
        features = "features" if np.shape(X)[1] == 2 and _are_numbers(X) else "components"
        shown = _draw_plane(model, X, features)
    except (TypeError, ValueError) as error:
        return {"reason": f"The rows cannot be laid on a plane: {error}"}
    return _as_dict(shown, features, codes, P)


def _draw_plane(model: Classifier, X: Matrix, features: str) -> PosteriorDisplay:
    if features == "features":
        return posterior_map(model, X, resolution=_RESOLUTION)
    inner = model.best_estimator_ if isinstance(model, BaseSearchCV) else model
    if isinstance(inner, Pipeline) and len(inner) > 1:
        return posterior_map(
            inner[-1], _dense(inner[:-1].transform(X)), features="pca", resolution=_RESOLUTION
        )
    if isinstance(inner, TableClassifier):
        return posterior_map(inner.estimator_, inner.encode(X), features="pca", resolution=_RESOLUTION)
    return posterior_map(inner, X, features="pca", resolution=_RESOLUTION)


def _are_numbers(X: Matrix) -> bool:
    kinds = [dtype.kind for dtype in X.dtypes] if hasattr(X, "dtypes") else [np.asarray(X).dtype.kind]
    return all(kind in "iuf" for kind in kinds)


def _dense(Z: Matrix) -> np.ndarray:
    return densify(Z)


def _as_dict(shown: PosteriorDisplay, features: str, codes: NDArray, P: NDArray) -> dict[str, object]:
    """Keep of the posterior what a picture needs: the likeliest class and how likely it is."""
    assert shown.points is not None
    step = -(-len(shown.points) // _POINTS)
    points = zip(shown.points[::step], codes[::step], P[::step], strict=True)
    return {
        "kind": features,
        "names": [name(axis) for axis in shown.names],
        "ranges": [[float(axis[0]), float(axis[-1])] for axis in shown.axes],
        "label": json_value(shown.posterior.argmax(axis=2)),
        "probability": json_value(shown.posterior.max(axis=2).round(3)),
        "points": [
            {
                "at": json_value(at.astype(float)),
                "label": int(code),
                "predicted": int(p.argmax()),
                "probability": float(p.max()),
            }
            for at, code, p in points
        ],
    }
