"""How the models of a pool are fitted, to few rows or to many, and how much each is to count."""

from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelproba.calibration import MIN_EXPONENT, fit_temperature
from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.refit import options_of
from kernelproba.rows.folds import CrossValidation
from kernelproba.tuning.copied_rows import flattering_copies, warn_of_copies
from kernelproba.tuning.kernel_logistic.cross_fits import POOL_ROWS, HeldOutPool, cross_fit, n_folds
from kernelproba.tuning.kernel_logistic.final_fits import FinalFits
from kernelproba.tuning.kernel_logistic.kept_stages import model_of, model_state
from kernelproba.tuning.kernel_logistic.many_rows import ManyRows
from kernelproba.tuning.kernel_logistic.out_of_sample import out_of_sample
from kernelproba.tuning.kernel_logistic.pooled_functions import PooledFunctions
from kernelproba.tuning.kernel_logistic.pooling import PARTS, cross_fitted, fit_pool, pooled
from kernelproba.tuning.kernel_logistic.progress import FOLD_UNITS
from kernelproba.tuning.kernel_logistic.search import CandidateSearch
from kernelproba.tuning.kernel_logistic.stages import SelectedModel
from kernelproba.tuning.observations import Observations

#: What becomes of copies that flatter a search, where all rows are searched and where a sample is.
ONE_EACH = "They count as one observation each, of their weight; with cv they count apart."
ONE_IN_SEARCH = (
    "In the search they count as one each, but what is judged by larger samples may know copies of what it "
    "was fitted to: keep each row once, and give weights as w / w.max()."
)


class PoolFit(PooledFunctions):
    """Fits of the models that a search has selected; `_model` makes each of them."""

    loo_method_: str
    n_centers: int | str | None
    cv: CrossValidation
    _selected: list[SelectedModel]

    def _model(self, selected: SelectedModel) -> KernelLogisticRegression:
        """Model, not yet fitted, with what was selected."""
        raise NotImplementedError

    def _fit_pool(
        self,
        rows: Observations,
        selected: list[SelectedModel],
        search: CandidateSearch,
        name: str = "fit of all rows",
    ) -> np.ndarray:
        """Fit the models and their pool; return out-of-sample log-probabilities (m, c) of distinct rows."""
        models = []
        for each in selected:
            with search.reported(name, len(rows)):
                models.append(self._fitted(each, rows))
        held_out = out_of_sample(models, selected)
        self.loo_method_ = held_out[0].method
        if not all(each.converged for each in held_out):
            warn_caller(
                "Some fits behind loo_proba_ have not converged: raise max_iter, or lower Cs.",
                ConvergenceWarning,
            )
        log_Ps = [each.log_P for each in held_out]
        members = self._store_pool(models, selected, log_Ps, rows.y, rows.judged_weight)
        log_Ps = [log_Ps[k] for k in members]
        self._store_temperature(pooled(log_Ps, self.weights_), rows.y, rows.judged_weight)
        return cross_fitted(log_Ps, rows.y, rows.judged_weight, rows.folds(PARTS))

    def _counts_copies(self, rows: Observations, consequence: str) -> bool:
        """Whether copies of one observation counted as several, but in the user's folds; this is told."""
        seen = rows.with_rows(self._selected[0].fits.rows.X)
        if self.cv is not None:
            warn_of_copies(seen, self.estimators_[0])
        elif (copies := flattering_copies(seen, self.estimators_[0])) is not None:
            warn_caller(f"{copies} {consequence}")
            return True
        return False

    def _fitted(self, selected: SelectedModel, rows: Observations) -> KernelLogisticRegression:
        """The model of what was selected, fitted to all rows: from the fit of the search if there is one."""
        model = self._model(selected)
        given = selected.fits.rows.X, self.classes_[rows.y], rows.sample_weight
        function = selected.fits.finished(selected.best.gamma, model.C, options_of(model))
        if function is None:
            return model.fit(*given)
        training = model._begin_fit(*given)
        if not isinstance(training, Training) or model._choose_centers(training) is not None:
            return model.fit(*given)
        model._store_rows(function, training)
        return model

    def _store_pool(
        self,
        models: list[KernelLogisticRegression],
        selected: list[SelectedModel],
        log_Ps: list[np.ndarray],
        y: np.ndarray,
        weight: np.ndarray,
    ) -> list[int]:
        """Store the models that help, by how much, and return their numbers."""
        weights = fit_pool(log_Ps, y, weight)
        members = [int(k) for k in np.argsort(-weights, kind="stable") if weights[k] > 0]
        self.weights_ = weights[members]
        self.estimators_, self._selected = [models[k] for k in members], [selected[k] for k in members]
        return members

    def _store_temperature(self, log_P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
        """Store how sure of itself the pool is to be, by its predictions log_P (n, c) of held-out rows."""
        self.temperature_ = fit_temperature(log_P, y, weight)
        if self.temperature_ >= 0.99 / MIN_EXPONENT:
            warn_caller(
                f"The temperature is at its limit, {self.temperature_:.2g}: rows that were left out are "
                "predicted no better than by chance. Look at cv_results_ and at the features.",
                ConvergenceWarning,
            )

    def _fit_large_pool(
        self,
        everything: ManyRows,
        index: np.ndarray | None,
        selected: list[SelectedModel],
        rng: np.random.RandomState,
        search: CandidateSearch,
    ) -> tuple[HeldOutPool, np.ndarray]:
        """Fit the selected models to many rows, those at `index` or all, and pool them by folds of these.

        Returns the pool, and the fold (n,) of every row: version 0 of the models predicts rows without one.
        """
        many = everything if index is None else everything.part(index)
        labels = many.rows.map_values(self.classes_.take, many.y)
        search.progress.units_left = len(selected) * (1 + FOLD_UNITS * n_folds(len(many)))
        fold, models, members = many.folds(n_folds(len(many)), rng), [], []
        searched, hurried = self.n_centers == "auto", search.budget.ran_out
        for k, each in enumerate(selected):
            fits = FinalFits(many, labels, each, self._model, searched, hurried)
            models.append(self._fitted_to(fits, f"model-{k}", search))
            members.append(cross_fit(fits, models[-1], fold, f"model-{k}", search))
        judged = many.at(np.sort(many.draw(POOL_ROWS, rng)))
        held = judged.X, fold[judged.index], judged.index
        log_Ps = [each.log_probabilities(*held) for each in members]
        weight = judged.weight / judged.weight.mean()
        chosen = self._store_pool(models, selected, log_Ps, judged.y, weight)
        self._store_temperature(pooled([log_Ps[k] for k in chosen], self.weights_), judged.y, weight)
        self.loo_method_ = "folds"
        pool = HeldOutPool([members[k] for k in chosen], self.weights_, self.temperature_)
        if index is not None:
            for each in self.estimators_:
                each.support_ = index[each.support_]
            pool = replace(pool, members=[replace(each, known=None) for each in pool.members])
            whole = np.full(len(everything), -1, dtype=fold.dtype)
            whole[index] = fold
            fold = whole
        return pool, fold

    def _fitted_to(self, fits: FinalFits, name: str, search: CandidateSearch) -> KernelLogisticRegression:
        """One of the selected models, fitted to many rows or taken from a checkpoint."""

        def fit() -> KernelLogisticRegression:
            with search.reported("fit of all rows", len(fits.many), units=1.0) as passes:
                return fits.to_all(passes)

        return search.stages.kept(
            name,
            fit,
            model_state,
            lambda state: model_of(self._model(fits.selected), state),
            complete=lambda: not search.budget.ran_out,
        )
