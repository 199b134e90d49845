"""Fits that succeed as a whole, or leave the estimator as it was.

A fit works on a *draft*: a copy of the estimator with its parameters and without what an earlier fit has
learnt.  One assignment at the end replaces the attributes of the estimator by those of the draft, so that
an error or an interrupt, at whatever moment, finds the estimator either as it was or completely fitted, and
a second fit equals the first fit of a new estimator.

Fitted attributes, private ones too, end with an underscore: that is how they are told from parameters.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., object])
Estimator = TypeVar("Estimator")


def unfitted_copy(estimator: Estimator) -> Estimator:
    """Return the estimator as it was before `fit`: same parameters (not cloned), callbacks and requests."""
    draft = object.__new__(type(estimator))
    draft.__dict__.update({name: value for name, value in vars(estimator).items() if not name.endswith("_")})
    return draft


def forget_fit(draft: object) -> None:
    """Take from a draft what the earlier fit has learnt, once a warm start has what it needs of it."""
    for name in [name for name in vars(draft) if name.endswith("_")]:
        delattr(draft, name)


def atomic_fit(method: Method) -> Method:
    """Make a method that fits start from nothing and end in a complete fit or in no change at all."""
    return _atomic(method, unfitted_copy)


def atomic_update(method: Method) -> Method:
    """Make a method that builds on an earlier fit end in a complete update or in no change at all.

    The method may set attributes but must not change the values of earlier ones in place.
    """
    return _atomic(method, _shallow_copy)


def _shallow_copy(estimator: Estimator) -> Estimator:
    draft = object.__new__(type(estimator))
    draft.__dict__.update(vars(estimator))
    return draft


def _atomic(method: Method, draft_of: Callable[[object], object]) -> Method:
    @wraps(method)
    def wrapper(self: object, *args: object, **kwargs: object) -> object:
        draft = draft_of(self)
        method(draft, *args, **kwargs)
        self.__dict__ = draft.__dict__  # the one moment at which anything changes
        return self

    return cast(Method, wrapper)
