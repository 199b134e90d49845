"""From which probability on a label belongs to the set, at the levels that a page offers."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.conformal.sets import ROUNDING
from kernelproba.page.opened_model import OpenedModel

#: Levels to choose from.
LEVELS = (0.8, 0.9, 0.95, 0.99)


def set_thresholds(model: BaseEstimator) -> dict[str, float]:
    """Return level → probability from which on a label is in the set; none if the model cannot tell.

    With m known rows a label of probability p has the p-value (#{known ≤ p} + 1)/(m + 1) and is kept if that
    exceeds α (`kernelproba.conformal`): if p is at least the ⌊α(m + 1)⌋-th smallest of the known.
    """
    known = _known_label_proba(OpenedModel.of(model))
    if known is None or len(known) == 0:
        return {}
    ranked, m = np.sort(known), len(known)
    counts = {level: int((1 - level + ROUNDING) * (m + 1)) for level in LEVELS if level <= m / (m + 1)}
    return {f"{level:g}": float(ranked[k - 1]) if k else 0.0 for level, k in counts.items()}


def _known_label_proba(opened: OpenedModel) -> np.ndarray | None:
    """Probabilities (m,) of the labels of the training rows, each by a fit without it."""
    proba = getattr(opened.core, "loo_label_proba_", None)
    if proba is None or opened.wrapped:  # other probabilities need other rows to be judged by
        return None
    return proba[~np.isnan(proba)]
