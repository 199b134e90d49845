"""Names of the API in running text lead to their pages: ``KernelLogisticRegression()`` is a link."""

from api_pages import public_modules, public_names
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

#: Names too common to be meant.
COMMON = {"load", "names", "couple", "METHODS", "Sum", "Product", "Linear", "Kernel", "Decision", "Interval"}


def targets() -> dict[str, str]:
    """{what may stand in a text: docname}; of equal names the first module has it."""
    found: dict[str, str] = {}
    for module in public_modules():
        for name in public_names(module):
            page = f"api/generated/{module}.{name}"
            short = f"{module.removeprefix('kernelproba.')}.{name}"
            keys = {f"{module}.{name}", short} | (set() if name in COMMON else {name})
            for key in keys:
                found.setdefault(key, page)
    return found


class LinkNames(SphinxPostTransform):
    """Replace literals that name something public."""

    default_priority = 900

    def run(self, **_kwargs):
        """Link the literals of one page."""
        pages, here = targets(), self.env.current_document.docname
        for literal in list(self.document.findall(nodes.literal)):
            page = pages.get(literal.astext().split("(")[0])
            if page and page != here and not self._is_linked(literal):
                literal.replace_self(make_refnode(self.app.builder, here, page, "", literal.deepcopy()))

    @staticmethod
    def _is_linked(node) -> bool:
        while node is not None:
            if isinstance(node, (nodes.reference, nodes.title)):
                return True
            node = node.parent
        return False


def setup(app):
    """Register the transform."""
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
