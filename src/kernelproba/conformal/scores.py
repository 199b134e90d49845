"""How badly a label fits the posterior of a row.

With the labels of a row in falling order of probability, p₍₁₎ ≥ p₍₂₎ ≥ …, and o the place of label y in it::

    lac    −p_y                                        least ambiguous sets [Sadinle et al. 2019]
    aps    p₍₁₎ + … + p₍ₒ₎                             adaptive sets [Romano et al. 2020]
    raps   the same + penalty · max(o − free, 0)        regularised adaptive sets [Angelopoulos et al. 2021]

A draw u, uniform in (0, 1), takes u·p_y off the sums of aps and raps, where asked.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCORES = ("lac", "aps", "raps")
#: Decimals of a sum of probabilities that are not rounding: labels that are equally bad must tie.
DECIMALS = 12


@dataclass(frozen=True)
class LabelScore:
    """One of `SCORES`.

    Parameters
    ----------
    kind : {"lac", "aps", "raps"}
        Which.
    penalty : float, default=0.0
        Of raps: what each place beyond `free` adds.
    free : int, default=0
        Of raps: places that cost nothing.
    """

    kind: str
    penalty: float = 0.0
    free: int = 0

    def __call__(self, P: NDArray, u: NDArray | None = None) -> NDArray[np.float64]:
        """Scores (n, c) of all labels of rows with posterior P (n, c); u (n,) are draws, if any."""
        if self.kind == "lac":
            return -P
        order = np.argsort(-P, axis=1, kind="stable")
        place = np.argsort(order, axis=1)
        sums = np.take_along_axis(np.cumsum(np.take_along_axis(P, order, axis=1), axis=1), place, axis=1)
        if u is not None:
            sums = sums - u[:, None] * P
        if self.kind == "raps":
            sums = sums + self.penalty * np.maximum(place + 1 - self.free, 0)
        return sums.round(DECIMALS)
