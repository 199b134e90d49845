"""Parameters that came after a file was written: its models get their defaults, as if they had been there."""

import inspect
from collections.abc import Iterator

from sklearn.base import BaseEstimator


def add_later_parameters(model: BaseEstimator) -> BaseEstimator:
    """Give every estimator of this package inside a model the defaults of the parameters it lacks."""
    for part in _estimators(model, set()):
        if type(part).__module__.startswith("kernelproba."):
            for name, default in _defaults(type(part)).items():
                if name not in vars(part):
                    setattr(part, name, default)
    return model


def _estimators(thing: object, seen: set[int]) -> Iterator[BaseEstimator]:
    """Every estimator that can be reached from a model, each once."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, BaseEstimator):
        yield thing
        parts = list(vars(thing).values())
    elif isinstance(thing, dict):
        parts = list(thing.values())
    elif isinstance(thing, list | tuple):
        parts = list(thing)
    else:
        return
    for part in parts:
        yield from _estimators(part, seen)


def _defaults(kind: type) -> dict[str, object]:
    """Parameters of a class that have a default."""
    parameters = inspect.signature(kind).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}
