"""What kernels accept: pairs of row matrices, and parameters that are positive numbers."""

from numbers import Real

import numpy as np
import scipy.sparse as sp

from kernelproba.linalg import densify


def check_operands(X, Z):
    """Return X (n, d) and Z (m, d) in one dtype, both dense or both CSR.

    The dtype is float32 if both operands are float32 and float64 otherwise.
    """
    if sp.issparse(X) != sp.issparse(Z):
        X, Z = densify(X), densify(Z)
    both_single = all(getattr(A, "dtype", None) == np.float32 for A in (X, Z))
    dtype = np.dtype(np.float32 if both_single else np.float64)
    X, Z = (_as_matrix(A, dtype, name) for A, name in ((X, "X"), (Z, "Z")))
    if X.shape[1] != Z.shape[1]:
        raise ValueError(
            f"X has {X.shape[1]} features but Z has {Z.shape[1]}: "
            "a kernel compares rows with the same features"
        )
    return X, Z


def check_rows(X):
    """Return X (n, d) alone as `check_operands` would."""
    return check_operands(X, X)[0]


def is_positive(value) -> bool:
    """Whether value is a positive finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf


def check_positive(value, name: str) -> float:
    """Return value as a float if it is a positive finite number, else raise."""
    if not is_positive(value):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return float(value)


def check_length_scales(length_scale, d: int) -> np.ndarray:
    """Return the length scales of d features as an array of shape (d,), or say what is wrong."""
    scales = np.asarray(length_scale, dtype=np.float64)
    if scales.shape != (d,):
        raise ValueError(
            f"length_scale has shape {scales.shape} but X has {d} features: "
            f"give one number, or an array of {d}"
        )
    for scale in scales:
        check_positive(scale, "every length_scale")
    return scales


def _as_matrix(A, dtype, name):
    A = sp.csr_array(A, dtype=dtype) if sp.issparse(A) else np.asarray(A, dtype=dtype)
    if A.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, features), got {A.ndim}")
    return A
