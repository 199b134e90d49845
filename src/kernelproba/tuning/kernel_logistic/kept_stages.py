"""The stages of a self-tuned fit as plain states: candidates, selected models, fitted models; and back."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

from kernelproba import kernels
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.kernels import CallableKernel, Kernel
from kernelproba.tuning.kernel_logistic.feature_relevance import (
    FeatureRelevance,
    RelevanceCV,
    WeighedFeatures,
)
from kernelproba.tuning.kernel_logistic.search import Candidate, CandidateSearch, FeatureView
from kernelproba.tuning.kernel_logistic.stages import FOLDS, SearchSpace, SelectedModel
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.scaling import UNSCALED, FeatureScaling, ScaledView

#: What a fit to other weights of the same rows changes.
_REFITTED = ("dual_coef_", "intercept_", "n_iter_", "objective_", "residual_")


@dataclass(frozen=True)
class KeptSelection:
    """Selected models of a stage, and the record of all candidates so far.

    Parameters
    ----------
    search : CandidateSearch
        Whose record goes with the stage.
    name : str
        Of the stage.
    restored : callable
        State of a model → the model.
    """

    search: CandidateSearch
    name: str
    restored: Callable[[dict], SelectedModel]

    def found(self) -> list[SelectedModel] | None:
        """What an earlier run has selected, None if that is to be done."""
        return self.search.stages.found(self.name, self._unpack)

    def keep(self, selected: list[SelectedModel]) -> list[SelectedModel]:
        """Keep what was selected, if there was time for all of it; return it as a later run will find it."""
        complete = not self.search.budget.ran_out
        return self.search.stages.keep(self.name, selected, self._pack, self._unpack, complete=complete)

    def _pack(self, selected: list[SelectedModel]) -> dict:
        record, at_limit = self.search.record, self.search.at_limit
        return {
            "selected": [_selected_state(each) for each in selected],
            "record": [_candidate_state(each) for each in record],
            "at_limit": [k for k, each in enumerate(record) if each in at_limit],
        }

    def _unpack(self, state: dict) -> list[SelectedModel]:
        record = self.search.record
        record[:] = [candidate_of(each) for each in state["record"]]
        self.search.at_limit.update(record[k] for k in state["at_limit"])
        return [self.restored(each) for each in state["selected"]]


def selected_of(state: dict, spaces: Sequence[SearchSpace], rows: Observations) -> SelectedModel:
    """A selected model from its state, with fits to rows that have computed nothing yet."""
    best, view = candidate_of(state["best"]), view_of(state["view"])
    space = next(each for each in spaces if each.kernel == best.view.kernel)
    if state["weights"] is None:
        return SelectedModel(best, view, space.stage(view, rows, None).fits)
    weights, factor = state["weights"], state["gamma_factor"]
    assert best.gamma is not None
    relevance = FeatureRelevance(weights, best.gamma / factor)
    plain = space.stage(view.weighed(1 / weights), rows, None).fits
    cross_validated = None
    if state["relevance_point"] is not None:
        folds, rounds = plain.rows.folds(FOLDS), state["relevance_rounds"]
        cross_validated = RelevanceCV(plain, state["relevance_point"], folds, rounds)
    weighed = WeighedFeatures(weights, factor, cross_validated)
    return SelectedModel(best, view, relevance.of(plain), weighed)


def model_state(model: KernelLogisticRegression) -> dict:
    """What a fit has learned."""
    learned = {name: value for name, value in vars(model).items() if name.endswith("_")}
    return {"kernel": _kernel_state(learned.pop("kernel_")), "learned": learned}


def model_of(model: KernelLogisticRegression, state: dict) -> KernelLogisticRegression:
    """The model, not yet fitted, with what a fit has learned."""
    model.__dict__.update(state["learned"])
    model.kernel_ = _kernel_of(state["kernel"])
    return model


def refitted_state(model: KernelLogisticRegression) -> dict:
    """What a fit to other weights of the same rows has learned."""
    return {name: getattr(model, name) for name in _REFITTED}


def refitted_of(model: KernelLogisticRegression, state: dict) -> KernelLogisticRegression:
    """A copy of a model with what another fit has learned."""
    other = copy(model)
    other.__dict__.update(state)
    return other


def _candidate_state(candidate: Candidate) -> dict:
    return {**vars(candidate), "view": list(candidate.view), "scores": list(candidate.scores)}


def candidate_of(state: dict) -> Candidate:
    """A candidate from its state."""
    return Candidate(**{**state, "view": FeatureView(*state["view"]), "scores": tuple(state["scores"])})


def _selected_state(selected: SelectedModel) -> dict:
    weighed = selected.weighed
    cross_validated = None if weighed is None else weighed.cross_validated
    return {
        "best": _candidate_state(selected.best),
        "view": _view_state(selected.view),
        "weights": None if weighed is None else weighed.weights,
        "gamma_factor": None if weighed is None else weighed.gamma_factor,
        "relevance_point": None if cross_validated is None else tuple(cross_validated.point),
        "relevance_rounds": None if cross_validated is None else cross_validated.rounds,
    }


def _view_state(view: ScaledView) -> dict | None:
    scaling = view.scaling
    if scaling is None:
        return None
    learned = {name: getattr(scaling, name) for name in ("center_", "scale_", "stretch_", "components_")}
    return {"rule": view.rule, "learned": learned}


def view_of(state: dict | None) -> ScaledView:
    """A view from its state."""
    if state is None:
        return UNSCALED
    scaling = FeatureScaling(state["rule"])
    scaling.__dict__.update(state["learned"])
    return ScaledView(state["rule"], scaling)


def _kernel_state(kernel: Kernel) -> dict:
    """Name and parameters of a kernel of this package."""
    name = type(kernel).__name__
    if isinstance(kernel, CallableKernel) or getattr(kernels, name, None) is not type(kernel):
        raise ValueError(
            f"checkpoint cannot keep the kernel {name}: use a name or a kernel of kernelproba.kernels."
        )
    params = kernel.get_params(deep=False)
    nested = {key: _kernel_state(each) for key, each in params.items() if isinstance(each, Kernel)}
    return {"name": name, "nested": nested, "params": {k: v for k, v in params.items() if k not in nested}}


def _kernel_of(state: dict) -> Kernel:
    kind = getattr(kernels, state["name"]) if state["name"] in kernels.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, Kernel)) or issubclass(kind, CallableKernel):
        raise ValueError(f"{state['name']!r} is no kernel of kernelproba: delete the checkpoint's folder.")
    nested = {key: _kernel_of(each) for key, each in state["nested"].items()}
    return kind(**state["params"], **nested)
