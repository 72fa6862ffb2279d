r"""Formulas as MathML, which browsers draw by themselves, without any script.

LaTeX is translated by docutils.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _inline(self, node):
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _display(self, node):
    self.body.append('<div class="formula">')
    self.body.append(tex2mathml(node.astext(), as_block=True))
    self.body.append("</div>")
    raise nodes.SkipNode


def add_math_renderer(app):
    """Make "mathml" a value of `html_math_renderer`."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_inline, None),
        block_renderers=(_display, None),
    )
