"""Numbers, texts, lists and arrays as bytes and back; nothing is pickled.

A state is a tree of dicts, lists and tuples with None, numbers, texts, arrays and CSR matrices as leaves.
Its shape becomes JSON, and its arrays are stored beside it in NumPy's format (``.npz``), so that what is read
back is equal to the last bit.
"""

import io
import json
import zipfile
from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

#: Tags of what JSON does not know.
_ARRAY, _TEXTS, _SPARSE, _TUPLE = "$array", "$texts", "$sparse", "$tuple"
#: Member that holds the shape of the tree.
_TREE = "tree"


class StateError(ValueError):
    """Something that a state cannot hold, or bytes that are none."""


def state_bytes(state: object) -> bytes:
    """Write a state.

    Parameters
    ----------
    state : tree
        What to write.
    """
    arrays: dict[str, np.ndarray] = {}
    tree = json.dumps(_without_arrays(state, arrays))
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{_TREE: np.frombuffer(tree.encode(), dtype=np.uint8)}, **arrays)
    return buffer.getvalue()


def read_state(content: bytes) -> object:
    """Read what `state_bytes` has written.

    Parameters
    ----------
    content : bytes
        From a file, perhaps a damaged one.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as members:
            tree = json.loads(members[_TREE].tobytes())
            return _with_arrays(tree, members)
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise StateError(f"no state can be read from these bytes: {error}") from error


def _without_arrays(value: object, arrays: dict[str, np.ndarray]) -> object:
    """The tree with names in place of arrays."""
    if isinstance(value, dict):
        return {str(key): _without_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, list | tuple):
        parts = [_without_arrays(each, arrays) for each in value]
        return parts if isinstance(value, list) else {_TUPLE: parts}
    if sp.issparse(value):
        rows = sp.csr_array(value)
        parts = [_without_arrays(each, arrays) for each in (rows.data, rows.indices, rows.indptr)]
        return {_SPARSE: [type(value).__name__.startswith("csr_m"), list(rows.shape), *parts]}
    if isinstance(value, np.ndarray):
        return _named(value, arrays)
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise StateError(f"a state cannot hold {type(value).__name__}")


def _named(array: np.ndarray, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    if array.dtype == object:
        if not all(isinstance(each, str) for each in array.ravel()):
            raise StateError("a state cannot hold an array of objects other than texts")
        return {_TEXTS: array.tolist()}
    name = f"array{len(arrays)}"
    arrays[name] = array
    return {_ARRAY: name}


def _with_arrays(tree: object, members: Mapping[str, np.ndarray]) -> object:
    """The tree with arrays in place of names."""
    if isinstance(tree, list):
        return [_with_arrays(each, members) for each in tree]
    if not isinstance(tree, dict):
        return tree
    if _ARRAY in tree:
        return members[tree[_ARRAY]]
    if _TEXTS in tree:
        return np.array(tree[_TEXTS], dtype=object)
    if _TUPLE in tree:
        return tuple(_with_arrays(each, members) for each in tree[_TUPLE])
    if _SPARSE in tree:
        is_matrix, shape, *parts = tree[_SPARSE]
        kind = sp.csr_matrix if is_matrix else sp.csr_array
        return kind(tuple(_with_arrays(each, members) for each in parts), shape=tuple(shape))
    return {key: _with_arrays(each, members) for key, each in tree.items()}


__all__ = ["StateError", "read_state", "state_bytes"]
