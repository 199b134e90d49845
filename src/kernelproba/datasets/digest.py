"""Checksums: of a file, and of a set of rows whatever their order.

The digest of rows is the sum of SHA-256 over them, modulo 2²⁵⁶.  It does not depend
on the order, and the digest of two parts together is the sum of their digests, so
that a set whose rows were shuffled is still recognised as a whole.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

_MODULUS = 1 << 256


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def row_digest(X: ArrayLike, y: ArrayLike, *, decimals: int = 0) -> str:
    """Order-free digest of labelled rows, in hexadecimal.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Values; only their first `decimals` decimals count.
    y : array-like of shape (n,)
        Labels, compared as text.
    decimals : int, default=0
        Decimals that count, so that float32 and float64 copies agree.
    """
    # int32, little-endian: the bytes must not depend on the machine.
    whole = np.rint(np.asarray(X, dtype=float) * 10**decimals).astype("<i4")
    rows = (row.tobytes() + str(label).encode() for row, label in zip(whole, np.asarray(y), strict=True))
    total = sum(int.from_bytes(hashlib.sha256(row).digest(), "big") for row in rows)
    return f"{total % _MODULUS:064x}"


def joint_digest(*digests: str) -> str:
    """Digest of all rows together, from the digests of the parts."""
    return f"{sum(int(digest, 16) for digest in digests) % _MODULUS:064x}"
