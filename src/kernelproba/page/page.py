"""A model as one page of HTML that loads nothing and runs nothing but its own script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from kernelproba.atomic_file import replacing
from kernelproba.caller_warning import warn_caller
from kernelproba.compression import compress
from kernelproba.estimators.conformal import ConformalClassifier
from kernelproba.onnx.errors import ConversionError
from kernelproba.page.card import TrainingFacts
from kernelproba.page.description import description
from kernelproba.page.html import page_html
from kernelproba.page.label_sets import SetSource
from kernelproba.page.opened_model import OpenedModel

#: Bytes of a page, unless more are allowed.
MAX_BYTES = 5_000_000
#: How often a model is compressed to fit, and which part of the room it is to fill.
_ATTEMPTS, _AIM = 3, 0.9
#: Fewer centres than these are not worth a page.
_FEWEST = 10
#: Divergence, in nats, from which on it pays to move centres, which takes minutes.
_MUCH = 0.01


@dataclass(frozen=True)
class WrittenPage:
    """What `write_model_page` has written.

    Attributes
    ----------
    path : Path
        The file.
    bytes : int
        Its size.
    compression : mapping or None
        What `kernelproba.compression.compress` says, if the model had to be compressed.

    See Also
    --------
    write_model_page : Makes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> WrittenPage(Path("model.html"), 81_000, None).bytes
    81000
    """

    path: Path
    bytes: int
    compression: Mapping[str, float] | None


def write_model_page(
    model: BaseEstimator,
    path: str | Path,
    *,
    labels: Sequence[object] | None = None,
    target: str | None = None,
    row_names: Sequence[object] | None = None,
    left_out: Mapping[str, str] | None = None,
    with_rows: bool = True,
    with_sets: bool = True,
    max_bytes: int = MAX_BYTES,
) -> WrittenPage:
    """Write a page on which to try a model: it predicts in the browser, as one types.

    One file without network, Python or server: fields for all columns with their ranges and levels, the
    probabilities, the training rows that speak for and against, how new the row is, the set of labels that
    cannot be ruled out, and the card of the model.

    Parameters
    ----------
    model : classifier
        Fitted, of this package, such as a `kernelproba.TableClassifier`; also inside a search, or behind
        scalers of scikit-learn in a pipeline.  Inside a `kernelproba.ConformalClassifier` it shows the sets
        of labels of that.
    path : path
        Where to write; what is there is replaced.
    labels : sequence of length n, optional
        Of the training rows, in the order of the fit: for the scores' intervals, and to be shown.
    target : str, optional
        Name of what is predicted.
    row_names : sequence of length n, optional
        What the training rows are called; by default they are counted from 0.
    left_out : mapping of str to str, optional
        Columns that were left out before the fit, and why.
    with_rows : bool, default=True
        Whether training rows, their values and labels, may be shown as reasons.  Without, the page has no
        reasons; but the centres of a kernel machine are training rows, and its numbers still hold them in
        encoded form.
    with_sets : bool, default=True
        Whether to show sets of labels: those of a `kernelproba.ConformalClassifier` around the model, or
        else by leave-one-out, if the model keeps it, which the page says where rows are few.
    max_bytes : int, default=5_000_000
        A page that would be larger shows a compressed model (`kernelproba.compression.compress`), and says
        so; fits to folds, for sets of labels, are left out first.

    Returns
    -------
    WrittenPage
        Path, size, and what compression has cost.

    See Also
    --------
    kernelproba.onnx.to_onnx : Models for programs without Python.
    kernelproba.report.write_report : A page on how good a model is.

    Notes
    -----
    The probabilities are those of ``predict_proba`` to rounding.  Values of training rows are computed from
    the model and rounded to eleven digits; texts that are compared by their letters cannot be shown.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegressionCV
    >>> from kernelproba.page import write_model_page
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = KernelLogisticRegressionCV(kernel="rbf").fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     page = write_model_page(model, Path(folder) / "iris.html", labels=y, target="kind of iris")
    >>> page.bytes < 500_000
    True
    """
    check_is_fitted(model)
    _check(model, left_out, max_bytes)
    listed = _listed("labels", labels), _listed("row_names", row_names)
    training = TrainingFacts(*listed, target, left_out or {})
    judge, model = _apart(model)
    draw = partial(_html, fitted=model, training=training, with_rows=with_rows, max_bytes=max_bytes)
    sets = SetSource(judge, with_sets)
    shown, text = model, draw(model, sets=sets)
    if with_sets and len(text) > max_bytes and judge is not None and judge.fold_estimators_:
        sets = SetSource(wanted=False, why_not="the fits to folds that they need are too large for a page")
        text = draw(model, sets=sets)
    if len(text) > max_bytes:
        shown, text = _compressed(model, text, partial(draw, sets=sets), max_bytes, move=not with_rows)
    if len(text) > max_bytes:
        warn_caller(f"the page has {len(text) / 1e6:.1f} MB: this model cannot be compressed further")
    with replacing(Path(path)) as draft:
        draft.write_text(text, encoding="ascii", newline="\n")
    compression = None if shown is model else OpenedModel.of(shown).core.compression_
    return WrittenPage(Path(path), len(text), compression)


def _check(model: BaseEstimator, left_out: object, max_bytes: object) -> None:
    if get_tags(model).input_tags.pairwise:
        raise ConversionError(
            "kernel='precomputed' leaves a page no columns to ask for: fit on rows with a kernel of "
            "kernelproba.kernels"
        )
    if left_out is not None and not isinstance(left_out, Mapping):
        raise ValueError(f"left_out must be a dictionary of columns and reasons, got {left_out!r}")
    if not isinstance(max_bytes, Real) or not 0 < float(max_bytes) < float("inf"):
        raise ValueError(f"max_bytes must be a positive number, such as 5_000_000; got {max_bytes!r}")


def _listed(argument: str, values: Iterable[object] | None) -> list[object] | None:
    if isinstance(values, str) or not isinstance(values, Iterable | None):
        raise ValueError(f"{argument} must hold one entry for each training row, got {values!r}")
    return None if values is None else list(values)


def _apart(model: BaseEstimator) -> tuple[ConformalClassifier | None, BaseEstimator]:
    """Return what judges labels around a model, and the model."""
    return (model, model.estimator_) if isinstance(model, ConformalClassifier) else (None, model)


def _html(
    shown: BaseEstimator,
    *,
    fitted: BaseEstimator,
    training: TrainingFacts,
    sets: SetSource,
    with_rows: bool,
    max_bytes: int,
) -> str:
    described = description(shown, fitted, training, sets=sets, with_rows=with_rows, max_bytes=max_bytes)
    return page_html(described)


def _compressed(
    model: BaseEstimator,
    text: str,
    draw: Callable[[BaseEstimator], str],
    max_bytes: float,
    *,
    move: bool,
) -> tuple[BaseEstimator, str]:
    """Return the model with about as many centres as a page has room for, and the page.

    A page grows by as much with every centre, beside what it needs for the fewest.
    """
    try:
        fewest = compress(model, n_centers=_FEWEST)
    except (TypeError, ValueError):
        return model, text
    least, few = draw(fewest), _n_centers(fewest)
    length, centers = len(text), _n_centers(model)
    for _ in range(_ATTEMPTS):
        if not len(least) < max_bytes < length:
            break
        share = (max_bytes - len(least)) / (length - len(least))
        centers = few + int(_AIM * share * (centers - few))
        shown = compress(model, n_centers=centers)
        if move and shown.compression_["mean_kl"] > _MUCH:
            shown = compress(model, n_centers=centers, move_centers=True)
        page = draw(shown)
        if len(page) <= max_bytes:
            return shown, page
        length = len(page)
    return fewest, least


def _n_centers(model: BaseEstimator) -> int:
    """Return how many centres a model has, or the largest function of its pool."""
    core = OpenedModel.of(model).core
    return max(len(each.support_) for each in getattr(core, "estimators_", [core]))
