"""Model files: a fitted model on disk that can be opened without running anybody's code.

A model file is a zip archive in the format of skops: ``schema.json`` names the type of every object in the
model, arrays lie beside it in NumPy's format, and nothing is pickled.  `load_model` compares the names with
`trusted_types` before any of them is imported, and refuses the file if one is missing there.

One more member, ``kernelproba.json``, holds the number of the format, the version that wrote the file, and
notes.  It is read first.
"""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

import kernelproba
from kernelproba.atomic_file import check_path, replacing
from kernelproba.caller_warning import warn_caller
from kernelproba.extras import extra
from kernelproba.persistence.later_parameters import add_later_parameters
from kernelproba.persistence.trusted_types import trusted_types

#: Number of the format; raised when older versions of the package cannot read what this one writes.
FORMAT = 1

#: Members may take so many times the bytes of the file, or so many bytes in any case, once they are inflated.
_MAX_GROWTH, _HARMLESS_BYTES = 100, 2**26

_HEADER = "kernelproba.json"
_SCHEMA = "schema.json"

T = TypeVar("T")


class ModelFileError(ValueError):
    """A file that cannot be opened as a model, or a model that cannot be written to a file."""


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes
    ----------
    model : estimator
        The fitted model.
    notes : dict
        What was written beside it.
    version : str
        The version of the package that wrote it.
    """

    model: BaseEstimator
    notes: dict[str, Any] = field(default_factory=dict)
    version: str = kernelproba.__version__


def save_model(
    model: BaseEstimator, path: str | os.PathLike, *, notes: Mapping[str, object] | None = None
) -> None:
    """Write a fitted model to a file; a file that is there is replaced in one step, or not at all.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package, also inside pipelines, searches and wrappers of scikit-learn.
    path : path
        Where to, by convention with the suffix ``.skops``.
    notes : mapping, optional
        Facts to keep beside the model, such as column names; JSON must be able to hold them.

    Raises
    ------
    ModelFileError
        If the model has a part of a type that `load_model` would refuse, such as a function as its kernel.

    See Also
    --------
    load_model : Reads what it writes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.persistence import load_model, save_model
    >>> model = KernelLogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.skops")
    ...     print(load_model(Path(folder) / "model.skops").predict([[0.5]]))
    [0]
    """
    with extra("model-files"):
        from skops.io import dumps

    try:
        content = dumps(model, compression=zipfile.ZIP_DEFLATED)
        if _inflated_size(content) > _size_limit(content):  # arrays of zeros, say
            content = dumps(model, compression=zipfile.ZIP_STORED)
    except Exception as error:  # of many kinds: whatever the parts of the model raise
        raise ModelFileError(f"this model cannot be written to a file: {error}") from error
    foreign = _foreign_types(content)
    if foreign:
        raise ModelFileError(
            f"this model cannot be written to a file: it contains {_listed(foreign)}, and a file with that "
            "would be refused when it is opened; use kernelproba.kernels instead of functions of your own"
        )
    header = {
        "format": FORMAT,
        "kernelproba": kernelproba.__version__,
        "scikit-learn": sklearn.__version__,
        "notes": dict(notes or {}),
    }
    with replacing(path) as temporary:
        temporary.write_bytes(_with_member(content, _HEADER, json.dumps(header, indent=1)))


def load_model(path: str | os.PathLike) -> BaseEstimator:
    """Return the model of a file; see `read_model_file`.

    See Also
    --------
    save_model : Writes what it reads.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.persistence import load_model, save_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(KernelLogisticRegression(C=3), Path(folder) / "model.skops")
    ...     load_model(Path(folder) / "model.skops").C
    3
    """
    return read_model_file(path).model


def read_model_file(path: str | os.PathLike) -> ModelFile:
    """Open a model file, if all types in it are trusted.

    Parameters
    ----------
    path : path
        Written by `save_model`.

    Returns
    -------
    file : ModelFile
        The model, its notes, and the version that wrote it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
        If it is no model file, is damaged, was written by a newer version, has types that are not trusted, or
        would take far more memory than its size suggests; in all cases before any code that the file names
        has run.
    """
    check_path(path)
    name, content = Path(path).name, Path(path).read_bytes()
    _refuse_bomb(name, content)
    header = _read_header(name, content)
    foreign = _checked(name, _foreign_types, content)
    if foreign:
        raise ModelFileError(
            f"{name} contains {_listed(foreign)}, which no model of kernelproba needs: refused, and nothing "
            "of it was run"
        )
    model = _checked(f"{name} (written by kernelproba {header['kernelproba']})", _construct, content)
    if header["scikit-learn"] != sklearn.__version__:
        warn_caller(
            f"{name} was written with scikit-learn {header['scikit-learn']}, and this is "
            f"{sklearn.__version__}: compare some predictions with earlier ones, or fit the model again"
        )
    return ModelFile(add_later_parameters(model), header["notes"], header["kernelproba"])


def _inflated_size(content: bytes) -> int:
    """Bytes of all members of an archive; what is inflated never exceeds what is declared."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(member.file_size for member in archive.infolist())


def _size_limit(content: bytes) -> int:
    """Bytes that the members of a file of this size may take."""
    return max(_MAX_GROWTH * len(content), _HARMLESS_BYTES)


def _refuse_bomb(name: str, content: bytes) -> None:
    """Refuse a small file with large members, before any of them is inflated."""
    try:
        size = _inflated_size(content)
    except Exception:  # no archive: the reader of the header says so
        return
    if size > _size_limit(content):
        raise ModelFileError(
            f"{name} has {len(content) / 1e6:.1f} MB and would take {size / 1e6:,.0f} MB of memory, more "
            "than any model file of kernelproba: refused before it was read"
        )


def _read_header(name: str, content: bytes) -> dict[str, Any]:
    """Return the checked header of a file's content."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.getinfo(_SCHEMA)
            header = json.loads(archive.read(_HEADER))
            versions = {name: str(header[name])[:40] for name in ("kernelproba", "scikit-learn")}
            number, notes = header["format"], dict(header["notes"])
    except Exception as error:  # zipfile and json raise many kinds on what others made
        raise ModelFileError(
            f"{name} is not a model file of kernelproba: make one by 'kernelproba fit' or save_model"
        ) from error
    if not isinstance(number, int) or number > FORMAT:
        raise ModelFileError(
            f"{name} was written by kernelproba {versions['kernelproba']} in format {number!r}, and "
            f"{kernelproba.__version__} reads formats up to {FORMAT}: upgrade by pip install -U kernelproba"
        )
    return {**versions, "notes": notes}


def _checked(name: str, read: Callable[[bytes], T], content: bytes) -> T:
    """Return ``read(content)``; what goes wrong with a damaged file becomes one kind of error."""
    try:
        return read(content)
    except Exception as error:
        raise ModelFileError(
            f"{name} cannot be read by kernelproba {kernelproba.__version__} "
            f"({type(error).__name__}: {error}): it is damaged, or of another version; fit the model again, "
            "or install the version that wrote it"
        ) from error


def _foreign_types(content: bytes) -> list[str]:
    """Return the names of types in a file that are not trusted, without importing them."""
    with extra("model-files"):
        from skops.io import get_untrusted_types

    return sorted(set(get_untrusted_types(data=content)) - trusted_types())


def _construct(content: bytes) -> BaseEstimator:
    with extra("model-files"):
        from skops.io import loads

    with warnings.catch_warnings():  # one of our own says it once for all parts of the model
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        return loads(content, trusted=sorted(trusted_types()))


def _with_member(content: bytes, name: str, text: str) -> bytes:
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return buffer.getvalue()


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
