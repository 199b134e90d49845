"""From a table to numbers that a kernel can compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.number_range import check_weights
from kernelproba.tables.columns import Column, arrow_as_pandas, check_in_memory, columns_of, is_frame
from kernelproba.tables.encoding.gaps import share_gaps
from kernelproba.tables.errors import TableError
from kernelproba.tables.fitted_column import FittedColumn, Given, Rules, WeightedLabels
from kernelproba.tables.kinds import ColumnKind, check_kind
from kernelproba.typing import MatrixLike


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a table of numbers, categories, texts, dates and gaps into a matrix that kernels can compare.

    Every column of the table counts once in distances, whatever it becomes (`kernelproba.tables.encoding`):
    do not scale the result again.  Columns from which nothing can be learnt are left out: empty and constant
    ones, row numbers and identifiers.

    Parameters
    ----------
    kinds : mapping, optional
        Name of a column → its kind, where the one that is found is not the right one: "number", "flag",
        "category", "date", "time", "text" or "dropped"; or the list of the levels of an ordered column, the
        lowest first.
    numbers : {"standard", "squash"}, default="squash"
        Numbers get mean 0 and standard deviation 1; or their bulk does, and outliers are drawn in.
    max_levels : int, default=300
        Texts with more levels are compared by their letters instead of being categories.
    min_count : int, default=1
        Levels of fewer training rows are pooled.  With more than one, leave-one-out promises too much where
        levels have few rows: the row beside the one left out would be pooled then.
    decimal : {".", ","}, optional
        Decimal sign of numbers that come as texts, where texts such as 1,234 leave it open.
    day_first : bool, optional
        Whether the day comes before the month in dates that come as texts, where that is open.
    read_texts : bool, default=True
        Whether texts that are numbers or dates are read as such; the two parameters above say how.
    keep : sequence of str, default=()
        Names of columns that are not left out even if they seem to number or name the rows.
    random_state : int, default=0
        Seed of the decomposition of texts.

    Attributes
    ----------
    columns_ : list of ColumnKind
        Name and kind of each column of the table, and why it was taken for that.
    source_ : ndarray of shape (k,)
        Number of the column of the table that each column of the matrix comes from.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    TableClassifier : A classifier behind the encoder.
    kernelproba.tables.read_table : Tables from files.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31, 45, None, 62], "sex": ["f", "m", "m", "f"], "always": 1})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.transform(table).shape
    (4, 3)
    >>> [str(name) for name in encoder.get_feature_names_out()]
    ['age', 'age missing', 'sex=m']
    >>> [(column.name, column.kind) for column in encoder.columns_]
    [('age', 'number'), ('sex', 'category'), ('always', 'dropped')]
    """

    _parameter_constraints: ClassVar[dict] = {
        "kinds": [Mapping, None],
        "numbers": [StrOptions({"standard", "squash"})],
        "max_levels": [Interval(Integral, 2, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "decimal": [StrOptions({".", ","}), None],
        "day_first": ["boolean", None],
        "read_texts": ["boolean"],
        "keep": ["array-like"],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        kinds=None,
        numbers="squash",
        max_levels=300,
        min_count=1,
        decimal=None,
        day_first=None,
        read_texts=True,
        keep=(),
        random_state=0,
    ):
        self.kinds = kinds
        self.numbers = numbers
        self.max_levels = max_levels
        self.min_count = min_count
        self.decimal = decimal
        self.day_first = day_first
        self.read_texts = read_texts
        self.keep = keep
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> TableEncoder:
        """Learn what the columns are.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like, of shape (n, d)
            Training rows.
        y : array-like of shape (n,), optional
            Labels; with them, a date tells of seasons, weekdays and hours only what has a bearing on them.
        sample_weight : array-like of shape (n,), optional
            A weight of two is a row seen twice; rows of weight zero are as if absent.
        """
        columns = self._columns(X, reset=True)
        given = self._given(columns)
        weight = _check_sample_weight(
            sample_weight, columns[0].values, dtype=np.float64, ensure_non_negative=True
        )
        seen = weight > 0
        check_weights(weight[seen])
        labels = None if y is None else np.unique(np.asarray(y)[seen], return_inverse=True)[1]
        training, rules = WeightedLabels(weight[seen], labels), self._rules()
        self._fitted_ = [
            FittedColumn.learn(column.at(seen), given.get(column.name), training, rules) for column in columns
        ]
        self.columns_: list[ColumnKind] = [fitted.description for fitted in self._fitted_]
        self._check_any()
        share_gaps(
            [fitted.encoder for fitted in self._fitted_],
            [column.missing[seen] for column in columns],
            weight[seen],
        )
        sizes = [len(fitted.names()) for fitted in self._fitted_]
        self.source_ = np.repeat(np.arange(len(columns)), sizes)
        return self

    def transform(self, X: MatrixLike) -> NDArray:
        """Return the table as numbers.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like, of shape (n, d)
            Rows, with the columns of training.

        Returns
        -------
        Z : ndarray of shape (n, k)
            Columns as `get_feature_names_out` names them.
        """
        check_is_fitted(self)
        return self.encode_columns(self._columns(X, reset=False))

    def encode_columns(self, columns: Sequence[Column]) -> NDArray:
        """Do what `transform` does, for columns that are in the order of training and need no check.

        Parameters
        ----------
        columns : sequence of d columns of n rows
            As `kernelproba.tables.columns.columns_of` returns them.
        """
        return np.column_stack(
            [
                fitted.transform(column)
                for fitted, column in zip(self._fitted_, columns, strict=True)
                if fitted.encoder is not None
            ]
        )

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray:  # noqa: ARG002
        """Return the names of the columns of the matrix, (k,): those of the table, with level or part."""
        check_is_fitted(self)
        return np.array([name for fitted in self._fitted_ for name in fitted.names()], dtype=object)

    def _columns(self, X: Any, *, reset: bool) -> list[Column]:
        check_in_memory(X)
        X = arrow_as_pandas(X)
        if is_frame(X):
            if reset or list(X.columns) != list(getattr(self, "feature_names_in_", ())):
                self._check_distinct([str(name) for name in X.columns])
                validate_data(self, X, skip_check_array=True, reset=reset)
            if X.shape[0] == 0 or X.shape[1] == 0:
                raise TableError(f"a table of {X.shape[0]} rows and {X.shape[1]} columns has nothing in it")
            columns = columns_of(X)
            self._check_names([column.name for column in columns], reset=reset)
            return columns
        return columns_of(validate_data(self, X, dtype=None, ensure_all_finite=False, reset=reset))

    @staticmethod
    def _check_distinct(names: list[str]) -> None:
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise TableError(f"several columns of the table have the name '{twice[0]}': rename them")

    def _check_names(self, names: list[str], *, reset: bool) -> None:
        """Keep the names of a frame, or complain of others: scikit-learn overlooks all but texts."""
        if reset:
            self._names_ = names
        known = getattr(self, "_names_", names)
        if names != known:
            j = next(j for j, pair in enumerate(zip(names, known, strict=True)) if pair[0] != pair[1])
            raise TableError(
                f"column {j} of the table is '{names[j]}', but was '{known[j]}' when the model was fitted: "
                "use the same columns in the same order"
            )

    def _given(self, columns: list[Column]) -> dict[str, Given]:
        """Return the kinds that the user gives, if there are such columns and kinds."""
        given = dict(self.kinds or {})
        for name, kind in given.items():
            if name not in {column.name for column in columns}:
                raise TableError(f"kinds names a column '{name}', which the table does not have")
            check_kind(name, kind)
        return given

    def _rules(self) -> Rules:
        return Rules(**{name: getattr(self, name) for name in Rules.__dataclass_fields__})

    def _check_any(self) -> None:
        if all(fitted.encoder is None for fitted in self._fitted_):
            reasons = "; ".join(f"'{each.name}': {each.why}" for each in self.columns_[:8])
            raise TableError(f"no column is left to learn from ({reasons})")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
