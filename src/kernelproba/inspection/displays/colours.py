"""Colours of classes that people with any colour vision can tell apart."""

from __future__ import annotations

import numpy as np

# Okabe & Ito (2008), ordered so that the first few differ most in lightness and hue.
_OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#8c8c8c"

# From linear light to the cone responses, and from their cube roots to Oklab (Ottosson 2020).
_TO_CONES = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
_TO_OKLAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])


def class_colours(c: int) -> np.ndarray:
    """RGB colours of c classes in [0, 1], of shape (c, 3).

    Up to seven are Okabe and Ito's.  Each further one is, of a grid of colours, the
    one that looks least like all before.
    """
    colours = [[int(code[k : k + 2], 16) / 255 for k in (1, 3, 5)] for code in _OKABE_ITO]
    if c <= len(colours):
        return np.array(colours[:c])
    candidates = np.stack(np.meshgrid(*[np.linspace(0, 1, 9)] * 3), axis=-1).reshape(-1, 3)
    looks = _oklab(candidates)
    visible = (looks[:, 0] > 0.5) & (looks[:, 0] < 0.85)  # neither lost on white nor like black text
    candidates, looks = candidates[visible], looks[visible]
    distance = np.linalg.norm(looks[:, None] - _oklab(np.array(colours)), axis=2).min(axis=1)
    while len(colours) < c:
        chosen = int(distance.argmax())
        colours.append(candidates[chosen].tolist())
        distance = np.minimum(distance, np.linalg.norm(looks - looks[chosen], axis=1))
    return np.array(colours)


def blend(P: np.ndarray, colours: np.ndarray, *, strength: float = 0.6) -> np.ndarray:
    """Mix class colours in the proportion of the probabilities.

    Parameters
    ----------
    P : ndarray of shape (..., c)
        Probabilities.
    colours : ndarray of shape (c, 3)
        RGB in [0, 1].
    strength : float, default=0.6
        1 for the full colour of a sure class, 0 for white.

    Returns
    -------
    ndarray of shape (..., 3)
        RGB in [0, 1].
    """
    # Light adds linearly, screen values do not: mixing those would darken the boundaries.
    mixed = (P @ colours**2.2) ** (1 / 2.2)
    return np.clip(1 - strength * (1 - mixed), 0, 1)


def is_light(colour: np.ndarray) -> bool:
    """Whether white is hard to see on this RGB colour (3,)."""
    return bool(_oklab(colour)[0] > 0.85)


def _oklab(rgb: np.ndarray) -> np.ndarray:
    """Coordinates in which distance is about the difference that is seen."""
    return np.cbrt(rgb**2.2 @ _TO_CONES.T) @ _TO_OKLAB.T
