"""The documentation site: ``make docs`` builds it offline, with warnings as errors."""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]
os.environ.setdefault("OMP_NUM_THREADS", "1")

import matplotlib  # noqa: E402
import sphinx_gallery.sorting  # noqa: E402

import kernelproba  # noqa: E402

matplotlib.use("agg")

project = "kernelproba"
author = "The kernelproba developers"
copyright = author
release = version = kernelproba.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "mathml",
    "api_pages",
    "api_links",
    "message_pages",
    "llms_text",
]
exclude_patterns = [
    "_build",
    "_ext",
    "_templates",
    "images",
    "message_cures.md",
    "gallery/*.ipynb",
    "**/sg_execution_times.rst",
    "sg_execution_times.rst",
]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # sphinx_gallery_conf holds a class
default_role = "py:obj"
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc says types
toc_object_entries_show_parents = "hide"  # "fit()", as wide as its column
numpydoc_show_class_members = False  # the class template lists them
numpydoc_attributes_as_param_list = True

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("kernelproba",),
    "within_subsection_order": sphinx_gallery.sorting.FileNameSortKey,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "min_reported_time": 1e9,
    "reset_modules": ("matplotlib", "gallery_warnings.as_errors"),
    "reset_modules_order": "both",
    "plot_gallery": "True",
}

html_theme = "pydata_sphinx_theme"
html_title = "kernelproba"
html_favicon = "_static/mark.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("long_names.js", {"defer": "defer"})]
html_sidebars = {"index": [], "gallery/index": [], "changes": []}
html_show_sourcelink = False
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}  # else the first page warns on the console
html_theme_options = {
    "logo": {"text": "kernelproba", "image_light": "_static/mark.svg", "image_dark": "_static/mark.svg"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def without_blank_ends(_app, _name: str, source: list[str]) -> None:
    """Drop the empty line by which a doctest ends before its fence; it would be shown."""
    source[0] = re.sub(r"\n\n(?= *```$)", "\n", source[0], flags=re.MULTILINE)


def setup(app) -> None:
    """Connect to the events of Sphinx."""
    app.connect("source-read", without_blank_ends)
