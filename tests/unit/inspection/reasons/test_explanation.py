"""Contributions of training rows: they add up, and they keep the names of the rows."""

from itertools import combinations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import (
    KernelLogisticRegression,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RelevanceVectorClassifier,
)
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.inspection import ExplanationDisplay, explain
from kernelproba.kernels import RBF

matplotlib.use("Agg")
X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
NEW = X[40:120:9] + 0.1


def totals(lines):
    """Sum of the contributions, (n, number of scores)."""
    sums = lines.groupby(["explained", "class", "against"], dropna=False, sort=False)["contribution"].sum()
    return sums.to_numpy().reshape(lines["explained"].nunique(), -1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"kernel": "linear"},
        {"kernel": "poly", "coef0": 1.0},
        {"n_centers": 30, "random_state": 0},
        {"n_centers": 30, "centers": "k-means", "random_state": 0},
    ],
    ids=["rbf", "no intercept", "linear", "poly", "low rank", "means"],
)
@pytest.mark.parametrize("top", [1, 4, None])
def test_contributions_add_up_to_the_decision_function(classes, options, top):
    kept = classes > CODES
    model = KernelLogisticRegression(**options).fit(X[kept], Y[kept])
    sums = totals(explain(model, NEW, top=top))
    np.testing.assert_allclose(sums, model.decision_function(NEW).reshape(len(NEW), -1), atol=1e-8)


@pytest.mark.parametrize("form", ["sparse", "float32", "duplicates", "weights of zero"])
def test_they_add_up_for_any_input(form):
    weight = np.where(np.arange(150) % 7 == 0, 0.0, 1.0) if form == "weights of zero" else None
    rows, y, new = X, Y, NEW
    if form == "sparse":
        rows, new = csr_array(X), csr_array(NEW)
    elif form == "float32":
        rows, new = X.astype(np.float32), NEW.astype(np.float32)
    elif form == "duplicates":
        rows, y = np.repeat(X, 2, axis=0), np.repeat(Y, 2)
    model = KernelLogisticRegression().fit(rows, y, sample_weight=weight)
    lines = explain(model, new, top=2, training=rows, labels=y)
    # Rows in single precision are predicted in single precision, whose last digits are a matter of BLAS.
    atol = 1e-5 if form == "float32" else 1e-8
    np.testing.assert_allclose(totals(lines), model.decision_function(new), atol=atol)
    if weight is not None:
        assert not set(lines.loc[lines["term"] == "row", "row"]) & set(np.flatnonzero(weight == 0))


@pytest.mark.parametrize("pairwise", [False, True])
def test_a_precomputed_kernel_names_the_columns_of_its_matrix(pairwise):
    K, K_new = rbf_kernel(X, gamma=0.5), rbf_kernel(NEW, X, gamma=0.5)
    model = KernelLogisticRegression(kernel="precomputed")
    model = (PairwiseCouplingClassifier(model) if pairwise else model).fit(K, Y)
    lines = explain(model, K_new, top=2)
    rows = lines[lines["term"] == "row"]
    np.testing.assert_array_equal(
        rows["similarity"], K_new[rows["explained"], rows["row"].to_numpy(dtype=int)]
    )
    if not pairwise:
        np.testing.assert_allclose(totals(lines), model.decision_function(K_new), atol=1e-8)


def test_a_contribution_is_coefficient_times_similarity_of_the_row_it_names():
    model = KernelLogisticRegression(gamma=0.5, tol=1e-8).fit(X, Y)
    lines = explain(model, NEW, top=None)
    rows = lines[lines["term"] == "row"]
    at = rows["row"].to_numpy(dtype=int)
    similarity = rbf_kernel(NEW, X, gamma=0.5)[rows["explained"], at]
    np.testing.assert_allclose(rows["similarity"], similarity, atol=1e-12)
    np.testing.assert_allclose(rows["contribution"], rows["coef"] * rows["similarity"], atol=1e-12)


def test_a_row_speaks_for_its_own_label_and_against_all_others():
    # In the exact model α_j = C (onehot(y_j) − p_j), and an RBF kernel is positive.
    distinct = np.unique(X, axis=0, return_index=True)[1]
    model = KernelLogisticRegression(gamma=5.0, tol=1e-8).fit(X[distinct], Y[distinct])
    assert len(model.support_) == len(distinct)
    lines = explain(model, NEW, top=None, labels=Y[distinct])
    rows = lines[lines["term"] == "row"]
    assert ((rows["contribution"] > 0) == (rows["class"] == rows["label"])).all()


def test_the_loudest_rows_of_either_side_are_named_in_order():
    model = KernelLogisticRegression().fit(X, Y)
    short, full = explain(model, NEW[:1], top=3), explain(model, NEW[:1], top=None)
    for label in model.classes_:
        says = full[(full["class"] == label) & (full["term"] == "row")]["contribution"].to_numpy()
        named = short[(short["class"] == label) & (short["term"] == "row")]["contribution"].to_numpy()
        says = np.sort(says)
        np.testing.assert_array_equal(named, [*says[:-4:-1], *says[2::-1]])
        others = short[(short["class"] == label)].set_index("term")["contribution"]
        assert others["others for"] == pytest.approx(says[says > 0][:-3].sum())
        assert others["others against"] == pytest.approx(says[says < 0][3:].sum())


def test_names_and_columns_of_frames_are_kept():
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "row"], index=[f"flower {i}" for i in range(150)])
    lines = explain(
        make_pipeline(StandardScaler(), KernelLogisticRegression()).fit(frame, Y),
        frame[100:102],
        top=2,
        training=frame,
        labels=pd.Series(Y, index=frame.index),
    )
    assert lines["explained"].unique().tolist() == ["flower 100", "flower 101"]
    for line in lines[lines["term"] == "row"].to_dict("records"):
        at = int(line["row"].removeprefix("flower "))
        assert line["label"] == Y[at]
        # A column whose name is taken is kept under another.
        assert [line["sl"], line["pl"], line["row_x"]] == X[at, [0, 2, 3]].tolist()
    assert lines.loc[lines["term"] != "row", ["row", "label", "sl"]].isna().all(axis=None)


def test_columns_of_a_polars_frame_are_kept():
    polars = pytest.importorskip("polars")
    model = KernelLogisticRegression().fit(X, Y)
    lines = explain(model, NEW[:1], top=1, training=polars.DataFrame(X, schema=["a", "b", "c", "d"]))
    row = lines[lines["term"] == "row"].iloc[0]
    assert row[["a", "b", "c", "d"]].tolist() == X[row["row"]].tolist()


def test_repeated_and_composite_row_names_do_no_harm():
    frame = pd.DataFrame(X, index=pd.MultiIndex.from_arrays([CODES, np.zeros(150, int)]))
    model = KernelLogisticRegression().fit(X, Y)
    lines = explain(model, NEW[:1], top=2, training=frame)
    assert set(lines.loc[lines["term"] == "row", "row"]) <= {(0, 0), (1, 0), (2, 0)}


def test_pairwise_models_are_explained_pair_by_pair():
    model = PairwiseCouplingClassifier(make_pipeline(StandardScaler(), KernelLogisticRegression()))
    model.fit(X, Y)
    lines = explain(model, NEW, top=2, training=X, labels=Y)
    scores = np.column_stack([pair.decision_function(NEW) for pair in model.estimators_])
    np.testing.assert_allclose(totals(lines), scores, atol=1e-8)
    rows = lines[lines["term"] == "row"]
    assert (rows["label"] == rows["class"]).any()
    assert ((rows["label"] == rows["class"]) | (rows["label"] == rows["against"])).all()


def test_pairs_within_one_model_add_up_too():
    model = KernelLogisticRegression(multi_class="pairwise").fit(X, Y)
    sums = totals(explain(model, NEW, top=3))
    np.testing.assert_allclose(sums, model.pairwise_decision_function(NEW), atol=1e-8)


def test_wrappers_and_searches_are_looked_into():
    plain = KernelLogisticRegression(C=2).fit(X, Y)
    expected = explain(plain, NEW, top=1)
    for model in (
        MinimumRiskClassifier(plain).fit(X, Y),
        PriorShiftClassifier(plain).fit(X, Y),
        GridSearchCV(KernelLogisticRegression(), {"C": [2]}, cv=2).fit(X, Y),
        make_pipeline(plain),
    ):
        pd.testing.assert_frame_equal(explain(model, NEW, top=1), expected)


class TwoCentres(KernelMachine):
    """Scores from given centres that are no training rows, as other machines may state them."""

    def fit(self, X, y):
        self._check_fit(X, y, None, None)
        return self

    def kernel_expansions(self):
        coef, sides = np.array([[1.0, -2.0], [0.0, 3.0], [0.0, 0.0]]), np.array([[0, 1], [1, -1], [2, -1]])
        return [KernelExpansion(RBF(), X[[3, 60]], np.array([3, -1]), coef, np.arange(3.0), sides)]

    kernel = "rbf"


def test_a_centre_that_is_no_training_row_is_called_so():
    lines = explain(TwoCentres().fit(X, Y), X[:1], training=X, labels=Y)
    assert lines["term"].tolist() == ["row", "center", "intercept", "center", "intercept", "intercept"]
    assert lines["row"].tolist() == [3, 1, None, 1, None, None]
    assert lines["against"].tolist() == ["versicolor"] * 3 + [None] * 3


def test_bad_input_is_refused_with_the_cure():
    model = KernelLogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match="top must be a whole number and at least 1"):
        explain(model, NEW, top=0)
    with pytest.raises(ValueError, match=r"training has 10 rows.*pass the rows of the fit"):
        explain(model, NEW, training=X[:10])
    with pytest.raises(ValueError, match="labels has 10 rows"):
        explain(model, NEW, labels=Y[:10])
    with pytest.raises(ValueError, match="is no kernel machine"):
        explain(LogisticRegression(max_iter=1000).fit(X, Y), NEW)
    with pytest.raises(NotFittedError):
        explain(KernelLogisticRegression(), NEW)
    with pytest.raises(ValueError, match="4 features"):
        explain(model, NEW[:, :2])


@pytest.fixture
def lines():
    return explain(KernelLogisticRegression().fit(X, Y), NEW, top=2, labels=Y)


def test_bars_are_the_contributions_and_the_leading_class_comes_first(lines):
    display = ExplanationDisplay(lines).plot(explained=3)
    total = lines[lines["explained"] == 3].groupby("class")["contribution"].sum().sort_values()
    for ax, label in zip(display.axes_, total.index[::-1], strict=True):
        drawn = [bar.get_width() for bar in ax.patches]
        expected = lines[(lines["explained"] == 3) & (lines["class"] == label)]["contribution"]
        assert drawn == expected.tolist()
        assert ax.get_title(loc="left") == f"{label}: score {total[label]:+.2f}"
        ticks = [text.get_text() for text in ax.get_yticklabels()]
        assert ticks[-1] == "intercept"
        assert ticks[0].startswith("row ")
    assert display.frame() is lines
    matplotlib.pyplot.close("all")


def test_the_pair_of_the_two_leading_classes_comes_first():
    model = PairwiseCouplingClassifier(KernelLogisticRegression()).fit(X, Y)
    display = ExplanationDisplay.from_estimator(model, X[77:78], max_scores=1)
    assert display.axes_[0].get_title(loc="left").startswith("virginica against versicolor")
    matplotlib.pyplot.close("all")


def test_displays_draw_on_given_axes_and_refuse_unknown_rows(lines):
    figure, axes = matplotlib.pyplot.subplots(2)
    assert ExplanationDisplay(lines).plot(axes).figure_ is figure
    with pytest.raises(ValueError, match="explained='other' is not among"):
        ExplanationDisplay(lines).plot(explained="other")
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
def test_relevance_vectors_speak_of_pairs_where_pairs_were_trained(multi_class):
    rows, codes = make_blobs(60, centers=4, random_state=0)
    y = np.array(list("abcd"))[codes]
    model = RelevanceVectorClassifier(multi_class=multi_class).fit(rows, y)
    lines = explain(model, rows[:5])
    K = model.kernel_(rows[:5], model.support_vectors_)
    np.testing.assert_allclose(totals(lines), K @ model.dual_coef_.T + model.intercept_, atol=1e-8)
    sides = lines[["class", "against"]].drop_duplicates().to_numpy(dtype=object).tolist()
    pairs = [[first, second] for first, second in combinations("abcd", 2)]
    assert sides == (pairs if multi_class == "pairwise" else [[label, None] for label in "abcd"])
