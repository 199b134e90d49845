"""Steps of a long fit, told to scikit-learn's callbacks such as ``sklearn.callback.ProgressBar``.

Callbacks came with scikit-learn 1.9; with an older one nobody listens, and fits are the same.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock
from typing import TypeVar

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
    """A step that is told to nobody."""
    return nullcontext()


def as_steps(step: Step, name: str, results: Iterator[T], number: int) -> Iterator[T]:
    """Yield so many results, each of which is a step to wait for."""
    for _ in range(number):
        with step(name):
            result = next(results)
        yield result
    next(results, None)  # lets a generator of joblib's come to its end


class ObservableFit(CallbackSupportMixin):
    """Estimator whose `fit`, under `with_callbacks` or `_fit_context`, tells its steps.

    `set_callbacks` says to whom.
    """

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
            yield unobserved
            return
        fit = self._init_callback_context(max_subtasks=n_steps)
        fit.call_on_fit_task_begin(estimator=self, X=X, y=y)
        lock = Lock()

        @contextmanager
        def step(name: str) -> Iterator[None]:
            with lock:  # numbers its siblings
                task = fit.subcontext(name)
            task.call_on_fit_task_begin(estimator=self)
            yield
            task.call_on_fit_task_end(estimator=self)

        yield step
        fit.call_on_fit_task_end(estimator=self, X=X, y=y)
