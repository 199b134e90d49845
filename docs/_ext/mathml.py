"""Formulas as MathML, which browsers draw by themselves: no script, no fonts from elsewhere."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(self, node):
    """``:math:`` and ``$…$``."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(self, node):
    """``.. math::`` and ``$$…$$``; its number stands at the right."""
    number = f'<span class="eqno">({node["number"]})</span>' if node["number"] else ""
    formula = tex2mathml(node.astext(), as_block=True)
    self.body.append(f'<div class="math">{number}{formula}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
