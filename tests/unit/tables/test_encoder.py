"""The matrix that a table becomes: a column counts once, whatever it is."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from kernelproba.tables import TableEncoder, TableError


def squared_distance(Z, i, j):
    return float(np.square(Z[i] - Z[j]).sum())


def test_rows_of_different_levels_differ_by_two_whatever_the_number_of_levels():
    for levels in (2, 3, 40, 150):
        table = pd.DataFrame({"x": [f"level {i}" for i in range(levels)] * 4})
        Z = TableEncoder().fit_transform(table)
        assert Z.shape[1] == (1 if levels == 2 else levels)
        assert squared_distance(Z, 0, 1) == pytest.approx(2)
        assert squared_distance(Z, 0, levels) == 0


def test_a_level_of_few_rows_counts_as_much_as_any_other():
    table = pd.DataFrame({"x": ["often"] * 97 + ["rare"] * 3 + ["some"] * 20})
    Z = TableEncoder().fit_transform(table)
    assert squared_distance(Z, 0, 98) == pytest.approx(squared_distance(Z, 0, 110))


def test_levels_of_single_rows_are_pooled_if_asked_for_and_unseen_ones_are_among_them():
    encoder = TableEncoder(min_count=2).fit(pd.DataFrame({"x": ["a"] * 10 + ["b"] * 10 + ["c", "d"]}))
    assert list(encoder.get_feature_names_out()) == ["x=a", "x=b", "x=others"]
    Z = encoder.transform(pd.DataFrame({"x": ["c", "never seen", "a"]}))
    assert Z.tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0]]


def test_an_unseen_level_is_no_level_if_none_were_pooled():
    encoder = TableEncoder().fit(pd.DataFrame({"x": ["a", "b", "c"] * 5}))
    Z = encoder.transform(pd.DataFrame({"x": ["never seen", None]}))
    assert not Z.any()


def test_a_missing_level_is_a_level():
    encoder = TableEncoder().fit(pd.DataFrame({"x": ["a", "b", None] * 5}))
    assert list(encoder.get_feature_names_out()) == ["x=a", "x=b", "x=missing"]


def test_missing_numbers_are_the_median_and_are_marked():
    table = pd.DataFrame({"x": [1.0, 2, 3, 4, 100, np.nan]})
    Z = TableEncoder().fit_transform(table)
    assert Z[5, 0] == Z[2, 0]  # the median of the known ones
    assert Z[:, 1].tolist() == [0, 0, 0, 0, 0, pytest.approx(np.sqrt(2))]


def test_gaps_that_come_together_count_together():
    rng = np.random.default_rng(0)
    gap = np.arange(100) < 20
    table = pd.DataFrame(np.where(gap[:, None], np.nan, rng.normal(size=(100, 8))))
    encoder = TableEncoder().fit(table)
    gaps = [name.endswith("missing") for name in encoder.get_feature_names_out()]
    Z = encoder.transform(table)[:, gaps]
    assert squared_distance(Z, 0, 99) == pytest.approx(2)


def test_standard_numbers_have_mean_zero_and_deviation_one():
    table = pd.DataFrame({"x": np.random.default_rng(0).gamma(2, 100, 50)})
    Z = TableEncoder(numbers="standard").fit_transform(table)
    assert (Z.mean(), Z.std()) == (pytest.approx(0), pytest.approx(1))


def test_squashed_numbers_keep_their_order_and_outliers_are_drawn_in():
    x = np.append(np.random.default_rng(0).normal(size=200), [1e3, 1e6, -1e9])
    Z = TableEncoder().fit_transform(pd.DataFrame({"x": x}))[:, 0]
    assert (np.argsort(Z) == np.argsort(x)).all()
    assert abs(Z).max() <= 3
    assert 0.7 < Z[:200].std() < 1.1


@pytest.mark.parametrize("numbers", ["standard", "squash"])
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
def test_the_unit_of_numbers_does_not_matter(numbers, scale):
    x = np.random.default_rng(0).normal(size=(40, 1))
    expected = TableEncoder(numbers=numbers).fit_transform(pd.DataFrame(x, columns=["x"]))
    found = TableEncoder(numbers=numbers).fit_transform(pd.DataFrame(x * scale, columns=["x"]))
    if 1e-150 < scale < 1e150:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("numbers", ["standard", "squash"])
def test_infinite_and_absurd_numbers_become_finite(numbers):
    encoder = TableEncoder(numbers=numbers).fit(pd.DataFrame({"x": [1.0, 2, 3, np.inf, -np.inf]}))
    Z = encoder.transform(pd.DataFrame({"x": [np.inf, -np.inf, 1e308, 2, np.nan]}))
    assert np.isfinite(Z).all()
    assert Z[0, 0] >= Z[2, 0] > Z[3, 0] > Z[1, 0]


def test_ordered_levels_are_as_far_apart_as_their_ranks():
    sizes = pd.Categorical(
        ["small", "medium", "large", None] * 10, ["small", "medium", "large"], ordered=True
    )
    for table, encoder in (
        (pd.DataFrame({"x": sizes}), TableEncoder()),
        (pd.DataFrame({"x": list(sizes)}), TableEncoder(kinds={"x": ["small", "medium", "large"]})),
    ):
        Z = encoder.fit_transform(table)
        assert Z[1, 0] - Z[0, 0] == pytest.approx(Z[2, 0] - Z[1, 0])
        assert Z[1, 0] > Z[0, 0]
        assert [column.kind for column in encoder.columns_] == ["ordered"]


def test_dates_tell_of_the_cycles_that_matter_to_the_classes():
    days = pd.date_range("2012-01-01", periods=1000)
    table = pd.DataFrame({"day": days})
    summer = days.month.isin([5, 6, 7, 8])
    seasonal = TableEncoder().fit(table, summer)
    assert list(seasonal.get_feature_names_out()) == ["day days", "day season sin", "day season cos"]
    weekend = TableEncoder().fit(table, days.day_of_week >= 5)
    assert list(weekend.get_feature_names_out()) == ["day days", "day weekday sin", "day weekday cos"]
    assert len(TableEncoder().fit(table).get_feature_names_out()) == 5  # no labels: all that differ


def test_the_end_of_a_year_is_near_its_beginning():
    days = pd.DataFrame({"day": pd.date_range("2012-01-01", periods=1461)})
    encoder = TableEncoder().fit(days)
    Z = encoder.transform(days)[
        :, [name.startswith("day season") for name in encoder.get_feature_names_out()]
    ]
    assert squared_distance(Z, 366, 365) < 0.001 < 1 < squared_distance(Z, 366, 366 + 182)


def test_similar_texts_are_near_each_other():
    sentences = [f"the {animal} number {i} sleeps" for i in range(15) for animal in ("elephant", "mosquito")]
    encoder = TableEncoder().fit(pd.DataFrame({"text": sentences}))
    assert encoder.columns_[0].kind == "text"
    Z = encoder.transform(pd.DataFrame({"text": ["an elephant", "many elephants", "a mosquito", None]}))
    assert squared_distance(Z, 0, 1) < squared_distance(Z, 0, 2)
    assert np.isfinite(Z).all()


def test_the_parts_of_a_text_count_once_together():
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "square", "round", "heavy", "light", "old", "new"])
    texts = [" ".join(rng.choice(words, 5)) for _ in range(400)]
    Z = TableEncoder().fit_transform(pd.DataFrame({"text": texts}))
    assert Z.var(axis=0).sum() == pytest.approx(1)


def test_the_same_seed_gives_the_same_matrix():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"text": ["".join(rng.choice(list("abcdef "), 20)) for _ in range(200)]})
    first = TableEncoder(random_state=3).fit_transform(table)
    np.random.seed(1)  # noqa: NPY002  # nothing is drawn from the global generator
    np.testing.assert_array_equal(TableEncoder(random_state=3).fit_transform(table), first)


def mixed(n=90, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "level": rng.choice(["x", "y", "z"], n),
            "flag": rng.random(n) < 0.3,
            "day": pd.date_range("2020-01-01", periods=n, freq="9D"),
            "price": [f"${value:,.2f}" for value in rng.gamma(1, 2000, n)],
            "key": [f"K{i}" for i in range(n)],
        }
    )


def test_every_column_of_the_matrix_knows_its_source():
    encoder = TableEncoder().fit(mixed())
    names = encoder.get_feature_names_out()
    assert len(names) == len(encoder.source_) == encoder.transform(mixed()).shape[1]
    for name, source in zip(names, encoder.source_, strict=True):
        assert name.startswith(encoder.columns_[source].name)
    assert encoder.columns_[5].kind == "dropped"
    assert 5 not in encoder.source_


def test_polars_and_pandas_give_the_same_matrix():
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(pl.from_pandas(mixed())), TableEncoder().fit_transform(mixed())
    )


def test_a_weight_of_two_is_a_row_seen_twice():
    table, weight = mixed(), np.arange(90) % 3
    weighed = TableEncoder().fit(table, sample_weight=weight)
    repeated = TableEncoder(kinds={"key": "dropped"}).fit(table.loc[np.repeat(np.arange(90), weight)])
    np.testing.assert_allclose(weighed.transform(table), repeated.transform(table))


def test_kinds_may_be_overruled():
    table = pd.DataFrame({"zip": [12345, 23456, 34567] * 10, "grade": ["1", "2", "unknown"] * 10})
    assert [column.kind for column in TableEncoder().fit(table).columns_] == ["number", "category"]
    encoder = TableEncoder(kinds={"zip": "category", "grade": "number"}).fit(table)
    assert list(encoder.get_feature_names_out()) == [
        "zip=12345", "zip=23456", "zip=34567", "grade", "grade missing"
    ]  # fmt: skip
    assert encoder.columns_[0].why == "you say so"


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"zipp": "text"}, "'zipp', which the table does not have"),
        ({"a": "spell"}, "choose from number"),
        ({"a": "ordered"}, "list of its levels"),
        ({"a": ["one"]}, "list of levels"),
        ({"b": "date"}, "'b' is not of kind date: it holds 'x'"),
    ],
)
def test_a_kind_that_cannot_be_is_refused(kinds, message):
    with pytest.raises(TableError, match=message):
        TableEncoder(kinds=kinds).fit(pd.DataFrame({"a": [1.0, 2, 3], "b": ["x", "y", "x"]}))


def test_a_word_where_there_were_numbers_is_named():
    encoder = TableEncoder().fit(pd.DataFrame({"width": [1.0, 2.0, 4.0]}))
    assert encoder.transform(pd.DataFrame({"width": ["2", None, "4.0"]})).shape == (3, 1)
    with pytest.raises(TableError, match="'width' holds 'wide', which is no number"):
        encoder.transform(pd.DataFrame({"width": ["2", "wide", None]}))
    with pytest.raises(TableError, match="kind number in training, and now holds dates"):
        encoder.transform(pd.DataFrame({"width": pd.date_range("2020-01-01", periods=3)}))


def test_numbers_may_come_as_what_they_were_called():
    codes = pd.DataFrame({"code": ["10", "20", "30"] * 5})
    encoder = TableEncoder(kinds={"code": "category"}).fit(codes)
    np.testing.assert_array_equal(
        encoder.transform(pd.DataFrame({"code": [10, 20.0, 30]})), encoder.transform(codes[:3])
    )


def test_a_table_of_constants_has_nothing_to_learn_from():
    with pytest.raises(TableError, match=r"no column is left.*'a': it is always 1"):
        TableEncoder().fit(pd.DataFrame({"a": [1, 1, 1]}))


def test_no_rows_no_encoding():
    with pytest.raises(TableError, match="0 rows"):
        TableEncoder().fit(mixed()[:0])


def test_a_clone_is_not_fitted():
    encoder = TableEncoder(kinds={"flag": "dropped"}).fit(mixed())
    assert not hasattr(clone(encoder), "columns_")
    assert clone(encoder).kinds == {"flag": "dropped"}


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(TableError, match="several columns of the table have the name 'a'"):
        TableEncoder().fit(pd.DataFrame([[1, 2], [3, 5], [4, 9]], columns=["a", "a"]))


def test_columns_named_by_numbers_are_told_apart_too():
    table = pd.DataFrame({7: [1.0, 2.0, 4.0], 3: [5.0, 1.0, 2.0]})
    with pytest.raises(TableError, match="column 0 of the table is '3', but was '7'"):
        TableEncoder().fit(table).transform(table[[3, 7]])


def test_whole_numbers_beyond_double_precision_are_very_large_ones():
    column = pd.DataFrame({"x": pd.Series([10**400, -(10**400), 1, 2, 3], dtype=object)})
    largest, least, *others = TableEncoder().fit_transform(column)[:, 0]
    assert least < min(others) < max(others) < largest


def test_weights_beyond_the_range_are_refused_by_name():
    table, weight = pd.DataFrame({"day": pd.date_range("2020", periods=4)}), [1e-300, 1e300, 1.0, 1.0]
    with pytest.raises(ValueError, match="sample_weight reaches"):
        TableEncoder().fit(table, [0, 1, 0, 1], weight)
