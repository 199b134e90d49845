"""What figures depend on beside the code: versions, cores, threads."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_info


def machine() -> dict[str, object]:
    """Return the commit of this package, if known, and the facts of machine and libraries."""
    return {
        "commit": _commit(),
        "cores": os.cpu_count(),
        "blas_kernels": "/".join(sorted({pool.get("architecture") or pool["prefix"] for pool in _blas()})),
        "blas_threads": max((pool["num_threads"] for pool in _blas()), default=1),
        "load_before": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _blas() -> list[dict]:
    return [pool for pool in threadpool_info() if pool["user_api"] == "blas"]


def _commit() -> str | None:
    """Return the commit if this very file is under version control, and not just some folder above it."""
    here = Path(__file__)
    try:
        _git(here, "ls-files", "--error-unmatch", here.name)
        return _git(here, "rev-parse", "--short", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(here: Path, *arguments: str) -> str:
    command = ["git", "-C", str(here.parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
