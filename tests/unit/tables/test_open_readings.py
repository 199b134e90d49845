"""What texts leave open is said, with the option that settles it; what they settle is not."""

import pytest

from kernelproba.tables.open_readings import open_question
from kernelproba.tables.readings import recognise

OPEN = {
    "03/04/2020 may be March or April": (["03/04/2020", "05/06/2020"], "--day-first"),
    "03-04-20 10:00 too": (["03-04-20 10:00", "05-06-20 11:00"], "--day-first"),
    "1,234 may be little more than one": (["1,234", "5,678"], "--decimal"),
    "dollars are no euros": (["$5", "€6"], "currency"),
    "bounds": ([*map(str, range(30)), *(f"<{number}" for number in range(10))], "'<0' and others"),
    "a unit below the name": (["cm", *map(str, range(30))], "'cm' among 31 different texts is no number"),
    "a gap with a unit": (["NA g", *(f"{i} g" for i in range(30))], "'NA g' among 31"),
    "dates in two ways": (
        [f"2020-01-{i:02}" for i in range(1, 29)] + ["31/12/2020", "30/12/2020"] * 2,
        "2020-01-01 and 31/12/2020, and taken for words: write them alike",
    ),
    "thousands and millions": (
        [f"{i}.5{unit}" for i in range(20) for unit in "kM"],
        "0.5k and 0.5M, and are taken for words: convert them first",
    ),
    "with and without a percent sign": ([f"{i}{sign}" for i in range(20) for sign in ("", "%")], "0 and 0%"),
    "slips among decimals": (["1.5x", *(f"{i}.25" for i in range(40))], "--kind COLUMN=number"),
}


@pytest.mark.parametrize(("texts", "cure"), OPEN.values(), ids=OPEN)
def test_what_is_open_is_asked(texts, cure):
    reading, _ = recognise(texts)
    assert cure in open_question(texts, reading)


SETTLED = {
    "a day beyond 12": ["03/04/2020", "31/12/2020"],
    "day and month the same": ["03/03/2020", "04/04/2020"],
    "points": ["03.04.2020", "05.06.2020"],
    "standard": ["2020-03-04", "2020-05-06"],
    "decimals after thousands": ["1,234.5", "5,678"],
    "two groups": ["1,234,567", "5,678"],
    "plain": ["1.234", "5.678"],
    "few classes of a count": ["0", "1", "2", "3 and more"],
    "codes": [f"{letter}{i}" for letter in "ab" for i in range(20)],
    "numbers of houses": [f"{i}{'abcdefgh'[i % 8]}" for i in range(1, 40)],
    "many words": [f"word {chr(97 + i)}" for i in range(25)],
    "codes with zeros": [f"{i:03}" for i in range(30)],
    "one currency written twice": ["USD 5", "$6"],
    "words": ["a", "b"],
}


@pytest.mark.parametrize("texts", SETTLED.values(), ids=SETTLED)
def test_what_is_settled_is_not_asked(texts):
    reading, _ = recognise(texts)
    assert open_question(texts, reading) is None


def test_what_the_user_has_said_is_not_asked():
    reading, _ = recognise(["03/04/2020"], day_first=False)
    assert open_question(["03/04/2020"], reading, day_first=False) is None
    reading, _ = recognise(["1,234"], decimal=".")
    assert open_question(["1,234"], reading, decimal=".") is None
