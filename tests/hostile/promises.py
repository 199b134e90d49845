"""Hostile fits: cases that are functions of their seed, and what is promised of every one of them.

Of each case some sides are hostile and the others plain: the numbers, their form, the labels, the weights.
The estimator and its parameters are drawn from `models`.  Promised are:

1.  `fit` returns the estimator, or raises a ValueError or TypeError that names the argument at fault.
2.  After a refused `fit` the estimator is not fitted, and says so.
3.  No floating-point warning reaches the caller, in `fit` or later.
4.  Probabilities are finite, within [0, 1], and sum to one; log-probabilities are finite, and theirs.
5.  `predict` returns the most probable class, in the type of `classes_`.
6.  Rows to predict, however far away, keep 3 to 5, or are refused by a ValueError that names X.  What is not
    a number, or has the wrong shape, is refused.
7.  Neither data nor parameters are changed.
8.  All that takes less than `SECONDS` of processor time, with at most 40 rows.
"""

import re
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from hostile.frames import frame_queries, make_frame
from hostile.ingredients import FORMS, HOPELESS, LABELS, ROWS, WEIGHTS, queries
from hostile.models import MODELS, pick
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import has_fit_parameter

SECONDS = 20
#: Chance of each side of a case to be hostile.
HOSTILE = 0.35
#: Share of those that must be refused: more of them would hide the others.
HOPELESS_SHARE = 0.15
#: Chance of a table classifier to be given a table.
FRAMES = 0.8
#: Words by which an error names what is at fault, beside the names of parameters.
ARGUMENTS = {
    "X",
    "y",
    "sample_weight",
    "array",
    "Input",
    "classes",
    "label",
    "labels",
    "kernel",
    "dtype",
    "features",
    "column",
    "table",
}
#: What NumPy and scikit-learn say of data that they do not take.
FOREIGN = (
    "could not convert string to float",
    "Complex data not supported",
    "Sample weights must contain",
    "The feature names should match",
    "inconsistent numbers of samples",
)


class OutOfTimeError(Exception):
    """The processor time of a case is used up."""


@dataclass
class Case:
    """One fit, and what became of it."""

    seed: int
    name: str
    model: Any
    X: Any
    y: Any
    weight: Any
    sides: dict[str, str]
    broken: list[str] = field(default_factory=list)
    fitted: bool = False
    seconds: float = 0.0

    def __str__(self) -> str:
        sides = ", ".join(f"{side}: {kind}" for side, kind in self.sides.items() if kind)
        return f"seed {self.seed}, {self.model!r} ({sides}): {'; '.join(self.broken)}"


def make_case(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([seed, 2026])
    n, d, c = (pick(rng, sizes) for sizes in ([2, 3, 5, 8, 15, 25, 40], [1, 2, 3, 6], [2, 2, 3, 5]))
    name, make = pick(rng, MODELS)
    model = make(rng)
    kinds = {
        side: _kind(rng, table)
        for side, table in (("rows", ROWS), ("form", FORMS), ("labels", LABELS), ("weights", WEIGHTS))
    }
    codes = rng.permutation(np.arange(n) % min(c, n))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        X = rng.normal(size=(n, d)) + (codes[:, None] if rng.random() < 0.5 else 0.0)
        X = ROWS[kinds["rows"]](rng, X)
        if name == "TableClassifier" and rng.random() < FRAMES:
            kinds["form"], X = make_frame(rng, X, HOSTILE)
        else:
            X = FORMS[kinds["form"]](rng, X)
        y, weight = LABELS[kinds["labels"]](codes), WEIGHTS[kinds["weights"]](rng, codes)
    return Case(seed, name, model, X, y, weight if has_fit_parameter(model, "sample_weight") else None, kinds)


def _kind(rng: np.random.Generator, table: dict) -> str:
    """One of the kinds of a table, the first of which is plain."""
    if rng.random() > HOSTILE:
        return next(iter(table))
    hopeless = rng.random() < HOPELESS_SHARE
    return pick(rng, [kind for kind in table if (kind in HOPELESS) == hopeless])


def run_case(seed: int) -> Case:
    """Fit, predict, and list which promises were broken."""
    case = make_case(seed)
    before = _contents(case)
    began = time.process_time()
    try:
        with _time_limit(SECONDS):
            _fit(case)
            if case.fitted and hasattr(case.model, "predict_proba"):
                _predict(case)
    except OutOfTimeError:
        case.broken.append(f"took more than {SECONDS} s")
    case.seconds = time.process_time() - began
    if _contents(case) != before:
        case.broken.append("changed its data or parameters")
    return case


def _contents(case: Case) -> str:
    data = [_plain(A) for A in (case.X, case.y, case.weight)]
    return joblib.hash([data, repr(case.model.get_params())])


def _plain(A: Any) -> Any:
    """What a frame, a series or a sparse matrix holds: what else it remembers may change by being read."""
    if sp.issparse(A):
        return A.format, A.toarray()
    if not hasattr(A, "to_numpy"):
        return A
    return repr((A.index.tolist(), list(getattr(A, "columns", [])), A.to_numpy(dtype=object).tolist()))


@contextmanager
def _time_limit(seconds: float):
    """Raise OutOfTimeError after so much processor time; only where signals are, and in the main thread."""

    def ring(*_):
        raise OutOfTimeError

    previous = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _fit(case: Case) -> None:
    weights = {} if case.weight is None else {"sample_weight": case.weight}
    result = _guarded(case, "fit", lambda: case.model.fit(case.X, case.y, **weights))
    case.fitted = result is not None
    if case.fitted and result is not case.model:
        case.broken.append("fit returns something else")
    if case.fitted or not hasattr(case.model, "predict"):
        return
    try:
        case.model.predict(np.zeros((1, 2)))
        case.broken.append("predicts after a refused fit")
    except NotFittedError:
        pass
    except Exception as error:  # that is what is looked for
        case.broken.append(f"after a refused fit predict raises {type(error).__name__}")


def _predict(case: Case) -> None:
    _guarded(case, "predict", lambda: _check_posterior(case, "predict", case.X))
    for name, rows, refused in _queries(case):
        answer = _guarded(case, name, lambda rows=rows, name=name: _check_posterior(case, name, rows))
        if refused and answer is not None:
            case.broken.append(f"predicts rows it must refuse: {name}")


def _queries(case: Case) -> Iterator[tuple[str, Any, bool]]:
    """Rows to predict, where it is known what is to become of them."""
    if case.name == "TableClassifier" and hasattr(case.X, "iloc"):
        yield from frame_queries(case.X)
    elif case.sides["form"] in (
        "array",
        "columns first",
        "read-only",
        "strided",
        "backwards",
        "big-endian",
    ):
        gaps = case.name == "TableClassifier"  # which are values of a table
        for name, rows, refused in queries(np.shape(case.X)[1]):
            yield name, rows, refused and not (gaps and name in ("NaN", "infinite"))


def _check_posterior(case: Case, where: str, X: Any) -> bool:
    """Promises 4 and 5."""
    model = case.model
    P, log_P, labels = (
        np.asarray(f(X)) for f in (model.predict_proba, model.predict_log_proba, model.predict)
    )
    if not (np.isfinite(P).all() and (P >= 0).all() and (P <= 1).all()):
        case.broken.append(f"{where}: probabilities from {P.min()} to {P.max()}")
    elif np.abs(P.sum(axis=1) - 1).max() > 1e-9:
        case.broken.append(f"{where}: probabilities sum to {P.sum(axis=1).max()}")
    elif not np.isfinite(log_P).all():
        case.broken.append(f"{where}: log-probabilities are not finite")
    elif np.abs(np.exp(log_P) - P).max() > 1e-9:
        case.broken.append(f"{where}: log-probabilities of other probabilities")
    elif case.name != "MinimumRiskClassifier" and not np.array_equal(
        labels, model.classes_[P.argmax(axis=1)]
    ):
        case.broken.append(f"{where}: predict is not the most probable class")
    return True


def _guarded(case: Case, where: str, call) -> Any:
    """Result of a call, or None if it was refused; whatever else happens is noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except (ValueError, TypeError) as error:
            result = None
            if isinstance(error, np.linalg.LinAlgError) or not _names_an_argument(str(error), case.model):
                case.broken.append(f"{where}: {type(error).__name__} names no argument: {str(error)[:150]}")
        except OutOfTimeError:
            raise
        except Exception as error:  # that is what is looked for
            result = None
            case.broken.append(f"{where}: {type(error).__name__}: {str(error)[:150]}")
    numerical = {str(w.message): w for w in caught if _is_numerical(w.category)}
    case.broken += [f"{where}: warns {text[:80]} ({w.filename}:{w.lineno})" for text, w in numerical.items()]
    return result


def _is_numerical(category: type) -> bool:
    """Whether a warning is NumPy's or SciPy's about numbers."""
    return issubclass(category, RuntimeWarning) or category.__name__ == "LinAlgWarning"


def _names_an_argument(text: str, model: Any) -> bool:
    names = ARGUMENTS | set(model.get_params()) | {name.split("__")[-1] for name in model.get_params()}
    return any(words in text for words in FOREIGN) or bool(names & set(re.findall(r"\w+", text)))
