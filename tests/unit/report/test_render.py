"""The report as text, and its file."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from kernelproba.report.about import About
from kernelproba.report.comparison import compare
from kernelproba.report.markdown_text import escape
from kernelproba.report.render import render, write_report
from kernelproba.report.summary import summarise

NAMES = ["<script>alert(1)</script>", "a|b `c` *d* [e](f)", "שלום\u202e", "x" * 200]


@pytest.fixture(scope="module")
def summary():
    rng = np.random.RandomState(0)
    codes = rng.randint(4, size=120)
    X = pd.DataFrame(rng.normal(size=(120, 4)) + np.eye(4)[codes], columns=[f'"{name}"' for name in NAMES])
    y = np.array(NAMES)[codes]
    model = LogisticRegression().fit(X, y)
    rivals = compare(X, y, {"<i>one</i>": model, "two": "broken"}, cv=2)
    return summarise(
        model,
        X,
        y,
        training=(X, y),
        rivals=rivals,
        about=About("<i>target</i>", "make ```report", {"fit <b>": 2.0}),
    )


class _Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_names_never_become_elements(summary):
    page = _Elements(render(summary, "html"))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 1
    assert not {"img", "i"} & set(tags)
    assert NAMES[0] in page.text
    assert NAMES[3] in page.text


def test_the_page_asks_nothing_of_the_network(summary):
    page = _Elements(render(summary, "html"))
    addresses = [
        value for _, attrs in page.tags for key, value in attrs.items() if key in ("src", "href", "action")
    ]
    assert all(value.startswith("data:") for value in addresses)
    assert "@import" not in render(summary, "html")
    (policy,) = [a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")


def test_characters_that_turn_the_text_around_are_made_visible(summary):
    for format in ("html", "md", "json"):
        assert "\u202e" not in render(summary, format)


def test_json_is_the_summary(summary):
    assert json.loads(render(summary, "json")) == summary


def test_markdown_has_every_section_and_tables_of_equal_width(summary):
    text = render(summary, "md")
    for title in ("Scores", "Rivals", "Calibration", "Mistakes", "Rows most in doubt", "Data"):
        assert f"## {title}\n" in text
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(bars) == 1


def test_markdown_shows_names_as_text(summary):
    text = render(summary, "md")
    assert "<script>" not in text
    assert "&lt;script&gt;alert\\(1\\)&lt;/script&gt;" in text
    assert text.count("```") % 2 == 0


def test_markdown_escapes_are_undone_by_a_reader_of_markdown():
    markdown_it = pytest.importorskip("markdown_it")
    for name in [*NAMES[:2], "# a", "1. b", "- c", "&amp;", "a_b_c", "~~d~~", "https://e.f"]:
        html = markdown_it.MarkdownIt("commonmark").render(f"word {escape(name)}")
        assert _Elements(html).text.strip() == f"word {name}"
        assert {tag for tag, _ in _Elements(html).tags} == {"p"}


def test_a_summary_without_rivals_training_and_command_is_rendered():
    P = np.random.RandomState(0).dirichlet([1, 1], size=30)
    y = np.arange(30) % 2
    bare = summarise(LogisticRegression().fit(P, y), P, y)
    for format in ("html", "md", "json"):
        assert render(bare, format)


@pytest.mark.parametrize(("name", "start"), [("a.html", "<!doctype html>"), ("a.md", "# "), ("a.json", "{")])
def test_the_suffix_chooses_the_format(summary, tmp_path, name, start):
    assert write_report(summary, tmp_path / name).read_text(encoding="utf8").lstrip().startswith(start)


def test_a_file_is_replaced_whole_or_not_at_all(summary, tmp_path):
    path = tmp_path / "report.md"
    path.write_text("old")
    with pytest.raises(TypeError):
        write_report(summary | {"scores": None}, path)
    assert path.read_text() == "old"
    write_report(summary, path)
    assert path.read_text(encoding="utf8").startswith("# ")
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]


def test_bad_arguments_are_refused_with_the_cure(summary, tmp_path):
    with pytest.raises(ValueError, match="format must be one of 'html', 'md', 'json'"):
        render(summary, "pdf")
    with pytest.raises(ValueError, match=r"end it with \.html"):
        write_report(summary, tmp_path / "report.txt")
    with pytest.raises(FileNotFoundError, match="make it first"):
        write_report(summary, tmp_path / "none" / "report.html")
