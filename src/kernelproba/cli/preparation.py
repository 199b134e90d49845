"""From a mixed table to numbers that a kernel can compare: one scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .columns import FLAG, NUMBER, TIME

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline


def table_pipeline(classifier: Any, kinds: Mapping[str, str]) -> Pipeline:
    """Put the preparation of a table before a classifier.

    The steps:

    - ``table``: skrub's `TableVectorizer` for the columns that are no numbers.  Categories become 0/1
      columns, or 30 numbers if there are 40 or more; dates become years, days on a circle, and so on.
    - ``scale``: skrub's `SquashingScaler`, which gives columns the same spread.  By quartiles, not by
      variance: a rare category would otherwise be ten standard deviations away, and an outlier alone.
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
    from skrub import SquashingScaler

    return Pipeline(
        [
            ("table", _vectoriser(kinds)),
            ("scale", SquashingScaler()),
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
    from skrub import DatetimeEncoder, TableVectorizer

    numbers = [name for name, kind in kinds.items() if kind in (NUMBER, FLAG, TIME)]
    others = [name for name in kinds if name not in set(numbers)]
    vectoriser = TableVectorizer(datetime=DatetimeEncoder(periodic_encoding="circular"))
    parts = [("numbers", "passthrough", numbers), ("others", vectoriser, others)]
    return ColumnTransformer([part for part in parts if part[2]])
