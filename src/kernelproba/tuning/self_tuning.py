"""What all classifiers with the ending CV have in common: how a search is asked for, and what it leaves."""

from typing import Any

from kernelproba.estimators.base.callbacks import ObservableFit
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.tuning.results import ResultsBuilder, SearchResults

#: What the parameters that describe a search may be.  `cv` is None, a number of folds (which depend on the
#: contents of the rows, not on their order), a splitter or an iterable of splits; `scoring` is "log_loss",
#: "brier", "accuracy", or a scorer of scikit-learn, by name or as a function.
SEARCH_CONSTRAINTS: dict[str, list] = {"cv": ["cv_object"], "scoring": [str, callable]}


class SelfTuning(ObservableFit):
    """Classifier that chooses parameters of its own; `fit` calls `_store_search` and tells callbacks.

    Attributes
    ----------
    best_estimator_ : classifier
        Fitted to all rows with the chosen parameters.
    best_params_ : dict
        Chosen parameters.
    best_score_ : float
        Mean score of the chosen candidate; the larger the better.
    best_index_ : int
        Its line in `cv_results_`.  It has rank 1 among those on as many rows, unless a rule of the search
        prefers a simpler model whose score is nearly as good.
    cv_results_ : SearchResults
        All candidates, in the layout of GridSearchCV; `cv_results_.frame()` is a table of them.
    """

    best_estimator_: ProbabilisticClassifier
    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    cv_results_: SearchResults

    def _store_search(self, tried: ResultsBuilder, best: int) -> None:
        """Keep all candidates, of which the number `best` was chosen."""
        self.cv_results_, self.best_index_ = tried.results(), int(best)
        self.best_params_ = dict(self.cv_results_["params"][best])
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
