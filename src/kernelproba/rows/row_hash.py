"""Keys of rows: 64 bits that depend on what a row holds, not on where it stands.

    key(x) = mix(Σⱼ mix(bits(xⱼ)) · cⱼ mod 2⁶⁴),      cⱼ odd and random, mix(0) = 0

Equal rows have equal keys, in any order, block, precision or storage (a zero adds nothing, so a sparse
row has the key of its dense form).  Unequal rows share a key with probability about 2⁻⁶⁴.
Keys look like uniform random numbers: the rows with the k smallest keys are a random sample.

Such keys depend on the order of the columns.  Where all distinct rows are at hand, `unordered_keys` names a
column by what it holds instead: cⱼ is a sum over the rows i of the bits of xᵢⱼ times a key of row i that is
the same for all columns.
"""

import numpy as np
import scipy.sparse as sp

from kernelproba.typing import Matrix

#: Entries mixed at a time: few enough to stay in cache.
_BLOCK_ENTRIES = 2**17
_ODD = np.uint64(0x9E3779B97F4A7C15)


def row_keys(X: Matrix, labels: np.ndarray | None = None) -> np.ndarray:
    """One key per row.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        The rows, in single or double precision.
    labels : array of shape (n,), optional
        Class indices; rows that differ in their class then differ in their key.

    Returns
    -------
    keys : ndarray of shape (n,), uint64
        Equal for equal rows.
    """
    factors = np.random.default_rng(20100).integers(0, 2**63, (X.shape[1],), dtype=np.uint64)
    return _keys(X, labels, factors)


def unordered_keys(X: Matrix, labels: np.ndarray) -> np.ndarray:
    """One key per distinct labelled row, whatever the order of rows and columns.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Rows; none with a twin of its own class.
    labels : array of shape (n,)
        Class indices.

    Returns
    -------
    keys : ndarray of shape (n,), uint64
        All different: rows that differ by nothing but a symmetry of X are told apart by `row_keys`.
    """
    rows = _keys(X, labels, np.zeros(X.shape[1], dtype=np.uint64))
    keys = _keys(X, labels, mix(_column_sums(X, rows)))
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    tied = counts[which] > 1
    if tied.any():
        keys[tied] = mix(keys[tied] + row_keys(X[tied], labels[tied]))
    return keys


def _keys(X: Matrix, labels: np.ndarray | None, factors: np.ndarray) -> np.ndarray:
    """Keys (n,) of rows whose columns have factors (d,), which are made odd."""
    odd = factors * np.uint64(2) + np.uint64(1)
    sums = _sparse_sums(X, odd) if sp.issparse(X) else _dense_sums(X, odd)
    if labels is not None:
        sums += (np.asarray(labels).astype(np.uint64) + np.uint64(1)) * _ODD
    return mix(sums)


def places(Z: Matrix, X: Matrix) -> np.ndarray | None:
    """Where the distinct rows Z stand in X (m,), or None if one is missing or stands twice in Z."""
    if Z.shape[1] != X.shape[1]:
        return None
    place = {key: i for i, key in enumerate(row_keys(X).tolist())}
    found = np.array([place.get(key, -1) for key in row_keys(Z).tolist()], dtype=int)
    return found if (found >= 0).all() and len(np.unique(found)) == len(found) else None


def _dense_sums(X: np.ndarray, factors: np.ndarray) -> np.ndarray:
    sums = np.empty(X.shape[0], dtype=np.uint64)
    step = max(1, _BLOCK_ENTRIES // max(X.shape[1], 1))
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        entries = _entry_bits(X[rows])
        entries *= factors
        sums[rows] = entries.sum(axis=1, dtype=np.uint64)
    return sums


def _column_sums(X: Matrix, keys: np.ndarray) -> np.ndarray:
    """Σᵢ mix(bits(xᵢⱼ)) · keyᵢ of every column, (d,)."""
    sums = np.zeros(X.shape[1], dtype=np.uint64)
    if sp.issparse(X):
        entries = sp.coo_array(X)
        np.add.at(sums, entries.col, _entry_bits(entries.data) * keys[entries.row])
        return sums
    step = max(1, _BLOCK_ENTRIES // max(X.shape[1], 1))
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        sums += (_entry_bits(X[rows]) * keys[rows, None]).sum(axis=0, dtype=np.uint64)
    return sums


def _sparse_sums(X: Matrix, factors: np.ndarray) -> np.ndarray:
    X = sp.csr_array(X)
    terms = _entry_bits(X.data) * factors[X.indices]
    totals = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
    return totals[X.indptr[1:]] - totals[X.indptr[:-1]]  # modulo 2⁶⁴, as the sums themselves


def _entry_bits(A: np.ndarray) -> np.ndarray:
    """Mixed bits of doubles; numbers with few digits differ in their high bits alone."""
    bits = (np.asarray(A, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0 makes −0.0 zero
    return mix(bits)


def mix(bits: np.ndarray) -> np.ndarray:
    """Spread every bit over the word, in place; zero stays zero [splitmix64]."""
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits
