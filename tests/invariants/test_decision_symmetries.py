"""Properties of decisions and priors that hold whatever the numbers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernelproba.decision import (
    REJECTED,
    coverage_threshold,
    estimate_priors,
    expected_risk,
    minimum_risk,
    reweight_posterior,
)

unhurried = settings(deadline=None)  # a busy machine is no failure
shapes = st.tuples(st.integers(1, 8), st.integers(2, 5))


@st.composite
def posteriors(draw, low=0.0):
    n, c = draw(shapes)
    P = draw(arrays(float, (n, c), elements=st.floats(low, 1.0, allow_subnormal=False)))
    P[:, 0] += 1e-3
    return P / P.sum(axis=1, keepdims=True)


def simplex(draw, c):
    q = draw(arrays(float, c, elements=st.floats(0.01, 1.0)))
    return q / q.sum()


def matrix(draw, c):
    return draw(arrays(float, (c, c), elements=st.integers(-20, 20).map(float)))


@unhurried
@given(st.data())
def test_the_chosen_class_has_the_least_risk(data):
    P = data.draw(posteriors())
    costs = matrix(data.draw, P.shape[1])
    decision, risk = minimum_risk(P, costs), expected_risk(P, costs)
    assert (risk[np.arange(len(P)), decision.chosen] == risk.min(axis=1)).all()
    assert (decision.risk == risk.min(axis=1)).all()


@unhurried
@given(st.data())
def test_a_constant_added_to_all_costs_of_a_truth_changes_no_decision(data):
    P = data.draw(posteriors())
    costs = matrix(data.draw, P.shape[1])
    fee = data.draw(arrays(float, P.shape[1], elements=st.integers(-20, 20).map(float)))
    assert (minimum_risk(P, costs).chosen == minimum_risk(P, costs + fee[:, None]).chosen).all()


@unhurried
@given(st.data())
def test_a_dearer_rejection_rejects_no_more_rows(data):
    P = data.draw(posteriors())
    costs = matrix(data.draw, P.shape[1])
    cheap, extra = data.draw(st.floats(-20, 20)), data.draw(st.floats(0, 20))
    many = minimum_risk(P, costs, cheap).chosen == REJECTED
    few = minimum_risk(P, costs, cheap + extra).chosen == REJECTED
    assert (few <= many).all()


@unhurried
@given(arrays(float, st.integers(1, 40), elements=st.floats(-5, 5)), st.floats(0.01, 0.999))
def test_the_threshold_covers_the_share_and_a_lower_one_would_not(risk, coverage):
    threshold = coverage_threshold(risk, coverage)
    assert (risk <= threshold).mean() >= coverage - 1e-9
    assert (risk < threshold).mean() < coverage


@unhurried
@given(st.data())
def test_reweighting_gives_distributions_and_can_be_taken_back(data):
    P = data.draw(posteriors())
    old, new = simplex(data.draw, P.shape[1]), simplex(data.draw, P.shape[1])
    Q = reweight_posterior(P, old, new)
    assert (Q >= 0).all()
    np.testing.assert_allclose(Q.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(reweight_posterior(Q, new, old), P, atol=1e-10)


@unhurried
@given(st.data())
def test_two_changes_of_priors_are_one(data):
    P = data.draw(posteriors())
    a, b, c = (simplex(data.draw, P.shape[1]) for _ in range(3))
    np.testing.assert_allclose(
        reweight_posterior(reweight_posterior(P, a, b), b, c), reweight_posterior(P, a, c), atol=1e-10
    )


@unhurried
@given(st.data())
def test_no_priors_are_likelier_than_the_estimated_ones(data):
    P = data.draw(posteriors())
    old, other = simplex(data.draw, P.shape[1]), simplex(data.draw, P.shape[1])
    estimate = estimate_priors(P, old)
    assert estimate.converged
    assert abs(estimate.priors.sum() - 1) < 1e-12
    best, rival = (np.log(P @ (q / old)).mean() for q in (estimate.priors, other))
    assert best >= rival - 1e-9
