"""Fitted state: predictions depend on the last complete fit, and on nothing before or after it."""

import io
import os
import pickle
import warnings
from contextlib import suppress

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from common.instances import INSTANCES
from common.interrupts import LineCounter, interrupt, random_moments, traced_fit
from common.problems import THREE_CLASSES, TWO_CLASSES, Problem, answers, assert_same_answers, clusters
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
#: Moments at which every estimator is interrupted; `make interrupts` takes 50.
INTERRUPTS = int(os.environ.get("KERNELPROBA_INTERRUPTS", "5"))
each_instance = pytest.mark.parametrize("instance", INSTANCES, ids=repr)


def fitted(instance, problem):
    np.random.seed(0)  # noqa: NPY002  # of random_state=None
    return clone(instance).fit(problem.X, problem.y)


def state(model):
    """All that a model holds, in a form that can be compared."""
    buffer = io.BytesIO()
    StatePickler(buffer).dump(model.__getstate__())
    return buffer.getvalue()


class StatePickler(pickle.Pickler):
    """Pickles the contents of masked arrays alone: printing one changes its other attributes."""

    def reducer_override(self, obj):
        if isinstance(obj, np.ma.MaskedArray):
            return tuple, ([np.asarray(obj.data), np.ma.getmaskarray(obj)],)
        return NotImplemented


class Poison:
    """A value that must not be looked at."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AssertionError(f"a parameter was read: .{name}")

    def _refuse(self, *_):
        raise AssertionError("a parameter was read")

    __eq__ = __bool__ = __call__ = __float__ = __iter__ = __len__ = __lt__ = __gt__ = _refuse
    __hash__ = None


#: Parameters that scikit-learn's tags look at get another valid value instead.
OTHER_VALUES = {"estimator": GaussianNB(), "expansion": "passthrough", "scale": None}


def other_parameters(model):
    values = {name: OTHER_VALUES.get(name, Poison()) for name in model.get_params(deep=False)}
    if "kernel" in values:
        values["kernel"] = "rbf" if model.kernel == "precomputed" else "precomputed"
    return values


@each_instance
def test_parameters_set_after_a_fit_wait_for_the_next_one(instance):
    problem = THREE_CLASSES.for_model(instance)
    model = fitted(instance, problem)
    expected = answers(model, problem.query)
    for name, value in other_parameters(model).items():
        setattr(model, name, value)
    assert_same_answers(answers(model, problem.query), expected)


#: Methods that do not fit, with what to call them with.
HELPERS = {
    "path": lambda model, p: (p.X, p.y, [0.1, 1.0]) if hasattr(model, "min_C") else ([0.1, 1.0],),
    "min_C": lambda _model, p: (p.X, p.y),
    "summary": lambda _model, _p: (),
    "kernel_expansions": lambda _model, _p: (),
    "pairwise_decision_function": lambda _model, p: (p.query,),
    "raw_scores": lambda _model, p: (p.query,),
    "log_density": lambda _model, p: (p.query,),
    "contrast": lambda _model, p: (p.query,),
    "predict_risk": lambda _model, p: (p.query,),
    "leave_one_out_scores": lambda _model, p: (p.X, p.y),
    "score": lambda _model, p: (p.X, p.y),
    "get_feature_names_out": lambda _model, _p: (),
    "get_support": lambda _model, _p: (),
    "get_metadata_routing": lambda _model, _p: (),
    "_repr_html_": lambda _model, _p: (),
    "__repr__": lambda _model, _p: (),
    "__sklearn_tags__": lambda _model, _p: (),
    "__getstate__": lambda _model, _p: (),
}


@each_instance
def test_helper_methods_leave_a_fitted_model_as_it_was(instance):
    problem = THREE_CLASSES.for_model(instance)
    model = fitted(instance, problem)
    expected, before = answers(model, problem.query), state(model)
    for name, arguments in HELPERS.items():
        if hasattr(model, name) and callable(getattr(model, name)):
            with suppress(NotFittedError, ValueError):  # of pairs alone; not with a precomputed kernel
                getattr(model, name)(*arguments(model, problem))
            assert state(model) == before, name
    clone(model)
    assert_same_answers(answers(pickle.loads(pickle.dumps(model)), problem.query), expected)
    assert_same_answers(answers(model, problem.query), expected)


def in_other_forms(instance, problem):
    """The problem as scikit-learn allows to give it."""
    yield problem
    if get_tags(instance).input_tags.sparse:
        yield Problem(sp.csr_array(problem.X), problem.y, problem.query)
    pd = pytest.importorskip("pandas")
    names = [f"x{j}" for j in range(problem.X.shape[1])]
    yield Problem(
        pd.DataFrame(problem.X, columns=names), problem.y, pd.DataFrame(problem.query, columns=names)
    )


@each_instance
def test_a_second_fit_equals_the_fit_of_a_new_estimator(instance):
    first, second = THREE_CLASSES.for_model(instance), TWO_CLASSES.for_model(instance)
    model = fitted(instance, first)
    for problem in [*in_other_forms(instance, second), first]:
        fresh = fitted(instance, problem)
        np.random.seed(0)  # noqa: NPY002
        model.fit(problem.X, problem.y)
        assert vars(model).keys() == vars(fresh).keys()
        assert_same_answers(answers(model, problem.query), answers(fresh, problem.query), atol=1e-9)


@each_instance
def test_what_a_fit_adds_ends_with_an_underscore(instance):
    problem = THREE_CLASSES.for_model(instance)
    added = vars(fitted(instance, problem)).keys() - vars(clone(instance)).keys()
    assert all(name.endswith("_") for name in added)


def refusals(instance, problem):
    """Arguments that `fit` refuses, early and late."""
    if not get_tags(instance).input_tags.allow_nan:
        hole = problem.X.copy()
        hole[-1, -1] = np.nan
        yield hole, problem.y
    yield problem.X[:0], problem.y[:0]
    if get_tags(instance).target_tags.required:
        yield problem.X, problem.y[:-1]
    if get_tags(instance).target_tags.required and hasattr(instance, "predict_proba"):
        yield problem.X, np.linspace(0, 1, len(problem.y))
        if not hasattr(instance, "estimator"):  # wrappers leave it to what they wrap
            yield problem.X, np.zeros(len(problem.y))


@each_instance
def test_a_refused_fit_leaves_the_earlier_one(instance):
    problem = THREE_CLASSES.for_model(instance)
    model = fitted(instance, problem)
    expected, before = answers(model, problem.query), state(model)
    for X, y in refusals(instance, TWO_CLASSES.for_model(instance)):
        with pytest.raises((ValueError, TypeError)):
            model.fit(X, y)
        assert state(model) == before
    assert_same_answers(answers(model, problem.query), expected)


@each_instance
def test_a_refused_first_fit_leaves_no_fit(instance):
    problem = THREE_CLASSES.for_model(instance)
    model = clone(instance)
    before = state(model)
    for X, y in refusals(instance, problem):
        with pytest.raises((ValueError, TypeError)):
            model.fit(X, y)
        assert state(model) == before
        for method in ("transform", "decision_function", "predict_proba", "predict_log_proba", "predict"):
            if hasattr(model, method):
                with pytest.raises(NotFittedError):
                    getattr(model, method)(problem.query)


@each_instance
def test_at_every_moment_of_a_second_fit_there_is_the_old_model_or_the_new_one(instance):
    old, new = (clusters(15, 2, labels).for_model(instance) for labels in ((3, 4), (0, 1, 2)))
    model = fitted(instance, old)
    seen = {state(model)}
    moments = random_moments(clone(instance), new, 50)
    traced_fit(model, new, LineCounter(moments, lambda: seen.add(state(model))))
    assert len(seen | {state(model)}) <= 2


@each_instance
def test_an_interrupt_leaves_the_old_model_or_the_new_one(instance):
    old, new = (clusters(15, 2, labels).for_model(instance) for labels in ((3, 4), (0, 1, 2)))
    model, expected = fitted(instance, old), answers(fitted(instance, new), new.query)
    before, old_answers = state(model), answers(model, old.query)
    for moment in random_moments(clone(instance), new, INTERRUPTS):
        traced_fit(model, new, LineCounter([moment], interrupt))
        if state(model) == before:
            assert_same_answers(answers(model, old.query), old_answers)
        else:
            assert_same_answers(answers(model, new.query), expected, atol=1e-9)


@each_instance
@pytest.mark.parametrize("form", ["read-only", "frame"])
def test_a_fit_changes_nothing_that_it_is_given(instance, form):
    problem = THREE_CLASSES.for_model(instance)
    given = [problem.X.copy(), problem.y.copy(), np.linspace(0.5, 2.0, len(problem.y))]
    if form == "frame":
        pd = pytest.importorskip("pandas")
        given = [pd.DataFrame(given[0]).add_prefix("x"), pd.Series(given[1]), pd.Series(given[2])]
    else:
        for array in given:
            array.flags.writeable = False
    before = joblib.hash(given)
    weighted = has_fit_parameter(instance, "sample_weight")
    model = clone(instance)
    for class_weight in (None, {0: 1.0, 1: 2.0, 2: 3.0}):
        if class_weight is not None and "class_weight" not in model.get_params(deep=False):
            continue
        if class_weight is not None:
            model.set_params(class_weight=class_weight)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(*given[: 3 if weighted else 2])
    assert joblib.hash(given) == before


@each_instance
def test_a_class_of_greater_weight_becomes_more_probable(instance):
    if "class_weight" not in instance.get_params(deep=False):
        pytest.skip("takes no class weights")
    problem = THREE_CLASSES.for_model(instance)
    plain = clone(instance).set_params(class_weight=None)
    heavy = clone(instance).set_params(class_weight={0: 1.0, 1: 8.0, 2: 1.0})
    before, after = (fitted(model, problem).predict_proba(problem.X)[:, 1] for model in (plain, heavy))
    assert after.mean() > before.mean() + 0.02
