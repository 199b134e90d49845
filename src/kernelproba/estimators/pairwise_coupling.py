"""A classifier of many classes from one small classifier per pair of classes."""

from collections.abc import Iterator, Mapping
from itertools import repeat

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    _check_method_params,
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)
from threadpoolctl import threadpool_limits

from kernelproba.coupling import METHODS, couple_log_odds
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.callbacks import ObservableFit, Step, as_steps, with_callbacks
from kernelproba.estimators.base.class_weights import class_factors
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.feature_names import as_table
from kernelproba.estimators.base.meta import PosteriorWrapper, inner_log_proba
from kernelproba.number_range import check_weights
from kernelproba.typing import Classifier, Matrix, MatrixLike

# Pairwise probabilities held at once by `predict_proba`: 64 MB in double precision.
BLOCK_SIZE = 2**23


class PairwiseCouplingClassifier(PosteriorWrapper, ObservableFit, ProbabilisticClassifier):
    """Train a binary classifier for each pair of classes and couple their probabilities.

    c(c−1)/2 small problems are often cheaper than one large one, and each may fit its pair better.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Cloned for each pair.  It is trained on the labels 0 (the first class of the pair) and 1, and may
        read anything whose rows can be indexed: arrays, sparse matrices, data frames, precomputed kernels.
    coupling : {"wu-lin-weng", "hastie-tibshirani"}, default="wu-lin-weng"
        How the probabilities of the pairs become one posterior, see :func:`kernelproba.coupling.couple`.
        ``"hastie-tibshirani"`` weighs each pair by n_ij = n_i + n_j, the rows that trained it.
    class_weight : dict, "balanced" or None, default=None
        Factors on the sample weights of each class; "balanced" gives every class the same total.
    n_jobs : int, default=None
        Pairs trained at once, as in joblib.  The BLAS threads are divided among them.
    verbose : int, default=0
        joblib's verbosity: from 1 on the number of trained pairs is printed, more often the higher it is.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        The labels.
    pairs_ : ndarray of shape (c(c−1)/2, 2)
        The two classes of each pair, as indices into ``classes_``.
    estimators_ : list of c(c−1)/2 classifiers
        The fitted clone of each pair.
    pair_weights_ : ndarray of shape (c, c)
        n_ij = n_i + n_j, in sample weights.
    pair_rows_ : list of c(c−1)/2 ndarray
        The training rows of each pair.
    pairwise_indices_ : list of ndarray or None
        With a precomputed kernel, the training rows of each pair: the columns that its classifier reads.
    n_features_in_, feature_names_in_
        The number of features, and their names where X had names.

    See Also
    --------
    kernelproba.coupling.couple : The coupling itself.
    KernelLogisticRegression : Has pairs built in, by ``multi_class="pairwise"``.

    References
    ----------
    Hastie & Tibshirani (1998), "Classification by pairwise coupling", Annals of Statistics 26.
    Wu, Lin & Weng (2004), "Probability estimates for multi-class classification by pairwise coupling",
    JMLR 5.  Roth (2001), "Probabilistic discriminative kernel classifiers for multi-class problems", DAGM.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PairwiseCouplingClassifier(LogisticRegression(C=10, max_iter=1000)).fit(X, y)
    >>> len(model.estimators_), model.predict_proba(X).shape
    (3, (150, 3))
    """

    def __init__(self, estimator, coupling="wu-lin-weng", *, class_weight=None, n_jobs=None, verbose=0):
        self.estimator = estimator
        self.coupling = coupling
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def classes_(self) -> NDArray:
        """The labels (c,), in the order of the columns of ``predict_proba``."""
        return self._classes_

    @classes_.setter
    def classes_(self, labels: NDArray) -> None:
        self._classes_ = labels

    @atomic_fit
    @with_callbacks
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: object
    ) -> "PairwiseCouplingClassifier":
        """Fit one clone of the estimator for each pair of classes.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimator reads
            Training rows.
        y : array-like of shape (n,)
            Labels, of at least two classes; one row of a class is enough.
        sample_weight : array-like of shape (n,), optional
            Handed to the estimators and counted in ``pair_weights_``; rows of weight zero are as if absent.
        **params : dict
            Further arguments for the ``fit`` of the estimators; those with one entry per row are divided
            among the pairs.

        Returns
        -------
        PairwiseCouplingClassifier
            The fitted classifier itself.
        """
        if self.coupling not in METHODS:
            raise ValueError(f"coupling must be one of {METHODS}, got {self.coupling!r}.")
        X, labels = self._check_targets(as_table(X), y)
        validate_data(self, X, labels, skip_check_array=True)
        codes, weight = self._encode_and_weigh(labels, sample_weight)
        unweighted = sample_weight is None and self.class_weight is None
        fit_params = self._inner_fit_params(None if unweighted else weight, params)
        mass = np.bincount(codes[codes >= 0], weights=weight[codes >= 0])
        self.pair_weights_, self._coupling_ = mass[:, np.newaxis] + mass, self.coupling
        self.pairs_ = class_pairs(len(self.classes_))
        with self._observed(X, y, len(self.pairs_)) as step:
            self._fit_pairs(X, codes, fit_params, step)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True  # also around an estimator of two classes
        return tags

    def _encode_and_weigh(self, labels: NDArray, sample_weight: ArrayLike | None) -> tuple[NDArray, NDArray]:
        """Return class indices (n,), −1 for rows of weight zero, and sample weights times class weights."""
        weight = _check_sample_weight(sample_weight, labels, dtype=np.float64, ensure_non_negative=True)
        seen = weight > 0
        check_weights(weight[seen])
        self.classes_, seen_codes = np.unique(labels[seen], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has {len(self.classes_)} class(es) with rows of positive weight, but a pair takes 2: "
                "add rows of another class, or use sklearn.dummy.DummyClassifier."
            )
        self._check_class_weight_arrives()
        codes = np.full(len(labels), -1)
        codes[seen] = seen_codes
        factors = np.ones(len(labels))
        mass = np.bincount(seen_codes, weights=weight[seen])
        factors[seen] = class_factors(self.class_weight, self.classes_, mass)[seen_codes]
        with np.errstate(over="ignore"):
            weighted = weight * factors
        check_weights(weighted[seen], "sample_weight times class_weight")
        return codes, weighted

    def _check_class_weight_arrives(self) -> None:
        if self.class_weight is None:
            return
        if get_config()["enable_metadata_routing"]:
            arrives = get_routing_for_object(self.estimator).consumes("fit", ["sample_weight"])
            cure = "have it request them with set_fit_request(sample_weight=True)"
        else:
            arrives = has_fit_parameter(self.estimator, "sample_weight")
            cure = "choose one that does"
        if not arrives:
            raise ValueError(
                f"class_weight reaches the pairs as sample weights, which estimator={self.estimator!r} "
                f"does not take in fit: {cure}, or give class_weight=None."
            )

    def _fit_pairs(self, X: MatrixLike, codes: NDArray, fit_params: Mapping[str, object], step: Step) -> None:
        jobs = effective_n_jobs(self.n_jobs)
        self.pair_rows_ = [_rows_of(codes, i, j) for i, j in self.pairs_]
        # joblib divides the threads among processes by itself, but not among the threads of this one.
        with threadpool_limits(limits=max(1, cpu_count() // jobs) if jobs > 1 else None):
            fits = Parallel(n_jobs=self.n_jobs, verbose=int(self.verbose), return_as="generator")(
                delayed(_fit_pair)(clone(self.estimator), X, codes == j, rows, fit_params)
                for (_, j), rows in zip(self.pairs_, self.pair_rows_, strict=True)
            )
            self.estimators_ = list(as_steps(step, "pair", fits, len(self.pairs_)))
        pairwise = get_tags(self).input_tags.pairwise
        self.pairwise_indices_ = self.pair_rows_ if pairwise else None

    def predict_proba(self, X: MatrixLike) -> NDArray:
        """Couple the probabilities of the pairs.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimators read
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, c)
            Probability of each class, columns in the order of ``classes_``; rows sum to one.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: MatrixLike) -> NDArray:
        """Couple the log-odds of the pairs.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimators read
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, c)
            log of ``predict_proba``, without its underflow where the estimators have ``predict_log_proba``.
        """
        check_is_fitted(self)
        X = as_table(X)
        if getattr(X, "ndim", 2) == 2:  # else the estimators explain the shape that they expect
            validate_data(self, X, reset=False, skip_check_array=True)
        # Wu, Lin and Weng count every pair the same.
        weights = self.pair_weights_ if self._coupling_ == "hastie-tibshirani" else None
        return np.concatenate([couple_log_odds(F, self._coupling_, weights) for F in self._pair_blocks(X)])

    def predict(self, X: MatrixLike) -> NDArray:
        """Most probable class: always the argmax of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n, d), or whatever the estimators read
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n,)
            Entries of `classes_`.
        """
        return super().predict(as_table(X))

    def _pair_blocks(self, X: MatrixLike) -> Iterator[NDArray]:
        """Walk X in blocks of b rows and return their log-odds (b, pairs), so that memory stays bounded."""
        length = max(1, BLOCK_SIZE // len(self.classes_) ** 2)
        n_rows = _num_samples(X)
        if n_rows <= length:
            yield self._pair_log_odds(X)
            return
        for start in range(0, n_rows, length):
            yield self._pair_log_odds(_safe_indexing(X, slice(start, start + length)))

    def _pair_log_odds(self, X: Matrix) -> NDArray:
        """Log r_ij/r_ji of every pair, (n, pairs)."""
        own = self.pairwise_indices_
        inputs = repeat(X) if own is None else (X[:, columns] for columns in own)
        logs = [inner_log_proba(model, x) for model, x in zip(self.estimators_, inputs, strict=False)]
        return np.stack([log_P[:, 0] - log_P[:, 1] for log_P in logs], axis=1)


def _rows_of(codes: NDArray, i: int, j: int) -> NDArray:
    return np.flatnonzero((codes == i) | (codes == j))


def _fit_pair(
    estimator: Classifier, X: MatrixLike, is_second: NDArray, rows: NDArray, fit_params: Mapping[str, object]
) -> Classifier:
    """Fit one estimator to its rows, labelled 0 (first class of the pair) and 1 (second)."""
    X_pair, y_pair = _safe_split(estimator, X, is_second.astype(int), rows)
    return estimator.fit(X_pair, y_pair, **_check_method_params(X, fit_params, indices=rows))
