"""From a mixed table to numbers that a kernel can compare: one scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kernelproba.cli.tables.columns import FLAG, NUMBER, TIME

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline


def table_pipeline(classifier: Any, kinds: Mapping[str, str]) -> Pipeline:
    """Put the preparation of a table before a classifier.

    The steps:

    - ``table``: numbers and dates are scaled to the same spread by skrub's `SquashingScaler`: by quartiles,
      so that outliers neither shrink the others nor end up alone.  What is no number goes through skrub's
      `TableVectorizer`: categories become 0/1 columns, which differ as much as two typical numbers; texts
      and columns of 40 categories or more become 30 numbers, which together weigh as one; dates become
      years, days on a circle, and so on.
    - ``impute``: the median in place of missing numbers.  (A missing category is a category.)
    - ``classifier``.

    Parameters
    ----------
    classifier : classifier
        Takes a dense array without missing values.
    kinds : mapping of str to str
        Name → kind of the columns.
    """
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline

    return Pipeline(
        [
            ("table", _vectoriser(kinds)),
            ("impute", SimpleImputer(strategy="median", keep_empty_features=True)),
            ("classifier", classifier),
        ]
    )


def name_columns(pipeline: Pipeline) -> Pipeline:
    """Replace the rules by which a fitted `TableVectorizer` chose columns by the names of those it chose.

    The rules are functions and hold copies of all earlier steps.  Only `fit` needs them, and a model file is
    smaller and safer without.
    """
    vectoriser = pipeline["table"].named_transformers_.get("others")
    for step in getattr(vectoriser, "_pipeline", ()):
        if hasattr(step, "used_inputs_"):
            step.cols = step.used_inputs_
    return pipeline


def _vectoriser(kinds: Mapping[str, str]) -> ColumnTransformer:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from skrub import ApplyToCols, DatetimeEncoder, SquashingScaler, TableVectorizer

    numbers = [name for name, kind in kinds.items() if kind in (NUMBER, FLAG, TIME)]
    others = [name for name in kinds if name not in set(numbers)]
    dates = make_pipeline(ApplyToCols(DatetimeEncoder(periodic_encoding="circular")), SquashingScaler())
    vectoriser = TableVectorizer(numeric=SquashingScaler(), datetime=dates)
    parts = [("numbers", SquashingScaler(), numbers), ("others", vectoriser, others)]
    return ColumnTransformer([part for part in parts if part[2]])
