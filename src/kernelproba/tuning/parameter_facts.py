"""Parameters as JSON has them: two that lead to other fits are told apart, whatever they are.

Functions are described by what they do (their instructions, and the values that these name), since functions
of one name may differ; objects by their parameters or attributes, since texts about them are abridged.
"""

import dis
import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from numbers import Number
from types import CodeType, FunctionType, MethodType, ModuleType

import numpy as np

#: Entries up to which a list is shown as it is.
_SHORT = 20


def facts_of(value: object) -> object:
    """Return what JSON says of a parameter.

    Parameters
    ----------
    value : object
        A number, a text, a function, an object with parameters, or lists of these.
    """
    return _Telling().of(value)


def digest(*arrays: np.ndarray) -> str:
    """Return a digest of arrays, whatever type of integer they are stored in."""
    found = hashlib.sha256()
    for array in arrays:
        kind = np.int64 if array.dtype.kind in "iu" else np.float64
        for start in range(0, len(array), 1_000_000):
            found.update(array[start : start + 1_000_000].astype(kind).tobytes())
    return found.hexdigest()[:32]


class _Telling:
    """Tells of values within others; a function or an object that comes again is told by its number."""

    def __init__(self) -> None:
        self._met: list[object] = []

    def of(self, value: object) -> object:
        """What JSON says of a value."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, Number | bytes):
            return repr(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            return (
                repr(value.tolist()) if value.size <= _SHORT else [list(value.shape), digest(value.ravel())]
            )
        for number, each in enumerate(self._met):
            if value is each:
                return f"number {number}"
        self._met.append(value)
        if isinstance(value, list | tuple | np.ndarray):
            return self._list(list(value))
        if isinstance(value, set | frozenset):
            return sorted(map(repr, map(self.of, value)))
        if isinstance(value, Mapping):
            told = {repr(key): self.of(each) for key, each in value.items()}
            return [[key, told[key]] for key in sorted(told)]
        return self._object(value)

    def _list(self, values: list) -> object:
        """A list of numbers as an array of them is described."""
        if values and all(isinstance(each, Number) and not isinstance(each, bool) for each in values):
            return self.of(np.asarray(values))
        return [self.of(each) for each in values]

    def _object(self, value: object) -> object:
        """What JSON says of a function or an object."""
        if isinstance(value, FunctionType):
            values = [value.__defaults__, value.__kwdefaults__, *_enclosed(value), *_globals(value)]
            return [value.__qualname__, self._code(value.__code__), *map(self.of, values)]
        if isinstance(value, MethodType):
            return [self.of(value.__func__), self.of(value.__self__)]
        if isinstance(value, partial):
            return [self.of(value.func), self.of(value.args), self.of(value.keywords)]
        if isinstance(value, type | ModuleType) or not hasattr(value, "__dict__"):
            return _name(value)
        asked = getattr(value, "get_params", None)
        return [type(value).__qualname__, self.of(asked(deep=False) if asked else vars(value))]

    def _code(self, code: CodeType) -> list[object]:
        """Instructions of a function, the names in them, and constants, which may be functions."""
        constants = [
            self._code(each) if isinstance(each, CodeType) else self.of(each) for each in code.co_consts
        ]
        return [hashlib.sha256(code.co_code).hexdigest()[:32], list(code.co_names), constants]


def _enclosed(function: FunctionType) -> Iterator[object]:
    """Values that a function takes from the function around it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing has been assigned yet
            yield None


def _globals(function: FunctionType) -> Iterator[object]:
    """Values that a function takes from its module; functions and classes from elsewhere by their names."""
    for name in sorted(set(_globals_in(function.__code__))):
        value = function.__globals__.get(name)
        elsewhere = getattr(value, "__module__", None) not in (None, function.__module__)
        yield _name(value) if elsewhere and callable(value) else value


def _globals_in(code: CodeType) -> Iterator[str]:
    """Names of global values in a function and in those within it."""
    yield from (each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _globals_in(each)


def _name(value: object) -> str:
    """What something is called."""
    return getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or repr(value)


__all__ = ["digest", "facts_of"]
