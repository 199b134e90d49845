"""Penalties on coefficients W (p, k); the intercept is never penalised."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ridge:
    """``½ strength ‖W‖²``: in whitened kernel features the squared RKHS norm of the function."""

    strength: float = 1.0

    def value(self, W: np.ndarray) -> float:
        return 0.5 * self.strength * float(np.vdot(W, W))

    def gradient(self, W: np.ndarray) -> np.ndarray:
        return self.strength * W

    @property
    def curvature(self) -> float:
        """Second derivative, the same in every direction."""
        return self.strength
