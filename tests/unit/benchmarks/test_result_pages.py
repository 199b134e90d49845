"""Published pages show the numbers of the JSON beside them, and the README those of the records."""

import json
import re

import pytest

from benchmarks import acting, centers, least_squares_page, readme, sizes_page, uncertainty
from benchmarks.drop_in_page import drop_in_page, on_record
from benchmarks.many_tables import many_tables_page
from benchmarks.measure import RESULTS, measured
from benchmarks.rivals_table import rivals_page
from benchmarks.tables_page import tables_page
from benchmarks.tables_runs import RECORD


def records() -> list:
    """Records that `measure.write` has left."""
    found = {path.stem: json.loads(path.read_text("utf8")) for path in sorted(RESULTS.glob("*.json"))}
    return [pytest.param(name, record, id=name) for name, record in found.items() if "rows" in record]


def page_of(name: str) -> str:
    return (RESULTS / f"{name}.md").read_text("utf8")


@pytest.mark.parametrize(("name", "record"), records())
def test_a_page_ends_with_the_rows_of_its_record(name, record):
    page = page_of(name)
    assert page.endswith(measured(record))
    if "text" in record:
        assert page == f"# {record['title']}\n\n{record['text']}\n\n{measured(record)}"


def test_every_page_of_results_has_a_record():
    prose = {"README", "index", "papers"}
    assert {path.stem for path in RESULTS.glob("*.md")} - {
        path.stem for path in RESULTS.glob("*.json")
    } == prose


def test_the_page_of_rivals_follows_from_the_runs_on_record():
    title, text, rows = rivals_page()
    assert page_of("selftuning_rivals").startswith(f"# {title}\n\n{text}\n\n")
    assert json.loads((RESULTS / "selftuning_rivals.json").read_text("utf8"))["rows"] == rows


def test_the_page_of_tables_follows_from_the_runs_on_record():
    title, text, rows = tables_page(RECORD)
    assert page_of("tables").startswith(f"# {title}\n\n{text}\n\n")
    assert json.loads((RESULTS / "tables.json").read_text("utf8"))["rows"] == rows


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("centers", centers.page),
        ("sizes", sizes_page.sizes_page),
    ],
)
def test_the_pages_of_many_rows_follow_from_the_runs_on_record(name, page):
    title, text, rows = page()
    assert page_of(name).startswith(f"# {title}\n\n{text}\n\n")
    assert json.loads((RESULTS / f"{name}.json").read_text("utf8"))["rows"] == rows


def test_the_page_of_the_drop_in_follows_from_the_modules_on_record():
    title, text, rows = drop_in_page(on_record())
    assert page_of("drop_in").startswith(f"# {title}\n\n{text}\n\n")
    assert json.loads((RESULTS / "drop_in.json").read_text("utf8"))["rows"] == rows


def test_the_page_of_many_tables_follows_from_the_runs_on_record():
    title, text, rows = many_tables_page()
    assert page_of("many_tables").startswith(f"# {title}\n\n{text.strip()}\n\n")
    assert json.loads((RESULTS / "many_tables.json").read_text("utf8"))["rows"] == rows


@pytest.mark.parametrize("name", uncertainty.PAGES)
def test_the_pages_of_uncertainty_follow_from_the_runs_on_record(name):
    title, text, rows = uncertainty.PAGES[name]()
    assert page_of(f"uncertainty_{name}").startswith(f"# {title}\n\n{text}\n\n")
    assert json.loads((RESULTS / f"uncertainty_{name}.json").read_text("utf8"))["rows"] == rows


def test_the_page_of_least_squares_is_that_of_its_record():
    assert page_of("least_squares") == least_squares_page.page(least_squares_page._read())


def test_the_page_of_acting_is_that_of_its_record():
    page = page_of("acting")
    seconds = float(re.search(r" in (\d+) s;", page)[1])
    assert page == acting.markdown(json.loads((RESULTS / "acting.json").read_text("utf8")), seconds)


def test_the_readme_shows_the_numbers_on_record():
    assert readme.highlights() in readme.README.read_text("utf8")


@pytest.mark.parametrize("page", readme.COST_PAGES, ids=lambda page: page.stem)
def test_pages_say_what_a_fit_costs_as_on_record(page):
    assert readme.fit_costs(readme.COST_PAGES[page]) in page.read_text("utf8")


def test_the_guide_says_what_a_search_costs_as_on_record():
    assert readme.search_costs() in readme.TUNING.read_text("utf8")


def test_no_line_of_the_readme_is_long_but_for_tables():
    lines = readme.README.read_text("utf8").splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []
