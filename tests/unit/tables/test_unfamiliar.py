"""Columns in other units or codes are named; ordinary new rows are not."""

import numpy as np
import pandas as pd
import pytest

from kernelproba.tables import TableEncoder
from kernelproba.tables.unfamiliar import UnfamiliarValues, unfamiliar_cells


def table(n, seed=0):
    """Heights, incomes with a long tail, a code, a date, an ordered column and remarks."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "height": rng.normal(172, 9, n),
            "income": rng.lognormal(10, 1, n),
            "sex": rng.choice(["female", "male"], n),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), ["s", "m", "l"], ordered=True),
            "remark": [f"note {number} of {n}" for number in rng.integers(0, 10**9, n)],
        }
    )


@pytest.fixture(scope="module")
def encoder():
    return TableEncoder(kinds={"remark": "text"}).fit(table(200))


def unfamiliar(encoder, *chunks):
    found = UnfamiliarValues(encoder)
    for chunk in chunks:
        found.add(chunk)
    return found


CHANGES = {
    "metres": ("height", lambda values: values / 100),
    "inches": ("height", lambda values: values / 2.54),
    "codes": ("sex", lambda values: values.str[0]),
    "years later": ("seen", lambda values: values + pd.Timedelta(days=3000)),
    "sizes in capitals": ("size", lambda values: values.astype(str).str.upper()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_column_in_other_units_or_codes_is_named(encoder, change):
    name, changed = CHANGES[change]
    new = table(50, seed=1)
    found = unfamiliar(encoder, new.assign(**{name: changed(new[name])}))
    assert found.shares() == {name: 1.0}
    (note,) = found.notes()
    assert note.startswith(f"100% of the values in column '{name}'")


@pytest.mark.parametrize("name", ["height", "sex", "seen", "size"])
def test_a_column_that_has_lost_its_values_is_named(encoder, name):
    new = table(50, seed=1)
    found = unfamiliar(encoder, new.assign(**{name: None}))
    assert found.lost() == {name: 1.0}
    (note,) = found.notes()
    assert note.startswith(f"100% of the values in column '{name}' are missing")
    gaps = table(200)
    learnt = TableEncoder(kinds={"remark": "text"}).fit(
        gaps.assign(**{name: gaps[name].where(gaps.index > 9)})
    )
    assert not unfamiliar(learnt, new.assign(**{name: None})).notes()
    assert not unfamiliar(encoder, new[:5].assign(**{name: None})).notes()


def test_numbers_below_all_of_training_are_named_however_near():
    rng = np.random.default_rng(0)
    encoder = TableEncoder().fit(pd.DataFrame({"price": rng.uniform(4_000, 90_000, 100)}))
    new = pd.DataFrame({"price": rng.uniform(1, 200, 30)})
    found = unfamiliar(encoder, new)
    assert found.shares() == {"price": 1.0}
    assert "are beyond those of training (4" in found.notes()[0]
    assert unfamiliar(encoder, new[:5]).notes() == []  # of a few rows that may be chance


def test_the_ends_of_training_are_not_beyond():
    values = np.random.default_rng(0).normal(size=50) * 1e7
    encoder = TableEncoder().fit(pd.DataFrame({"a": values}))
    assert unfamiliar(encoder, pd.DataFrame({"a": [values.min(), values.max()] * 10})).shares() == {}


@pytest.mark.parametrize("seed", range(1, 21))
def test_ordinary_new_rows_are_not(encoder, seed):
    assert unfamiliar(encoder, table(200, seed)).notes() == []


def test_an_outlier_among_many_is_not(encoder):
    new = table(100, seed=1)
    new.loc[0, "height"] = 1e9
    assert unfamiliar(encoder, new).notes() == []


def test_counts_add_up_over_chunks(encoder):
    usual, metric = table(90, seed=1), table(10, seed=2)
    metric["height"] /= 100
    found = unfamiliar(encoder, usual, metric)
    assert found.shares() == pytest.approx({"height": 0.1})


def test_missing_values_count_neither_way(encoder):
    new = table(20, seed=1)
    new["height"] = new["height"].astype(object)
    new.loc[1:, "height"] = None
    new.loc[0, "height"] = 1.7
    assert unfamiliar(encoder, new).shares() == {"height": 1.0}
    assert unfamiliar(encoder, new.assign(height=np.nan)).shares() == {}


def test_the_note_says_what_training_had(encoder):
    new = table(20, seed=1)
    (sex,) = unfamiliar(encoder, new.assign(sex="x")).notes()
    assert "never seen in training, which had female, male" in sex
    (seen,) = unfamiliar(encoder, new.assign(seen=pd.Timestamp("1999-01-01"))).notes()
    assert "(2024-01-0" in seen


def test_the_cells_of_one_row_that_are_unlike_all_of_training_are_named(encoder):
    row = table(200)[:1]
    assert unfamiliar_cells(encoder, row) == []
    (height, sex) = unfamiliar_cells(encoder, row.assign(height=1.72, sex="F"))
    assert "'height'" in height
    assert "'sex' is unlike all of training, which had female, male" in sex
