"""Texts by the letters they are made of: similar words are near each other, whatever the language."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from kernelproba.tables.readings import distinct_texts

#: Columns that a text becomes, at most.
_COMPONENTS = 30


class TextEncoder:
    """Leading components of the frequencies of letter triples and quadruples; together they count once.

    Parameters
    ----------
    random_state : int
        Seed of the decomposition.

    Attributes
    ----------
    components_ : Pipeline or None
        From texts to components; None if there was no word to learn from.
    scale_ : float
        Square root of the sum of the variances of the components.
    """

    def __init__(self, random_state: int = 0):
        self.random_state = random_state

    def fit(self, values: NDArray, weight: NDArray) -> TextEncoder:
        """Learn from texts (n,), some of them None; rows of weight zero are left out."""
        words = _words(values[weight > 0])
        triples = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True)
        try:
            frequencies = triples.fit_transform(words)
        except ValueError:  # an empty vocabulary
            self.components_, self.scale_ = None, 1.0
            return self
        size = min(_COMPONENTS, frequencies.shape[1] - 1, len(words) - 1)
        svd = TruncatedSVD(size, random_state=self.random_state) if size > 0 else None
        self.components_ = make_pipeline(triples, "passthrough" if svd is None else svd)
        with np.errstate(invalid="ignore"):  # shares of a variance of 0, which nobody asked for
            columns = frequencies.toarray() if svd is None else svd.fit_transform(frequencies)
        self.scale_ = float(np.sqrt(columns.var(axis=0).sum())) or 1.0
        return self

    def transform(self, values: NDArray) -> NDArray:
        """Return texts (n,) as columns (n, k)."""
        if self.components_ is None:
            return np.zeros((len(values), 1))
        distinct, codes = distinct_texts(values)
        columns = self.components_.transform([*distinct, ""])[codes]  # code −1 is the last: no text
        return (columns if isinstance(columns, np.ndarray) else columns.toarray()) / self.scale_

    def names(self, name: str) -> list[str]:
        """Return the names of the columns."""
        return [f"{name} text {number}" for number in range(1, self.transform(np.array([None])).shape[1] + 1)]


def _words(values: NDArray) -> list[str]:
    return ["" if value is None else value for value in values]
