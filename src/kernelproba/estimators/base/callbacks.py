"""Steps of a long fit, told to scikit-learn's callbacks such as ``sklearn.callback.ProgressBar``.

Callbacks came with scikit-learn 1.9; with an older one nobody listens, and fits are the same.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock
from typing import Protocol, TypeVar

from numpy.typing import ArrayLike

from kernelproba.typing import MatrixLike

T = TypeVar("T")


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Has no callbacks."""

    def with_callbacks(method: T) -> T:
        """Return the method as it is."""
        return method


#: Makes the context in which one step of a fit, of the given name, is taken; from any thread.
Step = Callable[[str], AbstractContextManager[object]]


def unobserved(name: str) -> AbstractContextManager[object]:  # noqa: ARG001  # a `Step`
    """A step that is told to nobody, and neither are its parts."""
    return nullcontext(unobserved)


def as_steps(step: Step, name: str, results: Iterator[T], number: int) -> Iterator[T]:
    """Yield so many results, each of which is a step to wait for."""
    for _ in range(number):
        with step(name):
            result = next(results)
        yield result
    next(results, None)  # lets a generator of joblib's come to its end


class CallbackTask(Protocol):
    """A fit, or a step of it, as scikit-learn's callbacks know it."""

    def subcontext(self, task_name: str, *, max_subtasks: int | None) -> "CallbackTask":
        """A step of this; None if it may have any number of steps itself."""

    def call_on_fit_task_begin(self, *, estimator: object) -> None:
        """Tell that it begins."""

    def call_on_fit_task_end(self, *, estimator: object) -> None:
        """Tell that it ends."""


class ObservableFit(CallbackSupportMixin):
    """Estimator whose `fit`, under `with_callbacks` or `_fit_context`, tells its steps.

    `set_callbacks` says to whom.
    """

    _reporting_to: Step

    @contextmanager
    def _observed(self, X: MatrixLike, y: ArrayLike, n_steps: int | None = None) -> Iterator[Step]:
        """Context of a fit.

        Parameters
        ----------
        X, y : arrays of n rows
            What `fit` was given.
        n_steps : int, optional
            Number of steps to come, if that is known.
        """
        if not getattr(self, "_skl_callbacks", None):
            yield getattr(self, "_reporting_to", unobserved)
            return
        fit = self._init_callback_context(max_subtasks=n_steps)
        fit.call_on_fit_task_begin(estimator=self, X=X, y=y)
        yield self._steps_of(fit)
        fit.call_on_fit_task_end(estimator=self, X=X, y=y)

    def _steps_of(self, parent: CallbackTask) -> Step:
        """Steps of a fit, or of one of its steps."""
        lock = Lock()

        @contextmanager
        def step(name: str) -> Iterator[Step]:
            parts = None if getattr(name, "has_parts", False) else 0
            with lock:  # numbers its siblings
                task = parent.subcontext(name, max_subtasks=parts)
            task.call_on_fit_task_begin(estimator=self)
            yield self._steps_of(task)
            task.call_on_fit_task_end(estimator=self)

        return step


@contextmanager
def reporting_to(model: ObservableFit, step: Step) -> Iterator[None]:
    """Context in which a model that has no callbacks of its own tells its steps to those of another."""
    model._reporting_to = step
    try:
        yield
    finally:
        model.__dict__.pop("_reporting_to", None)
