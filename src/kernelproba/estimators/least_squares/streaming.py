"""Checked input of `partial_fit`: a bad block is refused and leaves the model as it was."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_sample_weight

from kernelproba.estimators.base.class_weights import class_factors
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.numeric_rows import numeric_rows
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import check_labels
from kernelproba.rows.duplicates import first_occurrences, row_units
from kernelproba.rows.row_hash import row_keys
from kernelproba.rows.sketch import RowSketch
from kernelproba.typing import ClassWeight, MatrixLike


class DistinctRows(NamedTuple):
    """Rows none of which is a copy of another, their keys and numbers of observations (m,).

    `which` (n,) says for each of all rows which of the distinct ones it is.
    """

    training: Training
    keys: np.ndarray
    units: np.ndarray
    which: np.ndarray

    def sketch(self, order: np.ndarray | slice = slice(None)) -> RowSketch:
        """The rows in some order, as they are learnt."""
        rows = self.training
        return RowSketch(
            rows.X[order], rows.y[order], rows.weight[order], self.units[order], self.keys[order]
        )


def can_stream(model: "StreamingClassifier") -> bool:
    """Whether the parameters allow learning block by block; AttributeError says why not."""
    if isinstance(model.class_weight, str):
        raise AttributeError(
            "class_weight='balanced' needs the labels of all rows at once, which partial_fit never sees: "
            "pass class_weight as a dict, or sample_weight."
        )
    if model._is_precomputed():
        raise AttributeError(
            "partial_fit cannot use kernel='precomputed', whose columns are the rows of one fit: pass the "
            "kernel itself."
        )
    return True


class StreamingClassifier(ProbabilisticClassifier):
    """Classifier that learns block by block; `__sklearn_is_fitted__` says whether it has begun."""

    class_weight: ClassWeight

    def __sklearn_is_fitted__(self) -> bool:
        raise NotImplementedError

    def _check_block(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> Training:
        """Validate, encode and weigh a block; rows of weight zero are as if absent."""
        begun = self.__sklearn_is_fitted__()
        self._accepts_sparse_ = True
        labels = self._check_classes(classes, begun)
        data, known = numeric_rows(self, X, y, reset=not begun, **self._check_options())
        check_labels(known)
        codes = _encode(known, labels)
        weight = _check_block_weight(sample_weight, data)
        self.classes_ = labels
        index = np.flatnonzero(weight)
        data, codes, weight = data[index], codes[index], weight[index]
        factors = class_factors(self.class_weight, labels, np.bincount(codes, weight, len(labels)))
        return Training(data, codes, weight, weight * factors[codes], index)

    def _check_classes(self, classes: ArrayLike | None, begun: bool) -> np.ndarray:
        if classes is None:
            if not begun:
                raise ValueError(
                    "classes must be given on the first call of partial_fit: all labels that will ever occur."
                )
            return self.classes_
        labels = np.unique(np.asarray(classes))
        if begun and not np.array_equal(labels, self.classes_):
            raise ValueError(
                f"classes={classes!r} differs from those of the first call, {self.classes_!r}: a model "
                "cannot change its classes; start a new one."
            )
        if len(labels) < 2:
            raise ValueError(f"classes must name at least 2 classes, got {classes!r}.")
        return labels

    def _distinct(self, training: Training) -> DistinctRows:
        """Rows with copies merged into weights: then weights are repetition throughout."""
        keys, units = row_keys(training.X, training.y), row_units(training.sample_weight)
        first, which = first_occurrences(keys)
        if len(first) == len(keys):
            return DistinctRows(training, keys, units, which)
        merged = Training(
            X=self._take_rows(training.X, first),
            y=training.y[first],
            sample_weight=np.bincount(which, weights=training.sample_weight),
            weight=np.bincount(which, weights=training.weight),
            index=training.index[first],
        )
        return DistinctRows(merged, keys[first], np.bincount(which, weights=units), which)


def _check_block_weight(sample_weight: ArrayLike | None, X: MatrixLike) -> np.ndarray:
    """Weights (n,) that may all be zero, which scikit-learn refuses from 1.9 on; such a block is void."""
    nothing = sample_weight is not None and not np.any(sample_weight)
    given = np.asarray(sample_weight) + 1 if nothing else sample_weight
    weight = _check_sample_weight(given, X, dtype=np.float64, ensure_non_negative=True)
    return np.zeros_like(weight) if nothing else weight


def _encode(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Indices of y in the sorted labels."""
    unseen = np.setdiff1d(y, labels)
    if len(unseen):
        raise ValueError(
            f"y contains labels that are not in classes: {unseen.tolist()}. Name every label in `classes` on "
            "the first call of partial_fit."
        )
    return np.searchsorted(labels, y)
