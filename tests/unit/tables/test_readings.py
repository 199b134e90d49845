"""Texts that are numbers, dates or times are read as such, in whichever way they are written."""

from datetime import datetime

import numpy as np
import pytest

from kernelproba.tables.readings import Reading, recognise, recognise_as

NUMBERS = {
    "plain": (["1", "-2.5", "+3e2", ".5"], [1, -2.5, 300, 0.5]),
    "gaps": (["1", "-", "n/a"], [1, np.nan, np.nan]),
    "thousands": (["1,234.50", "7", "12,345,678"], [1234.5, 7, 12345678]),
    "decimal comma": (["0,5", "1.234,25", "7"], [0.5, 1234.25, 7]),
    "blanks": (["1 234,5", "2\N{NO-BREAK SPACE}000"], [1234.5, 2000]),
    "apostrophes": (["1'234.5", "2"], [1234.5, 2]),
    "dollars": (["$1,234.50", "-$3", "($7)"], [1234.5, -3, -7]),
    "euros": (["1.234,50 €", "€ 3"], [1234.5, 3]),
    "percents": (["12%", "3.5 %"], [12, 3.5]),
    "minus sign": (["\N{MINUS SIGN}3", "4"], [-3, 4]),
    "units": (["70 kg", "82.5 kg", "-"], [70, 82.5, np.nan]),
    "units and thousands": (["1,234.5 km", "7km"], [1234.5, 7]),
    "degrees": (["-3,5 °C", "12 °C"], [-3.5, 12]),
    "sign behind": (["1.234,50-", "3,00"], [-1234.5, 3]),
    "infinite": (["inf", "-Infinity", "1"], [np.inf, -np.inf, 1]),
}


@pytest.mark.parametrize(("texts", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_numbers(texts, expected):
    reading, _ = recognise(texts)
    assert reading.kind == "number"
    values, readable = reading.values(texts)
    np.testing.assert_array_equal(values, expected)
    assert readable.all()


@pytest.mark.parametrize(
    ("learnt", "later", "readable"),
    [
        (["12%", "(3.5 %)"], ["7 %", "7", "0.07", "$7"], [True, False, False, False]),
        (["12", "3.5"], ["7", "7%"], [True, False]),
        (["$12", "3.5 USD"], ["US$7", "7", "€7", "7 EUR", "7%"], [True, True, False, False, False]),
        (["1.234,50 €", "€ 3"], ["7 €", "$7"], [True, False]),
        (["70 kg", "82.5 kg"], ["7 kg", "7", "7 g"], [True, False, False]),
    ],
)
def test_later_numbers_in_other_units_are_refused(learnt, later, readable):
    reading, _ = recognise(learnt)
    reading.check()
    values, found = reading.values(later)
    assert found.tolist() == readable
    np.testing.assert_array_equal(values, np.where(readable, 7, np.nan))


DATES = {
    "ISO": (["2012-01-31", "2012-12-01"], (2012, 1, 31)),
    "ISO with time": (["2012-01-31T10:30:00", "2012-12-01 11:00"], (2012, 1, 31, 10, 30)),
    "with a zone": (["2012-01-31T10:30:00+02:00"], (2012, 1, 31, 8, 30)),
    "slashes": (["2012/01/31", "2012/12/01"], (2012, 1, 31)),
    "day first": (["05/12/2020", "31/12/2020"], (2020, 12, 5)),
    "month first": (["05/12/2020", "12/31/2020"], (2020, 5, 12)),
    "firsts of months": (["01/02/2020", "01/03/2020"], (2020, 2, 1)),
    "German": (["05.12.2020", "6.1.2021"], (2020, 12, 5)),
    "short years": (["31.12.20", "01.01.21"], (2020, 12, 31)),
    "names": (["Dec 31, 2020", "Jan 1, 2021"], (2020, 12, 31)),
    "full names": (["31 December 2020", "1 May 2021"], (2020, 12, 31)),
    "hyphens": (["31-Dec-2020", "01-Jan-2021"], (2020, 12, 31)),
    "clock": (["12/31/2020 5:30 PM", "1/2/2021 6:00 AM"], (2020, 12, 31, 17, 30)),
    "digits": (["20121231", "20130101"], (2012, 12, 31)),
    "months": (["2012-01", "2012-12"], (2012, 1, 1)),
    "months before years": (["3/2012", "12/2012"], (2012, 3, 1)),
    "without zeros": (["2020-1-5", "2020-12-31"], (2020, 1, 5)),
    "weekdays": (["Thu, Dec 31, 2020", "Fri, Jan 1, 2021"], (2020, 12, 31)),
    "whole weekdays": (["Thursday, 31 December 2020", "Friday, 1 January 2021"], (2020, 12, 31)),
    "ordinals": (["31st of December 2020", "1st of May 2021"], (2020, 12, 31)),
    "long and short months": (
        ["Dec. 31, 2020", "May 1, 2021", "June 3, 2021", "Sept. 3, 2021"],
        (2020, 12, 31),
    ),
    "German months": (["31. Dezember 2020", "1. März 2021", "Montag, 3. Mai 2021"], (2020, 12, 31)),
    "short German months": (["31. Dez. 2020", "1. Jan. 2021", "Mo, 3. Mai 2021"], (2020, 12, 31)),
    "French months": (["31 décembre 2020", "1er août 2021"], (2020, 12, 31)),
    "Spanish months": (["31 de diciembre de 2020", "1 de enero de 2021"], (2020, 12, 31)),
    "named months with a clock": (["31 Dez 2020 17:30", "1 Jan 2021 08:00"], (2020, 12, 31, 17, 30)),
}


@pytest.mark.parametrize(("texts", "first"), DATES.values(), ids=DATES)
def test_dates(texts, first):
    reading, _ = recognise(texts)
    assert reading.kind == "date"
    values, readable = reading.values(texts)
    assert values[0] == np.datetime64(datetime(*first))
    assert readable.all()


def test_what_texts_leave_open_the_user_settles():
    assert recognise(["05/06/2020", "07/08/2020"], day_first=True)[0].style == "%d/%m/%Y"
    assert recognise(["05/06/2020", "07/08/2020"], day_first=False)[0].style == "%m/%d/%Y"
    for decimal, value in ((".", 1234), (",", 1.234)):
        reading, _ = recognise(["1,234", "5,678"], decimal=decimal)
        assert reading.values(["1,234"])[0][0] == value


def test_another_unit_is_not_read_as_the_same_number():
    reading, _ = recognise(["70 kg", "82 kg"])
    reading.check()
    assert reading.values(["70 g", "70", "70 kg"])[1].tolist() == [False, False, True]
    assert recognise(["70 kg", "900 g"])[0].kind == "text"
    assert recognise(["007A", "012A"])[0].kind == "text"


def test_dates_of_models_of_former_versions_are_read():
    for style, text in {"%d %B %Y": "31 December 2020", "%a, %d %b %Y": "Thu, 31 Dec 2020"}.items():
        values, _ = Reading("date", style).values([text])
        assert values[0] == np.datetime64("2020-12-31")


def test_times_of_day_are_seconds():
    reading, _ = recognise(["10:30", "00:01"])
    assert reading.kind == "time"
    assert reading.values(["10:30"])[0][0] == 37800


@pytest.mark.parametrize(
    "texts",
    [["a", "1"], ["0x1F", "0x20"], ["007", "012"], ["h12", "h13"], ["5%", "5"], ["2020-13-01"], ["1.2.3"],
     ["12345678901", "a"], ["1_000"], ["$"], ["."]],
    ids=str,
)  # fmt: skip
def test_texts(texts):
    assert recognise(texts)[0] == Reading()


def test_true_and_false_are_flags():
    reading, _ = recognise(["True", "FALSE"])
    assert reading.kind == "flag"
    assert reading.values(["true", "False"])[0].tolist() == [1.0, 0.0]


def test_a_text_that_does_not_fit_is_told():
    reading, _ = recognise(["1", "2"])
    values, readable = reading.values(["3", "three"])
    assert readable.tolist() == [True, False]
    assert np.isnan(values[1])


def test_texts_that_a_user_calls_numbers_are_numbers_and_the_rest_are_gaps():
    reading = recognise_as("number", ["1,5", "2,5", "unknown"])
    values, readable = reading.values(["1,5", "unknown"])
    np.testing.assert_array_equal(values, [1.5, np.nan])
    assert readable.all()
    assert recognise_as("number", ["red", "blue", "1"]) is None
    assert recognise_as("date", ["2020-01-01", "2020-02-01", "soon"]).kind == "date"


@pytest.mark.parametrize("reading", [Reading("spell"), Reading("number", "roman"), Reading("text", "x")])
def test_a_reading_that_does_not_exist_is_refused(reading):
    with pytest.raises(ValueError, match="no reading"):
        reading.check()


@pytest.mark.parametrize("texts", [["1/1000", "3/1000"], ["1:8", "1:4"], ["2:1", "10:3"]])
def test_ratios_are_neither_months_nor_times(texts):
    assert recognise(texts)[0].kind == "text"
