"""Sets from OpenML, accepted only if their rows are the rows we mean."""

from __future__ import annotations

import importlib.util
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from kernelproba.datasets.catalogue import OpenMLCopy
from kernelproba.datasets.digest import joint_digest, row_digest

_TIMEOUT = 60.0


def fetch(copy: OpenMLCopy) -> dict[str, np.ndarray]:
    """Download a set and verify its rows.

    Returns the arrays ``X, y`` and, if the official split could be recovered by
    position, ``X_test, y_test``.  scikit-learn checks OpenML's own MD5 and keeps a
    cache in its data home.

    Raises
    ------
    OSError
        OpenML cannot be reached, or answers with an error.
    ValueError
        The rows differ from the pinned ones.
    """
    from sklearn.datasets import fetch_openml

    # Its dense parser needs pandas, which is optional here; the other one is slower.
    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"
    with _bounded_wait(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "retrying": the failure itself is reported
        bunch = fetch_openml(data_id=copy.data_id, as_frame=False, parser=parser, n_retries=1)
    return _verified(np.asarray(bunch.data, dtype=float), _labels(bunch.target, copy), copy)


@contextmanager
def _bounded_wait() -> Iterator[None]:
    """Let no socket wait for ever: fetch_openml has no timeout of its own."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_TIMEOUT)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _labels(target: np.ndarray, copy: OpenMLCopy) -> np.ndarray:
    """Labels as our files spell them: whole numbers where they look so, else text."""
    text = np.asarray(target).astype(str)
    try:
        number = text.astype(float).astype(np.int64)
    except ValueError:
        return text
    return number if copy.first_label is None else number - copy.first_label


def _verified(X: np.ndarray, y: np.ndarray, copy: OpenMLCopy) -> dict[str, np.ndarray]:
    """Split by position if that gives the official parts; refuse foreign rows."""
    n = copy.n_train
    if n is not None and len(X) > n:
        parts = tuple(
            row_digest(X[part], y[part], decimals=copy.decimals) for part in (slice(n), slice(n, None))
        )
        if parts == copy.digests:
            return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}
        whole = joint_digest(*parts)
    else:
        whole = row_digest(X, y, decimals=copy.decimals)
    if whole != joint_digest(*copy.digests):
        raise ValueError(f"the rows of OpenML's set {copy.data_id} are not the ones this project pins")
    return {"X": X, "y": y}
