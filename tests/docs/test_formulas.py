"""The formulas of the pages are drawn as MathML: what its converter does not know would end the build."""

import re
from pathlib import Path

import pytest

convert = pytest.importorskip("docutils.utils.math.latex2mathml", reason="docutils is not installed")
DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"```.*?```|`[^`]*`", flags=re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![$\\])\$(?!\s)([^$\n]+?)(?<!\s)\$(?![$\d])", flags=re.DOTALL)


def formulas(text: str) -> list[str]:
    """What stands between dollars, outside of code."""
    return [block or inline for block, inline in FORMULA.findall(CODE.sub("", text))]


def test_formulas_are_found_outside_of_code():
    assert formulas("a $x_1$ and\n$$y\n= 2$$ but `$z$` and\n```\n$u$\n```\n") == ["x_1", "y\n= 2"]


@pytest.mark.parametrize("path", sorted(DOCS.glob("maths/*.md")), ids=lambda path: path.stem)
def test_every_formula_can_be_drawn(path):
    for formula in formulas(path.read_text(encoding="utf8")):
        assert convert.tex2mathml(formula)
