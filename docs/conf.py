"""How the site is built: `.ci/site FOLDER` runs Sphinx on this folder and examples/."""

import inspect
import sys
from pathlib import Path

import matplotlib as mpl
from sphinx_gallery.sorting import ExplicitOrder

import skshake

sys.path.insert(0, str(Path(__file__).parent))
from _extensions.math_in_html import add_math_renderer

project = "skshake"
author = "skshake developers"
copyright = f"2026, {author}"
version = release = skshake.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.linkcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["pictures", "**/GALLERY_HEADER.rst", "**/README.*"]
templates_path = ["_templates"]
# Quotes in types of parameters stay as they are typed.
smartquotes = False
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"sklearn\..*")]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

# Pages of the API: signatures without types, which the docstrings have in words, and of
# what scikit-learn gives to every estimator only what skshake says something about.
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Scripts of examples/ that are pages, in this order. Others are not run.
PAGES = [
    "quickstart",
    "own_graphs",
    "payments",
    "chemist",
    "regression",
    "several_labels",
    "resolution",
    "tuning",
    "ensemble",
    "stacking",
    "kernels",
    "callbacks",
    "saving",
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": rf"^(?!({'|'.join(PAGES)})\.py$)",
    "within_subsection_order": ExplicitOrder([f"{name}.py" for name in PAGES]),
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("skshake",),
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "reset_argv": "_extensions.gallery.arguments_of",
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "skshake"
html_static_path = ["_static"]
html_css_files = ["skshake.css"]
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "github_url": "https://github.com/skshake/skshake",
    "use_edit_page_button": False,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
html_theme_options["logo"]["text"] = "skshake"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

mpl.use("Agg")


def linkcode_resolve(domain, info):
    """Where the text of a function or class is, in the repository."""
    if domain != "py":
        return None
    thing = sys.modules[info["module"]]
    for name in info["fullname"].split("."):
        thing = getattr(thing, name, None)
    thing = inspect.unwrap(getattr(thing, "fget", thing))
    try:
        file = Path(inspect.getsourcefile(thing))
        lines, start = inspect.getsourcelines(thing)
    except (OSError, TypeError):
        return None
    root = Path(skshake.__file__).parents[1]
    if not file.is_relative_to(root / "skshake"):
        return None
    path = file.relative_to(root).as_posix()
    end = start + len(lines) - 1
    return f"https://github.com/skshake/skshake/blob/main/{path}#L{start}-L{end}"


def _skip_foreign(app, what, name, obj, skip, options):
    """Leave out what other packages define, such as get_metadata_routing."""
    module = getattr(inspect.unwrap(getattr(obj, "fget", obj)), "__module__", None)
    if module is not None and not module.startswith("skshake"):
        return True
    return skip


def setup(app):
    add_math_renderer(app)
    app.connect("autodoc-skip-member", _skip_foreign)
