"""Reasons: which training rows speak for and against each class.

The score of a kernel machine is a sum over centres,

    f_s(x) = Σ_j a_sj + b_s ,     a_sj = α_sj k(x, z_j) ,

so every centre has a contribution a_sj of its own.  It is large for a centre that is similar to x and has a
large coefficient.  In a pool of kernels a training row is a centre of each, and its contributions are added.

What a contribution means.  In exact kernel logistic regression α_j = C s_j (onehot(y_j) − p_j): a training
row speaks for its own class, the louder the worse the model fits it, and against the classes it is mistaken
for.  If the centres are fewer than the training rows (low rank, sparse), a centre also speaks for the
rows around it that are no centres, and may speak against its own label.  Contributions still add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.estimators.base.kernel_expansion import NONE, KernelExpansion
from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_lengths, check_whole_numbers
from kernelproba.inspection.reasons.expansions import ExpansionAt, expansions_in
from kernelproba.inspection.reasons.row_labels import row_labels, with_columns_of
from kernelproba.kernels.blocks import row_blocks
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

# What a line of an explanation is about, beside a training "row".
CENTER, OTHERS_FOR, OTHERS_AGAINST, INTERCEPT = "center", "others for", "others against", "intercept"


def explain(
    model: Classifier,
    X: MatrixLike,
    *,
    top: int | None = 10,
    training: MatrixLike | None = None,
    labels: ArrayLike | None = None,
) -> pd.DataFrame:
    """Tell which training rows speak for and against each class, and how much.

    Parameters
    ----------
    model : classifier
        A fitted kernel classifier of this package, also inside a pipeline, a search, a wrapper or
        `PairwiseCouplingClassifier`.
    X : array-like of shape (n, d)
        The rows whose scores are to be explained, as `model` takes them.
    top : int or None, default=10
        How many rows to name on either side of each score; the others are summed.  None: all.
    training : array-like of shape (N, d), optional
        What the model was fitted on: a model keeps arrays only, but the index and the columns of a
        frame can be shown beside its contributions.
    labels : array-like of shape (N,), optional
        What the training rows were labelled, to be shown.

    Returns
    -------
    DataFrame
        One line per contribution:

        - ``explained``: label of the row of X; ``class``: what the score speaks for; ``against``: the
          other class where there are two (binary and pairwise scores), else None.
        - ``term``: "row"; "others for" and "others against", the sums over the rows not named;
          "intercept"; "center" for one that is no training row.
        - ``row``: label of the training row (number of the center); ``contribution``;
          ``coef`` and ``similarity``, its factors.
        - ``label`` and the columns of `training`, if given.

        The contributions for each ``explained``, ``class`` and ``against`` add up to the score: for logistic
        models and margins to `decision_function` (for pairwise models, to that of the pair), for densities
        and least squares to what probabilities are made from.

    See Also
    --------
    ExplanationDisplay : The same in a figure.
    suspects : Rows whose labels look wrong.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> lines = explain(model, X[:1], top=1, training=X, labels=y)
    >>> lines.loc[lines["class"] == 0, ["term", "row", "contribution", "label"]].round(1)
                 term   row  contribution label
    0             row    44           0.1     0
    1      others for  None           3.9  None
    2  others against  None          -1.8  None
    3             row    98          -0.2     1
    4       intercept  None           0.3  None
    """
    with extra("tables"):
        import pandas as pd

    if top is not None:
        check_whole_numbers(1, top=top)
    lines = pd.DataFrame(
        [line for expansion_at in expansions_in(model, X) for line in _lines(expansion_at, top)],
        columns=["explained", "score", "side", "term", "position", "contribution", "coef", "similarity"],
    )
    lines = lines.sort_values("explained", kind="stable", ignore_index=True)
    return _named(lines, row_labels(X), np.asarray(model.classes_), training, labels)


def _lines(expansion_at: ExpansionAt, top: int | None) -> Iterator[tuple]:
    """Yield the contributions to the scores of one expansion, row by row of X."""
    expansion, X = expansion_at
    n, m = X.shape[0], expansion.coef.shape[1]
    for block in row_blocks(n, m):
        K = expansion.similarities(X[block])
        for i, similarity in enumerate(K, start=block.start):
            for s, (score, side) in enumerate(expansion.sides.tolist()):
                for line in _score_lines(expansion, s, similarity, top):
                    yield i, score, side, *line


def _score_lines(expansion: KernelExpansion, s: int, similarity: np.ndarray, top: int | None) -> list[tuple]:
    """Return (term, position, contribution, coef, similarity) of one score, from for to against."""
    terms = _terms(expansion, expansion.coef[s], similarity)
    contribution = terms["contribution"]
    order = np.argsort(-contribution, kind="stable")
    positive, negative = order[contribution[order] > 0], order[contribution[order] < 0]
    named_for, named_against = positive[:top], negative if top is None else negative[-top:]

    def named(j: int) -> tuple:
        is_row = terms["row"][j] != NONE
        term, position = ("row", terms["row"][j]) if is_row else (CENTER, j)
        return term, int(position), contribution[j], terms["coef"][j], terms["similarity"][j]

    def summed(term: str, others: np.ndarray) -> list[tuple]:
        return [(term, NONE, contribution[others].sum(), np.nan, np.nan)] if len(others) else []

    return [
        *map(named, named_for),
        *summed(OTHERS_FOR, positive[len(named_for) :]),
        *summed(OTHERS_AGAINST, negative[: len(negative) - len(named_against)]),
        *map(named, named_against),
        (INTERCEPT, NONE, expansion.intercept[s], np.nan, np.nan),
    ]


def _terms(expansion: KernelExpansion, coef: np.ndarray, similarity: np.ndarray) -> dict[str, np.ndarray]:
    """Contributions of centres; those of a row that is a centre of several kernels are added up."""
    rows, contribution = expansion.rows, coef * similarity
    known = rows[rows != NONE]
    if len(np.unique(known)) == len(known):
        return {"row": rows, "contribution": contribution, "coef": coef, "similarity": similarity}
    distinct, which = np.unique(rows, return_inverse=True)
    unknown = np.full(len(distinct), np.nan)
    total = np.bincount(which, weights=contribution)
    return {"row": distinct, "contribution": total, "coef": unknown, "similarity": unknown}


def _named(
    lines: pd.DataFrame,
    explained: list,
    classes: np.ndarray,
    training: MatrixLike | None,
    labels: ArrayLike | None,
) -> pd.DataFrame:
    """Replace numbers by the labels of rows and classes, and append what is known of the training rows."""
    is_row = (lines["term"] == "row").to_numpy()
    position = np.where(is_row, lines["position"], NONE)
    names = None if training is None else row_labels(training)
    given = None if labels is None else np.asarray(labels).tolist()
    check_lengths(position, training=names, labels=given)
    frame = lines.drop(columns=["score", "side", "position"])
    frame["explained"] = _look_up(explained, lines["explained"]).infer_objects()
    frame.insert(1, "class", classes[lines["score"].to_numpy(dtype=int)])
    frame.insert(2, "against", _look_up(classes.tolist(), lines["side"]))
    numbers = range(lines["position"].max() + 1)
    rows = _look_up(numbers if names is None else names, position)
    frame.insert(4, "row", rows.where(is_row, _look_up(numbers, lines["position"])))
    if given is not None:
        frame["label"] = _look_up(given, position)
    return with_columns_of(frame, training, position)


def _look_up(names: Sequence, number: Iterable[int]) -> pd.Series:
    """Return the name of each number as objects, so that 3 stays 3 beside the None of a missing name."""
    with extra("tables"):
        import pandas as pd

    return pd.Series([None if i == NONE else names[i] for i in number], dtype=object)
