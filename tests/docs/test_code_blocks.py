"""Every code block of the README and of the documentation runs as it stands."""

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from docs.page_code import Block, blocks, commands, is_like, run_page, run_python

ROOT = Path(__file__).parents[2]
GENERATED = {"errors", "api", "gallery", "_build"}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"] + [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not GENERATED & set(path.relative_to(ROOT / "docs").parts)
]


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in PAGES])
def test_the_code_of_a_page_runs(path, tmp_path, monkeypatch):
    if not list(blocks(path.read_text(encoding="utf8"))):
        return
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    run_page(path)
    plt.close("all")


def test_a_block_is_found_with_its_kind_and_line():
    text = "a\n\n```python\n1\n```\n\n```{toctree}\nx\n```\n"
    assert list(blocks(text)) == [Block("python", "1\n", 4)]


def test_a_wrong_output_fails():
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), {}, Path("page.md"))


def test_output_belongs_to_the_command_before_it():
    assert list(commands("$ a b\none\ntwo\n$ c\n")) == [("a b", "one\ntwo\n"), ("c", "")]


def test_a_command_may_print_other_times_and_last_digits_than_shown():
    shown = "fit in 1.2 s\nerror 1.5%, log loss 0.071\n...\n398 rows\n"
    assert is_like("fit in 35 ms\nerror  1.6%, log loss 0.069\nmore\n398 rows", shown)
    assert not is_like("fit in 35 ms\nerror  2.5%, log loss 0.069\nmore\n398 rows", shown)
    assert not is_like("fit in 35 ms\nerror  1.6%, log loss 0.069\nmore\n399 rows", shown)
    assert not is_like("fit in 35 ms\nerror  1.6%, log loss 0.069\nmore\n398 rows and more", shown)
