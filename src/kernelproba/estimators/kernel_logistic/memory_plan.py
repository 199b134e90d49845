"""How a fit with chosen centres shares out the memory it may take."""

from dataclasses import dataclass

import numpy as np

from kernelproba.blas_threads import MOST_WORKERS
from kernelproba.rows import memory_budget

#: Shares of the limit: matrices of the centres by themselves, features of the sample, blocks at work.
MATRICES, SAMPLE, BLOCK = 0.45, 0.25, 0.125
#: …and rows of larger samples, whose kernel values are computed at every pass.
DRAWN = 0.1
#: Bytes of every row, wherever it lies: its label, class, place in the order of samples, and weights in a fit
#: without a fold.  What exceeds half of the limit cannot be made room for.
ROW_BYTES, MOST_ROW_SHARE = 40, 0.5
#: The choice of the centres comes before the fit, and may take nearly all.
CHOICE = 0.8
#: Feature values computed at a time: a block stays in the cache while it is used.
BLOCK_VALUES = 2_000_000
LEAST_BLOCK_ROWS = 128
#: Bytes of a search for each pair of its rows: kernel matrices of some widths, their low ranks and factors.
SEARCH_BYTES = 30
#: Rows of a sample that a search has in any case.
LEAST_SEARCH_ROWS = 300
#: Rows that may all be centres of a self-tuned model, and bytes that this takes for each pair of them: kernel
#: matrices of three widths, or one in double precision where single does not do.
SPANNING_ROWS, SPANNING_BYTES = 25_000, 14
#: Bytes of a value of a block: as computed, in double precision, and multiplied by its row's weight.
BLOCK_BYTES = 24
#: Candidates for centres that are compared with all rows of a sample at a time, with what that leaves behind.
CANDIDATE_BYTES = 128 * 4 * 4


@dataclass(frozen=True)
class MemoryPlan:
    """Shares of a limit.

    Attributes
    ----------
    total : int
        Bytes that the fit may take beside what it knows of every row.
    n_scores : int
        k.
    """

    total: int
    n_scores: int

    @classmethod
    def within(cls, memory_limit: float | str | None, n_scores: int = 1, n_rows: int = 0) -> "MemoryPlan":
        """Plan for `memory_limit` of an estimator and so many rows."""
        limit = memory_budget(memory_limit)
        return cls(limit - int(min(ROW_BYTES * n_rows, MOST_ROW_SHARE * limit)), n_scores)

    def matrices(self, m: int) -> int:
        """Bytes of matrices of m centres: a factor for every score, the kernel matrix, and work space."""
        return (self.n_scores + 6) * 8 * m * m

    def least(self, m: int) -> int:
        """Bytes below which a fit of m centres cannot stay."""
        return self.matrices(m) + 8 * m * m + LEAST_BLOCK_ROWS * BLOCK_BYTES * m

    @property
    def most_centers(self) -> int:
        """Number of centres whose matrices take no more than their share."""
        return max(1, int(np.sqrt(MATRICES * self.total / self.matrices(1))))

    @property
    def search_rows(self) -> int:
        """Rows whose kernel matrices a search can keep."""
        return max(LEAST_SEARCH_ROWS, int(np.sqrt(self.total / SEARCH_BYTES)))

    def may_span(self, n: int) -> bool:
        """Whether n rows, of which centres would be chosen elsewhere, may all be centres."""
        return n <= SPANNING_ROWS and SPANNING_BYTES * n * n <= self.total

    def choice_rows(self, m: int, width: int) -> int:
        """Rows of `width` features among which m centres can be chosen."""
        return max(m, int(CHOICE * self.total / (4 * m + CANDIDATE_BYTES + 8 * width)))

    def sample_rows(self, m: int) -> int:
        """Rows of which m features each, in double precision, can be kept as the sample."""
        return max(m, int(SAMPLE * self.total / (8 * m)))

    def drawn_rows(self, width: int) -> int:
        """Rows of `width` features that can be drawn as a sample, of which no kernel values are kept."""
        return int(DRAWN * self.total / (8 * width))

    def block_rows(self, m: int) -> int:
        """Rows whose m features are computed at a time.

        As many whatever the number of threads: sums over other blocks have other last digits.
        """
        values = int(BLOCK * self.total / BLOCK_BYTES / MOST_WORKERS)
        return max(LEAST_BLOCK_ROWS, min(BLOCK_VALUES, values) // m)

    def sample_block_rows(self, m: int) -> int:
        """Rows of a sample in memory that are worked on at a time: m of them where there is room.

        Gram matrices of fewer are m² numbers each that are added up, which takes longer than to compute them.
        """
        return max(self.block_rows(m), min(m, int(BLOCK * self.total / BLOCK_BYTES) // m))

    def kept_features(self, m: int, sample: int) -> int:
        """Bytes that are left for features of all rows, beside so many of the samples."""
        blocks = MOST_WORKERS * BLOCK_BYTES * m * self.block_rows(m)
        return max(0, self.total - sample - self.matrices(m) - blocks)

    def keeps(self, n: int, m: int) -> bool:
        """Whether the m features of all n rows are kept beside those of a sample."""
        return 8 * n * m <= self.kept_features(m, 8 * m * min(n, self.sample_rows(m)))
