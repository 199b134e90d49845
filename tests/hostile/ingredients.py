"""Rows, labels and weights as nobody should give them; each is drawn by a generator `rng`.

Most kinds of a table can be fitted, if hardly; those in `HOPELESS` must be refused.
"""

# ruff: noqa: ARG005  # the entries of a table all take the same arguments

import numpy as np
import scipy.sparse as sp

LARGEST = np.finfo(float).max


def _power(rng, low, high):
    return 10.0 ** rng.uniform(low, high)


def _copied(rng, X):
    return X[rng.integers(0, max(1, len(X) // 3), len(X))]


def _with_entry(rng, X, values):
    X[rng.integers(len(X)), rng.integers(X.shape[1])] = rng.choice(values)
    return X


#: What the numbers are: (rng, standard normal rows) → rows.
ROWS = {
    "plain": lambda rng, X: X,
    "large": lambda rng, X: X * _power(rng, 3, 99),
    "beyond squares": lambda rng, X: X * _power(rng, 102, 307),
    "small": lambda rng, X: X * _power(rng, -99, -3),
    "vanishing": lambda rng, X: X * _power(rng, -310, -102),
    "uneven columns": lambda rng, X: X * 10.0 ** rng.uniform(-99, 99, X.shape[1]),
    "far from zero": lambda rng, X: X + _power(rng, 3, 17),
    "constant": lambda rng, X: np.full_like(X, rng.choice([0.0, -0.0, 1.0, 1e-90, 1e90])),
    "one row differs": lambda rng, X: np.where(np.arange(len(X))[:, None] == 0, 2.0, np.ones_like(X)),
    "copies": _copied,
    "near copies": lambda rng, X: _copied(rng, X) * (1 + 1e-15 * X),
    "outlier": lambda rng, X: _with_entry(rng, X, [1e8, 1e50, -1e100]),
    "not negative": lambda rng, X: np.abs(X),
    "histograms": lambda rng, X: np.abs(X) / np.abs(X).sum(axis=1, keepdims=True),
    "mostly zeros": lambda rng, X: np.where(rng.random(X.shape) < 0.1, X, 0.0),
    "two clusters": lambda rng, X: 1e-6 * X + 1e6 * np.sign(X[:, :1]),
    "whole numbers": lambda rng, X: np.rint(2 * X),
    "on a line": lambda rng, X: np.arange(float(len(X)))[:, None] * np.ones(X.shape[1]),
    "subnormal": lambda rng, X: np.rint(3 * X) * 5e-324,
    "largest": lambda rng, X: np.sign(X) * LARGEST,
    "hole": lambda rng, X: _with_entry(rng, X, [np.nan, np.inf, -np.inf]),
}


def _frame(X, dtype=None):
    import pandas as pd

    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    return frame if dtype is None else frame.astype(dtype)


def _with_text(X):
    frame = _frame(X)
    return frame.assign(**{"column 0": np.where(X[:, 0] > 0, "yes", "no")})


def _thin(rng, X):
    return np.where(rng.random(X.shape) < 0.4, X, 0.0)


def _strided(X):
    wide = np.zeros((2 * X.shape[0], 2 * X.shape[1]))
    wide[::2, 1::2] = X
    return wide[::2, 1::2]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


#: How they are given: (rng, rows) → rows in that form.
FORMS = {
    "array": lambda rng, X: X,
    "single": lambda rng, X: X.astype(np.float32),
    "half": lambda rng, X: X.astype(np.float16),
    "bytes": lambda rng, X: np.nan_to_num(X).clip(-100, 100).astype(np.int8),
    "truth values": lambda rng, X: X > 0,
    "objects": lambda rng, X: X.astype(object),
    "texts": lambda rng, X: X.astype(str),
    "list": lambda rng, X: X.tolist(),
    "columns first": lambda rng, X: np.asfortranarray(X),
    "strided": lambda rng, X: _strided(X),
    "read-only": lambda rng, X: _read_only(X),
    "backwards": lambda rng, X: X[::-1, ::-1],
    "big-endian": lambda rng, X: X.astype(">f8"),
    "complex": lambda rng, X: X + 0j,
    "one column": lambda rng, X: X[:, 0],
    "cube": lambda rng, X: X[:, :, None],
    "CSR": lambda rng, X: sp.csr_matrix(_thin(rng, X)),
    "CSR array": lambda rng, X: sp.csr_array(_thin(rng, X)),
    "CSR of single": lambda rng, X: sp.csr_array(_thin(rng, X).astype(np.float32)),
    "CSC": lambda rng, X: sp.csc_array(_thin(rng, X)),
    "COO": lambda rng, X: sp.coo_array(_thin(rng, X)),
    "LIL": lambda rng, X: sp.lil_array(_thin(rng, X)),
    "frame": lambda rng, X: _frame(X),
    "nullable frame": lambda rng, X: _frame(X, "Float64"),
    "frame of objects": lambda rng, X: _frame(X, object),
    "frame with text": lambda rng, X: _with_text(X),
}


def _series(values, **options):
    import pandas as pd

    return pd.Series(values, **options)


#: Class numbers (n,) → labels.
LABELS = {
    "numbers": lambda codes: codes,
    "texts": lambda codes: np.array([f"class {j}" for j in codes]),
    "objects": lambda codes: np.array([f"class {j}" for j in codes], dtype=object),
    "negative": lambda codes: -3 * codes - 1,
    "floats": lambda codes: codes.astype(float),
    "large": lambda codes: codes.astype(np.int64) + (2**63 - 50),
    "unsigned": lambda codes: codes.astype(np.uint64) + np.uint64(2**64 - 50),
    "truth values": lambda codes: codes > 0,
    "list": lambda codes: codes.tolist(),
    "column": lambda codes: codes[:, None],
    "series": lambda codes: _series(codes, index=np.arange(len(codes))[::-1]),
    "categories": lambda codes: _series([f"class {j}" for j in codes], dtype="category"),
    "empty text": lambda codes: np.array(["" if j == 0 else "\x1b[31m" * j for j in codes]),
    "fractions": lambda codes: codes + 0.5,
    "gap": lambda codes: np.where(codes == 0, np.nan, codes),
    "one class": lambda codes: np.zeros_like(codes),
    "mixed": lambda codes: np.array([j if j else "none" for j in codes], dtype=object),
    "one-hot": lambda codes: np.eye(codes.max() + 1, dtype=int)[codes],
}

#: (rng, class numbers) → weights or None.
WEIGHTS = {
    "none": lambda rng, codes: None,
    "counts": lambda rng, codes: rng.integers(0, 4, len(codes)),
    "uneven": lambda rng, codes: 10.0 ** rng.uniform(-30, 30, len(codes)),
    "somewhat uneven": lambda rng, codes: 10.0 ** rng.uniform(-6, 6, len(codes)),
    "extreme": lambda rng, codes: 10.0 ** rng.uniform(-300, 300, len(codes)),
    "one heavy row": lambda rng, codes: np.where(np.arange(len(codes)) == 0, 1e30, 1.0),
    "tiny": lambda rng, codes: np.full(len(codes), _power(rng, -99, -10)),
    "huge": lambda rng, codes: np.full(len(codes), _power(rng, 10, 99)),
    "a class without": lambda rng, codes: (codes > 0).astype(float),
    "all zero": lambda rng, codes: np.zeros(len(codes)),
    "negative weights": lambda rng, codes: rng.normal(size=len(codes)),
    "hole in weights": lambda rng, codes: np.where(np.arange(len(codes)) == 0, np.nan, 1.0),
    "too many": lambda rng, codes: np.ones(len(codes) + 1),
    "weights in a column": lambda rng, codes: np.ones((len(codes), 1)),
    "series": lambda rng, codes: _series(rng.uniform(0.5, 2.0, len(codes))),
    "list": lambda rng, codes: rng.integers(1, 3, len(codes)).tolist(),
    "truth values": lambda rng, codes: rng.random(len(codes)) < 0.7,
    "number": lambda rng, codes: 2.0,
}

#: Kinds that no estimator fits.
HOPELESS = {
    *("beyond squares", "vanishing", "subnormal", "largest", "hole"),
    *("texts", "complex", "one column", "cube", "frame with text"),
    *("fractions", "gap", "one class", "mixed", "one-hot"),
    *("extreme", "all zero", "negative weights", "too many", "weights in a column", "hole in weights"),
}


def queries(n_features):
    """Rows to predict: (name, rows, whether they must be refused)."""
    ones, signs = np.ones((2, n_features)), np.array([[1.0], [-1.0]])
    for size in (1e5, 1e20, 1e150, 1e300, LARGEST):
        yield f"at {size:.0e}", size * signs * ones, False
    yield "zeros", 0 * ones, False
    yield "subnormal", 5e-324 * ones, False
    yield "one far entry", np.where(np.arange(n_features) == 0, 1e300, 0.0) * ones, False
    yield "single", ones.astype(np.float32), False
    yield "whole numbers", ones.astype(int), False
    yield "NaN", np.nan * ones, True
    yield "infinite", np.inf * signs * ones, True
    yield "a column too many", np.ones((2, n_features + 1)), True
    yield "no rows", np.ones((0, n_features)), True
    yield "one row as a vector", np.ones(n_features), True
