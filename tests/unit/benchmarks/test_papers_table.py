"""The one table of all papers is that of their records."""

from benchmarks.measure import RESULTS
from benchmarks.papers_table import page


def test_the_published_table_follows_from_the_papers_json():
    assert (RESULTS / "papers.md").read_text(encoding="utf8") == page()
