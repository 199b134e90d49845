"""How far a fit is, as scikit-learn's callbacks tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kernelproba.typing import Classifier

#: Takes the number of steps done, that of all or None, and a text on the step that begins.
ProgressUpdate = Callable[[int, int | None, str], None]


class StepCounter:
    """Callback that counts the steps of a fit.

    Parameters
    ----------
    update : callable
        Takes the number of steps done, the number of all, or None where that is not known, and a text on the
        step that begins.
    """

    def __init__(self, update: ProgressUpdate):
        self._update = update
        self._done = 0

    def setup(self, estimator: Classifier, context: object) -> None:
        """Begin."""

    def on_fit_task_begin(self, estimator: Classifier, context: Any) -> None:  # noqa: ARG002
        """Begin a fit or one of its steps."""
        if _is_fit(context):
            self._update(0, context.max_subtasks, "")
        elif text := getattr(context.task_name, "text", ""):
            whole = context.parent
            while not _is_fit(whole):
                whole = whole.parent
            self._update(self._done, whole.max_subtasks, text)

    def on_fit_task_end(self, estimator: Classifier, context: Any) -> None:  # noqa: ARG002
        """Count a step."""
        if not _is_fit(context) and _is_fit(context.parent):
            self._done += 1
            self._update(self._done, context.parent.max_subtasks, "")

    def teardown(self, estimator: Classifier, context: object) -> None:
        """End."""


def _is_fit(context: Any) -> bool:
    """Whether this is the whole fit of the classifier, which may be a step of its pipeline."""
    return context.parent is None or context.source_estimator_name is not None


@contextmanager
def reporting_progress(classifier: Classifier, update: ProgressUpdate) -> Iterator[None]:
    """Context in which the fit of a classifier tells its steps, if it is one that does."""
    if not hasattr(classifier, "set_callbacks"):
        yield
        return
    classifier.set_callbacks(StepCounter(update))
    try:
        yield
    finally:
        classifier.set_callbacks()


def forget_callbacks(classifier: Classifier) -> None:
    """Take the callbacks from a fitted clone, which would otherwise be part of its model file."""
    if hasattr(classifier, "set_callbacks"):
        classifier.set_callbacks()
