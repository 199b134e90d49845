"""What a report is about: beside the model and the rows, whatever only the caller can know."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from numpy.typing import ArrayLike, NDArray

from kernelproba.plain_text import name
from kernelproba.report.json_values import json_value
from kernelproba.report.label_sets import LabelSets
from kernelproba.typing import Classifier


@dataclass(frozen=True)
class About:
    """What only the caller of `summarise` can know.

    Attributes
    ----------
    target : str or None
        Name of what is predicted.
    command : str, sequence of str or None
        What was typed to make the report.
    timings : mapping of str to float
        Seconds by what they were spent on, such as ``{"fit": 1.2}``.
    seen : ndarray of bool of shape (n,) or None
        Which of the rows the model was fitted on; if not given, equal rows of the training are found.
    row_numbers : str
        What the labels of rows mean, as a sentence.
    against : mapping of str to array-like of shape (n, c)
        Names of other models, and their probabilities of the same rows, columns in the order of the classes.
    source : str or None
        Where probabilities come from, if there is no model.
    class_counts : ndarray of shape (c,) or None
        Rows of each class in training, in the order of the classes, if the rows themselves are not given.
    left_out : mapping of str to str
        Names of columns that were left out before the fit, and why.
    sets : "model", LabelSets or None
        Where sets of labels come from: the model, as far as it has them, or elsewhere; None for none.

    See Also
    --------
    summarise : Takes it.

    Examples
    --------
    >>> About(target="wine", command=["kernelproba", "evaluate", "a model.skops"]).command_line()
    "kernelproba evaluate 'a model.skops'"
    """

    target: str | None = None
    command: str | Sequence[str] | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    seen: NDArray | None = None
    row_numbers: str = "Rows are named by the index of the table, or counted from 0 if it has none."
    class_counts: NDArray | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    against: Mapping[str, ArrayLike] = field(default_factory=dict)
    source: str | None = None
    sets: Literal["model"] | LabelSets | None = "model"

    def command_line(self) -> str | None:
        """Return the command as one would type it."""
        return (
            self.command
            if self.command is None or isinstance(self.command, str)
            else shlex.join(self.command)
        )


def made_now() -> str:
    """Return the time in UTC, to the minute."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def chosen_parameters(classifier: Classifier) -> dict[str, object]:
    """Return what a fitted classifier has chosen by itself."""
    found = dict(getattr(classifier, "best_params_", {}))
    temperature = getattr(classifier, "temperature_", None)
    return json_value(found if temperature is None else found | {"temperature": temperature})


def settings_of(classifier: Classifier) -> dict[str, str]:
    """Return the parameters of a classifier that are not its defaults, as texts."""
    from inspect import signature

    defaults = {key: each.default for key, each in signature(type(classifier).__init__).parameters.items()}
    given = classifier.get_params(deep=False) if hasattr(classifier, "get_params") else {}
    return {key: name(repr(value)) for key, value in given.items() if repr(value) != repr(defaults.get(key))}
