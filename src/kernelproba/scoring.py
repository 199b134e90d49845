"""The four scores of stated probabilities P (n, c) of rows whose classes y (n,) are known.

    error     share of rows whose most probable class is wrong
    log loss  mean of −log p(own class), with p raised to the rounding unit
    Brier     mean of Σ_k (p_k − [y = k])², between 0 and 2
    ECE       Σ_b |Σ_{i∈b} wᵢ dᵢ| / Σw, the top-label calibration error in 15 bins of equal width

with dᵢ = (largest probability of row i) − [its class is right].

**Probabilities of zero.**  In the log loss a probability below the rounding unit of its precision (2.2e-16 in
double) counts as the rounding unit, as in scikit-learn's `log_loss`: a row costs 36 nats at most.  Every log
loss that the package reports is of this kind, whether of held-out rows, of rows left out or in a report.
"""

import numpy as np

#: Bins of the calibration error.
ECE_BINS = 15


def row_errors(P: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether the most probable class is wrong, as 1.0 or 0.0, (n,)."""
    return (P.argmax(axis=1) != y).astype(np.float64)


def row_log_losses(P: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Minus the logarithm of the probability of the own class, (n,)."""
    own = P[np.arange(len(y)), y].astype(np.float64)
    return -np.log(np.clip(own, np.finfo(P.dtype).eps, 1))


def row_brier_scores(P: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Squared distance of the probabilities from the truth, (n,)."""
    # Σ_k (p_k − [k = y])² = Σ_k p_k² − 2 p_y + 1, but without the cancellation
    gap = P.astype(np.float64)
    gap[np.arange(len(y)), y] -= 1
    return np.einsum("ij,ij->i", gap, gap)


#: Function (P (n, c), y (n,)) → what each row adds to the score, the less the better.
ROW_SCORES = {"error": row_errors, "log_loss": row_log_losses, "brier": row_brier_scores}


def uniform_bins(probability: np.ndarray, n_bins: int = ECE_BINS) -> np.ndarray:
    """Numbers (n,) of bins of equal width; a bin takes its upper edge and leaves out its lower one."""
    return np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], probability, side="left")


def calibration_gaps(P: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bin of every row (n,), and dᵢ (n,)."""
    confidence = P.max(axis=1).astype(np.float64)
    return uniform_bins(confidence), confidence - (P.argmax(axis=1) == y)


def calibration_error(P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """Top-label calibration error (ECE)."""
    bins, gaps = calibration_gaps(P, y)
    return float(np.abs(np.bincount(bins, weights=weight * gaps)).sum() / weight.sum())


def mean_scores(P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """Error, log loss, Brier score and ECE of rows with weights (n,)."""
    share = weight / weight.sum()
    means = {name: float(share @ score(P, y)) for name, score in ROW_SCORES.items()}
    return means | {"ece": calibration_error(P, y, weight)}


def score_sums(P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What a block of rows adds to the sums from which `scores_of_sums` has its means, (19,)."""
    bins, gaps = calibration_gaps(P, y)
    sums = [weight @ score(P, y) for score in ROW_SCORES.values()]
    return np.concatenate([[weight.sum()], sums, np.bincount(bins, weight * gaps, ECE_BINS)])


def scores_of_sums(sums: np.ndarray) -> dict[str, float]:
    """The scores of `mean_scores` from the sums of all blocks."""
    means = sums[1:] / sums[0]
    names = [*ROW_SCORES]
    return dict(zip(names, means[: len(names)].tolist(), strict=True)) | {
        "ece": float(np.abs(means[len(names) :]).sum())
    }
